//! What a run will take, before anything is measured.

use std::time::Duration;

use bakeoff_protocol::Structure;
use bakeoff_suite::{Disturbance, WarmUpLimit, WorkloadPlan};
use bakeoff_tape::acknowledgements;
use bakeoff_text::{counted, format_duration};

use crate::place::made_media::images_bytes;
use crate::plan::schedule::{Outlook, admit};
use crate::plan::setup::Setup;
use crate::surroundings::disturbance::{AHEAD, VIDEO_MADE_IN};

/// What a whole run will take, roughly: the time of all rounds, nothing but flushes being known of this machine yet, and the most disk at a
/// time, tapes included.
pub fn describe_size(setup: &Setup) -> String {
    let rounds = f64::from(setup.suite.rounds());
    let time_ns: f64 = rounds_ns(setup).into_iter().map(|round_ns| round_ns * rounds).sum();
    let time = format_duration(made_in(setup) + Duration::from_secs((time_ns / 1e9).ceil() as u64));
    let flushes = setup.flushes().label().map_or_else(String::new, |words| format!(" {words}"));
    let images = match images_bytes(&setup.made) {
        0 => String::new(),
        bytes => format!("; images of new file systems grow to {} at most", bakeoff_text::approximate_size(bytes)),
    };
    format!(
        "about {time}{flushes}; up to {} of disk at a time{images}",
        bakeoff_text::approximate_size(setup.plan.disk_bytes_max())
    )
}

/// Until what a run needs is made: the video that is played, file systems.
fn made_in(setup: &Setup) -> Duration {
    let video = if setup.disturbances().contains(&Disturbance::Video) { VIDEO_MADE_IN } else { Duration::ZERO };
    video + FILE_SYSTEM_MADE_IN * u32::try_from(setup.made.len()).unwrap_or(u32::MAX)
}

/// A rough guess of one round of all cells of each workload, nanoseconds.
fn rounds_ns(setup: &Setup) -> Vec<f64> {
    let cells = estimates_of_all(setup, FLUSHES_OF_A_WRITE).into_iter();
    cells.map(|cells| cells.into_iter().map(|(_, cell_ns)| cell_ns).sum()).collect()
}

/// The part of a run that would fit a budget if cells took their estimates. The run begins with these, and corrects
/// them by its measurements.
pub fn describe_share(setup: &Setup, budget: Duration) -> String {
    format!("{}: {}", format_duration(budget), share(&rounds_ns(setup), setup.suite.rounds(), budget))
}

/// The same, for workloads whose rounds take these nanoseconds each.
fn share(rounds_ns: &[f64], rounds: u32, budget: Duration) -> String {
    let outlooks: Vec<_> = rounds_ns.iter().map(|&round_ns| Outlook { round_ns, rounds_done: 0 }).collect();
    let admitted = admit(&outlooks, rounds, budget.as_nanos() as f64);
    let begun = admitted.iter().filter(|&&rounds| rounds > 0).count();
    let least = admitted.into_iter().filter(|&rounds| rounds > 0).min().unwrap_or(0);
    let workloads = counted(rounds_ns.len(), "workload");
    match (begun, least) {
        (0, _) => format!("by this guess enough for none of {workloads}: the shortest would be tried"),
        (begun, least) if begun == rounds_ns.len() && least == rounds => {
            "by this guess enough for all of it".to_owned()
        }
        (begun, least) => format!(
            "by this guess enough for {begun} of {workloads}, the shortest, with {least} of {}; the run goes by what cells take, and \
             says what it gave up",
            counted(rounds, "round")
        ),
    }
}

/// To make, mount and remove a file system.
const FILE_SYSTEM_MADE_IN: Duration = Duration::from_secs(1);

/// Nanoseconds for each byte that is written, compaction included. With 100 B to 1 MiB in hines-2023 (26 November 2026,
/// two CPUs, a virtual disk) LevelDB took up to 60 and RocksDB 17, B-trees and files 2 to 8.
const BYTE_NS: f64 = 6.0;
const BYTE_OF_LSM_NS: f64 = 30.0;

/// Flushes of a write that is acknowledged when it is flushed: SQLite with a rollback journal took as long as six, a log takes one.
pub(crate) const FLUSHES_OF_A_WRITE: f64 = 3.0;

/// The same where a guess that is too high would leave out stores that need only one.
pub(crate) const FLUSHES_OF_A_WRITE_MIN: f64 = 1.0;

/// How many times as long a flush takes in an image file: two file systems flush the same data.
const OF_IMAGE: f64 = 5.0;

/// How many times as long a cell takes during a disturbance.
const DISTURBED: f64 = 1.5;

/// What of a cell's costs its store and medium decide, nanoseconds.
#[derive(Clone, Copy)]
struct CellCosts {
    warm_up: WarmUpLimit,
    /// A write that is acknowledged when it is flushed.
    flushed_ns: f64,
    /// A byte that is written.
    byte_ns: f64,
}

/// The [`estimates`] of every workload that is planned.
pub(crate) fn estimates_of_all(setup: &Setup, flushes_of_a_write: f64) -> Vec<Vec<(String, f64)>> {
    setup.plan.workloads.iter().map(|workload| estimates(setup, workload, flushes_of_a_write)).collect()
}

/// A rough guess of one round of each cell of a workload, nanoseconds, before any measurement, with the cell's store. A
/// write that is acknowledged when it is flushed takes `flushes_of_a_write` flushes.
pub(crate) fn estimates(setup: &Setup, workload: &WorkloadPlan, flushes_of_a_write: f64) -> Vec<(String, f64)> {
    let warms_up = |store: &str| setup.driver(store).is_ok_and(|driver| driver.description.warms_up);
    let is_lsm = |store: &str| setup.store(store).is_ok_and(|store| store.structure == Structure::Lsm);
    let of_image = if setup.made.contains_key(&workload.conditions.medium) { OF_IMAGE } else { 1.0 };
    let flushed_ns = setup.flushes().of(&workload.conditions.medium) * flushes_of_a_write * of_image;
    let cells = workload.cells.iter().map(|cell| {
        let store = &cell.axes.store;
        let costs = CellCosts {
            warm_up: if warms_up(store) { setup.suite.warm_up() } else { WarmUpLimit::None },
            flushed_ns: if setup.flushes_writes(cell) { flushed_ns } else { 0.0 },
            byte_ns: if is_lsm(store) { BYTE_OF_LSM_NS } else { BYTE_NS },
        };
        (store.clone(), estimate_ns(workload, costs))
    });
    cells.collect()
}

/// Process start, warm-up, operations, bytes, flushes of acknowledged writes, and the wait for a disturbance to begin,
/// which then makes all of it slower.
fn estimate_ns(workload: &WorkloadPlan, costs: CellCosts) -> f64 {
    let estimate = &workload.estimate;
    // Where memory cannot hold the data, an operation may wait for the disk.
    let beyond_memory = workload.conditions.memory_limit_bytes.is_some_and(|limit| estimate.data_bytes_max > limit);
    let operation_ns = if beyond_memory { 200e3 } else { 10e3 };
    // The start of a process that compiles its code while it runs, and its warm-up.
    let warm_up_ns = match costs.warm_up {
        WarmUpLimit::None => 0.0,
        WarmUpLimit::Time(time) => 1e9 + time.as_nanos() as f64,
        WarmUpLimit::Operations(operations) => 1e9 + operations as f64 * operation_ns,
    };
    let (ahead, slower) = match workload.conditions.disturbance {
        Disturbance::None => (Duration::ZERO, 1.0),
        _ => (AHEAD, DISTURBED),
    };
    let work_ns = 50e6
        + estimate.operations as f64 * operation_ns
        + estimate.written_bytes as f64 * costs.byte_ns
        + acknowledgements(&workload.workload) as f64 * costs.flushed_ns;
    ahead.as_nanos() as f64 + workload.workload.schedule_s() * 1e9 + warm_up_ns + work_ns * slower
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bakeoff_protocol::{Durability, Settings, StoreDescription};
    use bakeoff_suite::{DEFAULT_MEDIUM, PlanMedium, Suite, plan};
    use serde_json::json;

    use super::*;

    /// A store that offers three levels, flushes at two, and at all with a setting.
    fn store() -> StoreDescription {
        let level = |power_cut: &str, flushes: bool| {
            let after = json!({ "process_death": "kept", "power_cut": power_cut });
            json!({ "how": "", "source": "", "after": after, "flushes": flushes })
        };
        let levels = json!({
            "process": level("possibly-corrupt", false),
            "consistent": level("earlier-state", true),
            "power": level("kept", false),
        });
        let sync = json!({
            "name": "sync", "type": "choice", "words": ["no", "full"], "flushing": ["full"], "help": "", "source": "",
        });
        let abilities = ["scan_from", "scan_ordered", "scan_any_order", "batch", "batch_reads", "atomic_batch"];
        let others = ["insert_refuses", "parallel_readers", "parallel_writers", "multi_process", "keeps_data"];
        let capabilities: BTreeMap<_, _> = abilities.iter().chain(&others).map(|name| (name, true)).collect();
        let description = json!({
            "name": "a", "title": "A", "summary": "", "version": "1", "license": "", "language": "", "structure": "b-tree",
            "durability": levels, "capabilities": capabilities, "files": "", "settings": [sync],
        });
        serde_json::from_value(description).unwrap()
    }

    #[test]
    fn each_acknowledged_write_costs_a_flush() {
        // A load in two batches, 300 updates, and 50 deletes each followed by an insert.
        let suite = r#"
            [axes]
            stores = ["a"]
            value-size = "100B"
            records = 1000
            [[phases]]
            name = "load"
            operation = "insert"
            batch = 500
            [[phases]]
            name = "update"
            operation = "update"
            operations = 300
            [[phases]]
            name = "remove"
            operation = "delete"
            operations = 50
            restore = true
        "#;
        let medium = PlanMedium { directory: "/".into(), ..PlanMedium::default() };
        let media = BTreeMap::from([(DEFAULT_MEDIUM.to_owned(), medium)]);
        let plan = plan(&Suite::parse("test", suite).unwrap(), &[store()], &media).unwrap();
        let costs = |flushed_ns| CellCosts { warm_up: WarmUpLimit::None, flushed_ns, byte_ns: BYTE_NS };
        let estimate = |flushed_ns: f64| estimate_ns(&plan.workloads[0], costs(flushed_ns));
        assert!((estimate(5e6) - estimate(0.0) - 402.0 * 5e6).abs() < 1.0);
        let mut disturbed = plan.workloads[0].clone();
        disturbed.conditions.disturbance = Disturbance::Cpu;
        assert!((estimate_ns(&disturbed, costs(0.0)) - estimate(0.0) * 1.5 - 5e8).abs() < 1.0);
        // 24 ns more for each byte.
        let of_lsm = estimate_ns(&plan.workloads[0], CellCosts { byte_ns: BYTE_OF_LSM_NS, ..costs(0.0) });
        let written = plan.workloads[0].estimate.written_bytes as f64;
        assert!((of_lsm - estimate(0.0) - written * 24.0).abs() < 1.0);
    }

    #[test]
    fn a_plan_said_the_same_of_every_budget() {
        let of_a_plan = |seconds| share(&[1e9, 2e9, 30e9], 3, Duration::from_secs(seconds));
        assert_eq!(of_a_plan(99), "by this guess enough for all of it");
        assert!(
            of_a_plan(98).starts_with("by this guess enough for 2 of 3 workloads, the shortest, with 3 of 3 rounds; ")
        );
        assert!(
            of_a_plan(4).starts_with("by this guess enough for 1 of 3 workloads, the shortest, with 3 of 3 rounds; ")
        );
        assert!(
            of_a_plan(2).starts_with("by this guess enough for 1 of 3 workloads, the shortest, with 2 of 3 rounds; ")
        );
        assert_eq!(
            share(&[2e9], 3, Duration::from_secs(1)),
            "by this guess enough for none of 1 workload: the shortest would be tried"
        );
    }

    #[test]
    fn a_level_or_a_setting_has_writes_flushed() {
        let with = |word: &str| Settings::from([("sync".to_owned(), word.into())]);
        let store = store();
        assert!(store.flushes_writes(Durability::Power, &with("no")));
        assert!(store.flushes_writes(Durability::Consistent, &with("no")));
        assert!(store.flushes_writes(Durability::Process, &with("full")));
        assert!(!store.flushes_writes(Durability::Process, &with("no")));
        assert!(!store.flushes_writes(Durability::Process, &Settings::new()));
    }
}
