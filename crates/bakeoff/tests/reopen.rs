//! A phase before which the store is to be closed and opened again.

mod common;

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
    let place = Place::new();
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
