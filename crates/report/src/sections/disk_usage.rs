//! What stores take on disk: open, closed and as a compacted copy, against a flat array of the same data.

use bakeoff_protocol::DiskUsage;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::run::Run;
use bakeoff_stats::mean;
use bakeoff_text::{bytes, or_dash, ratio};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

/// Whether some store made a compacted copy.
pub(crate) fn has_copies(run: &Run) -> bool {
    run.cells.iter().any(|cell| cell.end.verified.as_ref().is_some_and(|verified| verified.compacted_copy.is_some()))
}

/// One store's rounds of a workload.
#[derive(Default)]
pub(crate) struct DiskUsageRow {
    before_close: Vec<f64>,
    after_close: Vec<f64>,
    copy: Vec<f64>,
    flat: Vec<f64>,
}

impl Row for DiskUsageRow {
    type Part = CellRound;
    const ID: SectionId = SectionId::DiskUsage;
    const TITLE: &str = "Storage";
    const WHAT: &str = "Bytes allocated on disk: while the store is open, after it was closed, and those of a copy without free space that it made of itself; \
        beside a flat array of the same keys and values, of which what is closed, and what is copied, is so many times. Means of all rounds; – where a store makes no such copy.";
    const COLUMNS: &[&str] = &["before close", "after close", "copy", "flat array", "closed/flat", "copy/flat"];

    fn parts(cell: &CellRound) -> Vec<(&str, &CellRound)> {
        cell.end
            .finished
            .iter()
            .filter(|finished| finished.disk_after_close.is_some())
            .map(|_| ("at the end", cell))
            .collect()
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

    fn cells(&self) -> Vec<String> {
        let [before, after, copy, flat] =
            [&self.before_close, &self.after_close, &self.copy, &self.flat].map(|rounds| mean(rounds));
        let times = |of: Option<f64>| {
            let times = of.zip(flat.filter(|flat| *flat > 0.0)).map(|(of, flat)| of / flat);
            or_dash(times, ratio)
        };
        let sizes = [before, after, copy, flat].map(|size| or_dash(size, bytes));
        sizes.into_iter().chain([times(after), times(copy)]).collect()
    }

    fn order(&self) -> f64 {
        mean(&self.after_close).unwrap_or(f64::INFINITY)
    }
}
