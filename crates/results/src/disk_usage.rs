//! Disk and memory usage of stores compared with the size of keys and values: peak, after background work, open,
//! closed, and as a compacted copy.

use bakeoff_protocol::DiskUsage;
use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::figures::peak_memory;
use crate::gathered::Gathered;
use crate::run::Run;

/// Whether a suite measures disk space: a phase waits for background work, or some store made a compacted copy.
pub fn measures_space(run: &Run) -> bool {
    let copies = |cell: &CellRound| Some(cell.end.verified.as_ref()?.compacted_copy.is_some());
    run.cells.iter().any(|cell| copies(cell).unwrap_or(false) || settled_disk(cell).is_some())
}

/// The directory after the last phase that waited for background work.
fn settled_disk(cell: &CellRound) -> Option<DiskUsage> {
    cell.phases.iter().filter_map(|phase| phase.result.background_work?.disk).next_back()
}

/// One store's rounds of a workload. Bytes: the mean of all rounds, for peaks the maximum.
#[derive(Default)]
pub struct StoredBytes {
    peak: Vec<f64>,
    settled: Vec<f64>,
    before_close: Vec<f64>,
    after_close: Vec<f64>,
    copy: Vec<f64>,
    data: Vec<f64>,
    memory: Vec<f64>,
}

impl StoredBytes {
    /// Peak allocation. `None` in results of older versions.
    pub fn peak(&self) -> Option<f64> {
        largest(&self.peak)
    }

    /// Allocation after the background work of the last phase that waited for it. `None` if no phase waited.
    pub fn settled(&self) -> Option<f64> {
        mean(&self.settled)
    }

    /// Allocation just before closing.
    pub fn before_close(&self) -> Option<f64> {
        mean(&self.before_close)
    }

    /// Allocation after closing.
    pub fn after_close(&self) -> Option<f64> {
        mean(&self.after_close)
    }

    /// Allocation of the store's compacted copy. `None` if the store makes none.
    pub fn copy(&self) -> Option<f64> {
        mean(&self.copy)
    }

    /// The size of keys and values.
    pub fn data(&self) -> Option<f64> {
        mean(&self.data)
    }

    /// Peak resident memory above that of the opened, empty store.
    pub fn memory(&self) -> Option<f64> {
        largest(&self.memory)
    }

    /// The ratio of these bytes to the size of keys and values.
    pub fn times_data(&self, bytes: Option<f64>) -> Option<f64> {
        bytes.zip(self.data().filter(|data| *data > 0.0)).map(|(bytes, data)| bytes / data)
    }
}

fn largest(figures: &[f64]) -> Option<f64> {
    figures.iter().copied().max_by(f64::total_cmp)
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
        let copy = cell.end.verified.as_ref().and_then(|verified| verified.compacted_copy);
        self.peak.extend(cell.end.disk_peak_allocated_bytes.map(|bytes| bytes as f64));
        self.settled.extend(allocated(settled_disk(cell)));
        self.before_close.extend(allocated(finished.and_then(|finished| finished.disk_before_close)));
        self.after_close.extend(allocated(finished.and_then(|finished| finished.disk_after_close)));
        self.copy.extend(allocated(copy.map(|copy| copy.disk)));
        self.data.push(cell.end.data_bytes as f64);
        self.memory.extend(peak_memory(cell));
    }

    fn order(&self) -> f64 {
        self.after_close().unwrap_or(f64::INFINITY)
    }
}
