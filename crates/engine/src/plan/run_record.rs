//! The facts about a run before it starts, as `run.json` keeps them.

use std::path::{Path, PathBuf};

use bakeoff_measure::Machine;
use bakeoff_protocol::PROTOCOL_VERSION;
use bakeoff_suite::{Suite, WorkloadPlan};

use crate::drivers::discovery::Driver;
use crate::plan::setup::Setup;
use crate::plan::source::SuiteSource;
use crate::plan::warnings;
use crate::surroundings::disturbance;
use crate::surroundings::profile;
use crate::timestamp::now;
use bakeoff_results::omission::{Omission, Reason};
use bakeoff_results::record::{
    CommandLine, DriverRecord, PhaseOrder, PhaseRoles, RunRecord, SuiteRecord, VariantRecord,
};

/// The facts about a run before it starts.
pub fn run_record(setup: &Setup, source: SuiteSource, machine: Machine, version: &str) -> RunRecord {
    let suite = &setup.suite;
    let in_plan = |name: &str| {
        setup.plan.workloads.iter().flat_map(|workload| &workload.cells).any(|cell| cell.axes.store == name)
    };
    let drivers = drivers(setup, in_plan);
    let warnings = warnings::before(setup, &machine, &drivers);
    RunRecord {
        protocol: u64::from(PROTOCOL_VERSION),
        bakeoff_version: version.to_owned(),
        name: None,
        command_line: CommandLine::Words(std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()),
        working_directory: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        options: Some(setup.options.clone()),
        started: now(),
        finished: None,
        suite: SuiteRecord {
            name: source.name,
            title: suite.title().to_owned(),
            summary: suite.summary().to_owned(),
            analysis: suite.analysis().to_owned(),
            variants: variants(suite),
            baseline: suite.baseline().to_vec(),
            scale: suite.scale(),
            numbers_given: suite.numbers_given().to_vec(),
            roles: roles(suite),
            phases: phases(&setup.plan.workloads),
            text: source.text,
        },
        seed: Some(suite.seed()),
        rounds_ended: None,
        rounds: Some(suite.rounds()),
        machine: Some(machine),
        media: setup.media.clone(),
        disturbances: setup.disturbances().into_iter().filter_map(disturbance::facts).collect(),
        drivers,
        stores: setup.stores.iter().filter(|store| in_plan(&store.name)).cloned().collect(),
        cells: cell_ids(setup),
        skipped: skipped(setup),
        given_up: Vec::new(),
        warnings,
        pools: Vec::new(),
        side: None,
        pick: None,
        map: None,
        find_rate: None,
        profile: setup.options.profile.map(|kind| profile::facts(kind, setup.is_sampled_from_outside())),
    }
}

/// The phases whose threads have roles; for variants with the same ones, the first.
fn roles(suite: &Suite) -> Vec<PhaseRoles> {
    let mut all: Vec<PhaseRoles> = Vec::new();
    for (of, phase) in suite.measured().iter().flat_map(|of| of.phases().iter().map(move |phase| (of, phase))) {
        let is_known = all.iter().any(|known| known.phase == phase.name && known.roles == phase.roles);
        if !phase.roles.is_empty() && !is_known {
            let variant = of.variant().map(|variant| variant.name.clone());
            all.push(PhaseRoles { variant, phase: phase.name.clone(), roles: phase.roles.clone() });
        }
    }
    all
}

/// The phases of each variant: those of the workload with the most, as an aged store has one more.
fn phases(workloads: &[WorkloadPlan]) -> Vec<PhaseOrder> {
    let mut all: Vec<PhaseOrder> = Vec::new();
    for WorkloadPlan { variant, workload, .. } in workloads {
        let phases: Vec<String> = workload.phases.iter().map(|phase| phase.name.clone()).collect();
        match all.iter_mut().find(|known| known.variant == *variant) {
            Some(known) if known.phases.len() >= phases.len() => {}
            Some(known) => known.phases = phases,
            None => all.push(PhaseOrder { variant: variant.clone(), phases }),
        }
    }
    all
}

/// The ids of all cells of the plan.
pub(crate) fn cell_ids(setup: &Setup) -> Vec<String> {
    setup.plan.workloads.iter().flat_map(|workload| &workload.cells).map(|cell| cell.id.clone()).collect()
}

/// The drivers that take part, each with its stores.
fn drivers(setup: &Setup, in_plan: impl Fn(&str) -> bool) -> Vec<DriverRecord> {
    let stores = |path: &Path| -> Vec<String> {
        let names = setup.stores.iter().map(|store| &store.name).filter(|name| in_plan(name));
        names.filter(|name| setup.drivers.of_store(name).is_some_and(|of| of.path == path)).cloned().collect()
    };
    let facts = |driver: &Driver| DriverRecord {
        driver: driver.description.driver.clone(),
        version: driver.description.version.clone(),
        build: driver.description.build.clone(),
        path: driver.path.clone(),
        stores: stores(&driver.path),
        options: driver.options(),
    };
    setup.drivers.drivers.iter().map(facts).filter(|driver| !driver.stores.is_empty()).collect()
}

fn variants(suite: &bakeoff_suite::Suite) -> Vec<VariantRecord> {
    let variants = suite.measured().iter().filter_map(|measured| measured.variant());
    variants.map(|variant| VariantRecord { name: variant.name.clone(), summary: variant.summary.clone() }).collect()
}

/// What of the plan is left out, and why.
pub fn skipped(setup: &Setup) -> Vec<Omission> {
    setup
        .plan
        .skipped
        .iter()
        .map(|skip| Omission::new(skip.store.clone(), skip.label(), Reason::Skipped(skip.why.clone())))
        .collect()
}
