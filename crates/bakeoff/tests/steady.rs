//! A phase that is to be measured at a steady rate. Results separate what came before, and report a rate that had not settled.

mod common;

use common::{Place, faulty_suite, unwrapped};
use serde_json::Value;

fn suite(operations: u32, part: f64) -> String {
    faulty_suite(&format!(
        r#"
[[phases]]
name = "mixed"
mix = {{ get = 50, update = 50 }}
operations = {operations}
steady-within = {part}
"#
    ))
}

/// What came of the phase, what the report said, and the codes of the run's warnings.
fn measured(place: &Place, suite: &str) -> (Value, String, Vec<String>) {
    place.write("steady.toml", suite);
    let run = place.run(&["run", "steady.toml", "--rounds", "1", "--full"]).expect(0);
    let mixed = place.lines()[1]["result"].clone();
    let facts = place.run_file();
    let codes =
        facts["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap().to_owned());
    (mixed, run.stdout, codes.collect())
}

fn operations(phase: &Value) -> u64 {
    phase["operations"].as_array().unwrap().iter().map(|of| of["operations"].as_u64().unwrap()).sum()
}

#[test]
fn what_was_replayed_until_the_rate_had_settled_is_in_no_figure() {
    let place = Place::new();
    // 40 blocks of 256 operations but the last one, of which the first 35 may be a warm-up; after 32 it is asked.
    let (mixed, report, warnings) = measured(&place, &suite(10_000, 0.9));
    let warm_up = &mixed["warm_up"];
    let steady = warm_up["steady"].as_bool().unwrap();
    let expected = if warm_up["interval_ns_means"].as_array().unwrap().len() == 32 { 32 * 256 } else { 35 * 256 };
    assert_eq!(warm_up["operations"], expected, "{warm_up}");
    assert_eq!(operations(&mixed) + expected, 10_000, "{mixed}");
    let histogram = mixed["over_time"]["slices"].as_array().unwrap();
    assert_eq!(histogram.iter().map(|slice| slice[0].as_u64().unwrap()).sum::<u64>(), 10_000 - expected);
    let gets = mixed["answers_checked"].as_u64().unwrap();
    assert!((4_700..5_300).contains(&gets), "all answers are checked, the warm-up's too: {gets}");
    assert!(report.contains("Warm-up until steady"), "{report}");
    assert_eq!(warnings.contains(&"not-steady".to_owned()), !steady, "{warnings:?}");
    let csv = place.run(&["report", place.only_run().to_str().unwrap(), "--csv", "-"]).expect(0).stdout;
    assert!(csv.contains("warm_up_operations,warm_up_wall_ns,warm_up_steady"), "{csv}");
    assert!(csv.contains(&format!(",{expected},")), "{csv}");
}

#[test]
fn too_few_operations_to_tell_are_measured_and_warned_of() {
    let place = Place::new();
    let (mixed, report, warnings) = measured(&place, &suite(200, 0.5));
    // Its only block is more than the warm-up may have.
    assert_eq!(mixed["warm_up"]["operations"], 0, "{mixed}");
    assert!(mixed["warm_up"].get("steady").is_none(), "{mixed}");
    assert_eq!(operations(&mixed), 200);
    let report = unwrapped(&report);
    assert!(report.contains("too short to tell") && report.contains("mixed of faulty"), "{report}");
    assert!(warnings.contains(&"not-steady".to_owned()), "{warnings:?}");
}

#[test]
fn several_threads_leave_some_to_measure() {
    let place = Place::new();
    let suite = suite(20_000, 0.9).replace("[axes]", "[axes]\nthreads = 4");
    let (mixed, ..) = measured(&place, &suite);
    let warm_up = mixed["warm_up"]["operations"].as_u64().unwrap();
    assert!(warm_up > 0 && warm_up <= 18_000, "{mixed}");
    assert_eq!(operations(&mixed) + warm_up, 20_000, "{mixed}");
}
