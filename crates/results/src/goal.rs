//! The goal of a pick, and the cost of a round by it.

use bakeoff_protocol::{OperationResult, PhaseResult};
use bakeoff_text::{bytes, rate, ratio};
use serde::{Deserialize, Serialize};

use crate::cell_rounds::CellRound;
use crate::figures::{PAGE_BYTES, commits, is_told, quantile};

/// The phase of a pick's suite that reproduces the application's operations.
pub const PICK_PHASE: &str = "application";

/// What the store should be best at. All goals are costs: lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Mean time of an operation of the mix.
    Mean,
    /// Median latency of an operation of the mix.
    P50,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P999,
    /// Latency of the slowest commit of a round.
    SlowestCommit,
    /// Time in the store per operation, all threads together. Shown as a rate.
    Throughput,
    /// Bytes on disk after closing, per byte of keys and values.
    Space,
    /// Peak bytes on disk, per byte of keys and values.
    PeakDisk,
    /// Peak resident memory above that of the empty store.
    Memory,
    /// CPU time per operation, background threads included.
    Cpu,
    /// Time to open the store with its data after closing it: before the application's operations, if those begin with cold
    /// caches.
    Open,
    /// Time to open the store after its process was killed.
    Recovery,
}

impl Goal {
    /// All goals, in display order.
    pub const ALL: [Self; 12] = [
        Self::Mean,
        Self::P50,
        Self::P99,
        Self::P999,
        Self::SlowestCommit,
        Self::Throughput,
        Self::Space,
        Self::PeakDisk,
        Self::Memory,
        Self::Cpu,
        Self::Open,
        Self::Recovery,
    ];

    /// Whether it is shown when it is not the goal. The others are the least interesting if a line is too short for
    /// all.
    pub(crate) fn is_usual(self) -> bool {
        !matches!(self, Self::P50 | Self::SlowestCommit | Self::PeakDisk | Self::Open | Self::Recovery)
    }

    /// The verb before the multiple of the best cost. A rate is compared by its inverse.
    pub fn takes(self) -> &'static str {
        if self == Self::Throughput { "is slower by" } else { "takes" }
    }

    /// Its name on the command line and in `run.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P99 => "p99",
            Self::P999 => "p999",
            Self::SlowestCommit => "slowest-commit",
            Self::Throughput => "throughput",
            Self::Space => "space",
            Self::PeakDisk => "peak-disk",
            Self::Memory => "memory",
            Self::Cpu => "cpu",
            Self::Open => "open",
            Self::Recovery => "recovery",
        }
    }

    /// Its label in a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Self::Mean => "mean time of an operation",
            Self::P50 => "median latency",
            Self::P99 => "99th percentile of latency",
            Self::P999 => "99.9th percentile of latency",
            Self::SlowestCommit => "latency of the slowest commit",
            Self::Throughput => "throughput",
            Self::Space => "space on disk by bytes of data",
            Self::PeakDisk => "peak disk by bytes of data",
            Self::Memory => "peak memory",
            Self::Cpu => "CPU time of an operation",
            Self::Open => "time to open",
            Self::Recovery => "time to recover",
        }
    }

    /// The resource, after `takes least`.
    pub fn resource(self) -> &'static str {
        match self {
            Self::Space | Self::PeakDisk => "disk",
            Self::Memory => "memory",
            Self::Cpu => "CPU time",
            Self::Mean
            | Self::P50
            | Self::P99
            | Self::P999
            | Self::SlowestCommit
            | Self::Throughput
            | Self::Open
            | Self::Recovery => "time",
        }
    }

    /// A figure with its unit.
    pub fn show(self, cost: f64) -> String {
        match self {
            Self::Throughput => rate(1e9 / cost),
            Self::Space | Self::PeakDisk => ratio(cost),
            Self::Memory => bytes(cost),
            Self::Mean
            | Self::P50
            | Self::P99
            | Self::P999
            | Self::SlowestCommit
            | Self::Cpu
            | Self::Open
            | Self::Recovery => bakeoff_text::time(cost),
        }
    }

    /// The cost of one round. `None` if it was not measured.
    pub fn cost(self, cell: &CellRound) -> Option<f64> {
        let phase = application(cell)?;
        let each = |ns: f64| each(phase, ns);
        match self {
            Self::Mean => each(phase.operations.iter().filter_map(|of| of.timed_ns).sum::<u64>() as f64),
            Self::P50 => quantile(phase, 0.5).map(|ns| ns as f64),
            Self::P99 => quantile(phase, 0.99).map(|ns| ns as f64),
            Self::P999 => quantile(phase, 0.999).map(|ns| ns as f64),
            Self::SlowestCommit => Some(commits(phase)?.latency.as_ref()?.latency_ns_max as f64),
            Self::Throughput => each(phase.timed_ns as f64),
            Self::Space => by_data(cell.end.finished.as_ref()?.disk_after_close?.allocated_bytes, cell),
            Self::PeakDisk => by_data(cell.end.disk_peak_allocated_bytes?, cell),
            Self::Memory => crate::figures::peak_memory(cell),
            Self::Cpu => {
                let resources = &phase.resources;
                each((resources.cpu_user_ns? + resources.cpu_system_ns?) as f64)
            }
            Self::Open if phase.reopen_ns.is_some() => phase.reopen_ns.map(|ns| ns as f64),
            Self::Open | Self::Recovery => {
                let is_asked = cell.end.axes.killed == (self == Self::Recovery);
                Some(cell.end.verified.as_ref().filter(|_| is_asked)?.reopen_ns as f64)
            }
        }
    }

    /// Whether rounds with these numbers of operations support it. Only percentiles can have too few operations.
    pub fn is_told(self, operations: &[u64]) -> bool {
        match self {
            Self::P99 => is_told(0.99, operations),
            Self::P999 => is_told(0.999, operations),
            _ => true,
        }
    }

    /// Whether a slow store is necessarily bad at it.
    pub fn is_of_time(self) -> bool {
        match self {
            Self::Mean | Self::P50 | Self::P99 | Self::P999 | Self::Throughput => true,
            // A store that is slow at the operations may still open quickly, and its slowest commit may be quick.
            Self::SlowestCommit
            | Self::Space
            | Self::PeakDisk
            | Self::Memory
            | Self::Cpu
            | Self::Open
            | Self::Recovery => false,
        }
    }

    /// The smallest difference that counts.
    pub fn resolution(self) -> f64 {
        match self {
            Self::Memory => PAGE_BYTES,
            Self::Space | Self::PeakDisk => 0.0,
            _ => 1.0,
        }
    }
}

/// The phase that reproduces the application's operations.
pub fn application(cell: &CellRound) -> Option<&PhaseResult> {
    cell.phases.iter().map(|phase| &phase.result).find(|result| result.phase == PICK_PHASE)
}

/// The mean time per operation if each took the median of its kind. A few slow operations, perhaps due to other load,
/// do not count.
pub fn typical(cell: &CellRound) -> Option<f64> {
    let phase = application(cell)?;
    let of_kind = |of: &OperationResult| Some(of.latency.as_ref()?.latency_ns_p50 as f64 * of.operations as f64);
    each(phase, phase.operations.iter().map(of_kind).sum::<Option<f64>>()?)
}

/// A sum over a phase, per operation. Commits do not count as operations of the mix: their time belongs to the writes
/// that they acknowledge.
fn each(phase: &PhaseResult, sum: f64) -> Option<f64> {
    let operations = operations_of(phase) - commits(phase).map_or(0, |of| of.operations);
    (operations > 0).then(|| sum / operations as f64)
}

/// Operations of all kinds in a phase, commits included.
pub fn operations_of(phase: &PhaseResult) -> u64 {
    phase.operations.iter().map(|each| each.operations).sum()
}

fn by_data(bytes: u64, cell: &CellRound) -> Option<f64> {
    (cell.end.data_bytes > 0).then(|| bytes as f64 / cell.end.data_bytes as f64)
}
