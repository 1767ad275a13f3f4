//! Impossible figures, as in damaged or hand-written files. Without these checks they would enter rankings.

use bakeoff_protocol::{Latency, OperationResult, PhaseResult, ResultLine};
use bakeoff_text::{format_size, shorten, shorten_to};
use serde_json::Value;

/// The maximum of any figure: 36 years in nanoseconds, a billion gibibytes in bytes.
const FIGURE_MAX: u64 = 1 << 60;

/// The number of digits of [`FIGURE_MAX`]. A line without a longer run of digits has no larger figure.
const DIGITS: usize = 19;

/// No thread does this many operations or entries per nanosecond.
const PER_NS_MAX: f64 = 1_000.0;

/// The relative difference allowed between figures from the same sum.
const OFF_MAX: f64 = 0.01;

/// The only text of unlimited length: buckets of latencies.
const HISTOGRAM: &str = "histogram";

/// The number of characters that a message quotes.
const QUOTED_CHARACTERS: usize = 60;

/// Fields that stores name themselves. The largest number may mean "no limit" there.
const STORES_OWN: [&str; 3] = ["settings", "memory_settings", "store_properties"];

/// The first impossible figure in a line of results, with its name. `None` if there is none.
pub fn absurd(text: &str, line: &ResultLine) -> Option<String> {
    too_large_in(text).or_else(|| match line {
        ResultLine::Phase(phase) => impossible(&phase.result),
        ResultLine::Cell(_) => None,
    })
}

/// The first figure in a line of JSON above the maximum, with its name. Drivers must obey this too.
pub fn too_large_in(text: &str) -> Option<String> {
    if has_long_number(text) { too_large("", &serde_json::from_str(text).ok()?) } else { None }
}

/// The first text or name in a line of JSON that is longer than `bytes_max`, described. `None` if all are short enough.
/// Drivers must obey this too.
pub fn long_text_in(line: &str, bytes_max: usize) -> Option<String> {
    // A shorter line cannot contain a longer text.
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

/// A cheap first check of megabytes of lines. Few contain a number that needs a closer look.
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

/// A description of the first impossible measurement of a phase. `None` if all are possible. Both results and drivers
/// are checked with it.
pub fn impossible(phase: &PhaseResult) -> Option<String> {
    let of_any = phase.operations.iter().find_map(falling).or_else(|| too_many(phase));
    // Latencies that count from the due time include more than time in the store.
    if phase.open_loop.is_some() {
        return of_any;
    }
    of_any.or_else(|| too_long(phase)).or_else(|| phase.operations.iter().find_map(unlike)).or_else(|| no_sum(phase))
}

/// Percentiles that decrease.
fn falling(of: &OperationResult) -> Option<String> {
    let Latency { latency_ns_p50, latency_ns_p90, latency_ns_p99, latency_ns_p999, latency_ns_max, .. } =
        of.latency.as_ref()?;
    // Figures of a histogram may be off by 0.1 %.
    let most = latency_ns_max.saturating_add(latency_ns_max / 500 + 1);
    let rises = [latency_ns_p50, latency_ns_p90, latency_ns_p99, latency_ns_p999, &most].is_sorted();
    (!rises).then(|| {
        format!("percentiles of {} that do not rise to its largest latency of {latency_ns_max} ns", of.operation)
    })
}

/// More operations or entries than the time allows.
fn too_many(phase: &PhaseResult) -> Option<String> {
    let whole_ns = phase.timed_ns as f64 * f64::from(phase.threads.max(1));
    phase.operations.iter().find_map(|of| {
        let timed_ns = of.timed_ns.map_or(whole_ns, |ns| whole_ns.min(ns as f64));
        let counts = [("operations", of.operations), ("entries", of.entries)];
        let beyond = |(_, count): &(&str, u64)| *count as f64 > PER_NS_MAX * timed_ns;
        counts.into_iter().find(beyond).map(|(name, count)| format!("{name} {count} in {timed_ns} ns"))
    })
}

/// More time in the store than the threads had.
fn too_long(phase: &PhaseResult) -> Option<String> {
    let sums = phase.operations.iter().filter_map(|of| of.timed_ns);
    // Two clocks differ slightly.
    let wall_ns = phase.wall_ns.saturating_add(phase.wall_ns / 100 + 10_000_000);
    let threads_ns = wall_ns.saturating_mul(phase.threads.into());
    let timed_ns = sums.fold(phase.timed_ns, |sum, timed_ns| sum.max(timed_ns));
    (timed_ns > threads_ns)
        .then(|| format!("{timed_ns} ns of time in the store, more than its threads ran: {threads_ns} ns"))
}

/// A mean that contradicts the total time of the operations.
fn unlike(of: &OperationResult) -> Option<String> {
    let (timed_ns, mean_ns) = (of.timed_ns? as f64, of.latency.as_ref()?.latency_ns_mean as f64);
    // The mean is rounded to a nanosecond.
    let is_near = are_near(mean_ns * of.operations as f64, timed_ns, of.operations as f64);
    (!is_near).then(|| {
        format!("latency_ns_mean {mean_ns} of {} {}s that took {timed_ns} ns in all", of.operations, of.operation)
    })
}

/// Times per kind that do not add up to the threads' total, or a phase shorter than a thread's share of it.
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

/// Whether two figures are equal up to rounding.
fn are_near(figure: f64, other: f64, rounding: f64) -> bool {
    (figure - other).abs() <= other * OFF_MAX + rounding
}
