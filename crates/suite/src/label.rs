//! A workload as people read it.

use std::fmt;

use bakeoff_tape::KeyForm;
use bakeoff_text::{format_count, format_size, format_size_range};

use crate::plan::{DEFAULT_MEDIUM, WorkloadPlan};

/// `1KiB..10KiB × 10,000 random, process`, and whatever else is not as usual.
impl fmt::Display for WorkloadPlan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let workload = &self.workload;
        let (size, count) =
            (format_size_range(workload.value_bytes.min, workload.value_bytes.max), format_count(workload.records));
        // Settings may give a store a class of its own, as papers had them.
        let is_as_set = self.cells.iter().any(|cell| cell.axes.durability != self.durability);
        let class = if is_as_set { "durability as set" } else { self.durability.name() };
        write!(out, "{size} × {count} {}, {class}", workload.data.name())?;
        if (workload.key, workload.key_bytes) != (KeyForm::Sha1, None) {
            write!(out, ", {} keys", workload.key_name())?;
        }
        if workload.lanes > 1 {
            write!(out, ", {} threads", workload.lanes)?;
        }
        if let Some(variant) = &self.variant {
            write!(out, ", variant {variant}")?;
        }
        if !self.disturbance.is_none() {
            write!(out, ", disturbed by {}", self.disturbance)?;
        }
        if let Some(bytes) = self.memory_limit_bytes {
            write!(out, ", at most {} of memory", format_size(bytes))?;
        }
        if let Some(rate) = self.cells.first().and_then(|cell| cell.axes.rate_per_second) {
            write!(out, ", at {}/s", format_count(rate))?;
        }
        if self.medium != DEFAULT_MEDIUM {
            write!(out, ", on {}", self.medium)?;
        }
        Ok(())
    }
}
