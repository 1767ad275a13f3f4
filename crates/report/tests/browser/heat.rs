//! The heatmap: every store in every workload, how cells differ, and how it is sorted, pointed at and moved through.

use bakeoff_protocol::Axes;
use bakeoff_results::run::Run;
use serde_json::json;

use crate::Page;
use crate::made_up::everything;
use bakeoff_testing::made_up::{axes, gets, good, operation, phase_result, run, store, stores};

/// The words in every row, each row's name first.
fn rows(page: &mut Page) -> Vec<Vec<String>> {
    let rows = page.browser.value(
        "[...document.querySelectorAll('.heat tbody tr')].map((row) => [...row.children].map((each) => each.innerText))",
    );
    serde_json::from_value(rows).unwrap()
}

/// The names of the stores from above.
fn names(page: &mut Page) -> Vec<String> {
    rows(page).into_iter().map(|row| row[0].clone()).collect()
}

/// Presses the head with these words; the sign of the order may follow them.
fn sort_by(page: &mut Page, words: &str) {
    let press = format!(
        "(() => {{ const head = [...document.querySelectorAll('.heat .sort')].find((each) => each.firstChild.textContent === {words:?}); head?.click(); return Boolean(head); }})()"
    );
    assert_eq!(page.browser.value(&press), true, "{words}");
}

/// Gets of two stores, of which each is faster for one size.
fn reversed() -> Run {
    let cells = [(1, 100, [1_000, 3_000]), (100, 1_024, [3_000, 1_000])].into_iter().flat_map(|(min, max, times)| {
        ["lmdb", "sqlite"].into_iter().zip(times).flat_map(move |(name, ns)| {
            let axes = Axes { value_bytes_min: min, value_bytes_max: max, ..axes(name) };
            gets(&axes, &[ns, ns + 10, ns + 20])
        })
    });
    run(cells.collect(), stores())
}

#[test]
fn every_store_in_every_workload_is_a_ratio_to_the_best() {
    let mut page = Page::open(&[everything()]);
    let rows = rows(&mut page);
    // Behind a name the whole, then gets and scans of two sizes, two data types and two numbers of records.
    assert!(rows.len() == 3 && rows.iter().all(|row| row.len() == 2 + 16), "{rows:?}");
    assert_eq!(rows[0], [vec!["LMDB"], vec!["★1.00"; 17]].concat());
    assert_eq!(rows[1], [vec!["SQLite"], vec!["2.00"; 17]].concat());
    assert_eq!(rows[2], [vec!["Flat folder"], vec!["8.00"; 9], vec!["n/a"; 8]].concat());
    assert!(page.text_of("#heat-hint").contains("over the 8 of 16 workloads"), "{}", page.text_of("#heat-hint"));
    page.choose("#choosers", "durability", "power");
    let failed = page.count(".heat td.failed");
    assert_eq!(failed, 4, "the flat folder with the larger size and count, of two data types in two phases");
    page.is_quiet();
}

#[test]
fn colours_follow_ratios_and_signs_follow_the_verdict() {
    let look = |means: [&[u64]; 2]| {
        let cells = ["lmdb", "sqlite"].into_iter().zip(means).flat_map(|(name, of)| gets(&axes(name), of));
        let mut page = Page::open(&[run(cells.collect(), stores())]);
        let looks = page.browser.value(
            "[...document.querySelectorAll('.heat tbody td:last-child')].map((each) => `${each.innerText} ${each.className}`)",
        );
        let plain = page.browser.value(
            "[...document.querySelectorAll('.heat tbody td:last-child')].map((each) => getComputedStyle(each).backgroundColor === 'rgba(0, 0, 0, 0)')",
        );
        assert_eq!(plain, json!([false, false]), "a colour each");
        page.is_quiet();
        looks
    };
    let quick = &[1_000, 1_010, 1_020];
    assert_eq!(look([quick, &[3_000, 3_030, 3_060]]), json!(["★1.00 wins h0", "3.00 worse h2"]));
    assert_eq!(look([quick, &[1_002, 1_022, 1_012]]), json!(["=1.00 tied h0", "=1.00 tied h0"]));
    let scattered = look([&[10_000, 10_100, 9_900, 10_000], &[8_000, 30_000, 9_000, 20_000]]);
    let scattered = scattered.as_array().unwrap();
    assert!(scattered.iter().all(|look| look.as_str().unwrap().contains("≈")), "{scattered:?}");
    assert_eq!(look([&[1_000], &[200_000]]), json!(["?1.00 unproven h0", "?200 unproven h5"]));
}

#[test]
fn heads_sort_and_the_order_is_in_the_address() {
    let mut page = Page::open(&[reversed()]);
    sort_by(&mut page, "1B..100B");
    assert_eq!(names(&mut page), ["LMDB", "SQLite"]);
    assert_eq!(page.count(".heat th[aria-sort=ascending]"), 1);
    sort_by(&mut page, "100B..1KiB");
    assert_eq!(names(&mut page), ["SQLite", "LMDB"]);
    let focus = page.browser.text("document.activeElement.firstChild.textContent");
    assert_eq!(focus, "100B..1KiB", "the focus stays");
    let choice = page.browser.text("location.hash");
    let file = page.file.clone();
    page.browser.open(&file, &choice);
    assert_eq!(names(&mut page), ["SQLite", "LMDB"], "{choice}");
    sort_by(&mut page, "100B..1KiB");
    assert_eq!(names(&mut page), ["LMDB", "SQLite"], "the other way round");
    assert_eq!(page.count(".heat th[aria-sort=descending]"), 1);
    sort_by(&mut page, "store");
    assert_eq!(names(&mut page), ["LMDB", "SQLite"]);
    sort_by(&mut page, "store");
    assert_eq!(names(&mut page), ["SQLite", "LMDB"]);
    page.is_quiet();
}

#[test]
fn a_store_that_is_left_out_is_no_row_and_changes_no_ratio() {
    let mut page = Page::open(&[everything()]);
    page.browser
        .value("[...document.querySelectorAll('#stores button')].find((each) => each.innerText === 'LMDB').click()");
    assert_eq!(names(&mut page), ["SQLite", "Flat folder"]);
    assert_eq!(rows(&mut page)[0][2], "2.00", "the best is the best, shown or not");
    page.is_quiet();
}

#[test]
fn arrows_lead_through_the_fields_and_each_is_said() {
    let mut page = Page::open(&[everything()]);
    let reached = "[...document.querySelectorAll('#heat-table [tabindex=\"0\"]')].length";
    assert_eq!(page.browser.value(reached), 1, "one stop for Tab");
    page.browser.value("document.querySelector('#heat-table [tabindex=\"0\"]').focus()");
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"] {
        page.browser.press(key);
    }
    let said = page.text_of("#heat-said");
    let expected = "SQLite, get · 100B..1KiB × 1,000 random · durability process · threads 1: mean time 2.00 µs (lowest–highest round ";
    assert!(
        said.starts_with(expected) && said.contains("; 2.00× the best") && said.ends_with("; worse than the best."),
        "{said}"
    );
    let pop = page.text_of("#pop");
    for words in ["mean time\t2.00 µs", "p99\t2.00 µs", "ops/s\t500 k/s", "peak memory\t2.00 MiB"] {
        assert!(pop.contains(words), "{words} is not in {pop}");
    }
    page.browser.press("End");
    assert!(
        page.text_of("#heat-said").starts_with("SQLite, scan · 1KiB..10KiB × 10,000 text"),
        "{}",
        page.text_of("#heat-said")
    );
    page.browser.press("ArrowDown");
    assert!(page.text_of("#heat-said").ends_with("not offered; it has no order."), "{}", page.text_of("#heat-said"));
    page.browser.press("ArrowUp");
    page.browser.press("Enter");
    assert!(page.text_of("#detail-workload").starts_with("scan · 1KiB..10KiB × 10,000 text"));
    assert_eq!(
        page.browser.value("document.activeElement.matches('.heat td') && document.activeElement.tabIndex === 0"),
        true
    );
    assert_eq!(page.browser.value(reached), 1);
    page.browser.press("Home");
    page.browser.press("ArrowRight");
    let over = page.text_of("#heat-said");
    assert!(over.starts_with("SQLite, over 8 of 16 workloads: 2.00× the best;"), "{over}");
    page.browser.press("Escape");
    assert_eq!(page.browser.value("document.getElementById('pop').hidden"), true);
    page.is_quiet();
}

#[test]
fn a_pointer_shows_a_field_and_a_press_chooses_its_workload() {
    let mut page = Page::open(&[everything()]);
    page.browser.value(
        "document.querySelector('.heat tbody td:last-child').scrollIntoView({ block: 'center', behavior: 'instant' })",
    );
    page.browser.value("document.querySelector('.heat tbody td:last-child').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))");
    assert!(page.text_of("#pop").starts_with("LMDB, scan · 1KiB..10KiB × 10,000 text"), "{}", page.text_of("#pop"));
    page.browser.value("document.querySelector('.heat tbody td:last-child').click()");
    assert!(page.text_of("#detail-workload").starts_with("scan · 1KiB..10KiB × 10,000 text"));
    assert_eq!(
        page.browser.value("document.activeElement === document.querySelector('.heat tbody td:last-child')"),
        true
    );
    assert_eq!(page.count(".heat .sort.chosen"), 1);
    page.is_quiet();
}

#[test]
fn the_whole_is_what_the_first_answer_says() {
    let mut page = Page::open(&[reversed()]);
    let headline = page.text_of(".headline");
    let whole = rows(&mut page)[1][1].clone();
    let bars = page.text_of("#relative");
    assert!(bars.contains("The same as in the answer above."), "{bars}");
    let mut apart = Page::open(&[run(
        [gets(&axes("lmdb"), &[1_000, 1_100, 1_020]), gets(&axes("sqlite"), &[4_100, 5_000, 4_700])].concat(),
        stores(),
    )]);
    let (headline_apart, whole_apart) = (apart.text_of(".headline"), rows(&mut apart)[1][1].clone());
    assert!(headline_apart.contains(&format!("{whole_apart}×")), "{whole_apart} is not in {headline_apart}");
    assert!(apart.text_of("#relative").contains(&format!("{whole_apart}×")), "{}", apart.text_of("#relative"));
    assert!(
        whole.starts_with('≈') || headline.contains("not told apart") || whole.starts_with('='),
        "{whole}: {headline}"
    );
    apart.is_quiet();
}

#[test]
fn one_store_is_one_row() {
    for means in [&[1_000][..], &[1_000, 1_010]] {
        let mut page = Page::open(&[run(gets(&axes("lmdb"), means), stores())]);
        let rows = rows(&mut page);
        assert!(rows.len() == 1 && rows[0].last().unwrap() == "★1.00", "{rows:?}");
        page.is_quiet();
    }
}

#[test]
fn a_telephone_keeps_the_stores_in_sight() {
    let mut page = Page::sized(&[everything()], 360, 740);
    assert_eq!(page.browser.value("document.documentElement.scrollWidth"), 360);
    page.browser.value("document.getElementById('heat-table').scrollTo({ left: 300, behavior: 'instant' })");
    let stays = page.browser.value(
        "(() => { const frame = document.getElementById('heat-table').getBoundingClientRect(), name = document.querySelector('.heat tbody th').getBoundingClientRect(); \
         return [document.getElementById('heat-table').scrollLeft > 100, Math.abs(name.left - frame.left) < 2, name.width < 110]; })()",
    );
    assert_eq!(stays, json!([true, true, true]));
    page.browser.value("document.querySelector('.heat tbody td:last-child').scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })");
    page.browser.value("document.querySelector('.heat tbody td:last-child').click()");
    let room = page.browser.value(
        "(() => { const pop = document.getElementById('pop'), at = pop.getBoundingClientRect(); return !pop.hidden && at.left >= 0 && at.right <= 360 && pop.scrollWidth <= pop.clientWidth; })()",
    );
    assert_eq!(room, true, "{}", page.browser.text("document.getElementById('pop').outerHTML"));
    page.is_quiet();
}

#[test]
fn fourteen_stores_in_ninety_workloads_are_all_there() {
    let all: Vec<String> = (0..14).map(|number| format!("store-{number:02}")).collect();
    let mut cells = Vec::new();
    for (factor, name) in (1..).zip(&all) {
        for workload in 0..15_u64 {
            let axes = Axes { records: 1_000 * (1 + workload), ..axes(name) };
            for round in 1..=2 {
                let phases = ["load", "insert", "get", "update", "remove", "scan"]
                    .map(|phase| phase_result(phase, vec![operation("get", 1_000 * factor + u64::from(round))]));
                cells.push(good(&axes, round, phases.to_vec()));
            }
        }
    }
    let described = all.iter().map(|name| store(name, &format!("Store {name}"))).collect();
    let mut page = Page::open(&[run(cells, described)]);
    let rows = rows(&mut page);
    assert!(rows.len() == 14 && rows.iter().all(|row| row.len() == 2 + 90), "{}", rows.len());
    assert_eq!(rows[13][0], "Store store-13");
    assert_eq!(page.browser.value("document.documentElement.scrollWidth"), 1280);
    sort_by(&mut page, "store");
    sort_by(&mut page, "store");
    assert_eq!(names(&mut page)[0], "Store store-13");
    page.is_quiet();
}
