//! What no event may hold, whatever it says: figures beyond all bounds, and long texts.

use bakeoff_protocol::FailureKind;
use bakeoff_results::plausible::too_large_in;
use bakeoff_text::format_size;
use serde_json::Value;

use crate::cell::claims::Refusal;
use crate::cell::output::beginning;

/// The longest text in an event.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// The one text that may be longer: buckets of latencies.
const HISTOGRAM: &str = "histogram";

/// Refuses the line of an event for a figure that no result may have, since whoever reads results leaves it out, or for a text that is too long.
pub(crate) fn refuse_figures(line: &str) -> Result<(), Refusal> {
    let large = too_large_in(line).map(|figure| format!("the driver reported a figure that cannot be true: {figure}"));
    // A shorter line has no longer text.
    let long = || if line.len() > TEXT_BYTES_MAX { too_long("", &serde_json::from_str(line).ok()?) } else { None };
    large.or_else(long).map_or(Ok(()), |what| Err((FailureKind::BadOutput, what)))
}

fn too_long(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX && name != HISTOGRAM => Some(format!(
            "the driver's `{name}` has {} bytes, more than {}; it begins {}",
            text.len(),
            format_size(TEXT_BYTES_MAX as u64),
            beginning(text)
        )),
        Value::Array(values) => values.iter().find_map(|each| too_long(name, each)),
        Value::Object(fields) => fields.iter().find_map(|(name, each)| match name.len() > TEXT_BYTES_MAX {
            true => Some(format!("the name of a value has {} bytes; it begins {}", name.len(), beginning(name))),
            false => too_long(name, each),
        }),
        _ => None,
    }
}
