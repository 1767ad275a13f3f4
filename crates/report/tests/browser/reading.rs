//! What readers of the page rely on: true percentiles, names and colours that stay, heads that stay, paper, links, runs
//! next to each other.

use bakeoff_protocol::{Axes, Mode};
use bakeoff_report::{ComparisonReport, write_comparison_html};
use serde_json::json;

use crate::Page;
use crate::made_up::{circumstances, everything};
use bakeoff_testing::chromium::Browser;
use bakeoff_testing::made_up::{axes, edit, gets, run, stores};

#[test]
fn a_percentile_of_too_few_operations_is_neither_shown_nor_ranked() {
    // A thousand operations in three rounds: thirty lie beyond p99, three beyond p99.9.
    let mut page = Page::open(&[everything()]);
    page.choose("#choosers", "measure", "p99");
    assert!(page.fields()[0].starts_with("LMDB "), "{:?}", page.fields()[0]);
    page.choose("#choosers", "measure", "p99.9");
    let fields = page.fields();
    assert!(fields.iter().all(|field| field == "too few operations" || field == "failed"), "{fields:?}");
    assert!(page.text_of("#detail-chart").contains("Too few operations for p99.9."));
    assert!(page.text_of("#relative").contains("over 0 of"), "{}", page.text_of("#relative"));
    page.browser.value("document.querySelector('.cell').focus()");
    let pop = page.text_of("#pop");
    assert!(pop.contains("too few operations for p99.9: not ten slower ones"), "{pop}");
    let row = page.text_of("#detail-table tbody tr");
    assert!(row.contains("too few"), "{row}");
    let under = "(() => { const row = document.querySelector('#detail-table tbody tr'), heads = document.querySelectorAll('#detail-table thead th'); \
                 return [...row.children].every((cell, index) => Math.abs(cell.getBoundingClientRect().right - heads[index].getBoundingClientRect().right) < 1); })()";
    assert_eq!(page.browser.value(under), true, "each figure stands under its head");
    page.is_quiet();
}

#[test]
fn pictures_along_words_carry_the_names_of_the_stores() {
    let mut page = Page::open(&[circumstances()]);
    for picture in ["#along-medium", "#along-disturbance"] {
        let names = page.browser.text(&format!(
            "[...document.querySelectorAll('{picture} [aria-label=text] text')].map((each) => each.textContent).sort().join()"
        ));
        assert_eq!(names, "LMDB,SQLite", "{picture}");
        let right = page.browser.value(&format!(
            "(() => {{ const svg = document.querySelector('{picture} svg'); const end = svg.getBoundingClientRect().right; \
             return [...svg.querySelectorAll('[aria-label=text] text')].every((each) => each.getBoundingClientRect().right <= end + 1); }})()"
        ));
        assert_eq!(right, true, "names end inside {picture}");
    }
    page.is_quiet();
}

#[test]
fn a_store_has_the_same_colour_on_every_page() {
    let of = |names: &[&str]| {
        let cells = names.iter().flat_map(|name| gets(&axes(name), &[1_000, 1_010])).collect();
        let mut page = Page::open(&[run(cells, stores())]);
        let colour = "(() => { const name = [...document.querySelectorAll('.store')].find((each) => each.textContent === 'SQLite'); \
                      return getComputedStyle(name, '::before').backgroundColor; })()";
        page.browser.text(colour)
    };
    let alone = of(&["sqlite"]);
    assert_eq!(alone, of(&["flat-folder", "lmdb", "sqlite"]));
    assert!(alone.starts_with("rgb("), "{alone}");
}

#[test]
fn on_a_telephone_the_matrix_keeps_its_head_and_its_rows_names() {
    let mut page = Page::sized(&[everything()], 390, 844);
    page.browser.value("document.getElementById('matrix-table').scrollTo(200, 40)");
    let stays = page.browser.value(
        "(() => { const frame = document.getElementById('matrix-table').getBoundingClientRect(); \
         const at = (selector) => document.querySelector(selector).getBoundingClientRect(); \
         return [document.getElementById('matrix-table').scrollLeft > 50, Math.abs(at('.matrix tbody th').left - frame.left) < 2, \
           at('.matrix tbody th.size').left < frame.left + 90, Math.abs(at('.matrix thead th').top - frame.top) < 2]; })()",
    );
    assert_eq!(stays, json!([true, true, true, true]));
    assert_eq!(page.browser.value("document.documentElement.scrollWidth"), 390);
    page.is_quiet();
}

#[test]
fn paper_has_what_is_folded_on_the_screen() {
    let mut page = Page::open(&[everything()]);
    let folded = "document.querySelectorAll('details:not([open], .save)').length";
    let before = page.browser.value(folded);
    assert_ne!(before, 0);
    page.browser.value("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(page.browser.value(folded), 0);
    page.browser.value("dispatchEvent(new Event('afterprint'))");
    assert_eq!(page.browser.value(folded), before);
    page.is_quiet();
}

#[test]
fn a_link_to_a_part_leads_there() {
    let mut page = Page::open(&[everything()]);
    let file = page.file.clone();
    page.browser.go("about:blank", "true");
    page.browser.open(&file, "#charts");
    page.browser.value("new Promise((done) => setTimeout(done, 600))");
    let top = page.browser.value("document.getElementById('charts').getBoundingClientRect().top").as_f64().unwrap();
    assert!((-5.0..450.0).contains(&top), "the pictures begin at {top}");
}

#[test]
fn joined_runs_say_which_is_faster_and_in_what_they_differ() {
    let of = |directory: &str, cpu: &str, means: &[u64]| {
        let mut run = run(gets(&axes("lmdb"), means), stores());
        run.directory = directory.into();
        edit(&mut run, |info| info["machine"]["cpu_model"] = cpu.into());
        run
    };
    let runs =
        [of("results/old", "Abacus", &[1_000, 1_010, 1_020]), of("results/new", "Slide rule", &[2_000, 2_020, 2_040])];
    let mut page = Page::open(&runs);
    let beside = page.text_of("#beside");
    for words in ["2 runs: the others against old", "Slide rule", "LMDB 2.00× slower (1."] {
        assert!(beside.contains(words), "{words} is not in {beside}");
    }
    assert_eq!(page.text_of("#overview .headline"), "Nothing to rank: each of these has one store");
    page.choose("#choosers", "run", "new (Slide rule)");
    page.is_quiet();
    let named = runs.into_iter().zip(["before", "after"]).map(|(mut run, name)| {
        edit(&mut run, |info| info["name"] = name.into());
        run
    });
    let mut page = Page::open(&named.collect::<Vec<_>>());
    assert!(page.text_of("#beside").contains("2 runs: the others against before"), "by the names that they were given");
    page.choose("#choosers", "run", "after (Slide rule)");
}

#[test]
fn what_a_column_counts_is_said_below_it() {
    let mut page = Page::open(&[everything()]);
    page.browser.value("[...document.querySelectorAll('#detail-cells details')].at(-1).open = true");
    let words = page.text_of("#detail-cells");
    for said in [
        "bytes written",
        "Bytes that the process sent to the block layer",
        "peak memory",
        "Pages of files that a store maps count",
    ] {
        assert!(words.contains(said), "{said} is not in {words}");
    }
    assert!(page.text_of("#costs").contains("Pages of files that a store maps count."), "{}", page.text_of("#costs"));
    page.is_quiet();
}

#[test]
fn a_comparison_fits_a_telephone() {
    let of = |name: &str, scale: u64| {
        let cells = (1..4_u64).flat_map(|records| {
            let axes = Axes { records: records * 1_000, ..axes("lmdb") };
            gets(&axes, &[1_000 * scale, 1_010 * scale, 1_020 * scale])
        });
        let mut run = run(cells.collect(), stores());
        run.directory = name.into();
        run
    };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("compare.html");
    let mut html = Vec::new();
    write_comparison_html(&ComparisonReport::new(&of("a", 1), &of("b", 10)).unwrap(), &mut html).unwrap();
    std::fs::write(&file, html).unwrap();
    let mut browser = Browser::start(390, 844);
    browser.go(&format!("file://{}", file.display()), "document.querySelector('.changes') !== null");
    let cut = "[...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth).length";
    assert_eq!(browser.value(cut), 0, "no column has to be scrolled to");
    assert_eq!(browser.value("document.documentElement.scrollWidth"), 390);
    let paper = "getComputedStyle(document.body).backgroundColor";
    let light = browser.text(paper);
    browser.value("document.getElementById('theme').click()");
    assert_ne!(browser.text(paper), light, "a comparison has the same switch as a report");
    let complaints = browser.complaints();
    assert!(complaints.console.is_empty() && complaints.requests.is_empty(), "{complaints:#?}");
}

#[test]
fn a_tie_has_the_colours_in_the_order_of_its_names() {
    // SQLite's index is the larger one, and it is a little faster.
    let mut cells = gets(&axes("lmdb"), &[1_002, 1_022, 1_012]);
    cells.append(&mut gets(&axes("sqlite"), &[1_000, 1_010, 1_020]));
    let mut page = Page::open(&[run(cells, stores())]);
    assert_eq!(page.fields(), ["SQLite = LMDB 1.01 µs"]);
    let colours = "(() => { const field = getComputedStyle(document.querySelector('.cell')); \
                   const probe = document.createElement('i'); document.body.append(probe); \
                   const tint = (name) => { const of = [...document.querySelectorAll('#stores .store')].find((each) => each.textContent === name); \
                     probe.style.background = `color-mix(in srgb, ${getComputedStyle(of, '::before').backgroundColor} var(--tint), var(--card))`; \
                     return getComputedStyle(probe).backgroundColor; }; \
                   const places = ['SQLite', 'LMDB'].map((name) => field.backgroundImage.indexOf(tint(name))); \
                   return places[0] >= 0 && places[0] < places[1]; })()";
    let seen = page.browser.text("getComputedStyle(document.querySelector('.cell')).backgroundImage");
    assert_eq!(page.browser.value(colours), true, "{seen}");
    page.is_quiet();
}

#[test]
fn a_field_can_be_heard() {
    let mut page = Page::open(&[everything()]);
    let name = "document.querySelector('.cell').ariaLabel";
    assert_eq!(
        page.browser.text(name),
        "get · 100B..1KiB × 1,000 random · durability process · threads 1: LMDB 1.00 µs, wins"
    );
    let described = "document.querySelectorAll('.cell[aria-describedby=pop]').length";
    assert_eq!(page.browser.value(described), 0);
    page.browser.value("document.querySelector('.cell').focus()");
    page.browser.press("Tab");
    assert_eq!(page.browser.value(described), 1, "only the field in focus");
    assert_eq!(page.browser.value("document.activeElement.getAttribute('aria-describedby')"), "pop");
    page.browser.press("Escape");
    assert_eq!(page.browser.value(described), 0, "what is hidden describes nothing");
    page.choose("#choosers", "measure", "space on disk");
    let heard = page.browser.text(name);
    assert!(heard.ends_with(": all 3 tied 5.96 MiB, tied, within 1.25×"), "{heard}");
    page.is_quiet();
}

#[test]
fn why_a_phase_that_is_timed_as_a_whole_has_no_percentiles() {
    let mut cells = gets(&axes("lmdb"), &[1_000, 1_010]);
    for phase in cells.iter_mut().flat_map(|cell| &mut cell.phases) {
        let mut whole = phase.clone();
        whole.result.phase = "load".to_owned();
        whole.result.mode = Mode::Throughput;
        whole.result.operations.iter_mut().for_each(|operation| operation.latency = None);
        *phase = whole;
    }
    cells
        .iter_mut()
        .zip(gets(&axes("lmdb"), &[1_000, 1_010]))
        .for_each(|(cell, other)| cell.phases.extend(other.phases));
    let mut page = Page::open(&[run(cells, stores())]);
    page.choose("#choosers", "measure", "p50");
    assert_eq!(page.fields()[0], "timed as a whole");
    page.choose("#choosers", "operation", "load");
    let why = "Timed as a whole: no latencies of single operations.";
    for part in ["#detail-chart", "#percentiles", "#detail-workload"] {
        assert!(page.text_of(part).contains(why), "{part}: {}", page.text_of(part));
    }
    page.browser.value("document.querySelector('.cell').focus()");
    assert!(page.text_of("#pop").contains(why), "{}", page.text_of("#pop"));
    assert_eq!(
        page.browser.value(&format!("document.querySelectorAll('#detail-table td[title={why:?}]').length > 0")),
        true
    );
    page.is_quiet();
}
