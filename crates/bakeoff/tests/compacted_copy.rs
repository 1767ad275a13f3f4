//! A copy that a store makes of itself, without the free space in it.

mod common;

use common::Place;

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
