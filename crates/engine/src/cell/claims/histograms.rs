//! Compares the histogram of a kind of operation with the figures next to it.

use bakeoff_measure::Histogram;
use bakeoff_protocol::Latency;

/// The part by which a figure may differ from the histogram's, which has buckets a thousandth wide.
const OFF_MAX: f64 = 0.01;

/// The same in nanoseconds, for the smallest.
const OFF_NS: f64 = 2.0;

/// How many operations further up or down a percentile may be: there are many definitions.
const RANKS: f64 = 1.5;

/// The largest latency that a histogram can hold, one hour; longer ones count as this.
const HIGHEST_NS: u64 = 3_600_000_000_000;

/// The mistake in the latencies of a kind of operation, as text. `None` if its histogram is readable, has all
/// operations and agrees with the figures.
pub(crate) fn untrue(kind: &str, operations: u64, latency: &Latency) -> Option<String> {
    let histogram = match Histogram::from_base64(&latency.histogram) {
        Ok(histogram) => histogram,
        Err(why) => return Some(format!("a histogram of {kind} that cannot be read: {why}")),
    };
    if histogram.count() != operations {
        let count = histogram.count();
        return Some(format!("a histogram of {kind} with {count} latencies in it, of {operations} operations"));
    }
    let (least, most) = (histogram.min_ns()?, histogram.max_ns()?);
    let at = |share: f64| histogram.quantile_ns(share.clamp(0.0, 1.0)).unwrap_or(0);
    let step = RANKS / operations as f64;
    let percentile = |share: f64| (at(share - step), at(share + step));
    let mean = histogram.mean_ns()?;
    let is_saturated = latency.latency_ns_max >= HIGHEST_NS;
    let figures = [
        ("latency_ns_min", latency.latency_ns_min, (least, least)),
        ("latency_ns_p50", latency.latency_ns_p50, percentile(0.5)),
        ("latency_ns_p90", latency.latency_ns_p90, percentile(0.9)),
        ("latency_ns_p99", latency.latency_ns_p99, percentile(0.99)),
        ("latency_ns_p999", latency.latency_ns_p999, percentile(0.999)),
        ("latency_ns_max", latency.latency_ns_max, (most, most)),
        ("latency_ns_mean", latency.latency_ns_mean, (mean, mean)),
    ];
    let is_off = |(_, figure, (low, high)): &(&str, u64, (u64, u64))| {
        let (figure, low, high) = (*figure as f64, *low as f64, *high as f64);
        figure < low * (1.0 - OFF_MAX) - OFF_NS || !is_saturated && figure > high * (1.0 + OFF_MAX) + OFF_NS
    };
    figures.into_iter().find(is_off).map(|(name, figure, (low, _))| {
        format!("{name} {figure} of {kind}, while the histogram of the same latencies has {low}")
    })
}
