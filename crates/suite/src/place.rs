//! Where a value of a suite was typed.

use std::ops::Range;

/// Where a value was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A range of bytes in the file.
    Span(Range<usize>),
    /// The value of a flag, whose name is without dashes.
    Flag { flag: &'static str, value: String },
    /// The file as a whole.
    File,
}
