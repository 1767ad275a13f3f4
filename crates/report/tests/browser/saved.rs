//! Pictures that are saved: files that need nothing else and say what they show.

use crate::Page;
use crate::made_up::everything;

/// Presses an entry of the menu of a picture.
pub(crate) fn press(page: &mut Page, picture: &str, kind: &str) {
    let press = format!(
        "(() => {{ const menu = document.querySelector('{picture} .save'); menu.open = true; \
         [...menu.querySelectorAll('button')].find((each) => each.innerText === {kind:?}).click(); return menu.open; }})()"
    );
    assert_eq!(page.browser.value(&press), false, "the menu closes");
}

#[test]
fn a_picture_is_saved_as_an_svg_that_needs_nothing_else() {
    let mut page = Page::open(&[everything()]);
    let downloads = page.browser.downloads();
    press(&mut page, "#percentiles", "SVG");
    let saved = page.saved(&downloads, "made-up-Get-latency-at-each-percentile.svg");
    let saved = String::from_utf8(saved).unwrap();
    for words in [
        "<svg ",
        "Get: latency at each percentile",
        "LMDB",
        "100B..1KiB × 10,000 random",
        "bakeoff 0.1.0",
        "run made-up",
    ] {
        assert!(saved.contains(words), "{words} is not in {saved}");
    }
    assert!(!saved.contains("var(") && !saved.contains("url(") && !saved.contains("<script"), "{saved}");
    let whole = page.browser.value(&format!(
        "(() => {{ const read = new DOMParser().parseFromString({saved:?}, 'image/svg+xml'); \
         return read.querySelector('parsererror') === null && read.querySelectorAll('svg svg').length === 1; }})()"
    ));
    assert_eq!(whole, true, "{saved}");
    let light = saved;
    page.browser.value("document.getElementById('theme').click()");
    std::fs::remove_file(downloads.join("made-up-Get-latency-at-each-percentile.svg")).unwrap();
    press(&mut page, "#percentiles", "SVG");
    let dark = page.saved(&downloads, "made-up-Get-latency-at-each-percentile.svg");
    assert_ne!(String::from_utf8(dark).unwrap(), light, "in the colours that are seen");
    page.is_quiet();
}

#[test]
fn a_picture_is_saved_as_pixels() {
    let mut page = Page::open(&[everything()]);
    let downloads = page.browser.downloads();
    press(&mut page, "#costs", "PNG");
    let saved = page.saved(&downloads, "made-up-Space-and-memory.png");
    assert!(saved.starts_with(b"\x89PNG\r\n"));
    let size = |at: usize| u32::from_be_bytes(saved[at..at + 4].try_into().unwrap());
    assert!(size(16) > 700 && size(20) > 400, "{} × {}", size(16), size(20));
    page.is_quiet();
}

#[test]
fn every_picture_and_the_heatmap_can_be_saved() {
    let mut page = Page::open(&[everything()]);
    let without = "[...document.querySelectorAll('#interactive figure')].filter((each) => each.querySelector('svg') && !each.querySelector('.save')).map((each) => each.id).join()";
    assert_eq!(page.browser.text(without), "");
    let downloads = page.browser.downloads();
    press(&mut page, "#heat-save", "SVG");
    let saved = page.saved(&downloads, "made-up-Every-store-in-every-workload-mean-time.svg");
    let saved = String::from_utf8(saved).unwrap();
    for words in ["Flat folder", "★1.00", "8.00", "n/a", "scan text 10,000 1KiB..10KiB"] {
        assert!(saved.contains(words), "{words} is not in {saved}");
    }
    page.is_quiet();
}

#[test]
fn a_menu_closes_with_escape_and_elsewhere() {
    let mut page = Page::open(&[everything()]);
    let open = "document.querySelectorAll('.save[open]').length";
    page.browser.value("document.querySelector('#costs .save summary').click()");
    assert_eq!(page.browser.value(open), 1);
    page.browser.value("document.querySelector('#costs .save button').focus()");
    page.browser.press("Escape");
    assert_eq!(page.browser.value(open), 0);
    assert_eq!(page.browser.value("document.activeElement === document.querySelector('#costs .save summary')"), true);
    page.browser.value("document.querySelector('#costs .save summary').click()");
    page.browser.value("document.querySelector('h1').click()");
    assert_eq!(page.browser.value(open), 0);
    page.is_quiet();
}

#[test]
fn the_page_says_how_to_cite_its_run() {
    let mut page = Page::open(&[everything()]);
    let footer = page.text_of("footer");
    assert!(
        footer.starts_with("Cite this run: bakeoff 0.1.0, “Made up”, run made-up of 2026-01-02T03:04:05Z, seed 1"),
        "{footer}"
    );
}
