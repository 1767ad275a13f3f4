//! What a workload is called.

use bakeoff_protocol::Axes;
use bakeoff_text::format_data;

/// The sizes of values and what is stored, as a workload is called: `1KiB..10KiB × 10,000 text`.
pub(crate) fn describe_workload((min, max): (u64, u64), records: u64, data: &str) -> String {
    format!("{} {data}", format_data(min, max, records))
}

/// The same of a cell.
pub(crate) fn describe_cell(axes: &Axes) -> String {
    describe_workload((axes.value_bytes_min, axes.value_bytes_max), axes.records, &axes.data)
}
