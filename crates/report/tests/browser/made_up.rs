//! Runs whose figures are simple multiples, so that every number on the page can be told beforehand.

use bakeoff_measure::Histogram;
use bakeoff_protocol::{
    Axes, BackgroundWork, Durability, FailureKind, OpenLoop, OperationResult, PhaseResult, Resources,
};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::run::Run;

use bakeoff_testing::made_up::{axes, failed, good, operation, phase_result, run, stores, with_course};

/// Stores and how many times slower than the first one they are.
pub(crate) const STORES: [(&str, u64); 3] = [("lmdb", 1), ("sqlite", 2), ("flat-folder", 8)];

/// A run with every axis that a suite can vary: two sizes, two counts, two data types, two classes, two numbers of threads.
///
/// A get takes 1 µs times the store's factor, times 2 for the larger size, times 3 for the larger count, times 5 for
/// `text`, times 7 for `power`. With four threads it takes as long, so there are four times as many a second. Rounds
/// differ by 1 %. The flat folder does not scan, and fails with the larger size and count under `power`.
pub(crate) fn everything() -> Run {
    let mut cells = Vec::new();
    for (store, factor) in STORES {
        for bits in 0..32_u32 {
            let bit = |place: u32| u64::from(bits >> place & 1);
            let mut axes = axes(store);
            (axes.value_bytes_min, axes.value_bytes_max) = if bit(0) == 1 { (1024, 10_240) } else { (100, 1024) };
            axes.records = if bit(1) == 1 { 10_000 } else { 1_000 };
            axes.data = if bit(2) == 1 { "text" } else { "random" }.to_owned();
            axes.durability = if bit(3) == 1 { Durability::Power } else { Durability::Process };
            axes.threads = if bit(4) == 1 { 4 } else { 1 };
            let mean_ns = 1_000 * factor * (1 + bit(0)) * (1 + 2 * bit(1)) * (1 + 4 * bit(2)) * (1 + 6 * bit(3));
            let fails = store == "flat-folder" && bits & 0b1011 == 0b1011;
            cells.extend(rounds(&axes, factor, mean_ns, fails));
        }
    }
    run(cells, stores())
}

/// Three rounds of a cell.
fn rounds(axes: &Axes, factor: u64, mean_ns: u64, fails: bool) -> Vec<CellRound> {
    let round = |round: u32| {
        let mean_ns = mean_ns + mean_ns / 100 * u64::from(round) - mean_ns / 50;
        let mut phases = vec![phase(axes, "get", "get", mean_ns, factor)];
        if axes.store != "flat-folder" {
            phases.push(phase(axes, "scan", "scan", mean_ns / 2, factor));
        }
        let mut cell = good(axes, round, phases);
        let id = format!("{}-{}-{}", cell.end.cell, axes.durability, axes.threads);
        cell.end.cell.clone_from(&id);
        cell.phases.iter_mut().for_each(|line| line.cell.clone_from(&id));
        if axes.store == "flat-folder" {
            cell.end.not_offered = vec![("scan".to_owned(), "it has no order".to_owned())];
        }
        if fails && round == 2 {
            failed(cell, FailureKind::WrongAnswer, "found nothing, but the key is there")
        } else {
            cell
        }
    };
    (1..=3).map(round).collect()
}

/// Gets of two stores in a closed loop, at a thousand a second, and at ten thousand, of which SQLite keeps up with half.
pub(crate) fn rates() -> Run {
    let mut cells = Vec::new();
    for (store, factor) in &STORES[..2] {
        for (variant, due_ns, times) in
            [("closed", None, 1), ("fast", Some(100_000_000), 4), ("slow", Some(1_000_000_000), 1)]
        {
            let axes = Axes { variant: Some(variant.to_owned()), ..axes(store) };
            for round in 1..=3 {
                let mut phase = phase(&axes, "get", "get", 1_000 * factor * times, *factor);
                if let Some(due_ns) = due_ns {
                    let late = if variant == "fast" { *factor } else { 1 };
                    phase = PhaseResult {
                        timed_ns: due_ns * late,
                        open_loop: Some(OpenLoop { speed: 1.0, due_ns }),
                        ..phase
                    };
                }
                cells.push(good(&axes, round, vec![phase]));
            }
        }
    }
    run(cells, stores())
}

/// Gets of two stores on two media, with and without a disturbance, that put off twice the work they acknowledged.
///
/// A get takes 1 µs times the store's factor, on `slow` 10 times that, under `video` 3 times that.
pub(crate) fn circumstances() -> Run {
    let mut cells = Vec::new();
    for (store, factor) in &STORES[..2] {
        for (medium, slower) in [("default", 1), ("slow", 10)] {
            for (disturbance, times) in [(None, 1), (Some("video".to_owned()), 3)] {
                let axes = Axes { medium: medium.to_owned(), disturbance, ..axes(store) };
                for round in 1..=3 {
                    let phase = phase(&axes, "get", "get", 1_000 * factor * slower * times, *factor);
                    let settled = BackgroundWork {
                        done_ns: Some(phase.timed_ns * 2),
                        waited_ns: phase.timed_ns * 3,
                        cpu_ns: phase.timed_ns,
                        process_write_bytes: 1_000,
                        disk: None,
                    };
                    cells.push(good(&axes, round, vec![PhaseResult { background_work: Some(settled), ..phase }]));
                }
            }
        }
    }
    for cell in &mut cells {
        let id = format!("{}-{}-{:?}", cell.end.cell, cell.end.axes.medium, cell.end.axes.disturbance);
        cell.phases.iter_mut().for_each(|line| line.cell.clone_from(&id));
        cell.end.cell = id;
    }
    run(cells, stores())
}

/// Gets of two stores in three rounds, of which the last takes four times as long.
pub(crate) fn uneven() -> Run {
    let rounds = |(store, factor): &(&str, u64)| {
        let axes = axes(store);
        let round =
            |(round, times)| good(&axes, round, vec![phase(&axes, "get", "get", 1_000 * factor * times, *factor)]);
        [(1, 1), (2, 1), (3, 4)].map(round)
    };
    run(STORES[..2].iter().flat_map(rounds).collect(), stores())
}

/// Gets of two stores, of which the first writes nothing, and whose rounds differ so much that the interval of the second begins at nought.
pub(crate) fn nought() -> Run {
    let rounds = |(store, factor): &(&str, u64)| {
        let axes = axes(store);
        let round = |(round, times): (u32, u64)| {
            let mut phase = phase(&axes, "get", "get", 1_000 * factor * times, *factor);
            phase.resources.block_write_bytes = Some(4_096_000 * (factor - 1));
            good(&axes, round, vec![phase])
        };
        [(1, 1), (2, if *factor == 1 { 1 } else { 30 })].map(round)
    };
    run(STORES[..2].iter().flat_map(rounds).collect(), stores())
}

fn phase(axes: &Axes, name: &str, kind: &str, mean_ns: u64, factor: u64) -> PhaseResult {
    let operation = OperationResult { latency: Some(latencies(mean_ns)), ..operation(kind, mean_ns) };
    let mut phase = phase_result(name, vec![operation]);
    phase.threads = axes.threads;
    phase.timed_ns /= u64::from(axes.threads);
    phase.resources = Resources {
        cpu_user_ns: Some(1_000 * mean_ns),
        cpu_system_ns: Some(1_000 * mean_ns),
        block_write_bytes: Some(4_096_000 * factor),
        rss_peak_above_baseline_bytes: Some(1_048_576 * factor),
        ..Resources::default()
    };
    with_course(phase, mean_ns)
}

/// 1,000 latencies: half of the mean, the mean, and one of a hundred times the mean.
fn latencies(mean_ns: u64) -> bakeoff_protocol::Latency {
    let mut histogram = Histogram::new();
    (0..500).for_each(|_| histogram.record(mean_ns / 2));
    (0..499).for_each(|_| histogram.record(mean_ns));
    histogram.record(mean_ns * 100);
    histogram.to_latency()
}
