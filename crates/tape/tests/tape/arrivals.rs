//! When operations of an open loop are due.

use bakeoff_tape::{KeyForm, Measure, OpenLoop, Operation, PhaseSpec, Workload};

use crate::common::{Owned, lanes_of, phase, workload};

const OPERATIONS: u64 = 30_000;

fn timed(open_loop: OpenLoop, mix: &[(Operation, f64)]) -> PhaseSpec {
    PhaseSpec { open_loop: Some(open_loop), operations: Some(OPERATIONS), ..phase("timed", mix) }
}

/// When all operations are due, on however many lanes.
fn due(open_loop: OpenLoop, lanes: u32) -> Vec<u64> {
    let workload =
        Workload { lanes, ..workload(KeyForm::Decimal, 100, vec![timed(open_loop, &[(Operation::Get, 1.0)])]) };
    let of_lanes = lanes_of(&workload, 1);
    let of_lane = |lane: &Vec<Owned>| lane.iter().map(|record| record.due_ns.unwrap()).collect::<Vec<_>>();
    assert!(of_lanes.iter().all(|lane| of_lane(lane).is_sorted()));
    let mut due: Vec<u64> = of_lanes.iter().flat_map(of_lane).collect();
    due.sort_unstable();
    due
}

#[test]
fn a_fixed_rate_is_kept_by_all_lanes_together() {
    for lanes in [1, 3] {
        let due = due(OpenLoop::Fixed { per_second: 10_000.0 }, lanes);
        assert_eq!((due.len() as u64, due[0]), (OPERATIONS, 0));
        // Each is rounded down to a nanosecond.
        assert!(due.windows(2).all(|pair| (pair[1] - pair[0]).abs_diff(100_000) <= 1), "{:?}", &due[..9]);
    }
}

#[test]
fn independent_arrivals_are_exponential() {
    for lanes in [1, 4] {
        let due = due(OpenLoop::Poisson { per_second: 5_000.0 }, lanes);
        let mut gaps: Vec<f64> = due.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 200_000.0).collect();
        gaps.sort_by(f64::total_cmp);
        let count = gaps.len() as f64;
        let far = gaps.iter().zip(0_u32..).map(|(gap, rank)| (1.0 - (-gap).exp() - f64::from(rank) / count).abs());
        // After Kolmogorov and Smirnov, at a level of one in a million.
        assert!(far.fold(0.0, f64::max) < 2.7 / count.sqrt());
    }
}

#[test]
fn what_follows_from_an_operation_has_no_time_of_its_own() {
    let mix = [(Operation::Update, 0.5), (Operation::Delete, 0.5)];
    let spec = PhaseSpec {
        read_first: true,
        restore: true,
        operations: Some(200),
        ..timed(OpenLoop::Fixed { per_second: 1000.0 }, &mix)
    };
    let records = &lanes_of(&workload(KeyForm::Decimal, 100, vec![spec]), 1)[0];
    let timed = records.iter().filter(|record| record.due_ns.is_some());
    assert!(timed.clone().count() == 200 && timed.clone().all(|record| record.operation == Operation::Get));
}

#[test]
fn a_rate_that_cannot_be_is_refused() {
    for (per_second, measure) in [(0.0, Measure::Latency), (2e9, Measure::Latency), (10.0, Measure::Throughput)] {
        let spec = PhaseSpec { measure, ..timed(OpenLoop::Poisson { per_second }, &[(Operation::Get, 1.0)]) };
        let directory = tempfile::tempdir().unwrap();
        let why = crate::common::recorded(&workload(KeyForm::Decimal, 10, vec![spec]), directory.path()).unwrap_err();
        assert!(why.to_string().contains("phase `timed`: open_loop"), "{why}");
    }
}
