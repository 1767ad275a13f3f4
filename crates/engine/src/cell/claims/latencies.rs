//! How latency went over a phase, and its slowest operations, held against the latencies of the whole phase.

use bakeoff_protocol::{LatencyTimeline, OperationResult, PhaseResult, SlowOperations};

/// Slices of a phase, at most.
const SLICES_MAX: usize = 64;

/// Slow operations that are shown one by one, at most.
const SLOWEST_MAX: usize = 16;

/// By what part sums may differ.
const OFF_MAX: f64 = 0.01;

/// The mistake in `over_time` or `slow`, as text.
pub(crate) fn untrue(result: &PhaseResult) -> Option<String> {
    let timed: Vec<_> = result.operations.iter().filter(|of| of.latency.is_some()).collect();
    let all = Sums::of(&timed);
    let over_time = result.over_time.as_ref().and_then(|course| of_course(course, &all));
    // Where threads warm up, one may watch its slow operations before another lets the measuring begin.
    let slow = result.slow.as_ref().filter(|_| result.warm_up.is_none());
    over_time.or_else(|| of_slow(slow?, &all))
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
    let limits = slow.latency_ns_min..=all.max_ns;
    let wrong = slow.slowest.iter().find(|each| !limits.contains(&each.latency_ns))?;
    let (least, most) = (slow.latency_ns_min, all.max_ns);
    Some(format!("a slow operation of {} ns, while these took {least} ns to {most} ns", wrong.latency_ns))
}
