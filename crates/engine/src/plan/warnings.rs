//! What spoils figures, as known beforehand from machine and medium. What the results show is `bakeoff_results::warnings`.

use std::collections::BTreeMap;

use bakeoff_measure::{Machine, Warning, before_run};
use bakeoff_results::record::{DriverRecord, WarningRecord};
use bakeoff_results::warnings::records;
use bakeoff_suite::WorkloadPlan;

use crate::plan::setup::Setup;

/// The code of what a suite says of its variants.
const OTHERS_SETTINGS: &str = "others-settings";

/// Warnings that are known before the first cell.
pub(crate) fn before(setup: &Setup, machine: &Machine, taking_part: &[DriverRecord]) -> Vec<WarningRecord> {
    // What a limit of memory keeps out of it is no matter of the machine's.
    let in_memory = |workload: &WorkloadPlan| {
        let bytes = workload.estimate.data_bytes_max;
        workload.conditions.memory_limit_bytes.is_none_or(|limit| bytes < limit).then_some(bytes)
    };
    let data_bytes: Vec<u64> = setup.plan.workloads.iter().filter_map(in_memory).collect();
    let drivers = setup.drivers.drivers.iter().map(|driver| &driver.description);
    let mut found: Vec<_> = drivers.filter_map(|driver| Warning::debug_build(&driver.driver, &driver.build)).collect();
    found.extend(taking_part.iter().filter_map(|driver| Warning::jvm_options(&driver.driver, &driver.options)));
    found.extend(setup.media.values().flat_map(|medium| before_run(machine, medium, &data_bytes)));
    let mut limits: BTreeMap<u64, u64> = BTreeMap::new();
    for workload in &setup.plan.workloads {
        if let Some(limit) = workload.conditions.memory_limit_bytes {
            let most = limits.entry(limit).or_default();
            *most = workload.estimate.data_bytes_max.max(*most);
        }
    }
    found.extend(limits.into_iter().filter_map(|(limit, most)| Warning::limit_above_data(limit, most)));
    // Rounds separate chance from difference, and a profiled run shows no differences.
    found.extend(Warning::few_rounds(setup.suite.rounds()).filter(|_| setup.options.profile.is_none()));
    let of_suite = setup.notes().into_iter().map(|message| WarningRecord {
        code: OTHERS_SETTINGS.to_owned(),
        message,
        advice: None,
    });
    of_suite.chain(records(found)).collect()
}
