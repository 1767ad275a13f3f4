//! Figures that no run can have had: of a damaged file, or one that was written by hand. Who believed them would rank by them.

use bakeoff_protocol::{PhaseResult, ResultLine};
use serde_json::Value;

/// No figure is larger: in nanoseconds 36 years, in bytes a billion gibibytes.
const FIGURE_MAX: u64 = 1 << 60;

/// How many digits [`FIGURE_MAX`] has: a line without so many in a row has no larger figure.
const DIGITS: usize = 19;

/// Operations, or entries, that no thread gets through in a nanosecond.
const PER_NS_MAX: f64 = 1_000.0;

/// What stores say by names of their own, where the largest number may stand for "no limit".
const STORES_OWN: [&str; 3] = ["settings", "memory_settings", "store_properties"];

/// The first figure in a line of results that cannot be true, by name and value; `None` if all can be.
pub(crate) fn absurd(text: &str, line: &ResultLine) -> Option<String> {
    let too_large = if has_long_number(text) { too_large("", &serde_json::from_str(text).ok()?) } else { None };
    too_large.or_else(|| match line {
        ResultLine::Phase(phase) => too_many(&phase.result),
        ResultLine::Cell(_) => None,
    })
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
            number.as_u64().filter(|figure| *figure > FIGURE_MAX).map(|figure| format!("{name} {figure}"))
        }
        Value::Array(values) => values.iter().find_map(|each| too_large(name, each)),
        Value::Object(fields) => {
            let ours = fields.iter().filter(|(name, _)| !STORES_OWN.contains(&name.as_str()));
            ours.into_iter().find_map(|(name, each)| too_large(name, each))
        }
        _ => None,
    }
}

/// More operations or entries than the phase had time for.
fn too_many(phase: &PhaseResult) -> Option<String> {
    let possible = PER_NS_MAX * phase.timed_ns.max(1) as f64 * f64::from(phase.threads.max(1));
    let counts = phase.operations.iter().flat_map(|of| [("operations", of.operations), ("entries", of.entries)]);
    let beyond = |(name, count): (&str, u64)| {
        (count as f64 > possible).then(|| format!("{name} {count} in {} ns", phase.timed_ns))
    };
    counts.into_iter().find_map(beyond)
}
