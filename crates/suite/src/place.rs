//! Where a value of a suite was typed.

use std::ops::Range;

/// Where a value was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Bytes of the file.
    Span(Range<usize>),
    /// The value of a flag; its name is without dashes.
    Flag { flag: &'static str, value: String },
    /// The file as a whole.
    File,
}
