//! Contents that no event may have: figures beyond all bounds, and long texts.

use bakeoff_protocol::FailureKind;
use bakeoff_results::plausible::{long_text_in, too_large_in};

use crate::cell::claims::Refusal;

/// The longest text in an event, but for histograms.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// Refuses the line of an event with a text that is too long, or with an impossible figure, which readers of results
/// leave out.
pub(crate) fn refuse_figures(line: &str) -> Result<(), Refusal> {
    let large = too_large_in(line).map(|figure| format!("the driver reported a figure that cannot be true: {figure}"));
    let long = || Some(format!("the driver reported a text that is too long: {}", long_text_in(line, TEXT_BYTES_MAX)?));
    large.or_else(long).map_or(Ok(()), |what| Err((FailureKind::BadOutput, what)))
}
