//! A map on the page: the facts about a place appear where one points, taps, or moves with the arrow keys; on a phone
//! too.

use bakeoff_protocol::Axes;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::run::Run;
use bakeoff_testing::made_up::{axes, edit, good, operation, phase_result, run, stores};
use serde_json::json;

use crate::Page;

/// A map of 17 places by 17, of which the corners were sampled: LMDB won on the left, SQLite on the right.
fn mapped() -> Run {
    let mut cells: Vec<CellRound> = Vec::new();
    for (x, y) in [(0, 0), (0, 16), (16, 0), (16, 16)] {
        for (store, mean) in [("lmdb", if x == 0 { 1000 } else { 3000 }), ("sqlite", 2000)] {
            let of = Axes { variant: Some(format!("x{x}-y{y}")), ..axes(store) };
            cells.extend((0..3).map(|round| {
                let phase = phase_result("application", vec![operation("get", mean + round * 2)]);
                let mut cell = good(&of, round as u32 + 1, vec![phase]);
                cell.end.cell = format!("{store}-{x}-{y}");
                cell.phases.iter_mut().for_each(|phase| phase.cell = cell.end.cell.clone());
                cell
            }));
        }
    }
    let values = |factor: u64| (0..17).map(|step| (16_u64 << step) * factor).collect::<Vec<_>>();
    let mut run = run(cells, stores());
    edit(&mut run, |info| {
        info["map"] = json!({
            "need": [["mix", "get=1"]],
            "x": { "quantity": "value-size", "values": values(1) },
            "y": { "quantity": "records", "values": values(10) },
            "optimize": "mean", "budget_ns": 60_000_000_000_u64, "out_of_time": false,
            "raced": ["lmdb", "sqlite"], "excluded": [], "impossible": [],
        });
    });
    run
}

#[test]
fn pointing_and_keys_show_what_is_known_of_a_place() {
    let mut page = Page::open(&[mapped()]);
    assert_eq!(page.count("figure.map tbody td"), 17 * 17);
    assert_eq!((page.count("figure.map td.won"), page.count("figure.map td.open")), (4, 15 * 17));
    assert_eq!(page.count("figure.map td.likely"), 2 * 15, "between samples that one store won");
    page.browser.value("document.querySelector('figure.map tbody tr:last-child td').click()");
    let known = page.text_of("figure.map .known");
    assert!(known.contains("value size 16 B, 160 records") && known.contains("LMDB is best."), "{known}");
    assert!(known.contains("SQLite 2.00 µs, ") && known.contains("2.00×"), "{known}");
    let press = |page: &mut Page, key: &str| {
        page.browser.value(&format!(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
        ));
    };
    press(&mut page, "ArrowRight");
    press(&mut page, "ArrowUp");
    let known = page.text_of("figure.map .known");
    assert!(known.contains("value size 32 B, 320 records") && known.contains("Not sampled"), "{known}");
    page.browser.value(
        "document.querySelector('figure.map tbody tr td:last-child').dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }))",
    );
    assert!(page.text_of("figure.map .known").contains("SQLite is best."));
    assert_eq!(page.count("figure.map td[tabindex='0']"), 1, "one place is reached with Tab");
    page.is_quiet();
}

#[test]
fn a_map_fits_a_phone_and_is_tapped_there() {
    let mut page = Page::sized(&[mapped()], 390, 844);
    let fits = "document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(page.browser.value(fits), true, "the page is no wider than the screen");
    page.browser.value("document.querySelector('figure.map tbody tr td').click()");
    assert!(page.text_of("figure.map .known").contains("LMDB is best."));
    page.is_quiet();
}
