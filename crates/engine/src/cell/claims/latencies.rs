//! How latency went over a phase, and its slowest operations, held against the latencies of the whole phase.

use std::collections::BTreeSet;

use bakeoff_protocol::{CauseShare, LatencyTimeline, OperationResult, PhaseResult, SlowOperations};
use bakeoff_text::shorten;

/// Slices of a phase, at most.
const SLICES_MAX: usize = 64;

/// Slow operations that are shown one by one, at most.
const SLOWEST_MAX: usize = 16;

/// By what part sums and times may differ.
const OFF_MAX: f64 = 0.01;

/// By how many nanoseconds a time may be beyond the phase's: two clocks are never quite the same.
const OFF_NS: f64 = 50_000_000.0;

/// The mistake in `over_time` or `slow`, as text.
pub(crate) fn untrue(result: &PhaseResult) -> Option<String> {
    let timed: Vec<_> = result.operations.iter().filter(|of| of.latency.is_some()).collect();
    let all = Sums::of(&timed);
    let over_time = result.over_time.as_ref().and_then(|course| of_course(course, &all));
    // Where threads warm up, one may watch its slow operations before another lets the measuring begin.
    let (slow, course) = match result.warm_up {
        None => (result.slow.as_ref(), result.over_time.as_ref()),
        Some(_) => (None, None),
    };
    let kinds: BTreeSet<&str> = timed.iter().map(|of| of.operation.as_str()).collect();
    let end_ns = result.wall_ns as f64 * (1.0 + OFF_MAX) + OFF_NS;
    let beyond = || of_slices(course?, &all, end_ns);
    over_time.or_else(beyond).or_else(|| of_slow(slow?, &all)).or_else(|| of_slowest(slow?, &kinds, end_ns))
}

/// Slices that end before the longest operation could, or of which the last begins after the phase.
fn of_slices(LatencyTimeline { slice_ns, slices }: &LatencyTimeline, all: &Sums, end_ns: f64) -> Option<String> {
    let times_ns = |slices: usize| slices as f64 * *slice_ns as f64;
    let is_short = times_ns(slices.len()) < all.max_ns as f64 * (1.0 - OFF_MAX) - OFF_NS;
    let is_long = times_ns(slices.len().saturating_sub(1)) > end_ns;
    (is_short || is_long).then(|| format!("over_time with {} slices of {slice_ns} ns, unlike its phase", slices.len()))
}

/// Slow operations of a kind that the phase does not have, or after its end.
fn of_slowest(slow: &SlowOperations, kinds: &BTreeSet<&str>, end_ns: f64) -> Option<String> {
    let of_no_kind = slow.slowest.iter().find(|each| !kinds.contains(each.operation.as_str()));
    let told = |kind: &str| format!("a slow operation of the kind {}, which it did not time", shorten(kind));
    let late = || slow.slowest.iter().find(|each| each.at_ns as f64 > end_ns);
    of_no_kind.map(|each| told(&each.operation)).or_else(|| {
        late().map(|each| format!("a slow operation {} ns after its beginning, and so after its end", each.at_ns))
    })
}

/// The latencies of a phase together.
struct Sums {
    operations: u64,
    sum_ns: f64,
    max_ns: u64,
}

impl Sums {
    fn of(timed: &[&OperationResult]) -> Self {
        let latencies = || timed.iter().filter_map(|of| Some((of.operations, of.latency.as_ref()?)));
        Self {
            operations: latencies().fold(0, |sum, (operations, _)| sum.saturating_add(operations)),
            sum_ns: latencies().map(|(operations, latency)| latency.latency_ns_mean as f64 * operations as f64).sum(),
            max_ns: latencies().map(|(_, latency)| latency.latency_ns_max).max().unwrap_or(0),
        }
    }
}

fn of_course(LatencyTimeline { slice_ns, slices }: &LatencyTimeline, all: &Sums) -> Option<String> {
    if slices.len() > SLICES_MAX || *slice_ns == 0 {
        return Some(format!("over_time with {} slices of {slice_ns} ns: there are 1 to {SLICES_MAX}", slices.len()));
    }
    let operations = slices.iter().fold(0, |sum: u64, (operations, ..)| sum.saturating_add(*operations));
    if operations != all.operations {
        return Some(format!("over_time of {operations} operations, of which the phase timed {}", all.operations));
    }
    let sum_ns: f64 = slices.iter().map(|(_, sum_ns, _)| *sum_ns as f64).sum();
    // Means are rounded to a nanosecond.
    if (sum_ns - all.sum_ns).abs() > all.sum_ns * OFF_MAX + all.operations as f64 {
        return Some(format!("over_time of {sum_ns} ns in all, while its operations took {} ns", all.sum_ns));
    }
    let max_ns = slices.iter().map(|(.., max_ns)| *max_ns).max().unwrap_or(0);
    if max_ns != all.max_ns {
        return Some(format!("over_time whose largest latency is {max_ns} ns and not {} ns", all.max_ns));
    }
    let is_within = |(operations, sum_ns, max_ns): &(u64, u64, u64)| {
        max_ns <= sum_ns && u128::from(*sum_ns) <= u128::from(*operations) * u128::from(*max_ns)
    };
    let wrong = slices.iter().position(|slice| !is_within(slice))?;
    Some(format!("over_time whose slice {} has a sum that its largest latency contradicts", wrong + 1))
}

fn of_slow(slow: &SlowOperations, all: &Sums) -> Option<String> {
    if slow.operations > all.operations {
        return Some(format!("{} slow operations of {} in all", slow.operations, all.operations));
    }
    if slow.slowest.len() > SLOWEST_MAX || slow.slowest.len() as u64 > slow.operations {
        return Some(format!("{} slowest operations of {} slow ones", slow.slowest.len(), slow.operations));
    }
    let of_causes = slow.causes.iter().fold(0, |sum: u64, share| sum.saturating_add(share.operations));
    if of_causes != slow.operations {
        return Some(format!("causes of {of_causes} slow operations, of which there are {}", slow.operations));
    }
    let mut seen = BTreeSet::new();
    let is_within = |share: &CauseShare| {
        let times = |ns: u64| u128::from(share.operations) * u128::from(ns);
        (times(slow.latency_ns_min)..=times(all.max_ns)).contains(&u128::from(share.latency_ns_sum))
    };
    if let Some(share) = slow.causes.iter().find(|share| !is_within(share) || !seen.insert(share.cause)) {
        let CauseShare { operations, latency_ns_sum, .. } = share;
        return Some(format!(
            "a cause of {operations} slow operations of {latency_ns_sum} ns, which others contradict"
        ));
    }
    let limits = slow.latency_ns_min..=all.max_ns;
    let wrong = slow.slowest.iter().find(|each| !limits.contains(&each.latency_ns))?;
    let (least, most) = (slow.latency_ns_min, all.max_ns);
    Some(format!("a slow operation of {} ns, while these took {least} ns to {most} ns", wrong.latency_ns))
}
