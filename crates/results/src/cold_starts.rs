//! Phases that began with cold caches: the store's files had been dropped from the page cache.

use bakeoff_protocol::PhaseLine;
use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::gathered::Gathered;

/// One store's rounds of one phase.
#[derive(Default)]
pub struct ColdStarts {
    open_ns: Vec<f64>,
    before_bytes: Option<u64>,
    after_bytes: Option<u64>,
    block_read_bytes: Vec<f64>,
}

impl ColdStarts {
    /// Time to open, nanoseconds; the mean of all rounds.
    pub fn open_ns(&self) -> Option<f64> {
        mean(&self.open_ns)
    }

    /// Time to open in the slowest round.
    pub fn most_ns(&self) -> Option<f64> {
        self.open_ns.iter().copied().reduce(f64::max)
    }

    /// The files' bytes in the page cache before dropping it, in the round with the most.
    pub fn before_bytes(&self) -> Option<u64> {
        self.before_bytes
    }

    /// The bytes that stayed there, in the round with the most.
    pub fn after_bytes(&self) -> Option<u64> {
        self.after_bytes
    }

    /// Bytes that the phase then read from the device; the mean of all rounds.
    pub fn block_read_bytes(&self) -> Option<f64> {
        mean(&self.block_read_bytes)
    }
}

impl Gathered for ColdStarts {
    type Part = PhaseLine;
    type Subject = String;

    fn parts(cell: &CellRound) -> Vec<(String, &PhaseLine)> {
        let cold = cell.phases.iter().filter(|line| line.dropped_cache.is_some());
        cold.map(|line| (line.result.phase.clone(), line)).collect()
    }

    fn add(&mut self, line: &PhaseLine) {
        let Some(dropped) = line.dropped_cache else { return };
        self.open_ns.extend(line.result.reopen_ns.map(|ns| ns as f64));
        self.before_bytes = self.before_bytes.max(Some(dropped.resident_before_bytes));
        self.after_bytes = self.after_bytes.max(Some(dropped.resident_after_bytes));
        self.block_read_bytes.extend(line.result.resources.block_read_bytes.map(|bytes| bytes as f64));
    }

    fn order(&self) -> f64 {
        self.open_ns().unwrap_or(f64::INFINITY)
    }
}
