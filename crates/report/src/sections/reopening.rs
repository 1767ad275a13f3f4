//! How long stores took to close and to open again with their data.

use bakeoff_results::cell_rounds::CellRound;
use bakeoff_stats::mean;
use bakeoff_text::{or_dash, time};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

/// One store's rounds of a workload.
#[derive(Default)]
pub(crate) struct ReopeningRow {
    close_ns: Vec<f64>,
    reopen_ns: Vec<f64>,
}

impl Row for ReopeningRow {
    type Part = CellRound;
    const ID: SectionId = SectionId::Reopening;
    const TITLE: &str = "Time to reopen";
    const WHAT: &str = "Time to close the store with its data, and to open it again: where its process was killed, to recover what it left. \
        Means of all rounds, with the quickest and the slowest.";
    const COLUMNS: &[&str] = &["close", "reopen", "least", "most"];

    fn parts(cell: &CellRound) -> Vec<(&str, &CellRound)> {
        let name = if cell.end.axes.killed { "killed, then recovered" } else { "closed, then opened" };
        cell.end.verified.iter().map(|_| (name, cell)).collect()
    }

    fn add(&mut self, cell: &CellRound) {
        self.reopen_ns.extend(cell.end.verified.as_ref().map(|verified| verified.reopen_ns as f64));
        if !cell.end.axes.killed {
            self.close_ns.extend(cell.end.finished.as_ref().map(|finished| finished.close_ns as f64));
        }
    }

    fn cells(&self) -> Vec<String> {
        let [least, most] = [f64::min, f64::max].map(|of| self.reopen_ns.iter().copied().reduce(of));
        [mean(&self.close_ns), mean(&self.reopen_ns), least, most].map(|ns| or_dash(ns, time)).to_vec()
    }

    fn order(&self) -> f64 {
        mean(&self.reopen_ns).unwrap_or(f64::INFINITY)
    }
}
