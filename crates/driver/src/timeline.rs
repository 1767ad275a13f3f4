//! Latency over the time of a phase, in a few dozen slices for a phase of any length.

use bakeoff_protocol::LatencyTimeline;

/// Slices at most; when a phase goes on beyond the last, two become one.
const SLICES_MAX: usize = 64;
/// How long slices are at first.
const SLICE_NS: u64 = 100_000;

/// Operations that ended in a slice of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slice {
    operations: u64,
    latency_ns_sum: u64,
    latency_ns_max: u64,
}

impl Slice {
    fn merge(&mut self, other: &Self) {
        self.operations += other.operations;
        self.latency_ns_sum += other.latency_ns_sum;
        self.latency_ns_max = self.latency_ns_max.max(other.latency_ns_max);
    }
}

/// The slices of a lane, while it is replayed.
#[derive(Clone, Debug)]
pub(crate) struct Slices {
    slice_ns: u64,
    done: Vec<Slice>,
    /// The slice under way, and where it ends.
    slice: Slice,
    end_ns: u64,
}

impl Default for Slices {
    fn default() -> Self {
        Self { slice_ns: SLICE_NS, done: Vec::new(), slice: Slice::default(), end_ns: SLICE_NS }
    }
}

impl Slices {
    /// An operation ended at this time. Times never go back.
    #[inline(always)]
    pub(crate) fn add(&mut self, at_ns: u64, latency_ns: u64) {
        if at_ns >= self.end_ns {
            self.advance(at_ns);
        }
        self.slice.operations += 1;
        self.slice.latency_ns_sum += latency_ns;
        self.slice.latency_ns_max = self.slice.latency_ns_max.max(latency_ns);
    }

    #[cold]
    fn advance(&mut self, at_ns: u64) {
        while at_ns >= self.end_ns {
            if self.done.len() + 1 == SLICES_MAX {
                self.done.push(self.slice);
                self.widen();
                self.slice = Slice::default();
            } else {
                self.done.push(std::mem::take(&mut self.slice));
            }
            self.end_ns = self.slice_ns * (self.done.len() as u64 + 1);
        }
    }

    /// Makes two slices one.
    fn widen(&mut self) {
        let pairs = self.done.len().div_ceil(2);
        for pair in 0..pairs {
            let mut slice = self.done[2 * pair];
            if let Some(other) = self.done.get(2 * pair + 1) {
                slice.merge(other);
            }
            self.done[pair] = slice;
        }
        self.done.truncate(pairs);
        self.slice_ns *= 2;
    }

    /// Adds another lane of the phase. No operation may be added afterwards.
    pub(crate) fn merge(&mut self, mut other: Self) {
        while self.slice_ns < other.slice_ns {
            self.done.push(std::mem::take(&mut self.slice));
            self.widen();
        }
        while other.slice_ns < self.slice_ns {
            other.done.push(std::mem::take(&mut other.slice));
            other.widen();
        }
        for lane in [&mut *self, &mut other] {
            lane.done.push(std::mem::take(&mut lane.slice));
        }
        self.done.resize(self.done.len().max(other.done.len()), Slice::default());
        self.done.iter_mut().zip(&other.done).for_each(|(slice, other)| slice.merge(other));
    }

    /// For a result; `None` if no operation was timed.
    pub(crate) fn finish(mut self) -> Option<LatencyTimeline> {
        self.done.push(self.slice);
        let last = self.done.iter().rposition(|slice| slice.operations > 0)?;
        let told = |slice: &Slice| (slice.operations, slice.latency_ns_sum, slice.latency_ns_max);
        Some(LatencyTimeline { slice_ns: self.slice_ns, slices: self.done[..=last].iter().map(told).collect() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn operations_lie_in_the_slice_in_which_they_ended() {
        let mut slices = Slices::default();
        for (at_ns, latency_ns) in [(0, 5), (99_999, 6), (100_000, 7), (250_000, 1), (250_001, 9)] {
            slices.add(at_ns, latency_ns);
        }
        let told = slices.finish().unwrap();
        assert_eq!(told, LatencyTimeline { slice_ns: 100_000, slices: vec![(2, 11, 6), (1, 7, 7), (2, 10, 9)] });
        assert_eq!(Slices::default().finish(), None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_however_long_it_takes(
            lanes in prop::collection::vec(prop::collection::vec((0_u64..1 << 40, 0_u64..1 << 30), 1..200), 1..4),
        ) {
            let (mut operations, mut sum, mut max, mut end_ns) = (0, 0, 0, 0);
            let mut all = Slices::default();
            for mut lane in lanes {
                lane.sort_unstable();
                let mut slices = Slices::default();
                for (at_ns, latency_ns) in lane {
                    slices.add(at_ns, latency_ns);
                    operations += 1;
                    sum += latency_ns;
                    max = max.max(latency_ns);
                    end_ns = end_ns.max(at_ns);
                }
                all.merge(slices);
            }
            let told = all.finish().unwrap();
            prop_assert!(told.slices.len() <= SLICES_MAX);
            prop_assert_eq!(told.slices.iter().map(|slice| slice.0).sum::<u64>(), operations);
            prop_assert_eq!(told.slices.iter().map(|slice| slice.1).sum::<u64>(), sum);
            prop_assert_eq!(told.slices.iter().map(|slice| slice.2).max().unwrap(), max);
            prop_assert_eq!(end_ns / told.slice_ns, told.slices.len() as u64 - 1);
        }
    }
}
