//! Latency mode: how latency went over the time of a phase, and which operations were slow and why.
//!
//! After an operation that is among the slowest so far, and once a millisecond, the lane looks at the thread's witness,
//! outside the clock. So the reported cause of a slow operation happened while it ran, or in the millisecond before.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bakeoff_measure::{Clock, DeviceId, Moment, Witness, cause};
use bakeoff_protocol::{Activity, Cause, CauseShare, SlowOperation, SlowOperations};
use bakeoff_tape::Operation;

/// One operation in this many is slow.
const SLOW_IN: u64 = 1_000;
/// The least and the most that are kept, for any number of operations.
const SLOW_MIN: u64 = 8;
pub(crate) const SLOW_MAX: u64 = 1_000;
/// Those told one by one.
const TOLD: usize = 16;
/// What takes no longer is never slow: a look takes longer itself.
const LEAST_NS: u64 = 1_000;
/// How long the witness is left alone.
const PERIOD_NS: u64 = 1_000_000;

/// How many operations of a phase are slow.
fn slow_of(operations: u64) -> u64 {
    operations.div_ceil(SLOW_IN).clamp(SLOW_MIN, SLOW_MAX)
}

/// A slow operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slow {
    /// First, so that the quickest is the greatest, which a heap gives away first.
    latency_ns: Reverse<u64>,
    at_ns: u64,
    operation: Operation,
    meanwhile: Activity,
}

impl Slow {
    fn cause(&self) -> Cause {
        cause(self.latency_ns.0, &self.meanwhile)
    }
}

/// Looks out for slow operations of one lane.
pub(crate) struct Watch<'a> {
    clock: &'a Clock,
    /// `None` if it sees nothing.
    witness: Option<Witness>,
    last: Moment,
    /// No other thread replays.
    alone: bool,
    begin: u64,
    /// Operations to keep.
    most: u64,
    /// Operations that take longer are slow.
    least_ns: u64,
    /// The last look at the witness, and for how many ticks none follows.
    looked: u64,
    period: u64,
}

impl<'a> Watch<'a> {
    /// For a lane of a phase of `operations` operations into files on this disk. `alone`: the phase has no other.
    pub(crate) fn new(clock: &'a Clock, operations: u64, alone: bool, disk: Option<DeviceId>) -> Self {
        let witness = Witness::new(disk);
        let (last, begin, period) = (witness.look(), clock.now(), clock.ticks(PERIOD_NS));
        Self {
            clock,
            witness: Some(witness),
            last,
            alone,
            begin,
            most: slow_of(operations),
            least_ns: LEAST_NS,
            looked: begin,
            period,
        }
    }

    /// A watch that sees nothing, and opens no file.
    pub(crate) fn blind(clock: &'a Clock) -> Self {
        let begin = clock.now();
        Self {
            clock,
            witness: None,
            last: Moment::default(),
            alone: false,
            begin,
            most: 0,
            least_ns: u64::MAX,
            looked: begin,
            period: u64::MAX,
        }
    }

    /// The counters now; none if it is blind.
    fn moment(&self) -> Moment {
        self.witness.as_ref().map(Witness::look).unwrap_or_default()
    }

    /// A block begins. If the last look was long ago, activity since then belongs to no operation. Gives the time since
    /// the lane began.
    pub(crate) fn begin_block(&mut self) -> u64 {
        let now = self.clock.now();
        if now.wrapping_sub(self.looked) > self.period {
            self.last = self.moment();
            self.looked = self.clock.now();
        }
        self.clock.ns(self.begin, now)
    }

    /// Whether the operation that ended at this reading wants a look.
    #[inline(always)]
    pub(crate) fn wants(&self, latency_ns: u64, end: u64) -> bool {
        latency_ns > self.least_ns || end.wrapping_sub(self.looked) > self.period
    }

    /// Looks at the witness after an operation, and keeps the operation if it is slow. `timed`: it is part of the phase.
    #[cold]
    pub(crate) fn look(
        &mut self,
        operation: Operation,
        timed: bool,
        (begin, latency_ns): (u64, u64),
        slow: &mut BinaryHeap<Slow>,
    ) {
        let moment = self.moment();
        if timed && latency_ns > self.least_ns {
            let meanwhile = moment.since(&self.last, latency_ns, self.alone);
            let at_ns = self.clock.ns(self.begin, begin);
            slow.push(Slow { latency_ns: Reverse(latency_ns), at_ns, operation, meanwhile });
            if slow.len() as u64 > self.most {
                slow.pop();
            }
            if slow.len() as u64 == self.most {
                self.least_ns = slow.peek().map_or(LEAST_NS, |quickest| quickest.latency_ns.0);
            }
        }
        self.last = moment;
        self.looked = self.clock.now();
    }
}

/// The slow operations of all lanes of a phase, with their causes; `None` if there are none.
pub(crate) fn explain(mut slow: Vec<Slow>, operations: u64) -> Option<SlowOperations> {
    slow.sort_unstable();
    slow.truncate(usize::try_from(slow_of(operations)).unwrap_or(usize::MAX));
    let latency_ns_min = slow.last()?.latency_ns.0;
    let mut causes: Vec<CauseShare> = Vec::new();
    for (cause, latency_ns) in slow.iter().map(|slow| (slow.cause(), slow.latency_ns.0)) {
        match causes.iter_mut().find(|share| share.cause == cause) {
            Some(share) => {
                share.operations += 1;
                share.latency_ns_sum += latency_ns;
            }
            None => causes.push(CauseShare { cause, operations: 1, latency_ns_sum: latency_ns }),
        }
    }
    causes.sort_by_key(|share: &CauseShare| (Reverse(share.latency_ns_sum), share.cause));
    let told = |slow: &Slow| SlowOperation {
        operation: slow.operation.name().to_owned(),
        at_ns: slow.at_ns,
        latency_ns: slow.latency_ns.0,
        cause: slow.cause(),
        meanwhile: slow.meanwhile,
    };
    let slowest = slow.iter().take(TOLD).map(told).collect();
    Some(SlowOperations { operations: slow.len() as u64, latency_ns_min, causes, slowest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(watch: &mut Watch<'_>, heap: &mut BinaryHeap<Slow>, latency_ns: u64) {
        if watch.wants(latency_ns, watch.begin) {
            watch.look(Operation::Get, true, (watch.begin, latency_ns), heap);
        }
    }

    #[test]
    fn the_slowest_are_kept_and_told_slowest_first() {
        let clock = Clock::new();
        let (mut watch, mut heap) = (Watch::new(&clock, 10_000, true, None), BinaryHeap::new());
        // 0 to 9,999 in a shuffled order: 7 has no factor in common with 10,000.
        (0..10_000).for_each(|number| look(&mut watch, &mut heap, number * 7 % 10_000 * LEAST_NS));
        let told = explain(heap.into_vec(), 10_000).unwrap();
        assert_eq!((told.operations, told.latency_ns_min), (10, 9_990 * LEAST_NS));
        let latencies: Vec<u64> = told.slowest.iter().map(|slow| slow.latency_ns).collect();
        assert!(latencies.into_iter().eq((9_990..10_000).rev().map(|number| number * LEAST_NS)));
        assert_eq!(told.causes.iter().map(|share| share.operations).sum::<u64>(), 10);
        assert_eq!(told.causes.iter().map(|share| share.latency_ns_sum).sum::<u64>(), 99_945 * LEAST_NS);
    }

    #[test]
    fn few_operations_have_eight_slow_ones_and_the_untimed_none() {
        let clock = Clock::new();
        let (mut watch, mut heap) = (Watch::new(&clock, 20, true, None), BinaryHeap::new());
        (1..=20).for_each(|number| look(&mut watch, &mut heap, number * LEAST_NS));
        watch.look(Operation::Insert, false, (watch.begin, 90 * LEAST_NS), &mut heap);
        let told = explain(heap.into_vec(), 20).unwrap();
        assert_eq!(
            (told.operations, told.latency_ns_min, told.slowest[0].latency_ns),
            (8, 13 * LEAST_NS, 20 * LEAST_NS)
        );
        assert!(explain(Vec::new(), 0).is_none());
    }

    #[test]
    fn the_blind_see_nothing() {
        let clock = Clock::new();
        let watch = Watch::blind(&clock);
        assert!(!watch.wants(u64::MAX, watch.begin));
        assert!(!watch.wants(0, watch.begin.wrapping_sub(1)));
    }
}
