//! What a workload and a cell are called.

use bakeoff_protocol::{Axes, Axis, CellEnd, DURABILITY};
use bakeoff_results::circumstances::{table_axes, value_label};
use bakeoff_text::format_data;

/// The sizes of values and the data, as the name of a workload: `1KiB..10KiB × 10,000 text`.
pub(crate) fn describe_workload((min, max): (u64, u64), records: u64, data: &str) -> String {
    format!("{} {data}", format_data(min, max, records))
}

/// The same for a cell.
pub(crate) fn describe_workload_of(axes: &Axes) -> String {
    describe_workload((axes.value_bytes_min, axes.value_bytes_max), axes.records, &axes.data)
}

/// A cell's workload and durability level, and each unusual value of the other axes of tables: `1KiB..10KiB × 10,000 text, durability process,
/// 4 threads`.
pub(crate) fn describe_cell(axes: &Axes) -> String {
    let is_told = |axis: &&Axis| axis.name == DURABILITY.name || !axis.is_usual(axes);
    let labels = table_axes().filter(is_told).map(|axis| axis.label(&axis.value(axes), value_label));
    std::iter::once(describe_workload_of(axes)).chain(labels).collect::<Vec<_>>().join(", ")
}

/// A cell and its round.
pub(crate) fn describe_round(end: &CellEnd) -> String {
    format!("{}, round {}", describe_cell(&end.axes), end.round)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bakeoff_protocol::Compression;

    use super::*;

    #[test]
    fn cells_that_differ_by_any_axis_of_tables_have_other_names() {
        let usual = Axes { value_bytes_min: 100, value_bytes_max: 100, records: 1_000, ..Axes::default() };
        let changed = [
            Axes { durability: bakeoff_protocol::Durability::Power, ..usual.clone() },
            Axes { key: "decimal".to_owned(), ..usual.clone() },
            Axes { value_mixture: Some("70% 200B, 30% 20KiB".to_owned()), ..usual.clone() },
            Axes { threads: 4, ..usual.clone() },
            Axes { medium: "disk".to_owned(), ..usual.clone() },
            Axes { variant: Some("queue".to_owned()), ..usual.clone() },
            Axes { disturbance: Some("cpu".to_owned()), ..usual.clone() },
            Axes { memory_bytes: Some(64 << 20), ..usual.clone() },
            Axes { memory_limit_bytes: Some(64 << 20), ..usual.clone() },
            Axes { compression: Compression::None, ..usual.clone() },
            Axes { age: 1, ..usual.clone() },
            Axes { rate_per_second: Some(1_000), ..usual.clone() },
        ];
        assert_eq!(changed.len(), table_axes().count(), "each is changed once");
        let names: BTreeSet<String> = changed.iter().chain([&usual]).map(describe_cell).collect();
        assert_eq!(names.len(), changed.len() + 1, "{names:?}");
        let expected = "100B × 1,000 random, durability consistent, compression none";
        assert!(names.contains(expected), "{names:?}");
    }
}
