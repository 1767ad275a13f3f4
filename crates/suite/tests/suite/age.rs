//! The axis `age`: stores whose data was replaced before the measurement.

use bakeoff_suite::{Overrides, Suite};
use bakeoff_tape::AGE_PHASE;

use crate::common::{SUITE, plan_with};

#[test]
fn each_age_is_a_workload_with_a_phase_after_the_load() {
    let suite = Suite::parse("base.toml", SUITE).unwrap();
    let fresh = plan_with(&suite, None).unwrap();
    let plan = plan_with(&suite.with_overrides(&Overrides::default().with("age", ["0", "3"])).unwrap(), None).unwrap();
    assert_eq!(plan.workloads.len(), 2 * fresh.workloads.len());
    let (aged, others): (Vec<_>, Vec<_>) = plan.workloads.iter().partition(|of| of.workload.age() > 0);
    let ids = |of: &[&bakeoff_suite::WorkloadPlan]| {
        of.iter().flat_map(|of| &of.cells).map(|cell| cell.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&others), ids(&fresh.workloads.iter().collect::<Vec<_>>()), "fresh cells keep their ids");
    for of in &aged {
        let names: Vec<_> = of.workload.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!((names[0], names[1]), ("load", AGE_PHASE));
        assert!(of.workload.age() == 3 && of.cells.iter().all(|cell| cell.axes.age == 3));
    }
}

#[test]
fn what_cannot_be_aged_is_refused_where_it_stands() {
    let refused = |text: &str| Suite::parse("base.toml", text).unwrap_err().to_string();
    let aged = SUITE.replacen("[axes]", "[axes]\nage = [0, 1]", 1);
    let named = refused(&aged.replacen("name = \"read\"", "name = \"age\"", 1));
    assert!(named.contains("the axis `age` adds a phase of this name"), "{named}");
    let far = refused(&aged.replacen("[0, 1]", "[0, 101]", 1));
    assert!(far.contains("101") && far.starts_with("base.toml:"), "{far}");
    let tree = "title = \"Tree\"\n[axes]\nstores = \"all\"\nkey = \"directory\"\nage = 1\n[tree]\nfanout = 3\nlevels = 2\n\
                [[phases]]\nname = \"load\"\noperation = \"insert\"\n";
    assert!(refused(tree).contains("the values of a tree follow from its keys"), "{}", refused(tree));
    let tape = "title = \"Tape\"\ntape = \"a.tape\"\n[axes]\nstores = \"all\"\nage = 1\n";
    assert!(refused(tape).contains("a tape has its own operations"), "{}", refused(tape));
}
