//! What slow operations waited for: the slowest thousandth of each phase and store (at least 8 operations), and the
//! slowest one.

use std::collections::BTreeMap;

use bakeoff_protocol::{Axes, Cause, CauseShare, SlowOperation, VARIANT};

use crate::circumstances::Circumstances;
use crate::contender::Contenders;
use crate::run::Run;

/// The smallest share of time at which a cause is shown, 0 to 1.
const SHARE_MIN: f64 = 0.01;

/// A group of slow operations: those of one store under the same circumstances, in all variants. The second element is
/// the store's key.
pub type SlowGroup<'a> = (Circumstances, &'a str);

/// The slow operations of a group.
pub struct SlowOperations<'a> {
    causes: Vec<CauseShare>,
    /// The slowest of them.
    pub slowest: Slowest<'a>,
}

/// An operation and where it happened.
#[derive(Clone, Copy)]
pub struct Slowest<'a> {
    /// The operation.
    pub operation: &'a SlowOperation,
    /// Its phase.
    pub phase: &'a str,
    /// Its cell.
    pub axes: &'a Axes,
}

impl SlowOperations<'_> {
    /// The causes with their shares of time; see [`shares_of_causes`].
    pub fn shares(&self) -> Vec<(Cause, f64)> {
        shares_of_causes(&self.causes)
    }
}

/// The slow operations of all ranked contenders, in rounds that count. Groups without a slow operation are left out.
pub fn slow_operations<'a>(run: &'a Run, contenders: &'a Contenders) -> BTreeMap<SlowGroup<'a>, SlowOperations<'a>> {
    let mut all: BTreeMap<SlowGroup, SlowOperations> = BTreeMap::new();
    for cell in run.counted() {
        let axes = &cell.end.axes;
        let Some(contender) = contenders.of(axes).filter(|contender| contender.ranked) else { continue };
        for result in cell.phases.iter().map(|phase| &phase.result) {
            let Some(slow) = &result.slow else { continue };
            let Some(operation) = slow.slowest.first() else { continue };
            let slowest = Slowest { operation, phase: &result.phase, axes };
            let group = (Circumstances::of(axes).without(&VARIANT), contender.key.as_str());
            let of = all.entry(group).or_insert_with(|| SlowOperations { causes: Vec::new(), slowest });
            of.causes.extend(&slow.causes);
            if of.slowest.operation.latency_ns < operation.latency_ns {
                of.slowest = slowest;
            }
        }
    }
    all
}

/// Each cause with its share of the total time, 0 to 1, largest first. Shares below 1 % are left out.
pub fn shares_of_causes<'a>(causes: impl IntoIterator<Item = &'a CauseShare>) -> Vec<(Cause, f64)> {
    let mut time_ns: BTreeMap<Cause, u64> = BTreeMap::new();
    for share in causes {
        let of = time_ns.entry(share.cause).or_default();
        *of = of.saturating_add(share.latency_ns_sum);
    }
    let all = time_ns.values().fold(0, |sum: u64, ns| sum.saturating_add(*ns)).max(1) as f64;
    let shares = time_ns.into_iter().map(|(cause, ns)| (cause, ns as f64 / all));
    let mut shares: Vec<(Cause, f64)> = shares.filter(|(_, share)| *share >= SHARE_MIN).collect();
    shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_cause_is_first_and_crumbs_are_left_out() {
        let share = |cause, latency_ns_sum| CauseShare { cause, operations: 1, latency_ns_sum };
        let shares =
            [share(Cause::Computing, 100), share(Cause::Disk, 400), share(Cause::Disk, 495), share(Cause::Stolen, 5)];
        assert_eq!(shares_of_causes(&shares), [(Cause::Disk, 0.895), (Cause::Computing, 0.1)]);
        assert!(shares_of_causes(&[]).is_empty());
        assert!(shares_of_causes(&[share(Cause::Disk, 0)]).is_empty());
    }
}
