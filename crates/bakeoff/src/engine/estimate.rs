//! What a run will take, before anything is measured.

use std::time::Duration;

use bakeoff_suite::{WarmUpLimit, WorkloadPlan};
use bakeoff_tape::acknowledgements;

use crate::engine::made_media::images_bytes;
use crate::engine::setup::Setup;

/// What a whole run will take, roughly: the time of all rounds, nothing but flushes being known of this machine yet, and the most disk at a
/// time, tapes included.
pub(crate) fn sized(setup: &Setup) -> String {
    let rounds = f64::from(setup.suite.rounds());
    let workloads = &setup.plan.workloads;
    let cells = workloads.iter().flat_map(|workload| estimates(setup, workload));
    let time_ns: f64 = cells.map(|(_, cell_ns)| cell_ns * rounds).sum();
    let time = bakeoff_suite::format_duration(Duration::from_secs((time_ns / 1e9).ceil() as u64));
    let flushes = setup.flushes().words().map_or_else(String::new, |words| format!(" {words}"));
    let images = match images_bytes(&setup.made) {
        0 => String::new(),
        bytes => format!("; images of new file systems grow to {} at most", bakeoff_suite::approximate_size(bytes)),
    };
    format!(
        "about {time}{flushes}; up to {} of disk at a time{images}",
        bakeoff_suite::approximate_size(setup.plan.disk_bytes_max())
    )
}

/// A rough guess of one round of each cell of a workload, nanoseconds, before anything was measured. With the cell's store.
pub(crate) fn estimates(setup: &Setup, workload: &WorkloadPlan) -> Vec<(String, f64)> {
    let warms_up = |store: &str| setup.driver(store).is_ok_and(|driver| driver.description.warms_up);
    let flush_ns = setup.flushes().of(&workload.medium);
    let cells = workload.cells.iter().map(|cell| {
        let warm_up = if warms_up(&cell.axes.store) { setup.suite.warm_up() } else { WarmUpLimit::None };
        let flush_ns = if setup.flushes_writes(cell) { flush_ns } else { 0.0 };
        (cell.axes.store.clone(), estimate_ns(workload, warm_up, flush_ns))
    });
    cells.collect()
}

/// Process start, warm-up, operations, bytes, and flushes of acknowledged writes, each of which takes `flush_ns`.
fn estimate_ns(workload: &WorkloadPlan, warm_up: WarmUpLimit, flush_ns: f64) -> f64 {
    let estimate = &workload.estimate;
    // Where memory cannot hold the data, an operation may wait for the disk.
    let beyond_memory = workload.memory_limit_bytes.is_some_and(|limit| estimate.data_bytes_max > limit);
    let operation_ns = if beyond_memory { 200e3 } else { 10e3 };
    // The start of a process that compiles its code while it runs, and what it runs to that end.
    let warm_up_ns = match warm_up {
        WarmUpLimit::None => 0.0,
        WarmUpLimit::Time(time) => 1e9 + time.as_nanos() as f64,
        WarmUpLimit::Operations(operations) => 1e9 + operations as f64 * operation_ns,
    };
    50e6 + workload.workload.schedule_s() * 1e9
        + estimate.operations as f64 * operation_ns
        + estimate.written_bytes as f64 * 6.0
        + acknowledgements(&workload.workload) as f64 * flush_ns
        + warm_up_ns
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bakeoff_protocol::{Durability, Settings, StoreDescription};
    use bakeoff_suite::{DEFAULT_MEDIUM, PlanMedium, Suite, plan};
    use serde_json::json;

    use super::*;

    /// A store that offers two classes, and flushes in both with a setting.
    fn store() -> StoreDescription {
        let class = json!({ "how": "", "source": "" });
        let sync = json!({
            "name": "sync", "type": "choice", "words": ["no", "full"], "flushing": ["full"], "help": "", "source": "",
        });
        let abilities = ["scan_from", "scan_ordered", "scan_any_order", "batch", "batch_reads", "atomic_batch"];
        let others = ["insert_refuses", "parallel_readers", "parallel_writers", "multi_process", "keeps_data"];
        let capabilities: BTreeMap<_, _> = abilities.iter().chain(&others).map(|name| (name, true)).collect();
        let description = json!({
            "name": "a", "title": "A", "summary": "", "version": "1", "license": "", "language": "", "structure": "b-tree",
            "durability": { "process": class, "power": class }, "capabilities": capabilities, "files": "", "settings": [sync],
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
        let medium = PlanMedium { directory: "/".into(), free_bytes: None };
        let media = BTreeMap::from([(DEFAULT_MEDIUM.to_owned(), medium)]);
        let plan = plan(&Suite::parse("test", suite).unwrap(), &[store()], &media).unwrap();
        let estimate = |flush_ns: f64| estimate_ns(&plan.workloads[0], WarmUpLimit::None, flush_ns);
        assert!((estimate(5e6) - estimate(0.0) - 402.0 * 5e6).abs() < 1.0);
    }

    #[test]
    fn a_class_or_a_setting_has_writes_flushed() {
        let with = |word: &str| Settings::from([("sync".to_owned(), word.into())]);
        let store = store();
        assert!(store.flushes_writes(Durability::Power, &with("no")));
        assert!(store.flushes_writes(Durability::Process, &with("full")));
        assert!(!store.flushes_writes(Durability::Process, &with("no")));
        assert!(!store.flushes_writes(Durability::Process, &Settings::new()));
    }
}
