//! Latency over the time of a phase, and its slowest operations. Only a few numbers per store, since a page has many
//! stores.

use bakeoff_protocol::{Cause, PhaseResult, SlowOperation};

use crate::slow_operations::shares_of_causes;

/// The maximum of slices in a course.
const SLICES_MAX: usize = 32;
/// The number of slow operations to mark.
const MARKED: usize = 8;

/// One round of a phase.
pub struct Course<'a> {
    /// The length of a slice.
    pub slice_ns: u64,
    /// The mean latency of operations that ended in each slice, nanoseconds. Zero if none did.
    pub means_ns: Vec<f64>,
    /// The slowest operations, slowest first.
    pub slowest: &'a [SlowOperation],
    /// What the slowest thousandth (at least 8 operations) waited for: each cause with its share of their time, 0 to 1.
    pub causes: Vec<(Cause, f64)>,
}

impl<'a> Course<'a> {
    /// The course of a phase. `None` if its operations were not timed individually.
    pub fn of(result: &'a PhaseResult) -> Option<Self> {
        let (over_time, slow) = (result.over_time.as_ref()?, result.slow.as_ref());
        let joined = over_time.slices.len().div_ceil(SLICES_MAX).max(1);
        let mean = |slices: &[(u64, u64, u64)]| {
            let (count, sum) = slices.iter().fold((0, 0), |(count, sum), slice| (count + slice.0, sum + slice.1));
            if count == 0 { 0.0 } else { sum as f64 / count as f64 }
        };
        let slowest = slow.map_or(&[][..], |slow| &slow.slowest);
        Some(Self {
            slice_ns: over_time.slice_ns * joined as u64,
            means_ns: over_time.slices.chunks(joined).map(mean).collect(),
            slowest: &slowest[..slowest.len().min(MARKED)],
            causes: shares_of_causes(slow.iter().flat_map(|slow| &slow.causes)),
        })
    }
}
