//! What a report shows for rounds that are alike.

use bakeoff_protocol::Axes;
use bakeoff_report::{TerminalOptions, render_terminal};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::run::Run;
use bakeoff_testing::made_up::{self, operation, phase_result, unwrapped};

/// Twelve workloads in six rounds. In each a store becomes slower against the other from round to round, or goes up and down.
fn run(slowing: bool) -> Run {
    let mut cells = Vec::new();
    for workload in 0..12 {
        for round in 1..=6 {
            let jumping = [1, 6, 2, 5, 3, 4][(u64::from(round) + workload) as usize % 6];
            let step = if slowing { u64::from(round) } else { jumping };
            for (store, mean_ns) in [("a", 1_000 + 100 * step + workload), ("b", 1_000)] {
                let size = 100 * (workload + 1);
                let axes = Axes { value_bytes_min: size, value_bytes_max: size, ..made_up::axes(store) };
                cells.push(made_up::good(&axes, round, vec![phase_result("get", vec![operation("get", mean_ns)])]));
            }
        }
    }
    made_up::run(cells, vec![made_up::store("a", "Alpha"), made_up::store("b", "Beta")])
}

#[test]
fn rounds_that_are_alike_are_noted_and_others_are_not() {
    let shown = |run: &Run| {
        let options = TerminalOptions { width: 100, color: false, full: false };
        unwrapped(&render_terminal(&Analysis::new(run), &options))
    };
    let words = "neighbouring rounds are alike (correlation 0.";
    let slowing = shown(&run(true));
    assert!(slowing.contains(words), "{slowing}");
    let steady = shown(&run(false));
    assert!(!steady.contains(words), "{steady}");
}
