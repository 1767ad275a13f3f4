//! What stores take on disk: at most, after background work, after closing, and in a copy without free space.

mod common;

use common::{Place, unwrapped};

/// Every request rewrites its session: the data stays as large as it is, and many times as much is written.
const REWRITTEN: &str = r#"
rounds = 1
warm-up = "0s"

[axes]
stores = ["fjall", "lmdb", "sqlite"]
value-size = "300B..1KiB"
records = 2000
durability = "process"

[[phases]]
name = "load"
operation = "insert"
batch = 1000
measure = "throughput"

[[phases]]
name = "requests"
operation = "update"
operations = 30_000
access = "zipfian"
measure = "throughput"
settle = true
"#;

#[test]
fn the_disk_and_memory_of_the_best_store_alone_were_in_reports() {
    let place = Place::new();
    place.write("sessions.toml", REWRITTEN);
    place.run(&["run", "sessions.toml"]).expect(0);
    for cell in place.cells() {
        let (peak, finished) = (cell["disk_peak_allocated_bytes"].as_u64(), &cell["finished"]);
        for size in ["disk_before_close", "disk_after_close"] {
            assert!(peak >= finished[size]["allocated_bytes"].as_u64(), "{cell}");
        }
        assert!(peak > cell["data_bytes"].as_u64(), "{cell}");
    }
    let settled: Vec<_> =
        place.lines().iter().filter_map(|line| line["result"]["settled"]["disk"]["files"].as_u64()).collect();
    assert!(settled.len() == 3 && settled.iter().all(|files| *files > 0), "{settled:?}");
    let full = place.run(&["report", "--full"]).expect(0).stdout;
    let markdown = place.run(&["report", "--markdown", "-"]).expect(0).stdout;
    for text in [full, markdown] {
        let section = text.split("Space and memory").nth(1).unwrap_or_else(|| panic!("{text}"));
        let rows: Vec<String> = section.lines().map(|line| unwrapped(&line.replace('|', " "))).collect();
        let head = rows.iter().find(|row| row.starts_with("store ")).unwrap_or_else(|| panic!("{section}"));
        assert_eq!(head, "store peak disk settled open closed data closed/data memory");
        for store in ["Fjall", "LMDB", "SQLite"] {
            let row = rows.iter().find(|row| row.starts_with(store)).unwrap_or_else(|| panic!("{store}: {section}"));
            assert!(!row.contains('–'), "{row}");
        }
    }
    let csv = place.run(&["report", "--csv", "-"]).expect(0).stdout;
    let head = csv.lines().next().unwrap_or_default();
    for column in ["disk_peak_allocated_bytes", "settled_disk_allocated_bytes"] {
        assert!(head.split(',').any(|name| name == column), "{head}");
    }
}

const SUITE: &str = r#"
rounds = 1
warm-up = "0s"
compacted-copy = true

[axes]
stores = STORES
value-size = "400B"
records = 2_000

[[phases]]
name = "load"
operation = "insert"

[[phases]]
name = "thin-out"
operation = "delete"
operations = 1_900
"#;

#[test]
fn a_copy_is_made_by_those_who_can_compared_and_shown() {
    let place = Place::new();
    let jvm = common::jvm_is_built();
    let stores = if jvm {
        r#"["sqlite", "lmdb", "leveldb", "lmdbjava", "mvstore"]"#
    } else {
        r#"["sqlite", "lmdb", "leveldb"]"#
    };
    place.write("copy.toml", &SUITE.replace("STORES", stores));
    place.run(&["run", "copy.toml"]).expect(0);
    let cells = place.cells();
    assert_eq!(cells.len(), 3 + 2 * usize::from(jvm));
    for cell in &cells {
        let copy = &cell["verified"]["compacted_copy"];
        let can = ["sqlite", "lmdb", "lmdbjava"].map(Some).contains(&cell["store"].as_str());
        assert_eq!(copy["copy_ns"].as_u64().is_some_and(|ns| ns > 0), can, "{cell}");
        assert_eq!(cell["verified"].get("compacted_copy").is_some(), can, "{cell}");
        let copied = copy["disk"]["allocated_bytes"].as_u64().unwrap_or(0);
        let closed = cell["finished"]["disk_after_close"]["allocated_bytes"].as_u64().unwrap_or(0);
        // 100 of 2,000 records are left.
        assert!(!can || (copied > 0 && copied < closed / 4), "{copied} of {closed}: {cell}");
    }
    let csv = place.run(&["report", "--csv", "-"]).expect(0).stdout;
    let mut lines = csv.lines();
    let column = lines.next().and_then(|head| head.split(',').position(|name| name == "compacted_copy_files"));
    assert!(column.is_some(), "{csv}");
    assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new());
}

/// At this level LMDB writes through its map: opening the copy makes it two GiB of holes, which is no lie of the driver's.
#[test]
fn a_copy_that_becomes_longer_by_holes_when_it_is_opened_is_right() {
    let place = Place::new();
    let suite = SUITE.replace("STORES", r#"["lmdb"]"#).replace("[axes]", "[axes]\ndurability = \"none\"");
    place.write("copy.toml", &suite);
    place.run(&["run", "copy.toml"]).expect(0);
    assert_eq!(place.cells()[0]["status"], "ok", "{:?}", place.cells());
}

#[test]
fn a_copy_that_lacks_something_is_a_wrong_answer() {
    let place = Place::new();
    let settings = "\n[settings.faulty]\nfault = \"lost-in-copy\"\n";
    place.write("copy.toml", &(SUITE.replace("STORES", r#"["faulty", "lmdb"]"#) + settings));
    place.run(&["run", "copy.toml"]).expect(1);
    for cell in place.cells() {
        if cell["store"] == "faulty" {
            assert_eq!(cell["failure"], "wrong-answer", "{cell}");
            let message = cell["failure_message"].as_str().unwrap_or_default();
            assert!(message.contains("in the compacted copy"), "{cell}");
        } else {
            assert_eq!(cell["status"], "ok", "{cell}");
        }
    }
}

/// A driver makes no directory around a copy.
#[test]
fn a_request_by_hand_has_a_place_for_a_copy() {
    let place = Place::new();
    place.write("copy.toml", &SUITE.replace("STORES", r#"["lmdb"]"#));
    let plan = place.run(&["run", "copy.toml", "--plan"]).expect(0).stdout;
    let cell = plan.lines().find_map(|line| line.strip_suffix("lmdb")).expect("a cell").trim().to_owned();
    let request = place.write("request.json", &place.run(&["request", &cell, "copy.toml"]).expect(0).stdout);
    let mut driver = std::process::Command::new(common::driver());
    let ended = driver.arg("run").stdin(std::fs::File::open(request).expect("the request")).output();
    let output = String::from_utf8(ended.expect("the driver starts").stdout).expect("events are text");
    assert!(output.contains("\"compacted_copy\":{") && output.contains("\"event\":\"finished\""), "{output}");
}
