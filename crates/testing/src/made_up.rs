//! A builder of made-up runs with figures that can be checked by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bakeoff_protocol::{
    Activity, AfterFailure, Axes, Capabilities, Cause, CauseShare, CellEnd, CellStatus, DiskUsage, Durability,
    DurabilitySupport, FailureKind, Finished, Latency, LatencyTimeline, Leaves, Mode, OpenLoop, Opened,
    OperationResult, PhaseLine, PhaseResult, Resources, ResultLine, Settings, SizeResult, SlowOperation,
    SlowOperations, StoreDescription, Structure, TapeFacts, ValueSizeRange, Verified,
};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::record::RunRecord;
use bakeoff_results::run::Run;
use serde_json::{Value, json};

/// The text without line breaks and indentation, because tests must not depend on where a sentence wraps.
pub fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A run with these cells and stores, in a directory that does not exist.
pub fn run(cells: Vec<CellRound>, stores: Vec<StoreDescription>) -> Run {
    Run::new(PathBuf::from("results/made-up"), RunRecord::from_json(info(&stores)).0, cells, Vec::new())
}

/// Changes a run's `run.json`.
pub fn edit(run: &mut Run, change: impl FnOnce(&mut Value)) {
    let mut info = serde_json::to_value(&run.record).unwrap();
    change(&mut info);
    run.record = RunRecord::from_json(info).0;
}

/// The `run.json` of a run with these stores.
pub fn info(stores: &[StoreDescription]) -> Value {
    json!({
        "protocol": 2,
        "bakeoff_version": "0.1.0",
        "command_line": ["bakeoff", "run", "made up", "--rounds", "3"],
        "started": "2026-01-02T03:04:05Z",
        "finished": "2026-01-02T03:05:06Z",
        "suite": { "name": "made-up", "title": "Made up", "summary": "Figures that can be computed by hand.", "analysis": "" },
        "seed": 1,
        "rounds": 3,
        "machine": { "cpu_model": "Abacus", "cpus_usable": 2, "memory_bytes": 8_589_934_592_u64, "kernel": "6.1" },
        "media": { "default": { "directory": "/tmp/x", "file_system": "ext4", "mount_options": ["relatime", "rw"], "rotational": false, "scheduler": "none", "free_bytes": 1_073_741_824 } },
        "stores": stores,
        "skipped": [{ "what": "10KiB..100KiB × 1,000,000 random", "why": "larger than max-db-size" }],
        "given_up": [],
        "warnings": [{ "code": "few-rounds", "message": "Only 3 rounds.", "advice": "Take 5." }],
        "pools": [{ "data": "random", "snappy_ratio": 1.0, "lz4_ratio": 1.0, "zstd_ratio": 1.0 }],
    })
}

/// A store with this name and title and all capabilities.
pub fn store(name: &str, title: &str) -> StoreDescription {
    StoreDescription {
        name: name.to_owned(),
        title: title.to_owned(),
        summary: "A store.".to_owned(),
        version: "1.2.3".to_owned(),
        license: "MIT".to_owned(),
        language: "Rust".to_owned(),
        structure: Structure::BTree,
        durability: BTreeMap::from([(Durability::Process, support(Leaves::PossiblyCorrupt))]),
        not_offered: BTreeMap::new(),
        capabilities: Capabilities {
            scan_from: true,
            scan_ordered: true,
            scan_any_order: true,
            batch: true,
            batch_reads: true,
            atomic_batch: true,
            insert_refuses: true,
            parallel_readers: true,
            parallel_writers: false,
            multi_process: false,
            compacted_copy: false,
            exists: true,
            exists_call: false,
            scan_prefix: true,
            keeps_data: true,
        },
        key_bytes_max: None,
        value_bytes_max: None,
        key_bytes_min: 0,
        files: "one".to_owned(),
        table_files: Vec::new(),
        directories: Vec::new(),
        settings: Vec::new(),
        memory: None,
        always_compresses: None,
        test_only: false,
        unlocked: false,
        twin_of: None,
    }
}

/// A level at which acknowledged writes survive the process, and a power cut leaves `power_cut`.
pub fn support(power_cut: Leaves) -> DurabilitySupport {
    DurabilitySupport {
        how: String::new(),
        source: String::new(),
        after: Some(AfterFailure { process_death: Leaves::Kept, power_cut }),
        flushes: false,
        atomic_batch: None,
        parallel_readers: None,
        parallel_writers: None,
    }
}

/// Three stores.
pub fn stores() -> Vec<StoreDescription> {
    vec![store("flat-folder", "Flat folder"), store("lmdb", "LMDB"), store("sqlite", "SQLite")]
}

/// The axes of a cell with this store.
pub fn axes(store: &str) -> Axes {
    Axes {
        suite: "made-up".to_owned(),
        store: store.to_owned(),
        durability: Durability::Process,
        value_bytes_min: 1024,
        value_bytes_max: 10_240,
        records: 1000,
        ..Axes::default()
    }
}

/// A phase of 1,000 operations of one kind with this mean.
pub fn operation(kind: &str, mean_ns: u64) -> OperationResult {
    OperationResult {
        operation: kind.to_owned(),
        operations: 1000,
        entries: 1000,
        bytes: 1_000_000,
        timed_ns: Some(mean_ns * 1000),
        latency: Some(latency(mean_ns)),
        by_size: Vec::new(),
    }
}

/// Operations with this mean, on values of this size.
pub fn of_size(value_bytes: u64, operations: u64, mean_ns: u64) -> SizeResult {
    let sizes = ValueSizeRange { value_bytes_min: value_bytes, value_bytes_max: value_bytes };
    SizeResult { sizes, operations, latency: latency(mean_ns) }
}

/// Latencies around this mean.
pub fn latency(mean_ns: u64) -> Latency {
    Latency {
        latency_ns_mean: mean_ns,
        latency_ns_min: mean_ns / 2,
        latency_ns_p50: mean_ns,
        latency_ns_p90: mean_ns * 2,
        latency_ns_p99: mean_ns * 3,
        latency_ns_p999: mean_ns * 10,
        latency_ns_max: mean_ns * 100,
        histogram: "HISTFAAA".to_owned(),
    }
}

/// A phase with this name and these operations.
pub fn phase_result(name: &str, operations: Vec<OperationResult>) -> PhaseResult {
    PhaseResult {
        threads_timed_ns: None,
        phase: name.to_owned(),
        mode: Mode::Latency,
        threads: 1,
        timed_ns: operations.iter().filter_map(|each| each.timed_ns).sum(),
        wall_ns: 10_000_000,
        answers_checked: 1000,
        answers_wrong: 0,
        resources: Resources { rss_peak_above_baseline_bytes: Some(2_097_152), ..Resources::default() },
        operations,
        open_loop: None,
        warm_up: None,
        reopen_ns: None,
        background_work: None,
        over_time: None,
        slow: None,
    }
}

/// The phase as an open loop at this speed, with a thousand operations due in a second.
pub fn opened(phase: PhaseResult, speed: f64) -> PhaseResult {
    PhaseResult { open_loop: Some(OpenLoop { speed, due_ns: 1_000_000_000 }), ..phase }
}

/// The phase with latency over time: ten slices of a millisecond with ten operations each. Two operations half-way are slow: one took 75
/// times the mean, waiting for the disk, the other 25 times, with page faults.
pub fn with_course(phase: PhaseResult, mean_ns: u64) -> PhaseResult {
    let slow = |operation: &str, latency_ns, cause| SlowOperation {
        operation: operation.to_owned(),
        at_ns: 5_000_000,
        latency_ns,
        cause,
        meanwhile: Activity { blocked_ns: latency_ns * 9 / 10, ..Activity::default() },
    };
    let operation = phase.operations[0].operation.clone();
    let share = |cause, latency_ns_sum| CauseShare { cause, operations: 1, latency_ns_sum };
    PhaseResult {
        over_time: Some(LatencyTimeline { slice_ns: 1_000_000, slices: vec![(10, 10 * mean_ns, 2 * mean_ns); 10] }),
        slow: Some(SlowOperations {
            operations: 2,
            latency_ns_min: mean_ns * 25,
            causes: vec![share(Cause::Disk, mean_ns * 75), share(Cause::PageFaults, mean_ns * 25)],
            slowest: vec![
                slow(&operation, mean_ns * 75, Cause::Disk),
                slow(&operation, mean_ns * 25, Cause::PageFaults),
            ],
        }),
        ..phase
    }
}

/// One successful round of a cell, with these phases.
pub fn good(axes: &Axes, round: u32, phases: Vec<PhaseResult>) -> CellRound {
    let cell = format!("{}-{}-{}-{}", axes.store, axes.value_bytes_min, axes.records, axes.data);
    let tape = TapeFacts {
        tape_checksum: "0123456789abcdef".to_owned(),
        operations: 1000,
        records_after: 1000,
        data_bytes_after: 5_000_000,
    };
    let line = |result| PhaseLine {
        cell: cell.clone(),
        round,
        attempt: 1,
        axes: axes.clone(),
        tape: tape.clone(),
        dropped_cache: None,
        table_bytes: None,
        result,
    };
    let phases: Vec<PhaseLine> = phases.into_iter().map(line).collect();
    let end = CellEnd {
        log: format!("logs/{cell}-{round}.log"),
        profiled: None,
        cell,
        round,
        attempt: 1,
        axes: axes.clone(),
        status: CellStatus::Ok,
        failure: None,
        failure_phase: None,
        failure_message: None,
        failure_again: None,
        phases_measured: Some(phases.len() as u64),
        started: "2026-01-02T03:04:05Z".to_owned(),
        process_ns: 50_000_000,
        not_offered: Vec::new(),
        opened: Some(Opened {
            version: "1.2.3".to_owned(),
            open_ns: 1_000_000,
            rss_baseline_bytes: Some(10_000_000),
            clock: "tsc".to_owned(),
            clock_pair_ns: 20,
            settings: Settings::new(),
            runtime: None,
        }),
        verified: Some(Verified { reopen_ns: 500_000, entries: 1000, compacted_copy: None }),
        memory_settings: Settings::new(),
        memory_peak_bytes: None,
        disk_peak_allocated_bytes: None,
        flush_ns: None,
        finished: Some(Finished {
            page_cache_bytes: Some(3_145_728),
            close_ns: 100_000,
            disk_before_close: None,
            disk_after_close: Some(DiskUsage { apparent_bytes: 6_000_000, allocated_bytes: 6_250_000, files: 2 }),
            store_properties: std::collections::BTreeMap::new(),
        }),
        power_cuts: None,
        data_bytes: 5_000_000,
        records_alive: 1000,
    };
    CellRound { end, phases }
}

/// The same round, failed.
pub fn failed(mut cell: CellRound, kind: FailureKind, message: &str) -> CellRound {
    cell.end.status = CellStatus::Failed;
    cell.end.failure = Some(kind);
    cell.end.failure_phase = Some("get".to_owned());
    cell.end.failure_message = Some(message.to_owned());
    cell
}

/// A cell with a get phase, one round per mean.
pub fn gets(axes: &Axes, means_ns: &[u64]) -> Vec<CellRound> {
    let round = |(index, mean): (usize, &u64)| {
        good(axes, index as u32 + 1, vec![phase_result("get", vec![operation("get", *mean)])])
    };
    means_ns.iter().enumerate().map(round).collect()
}

/// The result lines of a run with these cells.
pub fn lines(cells: &[CellRound]) -> Vec<ResultLine> {
    let phases =
        |cell: &CellRound| cell.phases.iter().map(|phase| ResultLine::Phase(Box::new(phase.clone()))).collect();
    cells
        .iter()
        .flat_map(|cell| {
            let mut lines: Vec<ResultLine> = phases(cell);
            lines.push(ResultLine::Cell(Box::new(cell.end.clone())));
            lines
        })
        .collect()
}

/// The same as the text of a `results.jsonl`.
pub fn text(cells: &[CellRound]) -> String {
    lines(cells).iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect()
}
