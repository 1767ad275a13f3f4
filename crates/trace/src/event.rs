//! One operation of a trace.

use bakeoff_tape::Operation;

use crate::error::Origin;

/// One operation of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// Its line or row.
    pub origin: Origin,
    /// The operation.
    pub operation: Operation,
    /// It is no operation, but a record that was there before the first; then `operation` is an insert.
    pub is_before: bool,
    /// The key, perhaps shorter or longer than the original.
    pub key: &'a [u8],
    /// The length of the application's key, bytes.
    pub key_bytes: u64,
    /// The length of the value written or read; `None` where the trace does not say.
    pub value_bytes: Option<u64>,
    /// When, in seconds from whenever the trace counts; `None` where it does not say.
    pub time_s: Option<f64>,
    /// The thread that did it, by its name; `None` where the trace has none.
    pub thread: Option<&'a [u8]>,
}
