//! Latency at each share of the operations of an entry.

use bakeoff_measure::recorded_ns;

use super::Entry;
use crate::figures::is_told;

/// The shares of operations at which curves have points, 0 to 1.
pub const CURVE_SHARES: [f64; 19] = [
    0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9975, 0.999, 0.9995, 0.99975, 0.9999, 0.99995, 0.99999,
    0.999999, 1.0,
];

/// Latencies of all rounds combined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    /// Latencies at [`CURVE_SHARES`] up to the last share with enough operations, then the maximum, nanoseconds. Empty
    /// if operations were not timed individually, or no histogram is readable.
    pub latencies_ns: Vec<u64>,
    /// The number of latencies behind it.
    pub timed: u64,
    /// The number of rounds that are missing because their histograms are unreadable.
    pub unreadable: usize,
}

impl Entry<'_> {
    /// The entry's curve.
    pub fn curve(&self) -> Curve {
        let histograms: Vec<&str> = self.latencies.iter().map(|latency| latency.histogram.as_str()).collect();
        let (recorded, unreadable) = recorded_ns(&histograms);
        let timed = recorded.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
        let largest = self.latencies.iter().map(|latency| latency.latency_ns_max).max();
        let latencies_ns =
            largest.filter(|_| timed > 0).map_or_else(Vec::new, |largest| points(&recorded, timed, largest));
        Curve { latencies_ns, timed, unreadable }
    }
}

fn points(recorded: &[(u64, u64)], timed: u64, largest: u64) -> Vec<u64> {
    let (mut below, mut next) = (0_u64, recorded.iter().peekable());
    let at = |share: &f64| {
        let wanted = (share * timed as f64).ceil().max(1.0) as u64;
        while let Some((_, count)) = next.next_if(|(_, count)| below.saturating_add(*count) < wanted) {
            below += count;
        }
        next.peek().map_or(largest, |(ns, _)| (*ns).min(largest))
    };
    let mut points: Vec<u64> = CURVE_SHARES.iter().take_while(|share| is_told(**share, &[timed])).map(at).collect();
    points.push(largest);
    points
}
