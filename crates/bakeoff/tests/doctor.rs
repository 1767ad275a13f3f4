//! `bakeoff doctor --aa`, with the real driver under its two names.

mod common;

use std::collections::BTreeSet;

use common::{Place, unwrapped};

#[test]
fn equals_are_measured_and_what_can_be_told_apart_is_shown() {
    let place = Place::new();
    let shown = place.run(&["doctor", "--aa"]).expect(0);
    let text = unwrapped(&shown.stdout);
    for words in ["Equals (A/A)", "operation 3 rounds 10 rounds 30 rounds", "rankings of equals", "Results:"] {
        assert!(text.contains(words), "{words}: {}", shown.stdout);
    }
    for operation in ["insert", "get", "update", "remove", "scan"] {
        let line = shown.stdout.lines().rfind(|line| line.trim_start().starts_with(operation)).expect(operation);
        let figures: Vec<f64> =
            line.split_whitespace().filter_map(|word| word.trim_end_matches(" %").parse().ok()).collect();
        assert!(figures.len() == 3 && figures[0] > figures[1] && figures[1] > figures[2], "{line}");
    }
    // Equals keep their own names, and hold the same.
    let cells = place.cells();
    let stores: BTreeSet<&str> = cells.iter().filter_map(|cell| cell["store"].as_str()).collect();
    assert_eq!(stores, BTreeSet::from(["lmdb", "lmdb-b", "lmdb-c", "sqlite", "sqlite-b"]));
    assert!(place.leftovers().is_empty());
    let report = place.run(&["report", "--full"]).expect(0).stdout;
    assert!(report.contains("LMDB B") && report.contains("SQLite B"), "{report}");
}

#[test]
fn nobody_sees_twins_who_did_not_ask() {
    let place = Place::new();
    assert!(!place.run(&["stores"]).expect(0).stdout.contains("lmdb-b"));
    place.run(&["run", "--stores", "lmdb-b"]).expect(2).says(&["lmdb-b"]);
    place.run(&["doctor", "--out", "here"]).expect(2).says(&["--aa"]);
}
