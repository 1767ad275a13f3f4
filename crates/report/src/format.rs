//! What a workload is called.

use bakeoff_protocol::Axes;
use bakeoff_text::{format_count, format_size_range};

/// The sizes of values and what is stored, as a workload is called: `1KiB..10KiB × 10,000 text`.
pub(crate) fn workload_in_words((min, max): (u64, u64), records: u64, data: &str) -> String {
    format!("{} × {} {data}", format_size_range(min, max), format_count(records))
}

/// The same of a cell.
pub(crate) fn workload_of(axes: &Axes) -> String {
    workload_in_words((axes.value_bytes_min, axes.value_bytes_max), axes.records, &axes.data)
}
