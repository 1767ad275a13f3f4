//! What a store does in the background after a phase is waited for and reported, where the suite asks for it.

mod common;

use common::{Place, faulty_suite};
use serde_json::Value;

fn suite(settle: &str, fault: &str) -> String {
    faulty_suite(&format!(
        r#"
{settle}

[settings.faulty]
fault = "{fault}"
at = 199
"#
    ))
}

/// What came of the load, and what the report said.
fn measured(suite: &str) -> (Value, String) {
    let place = Place::new();
    place.write("load.toml", suite);
    let run = place.run(&["run", "load.toml", "--rounds", "1", "--full"]).expect(0);
    (place.lines()[0]["result"].clone(), run.stdout)
}

#[test]
fn work_in_the_background_is_waited_for_where_it_is_asked_for() {
    let (load, report) = measured(&suite("settle = true", "background"));
    let settled = &load["settled"];
    assert!(settled["settled_ns"].as_u64().unwrap() > 0 && settled["cpu_ns"].as_u64().unwrap() > 0, "{load}");
    assert!(settled["waited_ns"].as_u64() >= settled["settled_ns"].as_u64(), "{load}");
    assert!(report.contains("Settled cost") && report.contains("acknowledged"), "{report}");
    let (load, report) = measured(&suite("", "background"));
    assert!(load.get("settled").is_none() && !report.contains("Settled cost"), "{load}");
}

#[test]
fn a_store_that_puts_nothing_off_has_settled_when_it_acknowledged() {
    let (load, _) = measured(&suite("settle = true", "none"));
    // Quiet must last half a second to be told.
    assert!(load["settled"]["waited_ns"].as_u64().unwrap() >= 500_000_000, "{load}");
    assert_eq!(load["settled"]["process_write_bytes"], 0, "{load}");
}

#[test]
fn what_is_below_zero_is_said_to_be() {
    let place = Place::new();
    for verb in ["run", "pick"] {
        place.run(&[verb, "--value-size", "-1KiB"]).expect(2).says(&["`-1KiB` is neither an option nor a valid value"]);
    }
}
