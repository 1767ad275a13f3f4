//! Every accepted suite can be recorded: its rules are as strict as those of tapes.

use std::ops::ControlFlow;

use crate::common::plan_with;
use bakeoff_suite::Suite;

/// Plans a suite and records each of its workloads.
fn record(text: &str) {
    let suite = Suite::parse("small.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let plan = plan_with(&suite, None).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(!plan.workloads.is_empty());
    for planned in plan.workloads {
        let directory = tempfile::tempdir().unwrap();
        let recording =
            bakeoff_tape::record(&planned.workload, directory.path(), None, &mut |_| ControlFlow::Continue(()));
        let recording = recording.unwrap_or_else(|error| panic!("{error}\n{:?}", planned.workload));
        assert_eq!(recording.phases.len(), suite.phases().len());
    }
}

fn phase(name: &str, lines: &str) -> String {
    format!("[[phases]]\nname = \"{name}\"\n{lines}\n")
}

#[test]
fn phases_that_use_records_up_can_be_recorded_whatever_is_drawn() {
    for seed in 0..20 {
        record(&format!(
            "seed = {seed}\npool-size = 1000\n[axes]\nstores = \"all\"\nvalue-size = [0, \"1..9\"]\nrecords = [100, 103]\nthreads = [1, 3]\n{}{}{}{}",
            phase("load", "operation = \"insert\"\naccess = \"uniform\""),
            phase("shrink", "mix = { get = 50, delete = 10, update = 40 }\noperations = 90\naccess = \"latest\""),
            phase("empty", "operation = \"delete\"\noperations = 10"),
            phase("grow", "operation = \"insert\"\noperations = 50\nbatch = 7"),
        ));
    }
}

#[test]
fn every_key_form_access_and_operation_can_be_recorded() {
    let axes = "pool-size = 1000\n[axes]\nstores = \"all\"\nvalue-size = \"1..9\"\nrecords = 50\ndata = [\"text\", \"random\"]\n";
    let accesses = [
        "\"sequential\"",
        "\"insertion\"",
        "\"uniform\"",
        "\"zipfian\"",
        "{ zipfian = 10 }",
        "{ latest = 0.001 }",
        "{ hot = { records = 0.001, operations = 1 } }",
    ];
    let mut text = format!(
        "{axes}key = [\"sha1\", \"decimal\", \"integer\", \"integer:8\", \"decimal:4..12\", \"sha1:20..40\"]\n{}",
        phase("load", "operation = \"insert\"")
    );
    for (number, access) in accesses.into_iter().enumerate() {
        let mix = "mix = { get = 1, update = 1, upsert = 1, insert = 1, delete = 1, scan = 1, exists = 1, first = 1, scan-prefix = 1 }\nprefix = 3\nrestore = true\noperations = 60";
        text += &phase(&format!("mix-{number}"), &format!("{mix}\nmissing = 0.5\naccess = {access}"));
    }
    text += &phase("list", "operation = \"scan-all\"\noperations = 2\nreverse = true\nconsumer = \"copy\"");
    record(&text);
}

#[test]
fn a_tree_can_be_recorded() {
    record(&format!(
        "[axes]\nstores = \"all\"\nthreads = [1, 2]\n[tree]\nfanout = 3\nlevels = 3\npadding = 5\n{}{}{}{}",
        phase("load", "operation = \"insert\""),
        phase("walk", "operation = \"walk\"\noperations = 20"),
        phase("remove", "operation = \"delete\"\noperations = 5"),
        phase("walk-again", "operation = \"walk\"\noperations = 20"),
    ));
}
