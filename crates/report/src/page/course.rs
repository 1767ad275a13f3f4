//! How latency went over the time of a phase, and its slowest operations: few numbers for each store, since a page has many.

use bakeoff_protocol::PhaseResult;
use bakeoff_results::slow_operations::shares_of_causes;
use serde::Serialize;

use crate::page::figure::Figure;

/// Slices that a course has at most.
const SLICES_MAX: usize = 32;
/// Slow operations that are marked.
const MARKED: usize = 8;

/// One round of a phase.
#[derive(Serialize)]
pub(crate) struct Course<'a> {
    /// How long a slice is.
    slice_ns: u64,
    /// The mean latency in each; nought where no operation ended in it.
    means: Vec<Figure>,
    /// The slowest operations: when each began, how long it took, its kind, and its cause in words.
    slow: Vec<(Figure, Figure, &'a str, &'static str)>,
    /// What the slowest thousandth, eight at least, waited for: each cause with its part of their time.
    causes: Vec<(&'static str, Figure)>,
}

/// The course of a phase; `None` if its operations were not timed one by one.
pub(crate) fn course(result: &PhaseResult) -> Option<Course<'_>> {
    let (over_time, slow) = (result.over_time.as_ref()?, result.slow.as_ref());
    let joined = over_time.slices.len().div_ceil(SLICES_MAX).max(1);
    let mean = |slices: &[(u64, u64, u64)]| {
        let (count, sum) = slices.iter().fold((0, 0), |(count, sum), slice| (count + slice.0, sum + slice.1));
        Figure(if count == 0 { 0.0 } else { sum as f64 / count as f64 })
    };
    let causes = shares_of_causes(slow.iter().flat_map(|slow| &slow.causes));
    let slowest = slow.iter().flat_map(|slow| &slow.slowest).take(MARKED);
    Some(Course {
        slice_ns: over_time.slice_ns * joined as u64,
        means: over_time.slices.chunks(joined).map(mean).collect(),
        slow: slowest
            .map(|of| {
                let (at, latency) = (Figure(of.at_ns as f64), Figure(of.latency_ns as f64));
                (at, latency, of.operation.as_str(), of.cause.describe())
            })
            .collect(),
        causes: causes.into_iter().map(|(cause, share)| (cause.name(), Figure(share))).collect(),
    })
}
