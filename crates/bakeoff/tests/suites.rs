//! Every suite that comes with bakeoff runs, scaled down to a hundredth or less: on stores of the native driver alone.

mod common;

use common::Place;

/// The suites that this test is about: the others name stores of the system, which a machine may lack, or need the right to mount and
/// to limit memory.
const SUITES: [&str; 20] = [
    "ycsb-a",
    "ycsb-b",
    "ycsb-c",
    "ycsb-d",
    "ycsb-e",
    "ycsb-f",
    "mixgraph",
    "linkbench",
    "twitter-c4",
    "twitter-c12",
    "twitter-c14",
    "twitter-c19",
    "twitter-c29",
    "kvtest",
    "redb",
    "rocksdb-benchmark",
    "delete-heavy",
    "queue",
    "reopen",
    "open-loop",
];

/// The suite with its counts divided, but for batches and what a scan reads.
fn scaled(text: &str) -> String {
    let divided = |line: &str| {
        let (key, value) = line.split_once(" = ")?;
        let least = match key {
            "records" => 300,
            "operations" => 20,
            _ => return None,
        };
        let last: u64 = value.trim_matches(['[', ']']).rsplit(", ").next()?.replace('_', "").parse().ok()?;
        Some(format!("{key} = {}", (last / 500).max(least)))
    };
    text.lines().map(|line| divided(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

#[test]
fn every_suite_runs_small_and_answers_are_right() {
    for name in SUITES {
        let place = Place::new();
        let text = place.run(&["suites", name]).expect(0).stdout;
        let file = place.write(&format!("{name}.toml"), &scaled(&text));
        let file = file.to_str().expect("a path in UTF-8");
        let durability = if text.contains("durability = \"power\"") { "power" } else { "process" };
        place.run(&["run", file, "--stores", "sqlite,lmdb", "--rounds", "1", "--durability", durability]).expect(0);
        let cells = place.cells();
        assert!(cells.len() >= 2 && cells.iter().all(|cell| cell["status"] == "ok"), "{name}: {cells:?}");
    }
}
