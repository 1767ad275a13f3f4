//! Labels of planned workloads, for people.

use std::fmt;

use bakeoff_protocol::{AXES, Axis, AxisValue, DURABILITY, Part, Role};
use bakeoff_tape::SizeRange;
use bakeoff_text::{format_count, format_data, format_size, format_size_range};

use crate::plan::cells::WorkloadPlan;

/// `1KiB..10KiB × 10,000 random, process`, and every axis that is not at its usual value.
impl fmt::Display for WorkloadPlan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let workload = &self.workload;
        let SizeRange { min, max } = workload.value_bytes.range();
        let data = format_data(min, max, workload.records);
        // Settings may give a store its own level, as in some papers.
        let is_as_set = self.cells.iter().any(|cell| cell.axes.durability != self.conditions.durability);
        let class = if is_as_set { DURABILITY.label_of_none } else { self.conditions.durability.name() };
        write!(out, "{data} {}, {class}", workload.data.name())?;
        let Some(axes) = self.cells.first().map(|cell| &cell.axes) else { return Ok(()) };
        for axis in AXES.iter().filter(|axis| is_labelled(axis) && !axis.is_usual(axes)) {
            write!(out, ", {}", axis.label(&axis.value(axes), text))?;
        }
        Ok(())
    }
}

/// Whether the axis can distinguish workloads in the headings of tables. Durability has its own place there.
fn is_labelled(axis: &Axis) -> bool {
    let differs = axis.identifies || axis.role == Role::Workload;
    differs && axis.part == Part::Table && axis.name != DURABILITY.name
}

fn text(value: &AxisValue) -> String {
    match value {
        AxisValue::Flag(flag) => flag.to_string(),
        AxisValue::Class(class) => class.map_or_else(String::new, |class| class.name().to_owned()),
        AxisValue::Text(text) => text.clone().unwrap_or_default(),
        AxisValue::Count(number) => number.map_or_else(String::new, format_count),
        AxisValue::Bytes(bytes) => bytes.map_or_else(String::new, format_size),
        AxisValue::Sizes(min, max) => format_size_range(*min, *max),
    }
}
