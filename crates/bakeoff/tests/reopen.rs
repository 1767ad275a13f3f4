//! A phase before which the store is to be closed and opened again.

mod common;

use std::fs::File;
use std::process::Command;

use common::Place;

const SUITE: &str = r#"
rounds = 1
warm-up = "0s"

[axes]
stores = STORES
value-size = "100B"
records = 500
key = "integer"

[[phases]]
name = "load"
operation = "insert"

[[phases]]
name = "get"
operation = "get"
operations = 1_000
reopen = true

[[phases]]
name = "again"
operation = "get"
operations = "records"
"#;

#[test]
fn a_store_is_opened_again_before_the_phase_that_asks_for_it_and_no_other() {
    let place = Place::on_disk();
    let jvm = common::jvm_is_built();
    let stores = if jvm {
        r#"["sqlite", "fjall", "flat-folder", "null", "mvstore"]"#
    } else {
        r#"["sqlite", "fjall", "flat-folder", "null"]"#
    };
    place.write("reopen.toml", &SUITE.replace("STORES", stores));
    place.run(&["run", "reopen.toml"]).expect(0);
    let mut stores = 0;
    for line in place.lines().iter().filter(|line| line["line"] == "phase") {
        let (store, phase, result) = (&line["store"], &line["result"]["phase"], &line["result"]);
        // What keeps nothing would have nothing afterwards.
        let opened = phase == "get" && store != "null";
        assert_eq!(result["reopen_ns"].as_u64().is_some_and(|ns| ns > 0), opened, "{store}: {result}");
        assert_eq!(result.get("reopen_ns").is_some(), opened, "{store}: {result}");
        if phase != "load" && store != "null" {
            assert!(result["answers_checked"].as_u64() >= Some(500), "{store}: {result}");
        }
        stores += u32::from(phase == "get");
    }
    assert_eq!(stores, 4 + u32::from(jvm));
}

/// LevelDB moves `CURRENT` whenever it is opened, and does not flush the directory: what is acknowledged afterwards would hang on a name that a
/// power cut may take back.
#[test]
fn names_that_opening_moved_are_flushed_before_a_write_is_acknowledged() {
    const WHAT: &str = "names that opening moved";
    let place = Place::on_disk();
    if !place.run(&["stores"]).expect(0).stdout.lines().any(|line| line.starts_with("leveldb ")) {
        return common::say_skipped(WHAT, "LevelDB was left out of the driver");
    }
    let suite =
        SUITE.replace("STORES", "[\"leveldb\"]\ndurability = \"power\"").replace("records = 500", "records = 50");
    place.write(
        "moved.toml",
        &suite.replace("operation = \"get\"\noperations = 1_000", "operation = \"update\"\noperations = 20"),
    );
    let plan = place.run(&["run", "moved.toml", "--plan"]).expect(0).stdout;
    let cell = plan.lines().find_map(|line| line.strip_suffix("leveldb")).expect("a cell").trim().to_owned();
    let request = place.run(&["request", &cell, "moved.toml"]).expect(0).stdout;
    let request = place.write("request.json", &request);
    let trace = place.path().join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-y", "-e", "trace=rename,fsync,fdatasync", "-o"]).arg(&trace).arg("--");
    strace.arg(common::driver()).arg("run").stdin(File::open(request).unwrap());
    let Ok(output) = strace.output() else { return common::say_skipped(WHAT, "strace is not installed") };
    if String::from_utf8_lossy(&output.stderr).to_lowercase().contains("ptrace") {
        return common::say_skipped(WHAT, "a process may not be traced here");
    }
    assert!(output.status.success(), "{output:?}");
    let (mut moved, mut moves, mut writes) = (false, 0, 0);
    for line in std::fs::read_to_string(trace).unwrap().lines() {
        if line.contains("rename(") && line.contains("/CURRENT") {
            (moved, moves) = (true, moves + 1);
        } else if line.contains("fsync(") && line.contains("/store>") {
            moved = false;
        } else if line.contains("fdatasync(") && line.contains(".log>") {
            assert!(!moved, "{line} came before a flush of the directory in which CURRENT was moved");
            writes += 1;
        }
    }
    assert!(moves > 3 && writes >= 70, "{moves} moves, {writes} writes");
}
