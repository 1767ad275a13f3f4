//! Suites that replay an imported tape.

use crate::common::{SUITE, plan_with};
use bakeoff_suite::{Overrides, Suite};
use bakeoff_tape::{Estimate, Import, KeyForm, OpenLoop, SizeRange, Workload};

const REPLAY: &str = r#"
tape = "app.tape"

[axes]
stores = ["tree", "files"]
durability = ["none", "process"]
"#;

/// The workload that the other tests' suite would draw, as an imported one.
fn imported(key_bytes_max: u64) -> Workload {
    let suite = Suite::parse("base.toml", SUITE).unwrap();
    let drawn = plan_with(&suite, None).unwrap().workloads[0].workload.clone();
    let import = Import {
        identity: "0123456789abcdef".to_owned(),
        key_bytes: SizeRange { min: 3, max: key_bytes_max },
        value_bytes_mean: 77,
        duration_s: 0.0,
        size: Estimate { data_bytes_max: 1000, operations: 50, ..Estimate::default() },
    };
    Workload { key: KeyForm::Raw, phases: drawn.phases[..2].to_vec(), import: Some(import), ..drawn }
}

fn refusal(text: &str) -> String {
    Suite::parse("replay.toml", text).expect_err(text).to_string()
}

#[test]
fn every_class_and_store_replays_the_same() {
    let suite = Suite::parse("replay.toml", REPLAY).unwrap().replaying(&imported(50)).unwrap();
    let plan = plan_with(&suite, Some(10_000)).unwrap();
    assert!(plan.workloads.len() == 2 && plan.workloads.iter().all(|plan| plan.workload == imported(50)));
    assert_eq!((plan.workloads[0].estimate.operations, plan.workloads[0].cells[0].axes.key.as_str()), (50, "raw"));
    let other = Suite::parse("replay.toml", REPLAY).unwrap().replaying(&imported(51)).unwrap();
    let ids = |plan: &bakeoff_suite::Plan| plan.workloads[0].cells[0].id.clone();
    assert_ne!(ids(&plan), ids(&plan_with(&other, None).unwrap()), "another tape, another cell");
}

#[test]
fn stores_are_skipped_whose_keys_are_shorter() {
    let suite = Suite::parse("replay.toml", REPLAY).unwrap().replaying(&imported(600)).unwrap();
    let skipped: String = plan_with(&suite, None).unwrap().skipped.iter().map(|skip| format!("{skip}\n")).collect();
    assert!(skipped.contains("tree, raw keys: raw keys have 600 bytes, and the store's limit is 511"), "{skipped}");
}

#[test]
fn nothing_is_planned_of_a_tape_that_nobody_opened() {
    let suite = Suite::parse("replay.toml", REPLAY).unwrap();
    let why = plan_with(&suite, None).unwrap_err().to_string();
    assert!(why.contains("the tape app.tape has not been opened"), "{why}");
}

#[test]
fn what_the_tape_says_is_not_said_again() {
    let with = |line: &str| refusal(&format!("{REPLAY}{line}"));
    for key in ["records = 5", "value-size = 9", "data = \"text\"", "threads = 2", "key = \"sha1\""] {
        let name = key.split(' ').next().unwrap();
        assert!(with(key).contains(&format!("`{name}` does not go with a tape")), "{}", with(key));
    }
    let phases = with("[[phases]]\nname = \"load\"\noperation = \"insert\"");
    assert!(phases.contains("`phases` does not go with a tape"), "{phases}");
    assert!(refusal("tape = \"\"\n[axes]\nstores = \"all\"").contains("names no directory"));
    assert!(refusal("tape = 5\n[axes]\nstores = \"all\"").contains("`tape` is"));
    let suite = Suite::parse("replay.toml", REPLAY).unwrap();
    let scaled = Overrides::default().with("scale", ["0.1"]);
    let why = suite.with_overrides(&scaled).unwrap_err().to_string();
    assert!(why.contains("a tape is replayed as it is"), "{why}");
}

#[test]
fn a_timed_tape_is_replayed_at_its_times() {
    let text = format!("speed = 2\n{REPLAY}");
    let suite = Suite::parse("replay.toml", &text).unwrap();
    let why = suite.clone().replaying(&imported(50)).unwrap_err().to_string();
    assert!(why.contains("replay.toml:1:9: the tape has no times"), "{why}");
    let untimed = imported(50);
    let timed = untimed.import.clone().map(|import| Import { duration_s: 12.0, ..import });
    let plan = plan_with(&suite.replaying(&Workload { import: timed, ..untimed }).unwrap(), None).unwrap();
    let phases: Vec<_> = plan.workloads[0].workload.phases.iter().map(|phase| phase.open_loop).collect();
    assert_eq!(phases, [None, Some(OpenLoop::Recorded { speed: 2.0 })]);
    for speed in ["0", "-1", "\"fast\"", "1e9", "true"] {
        assert!(refusal(&format!("speed = {speed}\n{REPLAY}")).contains("`speed` is not a number"), "{speed}");
    }
}

#[test]
fn phases_are_paced_by_a_rate() {
    let with =
        |lines: &str| crate::common::changed("operations = 500\naccess", &format!("operations = 500\n{lines}\naccess"));
    let open_loop = |lines: &str| Suite::parse("base.toml", &with(lines)).unwrap().phases()[1].open_loop;
    assert_eq!(open_loop("rate = \"5k\""), Some(OpenLoop::Poisson { per_second: 5000.0 }));
    assert_eq!(open_loop("rate = 10\narrivals = \"fixed\""), Some(OpenLoop::Fixed { per_second: 10.0 }));
    let why = |lines: &str| refusal(&with(lines));
    assert!(why("rate = 0").contains("`rate` is 0, which is too small"));
    assert!(why("arrivals = \"fixed\"").contains("`arrivals` has no effect without a `rate`"));
    assert!(why("rate = 5\narrivals = \"poison\"").contains("did you mean `poisson`"));
    assert!(why("rate = 5\nmeasure = \"throughput\"").contains("there is no throughput to measure"));
}
