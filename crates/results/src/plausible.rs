//! Figures that no run can have had: of a damaged file, or one that was written by hand. Who believed them would rank by them.

use bakeoff_protocol::{Latency, OperationResult, PhaseResult, ResultLine};
use bakeoff_text::{format_size, shorten, shorten_to};
use serde_json::Value;

/// No figure is larger: in nanoseconds 36 years, in bytes a billion gibibytes.
const FIGURE_MAX: u64 = 1 << 60;

/// How many digits [`FIGURE_MAX`] has: a line without so many in a row has no larger figure.
const DIGITS: usize = 19;

/// Operations, or entries, that no thread gets through in a nanosecond.
const PER_NS_MAX: f64 = 1_000.0;

/// The part by which figures may differ that come from the same sum.
const OFF_MAX: f64 = 0.01;

/// The one text that may be of any length: buckets of latencies.
const HISTOGRAM: &str = "histogram";

/// Characters of a text that a message quotes.
const QUOTED_CHARACTERS: usize = 60;

/// What stores say by names of their own, where the largest number may stand for "no limit".
const STORES_OWN: [&str; 3] = ["settings", "memory_settings", "store_properties"];

/// The first figure in a line of results that cannot be true, by name and value; `None` if all can be.
pub fn absurd(text: &str, line: &ResultLine) -> Option<String> {
    too_large_in(text).or_else(|| match line {
        ResultLine::Phase(phase) => impossible(&phase.result),
        ResultLine::Cell(_) => None,
    })
}

/// The first figure in a line of JSON that is larger than any can be, by name and value. Drivers are held to it too.
pub fn too_large_in(text: &str) -> Option<String> {
    if has_long_number(text) { too_large("", &serde_json::from_str(text).ok()?) } else { None }
}

/// What is wrong with the first text in a line of JSON that is longer than this, or a name that is; `None` if all are
/// short enough. Drivers are held to it too.
pub fn long_text_in(line: &str, bytes_max: usize) -> Option<String> {
    // A shorter line has no longer text.
    if line.len() > bytes_max { long_text("", &serde_json::from_str(line).ok()?, bytes_max) } else { None }
}

fn long_text(name: &str, value: &Value, bytes_max: usize) -> Option<String> {
    let told = |text: &str| {
        let (bytes, most) = (text.len(), format_size(bytes_max as u64));
        format!("has {bytes} bytes, more than {most}; it begins {:?}", shorten_to(text, QUOTED_CHARACTERS))
    };
    match value {
        Value::String(text) if text.len() > bytes_max && name != HISTOGRAM => Some(format!("`{name}` {}", told(text))),
        Value::Array(values) => values.iter().find_map(|each| long_text(name, each, bytes_max)),
        Value::Object(fields) => fields.iter().find_map(|(name, each)| match name.len() > bytes_max {
            true => Some(format!("the name of a value {}", told(name))),
            false => long_text(name, each, bytes_max),
        }),
        _ => None,
    }
}

/// A cheap look at what may be megabytes of lines: hardly any has a number that needs a closer one.
fn has_long_number(text: &str) -> bool {
    let mut digits = 0;
    text.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits >= DIGITS
    })
}

fn too_large(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => {
            number.as_u64().filter(|figure| *figure > FIGURE_MAX).map(|figure| format!("{} {figure}", shorten(name)))
        }
        Value::Array(values) => values.iter().find_map(|each| too_large(name, each)),
        Value::Object(fields) => {
            let ours = fields.iter().filter(|(name, _)| !STORES_OWN.contains(&name.as_str()));
            ours.into_iter().find_map(|(name, each)| too_large(name, each))
        }
        _ => None,
    }
}

/// What a phase is said to have measured that cannot be, in words; `None` if all can. Results are read with this, and drivers held to it.
pub fn impossible(phase: &PhaseResult) -> Option<String> {
    let of_any = phase.operations.iter().find_map(falling).or_else(|| too_many(phase));
    // From when an operation was due there is more to a latency than time in the store.
    if phase.open_loop.is_some() {
        return of_any;
    }
    of_any.or_else(|| too_long(phase)).or_else(|| phase.operations.iter().find_map(unlike)).or_else(|| no_sum(phase))
}

/// Percentiles that fall.
fn falling(of: &OperationResult) -> Option<String> {
    let Latency { latency_ns_p50, latency_ns_p90, latency_ns_p99, latency_ns_p999, latency_ns_max, .. } =
        of.latency.as_ref()?;
    // A histogram's figures may be off by a thousandth.
    let most = latency_ns_max.saturating_add(latency_ns_max / 500 + 1);
    let rises = [latency_ns_p50, latency_ns_p90, latency_ns_p99, latency_ns_p999, &most].is_sorted();
    (!rises).then(|| {
        format!("percentiles of {} that do not rise to its largest latency of {latency_ns_max} ns", of.operation)
    })
}

/// More operations or entries than there was time for.
fn too_many(phase: &PhaseResult) -> Option<String> {
    let whole_ns = phase.timed_ns as f64 * f64::from(phase.threads.max(1));
    phase.operations.iter().find_map(|of| {
        let timed_ns = of.timed_ns.map_or(whole_ns, |ns| whole_ns.min(ns as f64));
        let counts = [("operations", of.operations), ("entries", of.entries)];
        let beyond = |(_, count): &(&str, u64)| *count as f64 > PER_NS_MAX * timed_ns;
        counts.into_iter().find(beyond).map(|(name, count)| format!("{name} {count} in {timed_ns} ns"))
    })
}

/// More time in the store than threads ran.
fn too_long(phase: &PhaseResult) -> Option<String> {
    let sums = phase.operations.iter().filter_map(|of| of.timed_ns);
    // Two clocks are never quite the same.
    let wall_ns = phase.wall_ns.saturating_add(phase.wall_ns / 100 + 10_000_000);
    let threads_ns = wall_ns.saturating_mul(phase.threads.into());
    let timed_ns = sums.fold(phase.timed_ns, |sum, timed_ns| sum.max(timed_ns));
    (timed_ns > threads_ns)
        .then(|| format!("{timed_ns} ns of time in the store, more than its threads ran: {threads_ns} ns"))
}

/// A mean that is another than that of the time the operations took.
fn unlike(of: &OperationResult) -> Option<String> {
    let (timed_ns, mean_ns) = (of.timed_ns? as f64, of.latency.as_ref()?.latency_ns_mean as f64);
    // It is rounded to a nanosecond.
    let is_near = are_near(mean_ns * of.operations as f64, timed_ns, of.operations as f64);
    (!is_near).then(|| {
        format!("latency_ns_mean {mean_ns} of {} {}s that took {timed_ns} ns in all", of.operations, of.operation)
    })
}

/// Times of kinds of operations that are not together what the threads took, or a time of the phase that is less than a thread's share of it.
fn no_sum(phase: &PhaseResult) -> Option<String> {
    let threads_ns = phase.threads_timed_ns? as f64;
    let (timed_ns, threads) = (phase.timed_ns as f64, f64::from(phase.threads.max(1)));
    let times: Option<Vec<f64>> = phase.operations.iter().map(|of| Some(of.timed_ns? as f64)).collect();
    let sum = times.filter(|times| !times.is_empty()).map(|times| times.into_iter().sum());
    if let Some(sum) = sum.filter(|sum: &f64| !are_near(*sum, threads_ns, threads)) {
        return Some(format!("timed_ns {sum} of all operations, while threads_timed_ns is {threads_ns}"));
    }
    let shared = threads_ns / threads;
    let is_between = (shared * (1.0 - OFF_MAX) - 1.0..=threads_ns * (1.0 + OFF_MAX) + 1.0).contains(&timed_ns);
    (!is_between).then(|| format!("timed_ns {timed_ns} of {threads} threads that took {threads_ns} ns together"))
}

/// Whether a figure is another one but for rounding.
fn are_near(figure: f64, other: f64, rounding: f64) -> bool {
    (figure - other).abs() <= other * OFF_MAX + rounding
}
