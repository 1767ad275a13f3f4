//! Warm-up within a phase: its first operations are replayed and checked like all others, but not measured, until the
//! time of an operation is steady. That is tested between blocks, outside the clock.
//!
//! The mean time of an operation is taken over intervals with equal numbers of operations. After 32 intervals bakeoff
//! tests whether their second half has one level. If not, two intervals become one, and it tests again after 64 of the
//! first length. So fluctuations are evened out more and more. All threads of a phase fill the same intervals and begin
//! to measure within a block of each other.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use bakeoff_measure::{DeviceId, Snapshot, reset_peak_rss};
use bakeoff_protocol::WarmUpOutcome;
use bakeoff_stats::has_settled;

/// Intervals after which the rate is tested for being steady, and to which twice as many are joined.
const INTERVALS: u64 = 32;

/// The first test is after this part of the longest warm-up.
const FIRST_PART: u64 = 8;

/// Where measuring began, and what the process had spent until then.
pub(crate) struct Begin {
    pub(crate) at: Instant,
    pub(crate) snapshot: Snapshot,
}

impl Begin {
    /// Now, with a new peak of memory.
    pub(crate) fn now(device: Option<DeviceId>) -> Self {
        reset_peak_rss();
        let snapshot = Snapshot::take(device);
        Self { at: Instant::now(), snapshot }
    }

    /// Later: operations since then belong to nothing.
    pub(crate) fn begin_anew(&mut self) {
        self.snapshot.begin_anew();
        self.at = Instant::now();
    }
}

/// What the threads of a phase share while they warm up.
pub struct SteadyState {
    /// Operations on the tape that may be part of the warm-up.
    limit: u64,
    device: Option<DeviceId>,
    course: Mutex<Course>,
    /// Set when the warm-up is over.
    begin: OnceLock<Begin>,
}

/// How the time of an operation went so far.
struct Course {
    /// Operations of blocks that were begun.
    claimed: u64,
    /// Operations in an interval, at least.
    interval: u64,
    /// The interval under way: its operations, and their time.
    operations: u64,
    timed_ns: u64,
    ns_means: Vec<f64>,
    steady: Option<bool>,
}

impl SteadyState {
    /// For a phase of `operations` operations, of which `part` at most may be a warm-up.
    pub(crate) fn new(part: f64, operations: u64, device: Option<DeviceId>) -> Self {
        let limit = (operations as f64 * part) as u64;
        let course = Course {
            claimed: 0,
            interval: (limit / FIRST_PART / INTERVALS).max(1),
            operations: 0,
            timed_ns: 0,
            ns_means: Vec::with_capacity(2 * INTERVALS as usize),
            steady: None,
        };
        Self { limit, device, course: Mutex::new(course), begin: OnceLock::new() }
    }

    /// Whether a block of `operations` operations, which begins now, is part of the warm-up.
    pub(crate) fn claims(&self, operations: u64) -> bool {
        if self.begin.get().is_some() {
            return false;
        }
        let mut course = self.course.lock().unwrap_or_else(PoisonError::into_inner);
        if course.claimed + operations > self.limit {
            self.end(&mut course);
            return false;
        }
        course.claimed += operations;
        true
    }

    /// A block of the warm-up is done: its timed operations, and the time they took.
    pub(crate) fn add(&self, operations: u64, timed_ns: u64) {
        let mut course = self.course.lock().unwrap_or_else(PoisonError::into_inner);
        if self.begin.get().is_none() && course.add(operations, timed_ns) && has_settled(&course.ns_means) == Some(true)
        {
            self.end(&mut course);
        }
    }

    /// Measuring begins.
    fn end(&self, course: &mut Course) {
        self.begin.get_or_init(|| {
            course.steady = has_settled(&course.ns_means);
            Begin::now(self.device)
        });
    }

    /// What came of it, and where measuring began; `operations` were timed in a phase that began at `begun`. `None` if the warm-up never
    /// ended, since there was no operation.
    pub(crate) fn finish(self, operations: u64, begun: Instant) -> Option<(WarmUpOutcome, Begin)> {
        let begin = self.begin.into_inner()?;
        let course = self.course.into_inner().unwrap_or_else(PoisonError::into_inner);
        let warmed_up = WarmUpOutcome {
            operations,
            wall_ns: u64::try_from((begin.at - begun).as_nanos()).unwrap_or(u64::MAX),
            steady: course.steady,
            interval_ns_means: course.ns_means.iter().map(|mean| mean.round() as u64).collect(),
        };
        Some((warmed_up, begin))
    }
}

impl Course {
    /// Adds a block's operations; says whether it is time to ask.
    fn add(&mut self, operations: u64, timed_ns: u64) -> bool {
        self.operations += operations;
        self.timed_ns += timed_ns;
        if self.operations < self.interval {
            return false;
        }
        self.ns_means.push(self.timed_ns as f64 / self.operations as f64);
        (self.operations, self.timed_ns) = (0, 0);
        if self.ns_means.len() as u64 == 2 * INTERVALS {
            self.ns_means = self.ns_means.chunks(2).map(|pair| pair.iter().sum::<f64>() / pair.len() as f64).collect();
            self.interval *= 2;
        }
        self.ns_means.len() as u64 == INTERVALS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replays blocks of 1,000 operations that take `ns_of` nanoseconds each. Gives how many were warm-up, and the
    /// outcome.
    fn warm_up(part: f64, blocks: u64, ns_of: impl Fn(u64) -> u64) -> (u64, WarmUpOutcome) {
        let begun = Instant::now();
        let steady = SteadyState::new(part, 1000 * blocks, None);
        let mut warm = 0;
        for block in 0..blocks {
            if steady.claims(1000) {
                warm += 1;
                // Every other block is a little slower, so that there is chance in it.
                steady.add(1000, 1000 * (ns_of(block) + block % 2));
            }
        }
        (warm, steady.finish(1000 * warm, begun).unwrap().0)
    }

    #[test]
    fn a_steady_rate_is_seen_at_the_first_look() {
        let (warm, told) = warm_up(0.5, 1024, |_| 500);
        assert_eq!((warm, told.steady, told.operations), (64, Some(true), 64_000));
        assert!(told.interval_ns_means.iter().all(|mean| (500..=501).contains(mean)), "{told:?}");
        assert_eq!(told.interval_ns_means.len(), 32);
    }

    #[test]
    fn a_start_that_is_faster_is_no_part_of_what_is_measured() {
        // At 64 blocks it is a change in the second half, and at 128 one in the first.
        let (warm, told) = warm_up(0.5, 1024, |block| if block < 50 { 500 } else { 800 });
        assert_eq!((warm, told.steady), (128, Some(true)));
    }

    #[test]
    fn a_rate_that_never_settles_is_measured_after_the_limit_and_said_not_to() {
        let (warm, told) = warm_up(0.5, 1024, |block| 500 + block);
        assert_eq!((warm, told.steady), (512, Some(false)));
        assert!(told.interval_ns_means.is_sorted() && told.interval_ns_means.len() == 32, "{told:?}");
    }

    #[test]
    fn few_blocks_tell_nothing() {
        let (warm, told) = warm_up(0.5, 60, |_| 500);
        assert_eq!((warm, told.steady), (30, None));
        // A phase of one block has no warm-up.
        assert_eq!(warm_up(0.9, 1, |_| 500).0, 0);
        assert!(SteadyState::new(0.5, 0, None).finish(0, Instant::now()).is_none());
    }
}
