//! What stores take on disk: open, closed and as a compacted copy, against a flat array of the same data.

use bakeoff_protocol::DiskUsage;
use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::gathered::Gathered;
use crate::run::Run;

/// Whether some store made a compacted copy.
pub fn has_copies(run: &Run) -> bool {
    run.cells.iter().any(|cell| cell.end.verified.as_ref().is_some_and(|verified| verified.compacted_copy.is_some()))
}

/// One store's rounds of a workload.
#[derive(Default)]
pub struct StoredBytes {
    before_close: Vec<f64>,
    after_close: Vec<f64>,
    copy: Vec<f64>,
    flat: Vec<f64>,
}

impl StoredBytes {
    /// Allocated while the store is open; bytes, as all of these, and the mean of all rounds.
    pub fn before_close(&self) -> Option<f64> {
        mean(&self.before_close)
    }

    /// Allocated after it was closed.
    pub fn after_close(&self) -> Option<f64> {
        mean(&self.after_close)
    }

    /// Allocated by a copy without free space that the store made; `None` of a store that makes none.
    pub fn copy(&self) -> Option<f64> {
        mean(&self.copy)
    }

    /// The keys and values alone.
    pub fn flat(&self) -> Option<f64> {
        mean(&self.flat)
    }

    /// How many times the flat array these are.
    pub fn times_flat(&self, bytes: Option<f64>) -> Option<f64> {
        bytes.zip(self.flat().filter(|flat| *flat > 0.0)).map(|(bytes, flat)| bytes / flat)
    }
}

impl Gathered for StoredBytes {
    type Part = CellRound;
    type Subject = ();

    fn parts(cell: &CellRound) -> Vec<((), &CellRound)> {
        let finished = cell.end.finished.iter();
        finished.filter(|finished| finished.disk_after_close.is_some()).map(|_| ((), cell)).collect()
    }

    fn add(&mut self, cell: &CellRound) {
        let allocated = |disk: Option<DiskUsage>| disk.map(|disk| disk.allocated_bytes as f64);
        let finished = cell.end.finished.as_ref();
        self.before_close.extend(allocated(finished.and_then(|finished| finished.disk_before_close)));
        self.after_close.extend(allocated(finished.and_then(|finished| finished.disk_after_close)));
        let copy = cell.end.verified.as_ref().and_then(|verified| verified.compacted_copy);
        self.copy.extend(allocated(copy.map(|copy| copy.disk)));
        self.flat.push(cell.end.data_bytes as f64);
    }

    fn order(&self) -> f64 {
        self.after_close().unwrap_or(f64::INFINITY)
    }
}
