//! How much of the time of writes is said to be a flush.

use bakeoff_protocol::{Axes, Durability, Leaves, StoreDescription};
use bakeoff_report::{TerminalOptions, render_terminal};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::flush_share::flush_share;
use bakeoff_results::run::Run;

use bakeoff_testing::made_up::{self, operation, phase_result, support, unwrapped};

/// A store that keeps what it acknowledges through a power cut.
fn flushing(name: &str, title: &str) -> StoreDescription {
    let mut store = made_up::store(name, title);
    store.durability.insert(Durability::Power, support(Leaves::Kept));
    store.durability.insert(Durability::Consistent, support(Leaves::EarlierState));
    store
}

fn axes(store: &str, durability: Durability) -> Axes {
    Axes { durability, ..made_up::axes(store) }
}

/// Three rounds of updates with this mean, and of commits if there are batches, after a flush of this time.
fn cells(axes: &Axes, mean_ns: u64, flush_ns: Option<u64>, is_batched: bool) -> Vec<CellRound> {
    let round = |round| {
        let mut operations = vec![operation("update", mean_ns + u64::from(round))];
        if is_batched {
            operations.push(bakeoff_protocol::OperationResult {
                operations: 10,
                timed_ns: Some(1_000_000),
                ..operation("commit", 100_000)
            });
        }
        let mut cell = made_up::good(axes, round, vec![phase_result("update", operations)]);
        cell.end.flush_ns = flush_ns;
        cell
    };
    (1..=3).map(round).collect()
}

fn run(level: Durability, of_each: [(&str, u64, Option<u64>, bool); 2]) -> Run {
    let stores = vec![flushing("a", "Alpha"), flushing("b", "Beta")];
    let all = of_each
        .into_iter()
        .flat_map(|(store, mean_ns, flush_ns, is_batched)| cells(&axes(store, level), mean_ns, flush_ns, is_batched));
    made_up::run(all.collect(), stores)
}

fn shown(run: &Run) -> String {
    let options = TerminalOptions { width: 100, color: false, full: false };
    unwrapped(&render_terminal(&Analysis::new(run), &options))
}

#[test]
fn a_flush_that_is_most_of_every_write_is_said_to_be() {
    let run = run(Durability::Power, [("a", 100_000, Some(80_000), false), ("b", 110_000, Some(82_000), false)]);
    let share = flush_share(&run, run.cells.iter()).expect("a share");
    // 80/100 and 82/110, in the middle.
    assert!((share.share - f64::midpoint(0.8, 82.0 / 110.0)).abs() < 1e-3 && share.is_of_all(), "{share:?}");
    let shown = shown(&run);
    let words = "77.3 % of the time of a write in every store (81.0 µs each); reads, space and memory decide";
    assert!(shown.contains(words), "{shown}");
}

#[test]
fn stores_that_wait_for_no_flush_are_named() {
    let run = run(Durability::Consistent, [("a", 100_000, None, false), ("b", 110_000, None, false)]);
    assert_eq!(flush_share(&run, run.cells.iter()), None);
    let stores = vec![flushing("a", "Alpha"), flushing("b", "Beta"), flushing("c", "Gamma")];
    let level = Durability::Consistent;
    let all = [("a", Some(90_000)), ("b", Some(90_000)), ("c", None)];
    let all = all.into_iter().flat_map(|(store, flush_ns)| cells(&axes(store, level), 100_000, flush_ns, false));
    let shown = shown(&made_up::run(all.collect(), stores));
    assert!(shown.contains("of the time of a write in Alpha and Beta (90.0 µs each); Gamma waits for none"), "{shown}");
}

#[test]
fn a_flush_that_is_little_of_a_write_or_of_a_batch_is_not_spoken_of() {
    let little = run(Durability::Power, [("a", 100_000, Some(40_000), false), ("b", 110_000, Some(40_000), false)]);
    assert_eq!(flush_share(&little, little.cells.iter()), None);
    // Ten flushes in a thousand updates: the same flush and the same updates without batches would be most of them.
    let batched = run(Durability::Power, [("a", 100_000, Some(90_000), true), ("b", 110_000, Some(90_000), true)]);
    assert_eq!(flush_share(&batched, batched.cells.iter()), None);
}
