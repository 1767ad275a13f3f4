//! Large made-up runs, whose latencies scatter as those of stores do.

use bakeoff_measure::Histogram;
use bakeoff_protocol::{OperationResult, PhaseResult};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::run::Run;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use bakeoff_testing::made_up::{axes, good, operation, phase_result, run, store, with_course};

const ROUNDS: u32 = 3;

/// Operations of a phase.
const OPERATIONS: u64 = 5_000;

/// The phases of each cell, and how many times slower than a get they are.
const PHASES: [(&str, u64); 6] = [("load", 4), ("insert", 5), ("get", 1), ("update", 5), ("remove", 5), ("scan", 2)];

/// A run of this many numbers of records in a matrix like that of the suite `quick`: 576 phase results each. Few stores
/// give many fields for that many results, which is the hardest for the page.
pub(crate) fn made_up(counts: u64) -> Run {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let names: Vec<String> = (0..4).map(|number| format!("store-{number}")).collect();
    let mut cells = Vec::new();
    for workload in 0..counts * 8 {
        for (index, name) in names.iter().enumerate() {
            let mut axes = axes(name);
            (axes.value_bytes_min, axes.value_bytes_max) = (1 << (workload % 4 * 4), 16 << (workload % 4 * 4));
            axes.data = if workload / 4 % 2 == 0 { "random" } else { "text" }.to_owned();
            axes.records = 1_000 * (1 + workload / 8);
            for round in 1..=ROUNDS {
                let phases = PHASES.map(|(name, times)| phase(name, times * (1_000 + 300 * index as u64), &mut random));
                cells.push(distinct(good(&axes, round, phases.to_vec()), workload));
            }
        }
    }
    run(cells, names.iter().map(|name| store(name, name)).collect())
}

/// The same round with an id of its own, as every cell has.
fn distinct(mut round: CellRound, workload: u64) -> CellRound {
    round.end.cell = format!(
        "{:08x}{workload:08x}",
        round.end.axes.store.len() as u64 * 97 + u64::from(round.end.axes.store.as_bytes()[6])
    );
    round.phases.iter_mut().for_each(|line| line.cell.clone_from(&round.end.cell));
    round
}

/// A phase of operations whose logarithms scatter as those of stores do, now and then by much.
fn phase(name: &str, mean_ns: u64, random: &mut Xoshiro256PlusPlus) -> PhaseResult {
    let mut histogram = Histogram::new();
    for _ in 0..OPERATIONS {
        let slow = if random.random_range(0..100) == 0 { 3.0 } else { 0.0 };
        let scatter: f64 = (0..4).map(|_| random.random_range(-0.5..0.5)).sum();
        histogram.record((mean_ns as f64 * (scatter + slow).exp()) as u64);
    }
    let timed_ns = Some(histogram.sum_ns());
    let latency = Some(histogram.to_latency());
    let operation = OperationResult { operations: OPERATIONS, timed_ns, latency, ..operation("get", mean_ns) };
    let result = phase_result(name, vec![operation]);
    // A reader leaves out what took longer than its thread ran.
    with_course(PhaseResult { wall_ns: 2 * result.timed_ns, ..result }, mean_ns)
}
