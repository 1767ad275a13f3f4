//! Suites after ones that people reported, which were refused or whose figures misled.

mod common;

use common::{Place, operations_of, unwrapped};

/// A row said that the slowest write took 19 ms, while its commits took up to 557 ms.
#[test]
fn small_commits_after_a_bulk_load_have_a_row_of_their_own() {
    let place = Place::new();
    let suite = r#"
rounds = 2

[axes]
stores = ["sqlite", "lmdb", "fjall"]
value-size = "4KiB"
records = 500

[[phases]]
name = "import"
operation = "insert"
access = "uniform"
batch = "all"
measure = "throughput"

[[phases]]
name = "edit"
operation = "update"
operations = 200
batch = 10
"#;
    place.write("commits.toml", suite);
    place.run(&["run", "commits.toml"]).expect(0);
    let edits = place.phases("edit");
    assert_eq!(edits.len(), 6);
    assert!(
        edits.iter().all(|line| (operations_of(line, "update"), operations_of(line, "commit")) == (200, 20)),
        "{edits:?}"
    );
    let full = place.run(&["report", "--full"]).expect(0).stdout;
    let table = full.split("\nCommits\n").nth(1).unwrap_or_else(|| panic!("{full}"));
    for store in ["SQLite", "LMDB", "Fjall"] {
        assert!(unwrapped(table).contains(&format!("{store} 20 ")), "{store}: {table}");
    }
    let page = std::fs::read_to_string(place.only_run().join("report.html")).unwrap();
    assert!(page.contains("Commits"));
}

/// It was refused: "runs out of records".
#[test]
fn a_queue_with_a_hundred_alive_lasts() {
    let place = Place::new();
    let suite = r#"
rounds = 1

[axes]
stores = ["lmdb", "fjall"]
value-size = "10KiB"
records = 100
key = "decimal"

[[phases]]
name = "load"
operation = "insert"

[[phases]]
name = "log"
mix = { insert = 50, delete = 50 }
access = "insertion"
operations = 6000
"#;
    place.write("queue.toml", suite);
    place.run(&["run", "queue.toml"]).expect(0);
    for line in place.phases("log") {
        assert_eq!((operations_of(&line, "insert"), operations_of(&line, "delete")), (3_000, 3_000), "{line}");
    }
    let cells = place.cells();
    assert_eq!(cells.len(), 2);
    // 100 records with keys of 16 bytes.
    assert!(cells.iter().all(|cell| cell["data_bytes"] == 100 * (10_240 + 16)), "{cells:?}");
}

/// LMDB, which flushes nothing at this level, was compared with a SQLite that flushed at checkpoints.
#[test]
fn at_process_sqlite_flushes_no_more_than_it_must() {
    let place = Place::new();
    let suite = r#"
rounds = 1

[axes]
stores = ["sqlite", "lmdb"]
value-size = "100B"
records = 200
durability = "process"

[[phases]]
name = "load"
operation = "insert"

[[variants]]
name = "default"

[[variants]]
name = "sync-off"
[variants.settings.sqlite]
synchronous = "off"
"#;
    place.write("floor.toml", suite);
    place.run(&["run", "floor.toml"]).expect(0);
    let cells = place.cells();
    let sqlite: Vec<_> = cells.iter().filter(|cell| cell["store"] == "sqlite").collect();
    assert_eq!(sqlite.len(), 2);
    assert!(sqlite.iter().all(|cell| cell["opened"]["settings"]["synchronous"] == "off"), "{sqlite:?}");
}
