//! The page where there is little room, on paper, and under a keyboard.

use bakeoff_protocol::Axes;
use serde_json::json;

use crate::Page;
use crate::made_up::everything;
use bakeoff_testing::made_up::{axes, edit, gets, run, store, stores};

/// How far to the right any element inside the selected one extends beyond it, in pixels.
fn beyond(page: &mut Page, selector: &str) -> f64 {
    let furthest = format!(
        "(() => {{ const within = document.querySelector('{selector}').getBoundingClientRect().right; \
         return Math.max(...[...document.querySelectorAll('{selector} *')].map((each) => each.getBoundingClientRect().right)) - within; }})()"
    );
    page.browser.value(&furthest).as_f64().unwrap()
}

#[test]
fn every_stores_figures_fit_a_telephone() {
    let mut page = Page::sized(&[everything()], 390, 844);
    page.browser.value("document.querySelector('.cell').scrollIntoView({ block: 'center', behavior: 'instant' })");
    page.browser.value("document.querySelector('.cell').focus()");
    assert!(page.text_of("#pop").contains("Flat folder"));
    let room = page.browser.value(
        "(() => { const pop = document.getElementById('pop'), at = pop.getBoundingClientRect(); \
         return at.left >= 0 && at.right <= 390 && at.bottom <= 844 && pop.scrollWidth <= pop.clientWidth; })()",
    );
    assert_eq!(room, true, "{}", page.browser.text("document.getElementById('pop').outerHTML"));
    assert!(beyond(&mut page, "#pop") <= 0.0);
    page.is_quiet();
}

#[test]
fn nothing_is_cut_off_on_paper() {
    let mut page = Page::open(&[everything()]);
    page.choose("#choosers", "durability", "power");
    page.browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    // A4 within its margins.
    page.browser.value("document.body.style.width = '718px'");
    let over = beyond(&mut page, "body");
    assert!(over < 1.0, "{over} pixels are cut off");
    let words = page.text_of("#matrix-place");
    for place in ["durability power", "threads 1", "medium default"] {
        assert!(words.contains(place), "{place} is not in {words}");
    }
    page.browser.value("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(page.browser.value("document.querySelector('.slowest').open"), true);
    let over = beyond(&mut page, "body");
    assert!(over < 1.0, "{over} pixels of what was folded are cut off");
    page.choose("#relative", "data", "text");
    let seen = "[...document.querySelectorAll('figcaption select')].filter((each) => each.offsetWidth && getComputedStyle(each).appearance === 'none').map((each) => each.selectedOptions[0].label)";
    let seen = page.browser.value(seen);
    for choice in ["mean time", "peak memory", "text", "all"] {
        assert!(seen.as_array().unwrap().contains(&json!(choice)), "{choice} is not in {seen}");
    }
    page.is_quiet();
}

#[test]
fn what_is_gone_to_is_not_under_the_choosers() {
    let mut page = Page::open(&[everything()]);
    let features = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    page.browser.call("Emulation.setEmulatedMedia", features);
    let clear = |of: &str| {
        format!(
            "document.querySelector('{of}').getBoundingClientRect().top >= document.getElementById('choose').getBoundingClientRect().bottom"
        )
    };
    page.browser.value("document.querySelector('header a[href=\"#charts\"]').click()");
    // Scrolling is done with the next frame, and pictures above may still be drawn, which moves what is below them.
    page.browser.wait_for(&clear("#charts"));
    page.browser.value("scrollTo(0, document.documentElement.scrollHeight)");
    page.browser.value("document.querySelector('#scatter select').focus()");
    page.browser.wait_for(&clear("#scatter select"));
    page.browser.value("document.querySelector('#relative select').focus()");
    page.choose("#relative", "durability", "power");
    assert_eq!(page.browser.value("document.activeElement.matches('#relative select')"), true, "the focus stays");
    assert_eq!(page.browser.text("document.activeElement.selectedOptions[0].label"), "power");
}

#[test]
fn the_heading_tells_what_was_measured() {
    let mut page = Page::open(&[run(gets(&axes("lmdb"), &[1_000, 1_010]), stores())]);
    let expected = "1 store · values of 1KiB..10KiB × 1,000 records of random data · durability process · 1 thread";
    assert_eq!(page.text_of(".summary"), expected);
    let place = page.text_of(".place");
    assert!(place.contains("answers checked and right · "), "{place}");
    let mut other = run(gets(&axes("sqlite"), &[1_000]), stores());
    edit(&mut other, |info| info["suite"]["title"] = "Another".into());
    other.cells[0].end.axes.records = 10_000;
    edit(&mut other, |info| info["suite"]["scale"] = 0.001.into());
    let mut both = Page::open(&[everything(), other]);
    assert_eq!(both.text_of("h1"), "Made up and Another");
    assert_eq!(
        both.text_of(".summary"),
        "3 stores · values of 100B..1KiB and 1KiB..10KiB × 1,000 and 10,000 records of random and text data · \
         durability process and power · 1 and 4 threads · scaled down to 0.100 %"
    );
}

#[test]
fn long_names_leave_room_for_figures() {
    let named = |name| format!("RocksDB block-cache=4GiB compression=zstd page-size=16KiB @ {name}");
    let names = ["machine-a", "machine-b"].map(named);
    let cells = names.iter().zip([1, 2]).flat_map(|(name, times)| gets(&axes(name), &[1_000 * times, 1_010 * times]));
    let described = names.iter().map(|name| store(name, name)).collect();
    let mut page = Page::sized(&[run(cells.collect(), described)], 500, 900);
    assert_eq!(page.browser.value("document.documentElement.scrollWidth"), 500);
    assert_eq!(page.fields(), ["RocksDB block…@ machine-a 1.00 µs"]);
    let cut = "[...document.querySelectorAll('figure svg text')].filter((each) => { const at = each.getBoundingClientRect(), frame = each.closest('figure').getBoundingClientRect(); \
               return at.width && (at.left < frame.left - 1 || at.right > frame.right + 1); }).map((each) => each.textContent).join('; ')";
    assert_eq!(page.browser.text(cut), "", "reaches out of its picture");
    let room = page.browser.value(
        "(() => { const { range } = document.querySelector('#detail-chart svg').scale('x'); return range[1] - range[0]; })()",
    );
    assert!(room.as_f64().unwrap() > 150.0, "{room} pixels for the figures");
    page.browser.value("document.querySelector('.cell').focus()");
    assert!(page.text_of("#pop").contains(&names[1]), "and in full where a field is pointed at");
    page.is_quiet();
}

#[test]
fn runs_of_long_names_fit_a_telephone() {
    let of = |name: &str| {
        let mut run = everything();
        run.directory = format!("results/20261123-000210-{name}").into();
        edit(&mut run, |info| info["started"] = format!("2026-11-23T00:02:10Z of {name}").into());
        run
    };
    let mut page = Page::sized(&[of("quick"), of("another-long-one")], 390, 844);
    let wide = "[...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > 391 && !each.closest('.scroll')).map((each) => each.outerHTML.slice(0, 100)).join('; ')";
    let wide = page.browser.text(wide);
    assert_eq!(page.browser.value("document.documentElement.scrollWidth"), 390, "{wide}");
    let out =
        "[...document.querySelectorAll('select')].filter((each) => each.getBoundingClientRect().right > 390).length";
    assert_eq!(page.browser.value(out), 0, "choosers that reach out of the page");
    page.is_quiet();
}

#[test]
fn long_names_stay_in_their_columns() {
    let names =
        ["a", "b", "c"].map(|name| format!("Rocks DB with {} @ {name}", "every-option-that-there-is=on,".repeat(3)));
    let cells = names.iter().zip([100, 101, 200]).flat_map(|(name, times)| {
        [1_000, 10_000].into_iter().flat_map(move |records| {
            let axes = Axes { records, ..axes(name) };
            gets(&axes, &[10 * times, 11 * times, 12 * times])
        })
    });
    let run = run(cells.collect(), names.iter().map(|name| store(name, name)).collect());
    for width in [390, 1280] {
        let mut page = Page::sized(std::slice::from_ref(&run), width, 900);
        assert_eq!(page.browser.value("document.documentElement.scrollWidth"), width);
        for table in [".workloads", ".ranks"] {
            let outside = page.browser.text(&format!(
                "[...document.querySelectorAll('.answer {table} .store')].filter((name) => {{ const at = name.getBoundingClientRect(), \
                 room = name.closest('td').getBoundingClientRect(); return at.right > room.right + 1 || at.left < room.left - 1; }}).map((each) => each.innerText).join('; ')"
            ));
            assert_eq!(outside, "", "names that run out of their columns in {table} at {width}");
            assert!(page.count(&format!(".answer {table} .store")) > 1);
        }
        let hidden = "[...document.querySelectorAll('.answer .scroll')].filter((each) => each.scrollWidth > each.clientWidth + 1).length";
        assert_eq!(page.browser.value(hidden), 0, "columns out of sight at {width}");
        page.is_quiet();
    }
}
