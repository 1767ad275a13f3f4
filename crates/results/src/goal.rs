//! What a pick is to be best at, and what a round costs by it.

use bakeoff_protocol::{OperationResult, PhaseResult};
use bakeoff_text::{bytes, rate, ratio};
use serde::{Deserialize, Serialize};

use crate::cell_rounds::CellRound;
use crate::figures::{PAGE_BYTES, is_told, quantile};

/// The phase of a pick's suite that does what the application does.
pub const PICK_PHASE: &str = "application";

/// What the store is to be best at. All are costs: less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Mean time of an operation of the mix.
    Mean,
    /// Median latency of an operation of the mix.
    P50,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P999,
    /// Time in the store by operations, all threads together: shown as a rate.
    Throughput,
    /// Bytes on disk after closing by bytes of keys and values.
    Space,
    /// Peak resident memory above the empty store's.
    Memory,
    /// CPU time of an operation, background threads included.
    Cpu,
}

impl Goal {
    /// All goals, in the order in which they are shown.
    pub const ALL: [Self; 8] =
        [Self::Mean, Self::P50, Self::P99, Self::P999, Self::Throughput, Self::Space, Self::Memory, Self::Cpu];

    /// The verb before how many times as much as the best another takes: of a rate, which is shown as such, its inverse is compared.
    pub fn takes(self) -> &'static str {
        if self == Self::Throughput { "is slower by" } else { "takes" }
    }

    /// The word for it on the command line and in `run.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::Throughput => "throughput",
            Self::Space => "space",
            Self::Memory => "memory",
            Self::Cpu => "cpu",
        }
    }

    /// What it is, for a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Self::Mean => "mean time of an operation",
            Self::P50 => "median latency",
            Self::P99 => "99th percentile of latency",
            Self::P999 => "99.9th percentile of latency",
            Self::Throughput => "throughput",
            Self::Space => "space on disk by bytes of data",
            Self::Memory => "peak memory",
            Self::Cpu => "CPU time of an operation",
        }
    }

    /// What it is that is taken, after `takes least`.
    pub fn resource(self) -> &'static str {
        match self {
            Self::Space => "disk",
            Self::Memory => "memory",
            Self::Cpu => "CPU time",
            Self::Mean | Self::P50 | Self::P99 | Self::P999 | Self::Throughput => "time",
        }
    }

    /// A figure with its unit.
    pub fn show(self, cost: f64) -> String {
        match self {
            Self::Throughput => rate(1e9 / cost),
            Self::Space => ratio(cost),
            Self::Memory => bytes(cost),
            Self::Mean | Self::P50 | Self::P99 | Self::P999 | Self::Cpu => bakeoff_text::time(cost),
        }
    }

    /// The cost of one round; `None` if it was not measured.
    pub fn cost(self, cell: &CellRound) -> Option<f64> {
        let phase = application(cell)?;
        let operations = operations_of(phase);
        let each = |ns: f64| (operations > 0).then(|| ns / operations as f64);
        match self {
            Self::Mean => each(phase.operations.iter().filter_map(|of| of.timed_ns).sum::<u64>() as f64),
            Self::P50 => quantile(phase, 0.5).map(|ns| ns as f64),
            Self::P99 => quantile(phase, 0.99).map(|ns| ns as f64),
            Self::P999 => quantile(phase, 0.999).map(|ns| ns as f64),
            Self::Throughput => each(phase.timed_ns as f64),
            Self::Space => space(cell),
            Self::Memory => crate::figures::peak_memory(cell),
            Self::Cpu => {
                let resources = &phase.resources;
                each((resources.cpu_user_ns? + resources.cpu_system_ns?) as f64)
            }
        }
    }

    /// Whether rounds of so many operations each tell it: all but percentiles that too few lie beyond.
    pub fn is_told(self, operations: &[u64]) -> bool {
        match self {
            Self::P99 => is_told(0.99, operations),
            Self::P999 => is_told(0.999, operations),
            Self::Mean | Self::P50 | Self::Throughput | Self::Space | Self::Memory | Self::Cpu => true,
        }
    }

    /// Whether one that takes long is bad at it.
    pub fn is_of_time(self) -> bool {
        match self {
            Self::Mean | Self::P50 | Self::P99 | Self::P999 | Self::Throughput => true,
            Self::Space | Self::Memory | Self::Cpu => false,
        }
    }

    /// The least difference that can be shown.
    pub fn resolution(self) -> f64 {
        match self {
            Self::Mean | Self::P50 | Self::P99 | Self::P999 | Self::Throughput | Self::Cpu => 1.0,
            Self::Memory => PAGE_BYTES,
            Self::Space => 0.0,
        }
    }
}

/// The phase that does what the application does.
pub fn application(cell: &CellRound) -> Option<&PhaseResult> {
    cell.phases.iter().map(|phase| &phase.result).find(|result| result.phase == PICK_PHASE)
}

/// The mean time of an operation if each took the median of its kind: a few slow ones, which may be of other work on the machine, do not count.
pub fn typical(cell: &CellRound) -> Option<f64> {
    let phase = application(cell)?;
    let of_kind = |of: &OperationResult| Some(of.latency.as_ref()?.latency_ns_p50 as f64 * of.operations as f64);
    let all: f64 = phase.operations.iter().map(of_kind).sum::<Option<f64>>()?;
    let operations = operations_of(phase);
    (operations > 0).then(|| all / operations as f64)
}

/// Operations of all kinds in a phase.
pub fn operations_of(phase: &PhaseResult) -> u64 {
    phase.operations.iter().map(|each| each.operations).sum()
}

fn space(cell: &CellRound) -> Option<f64> {
    let disk = cell.end.finished.as_ref()?.disk_after_close.as_ref()?;
    (cell.end.data_bytes > 0).then(|| disk.allocated_bytes as f64 / cell.end.data_bytes as f64)
}
