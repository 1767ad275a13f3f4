//! What stores on the JVM allocated and what collecting it cost, phase by phase.

use bakeoff_protocol::{PhaseResult, Resources};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::figures::per_operation;
use bakeoff_stats::mean;
use bakeoff_text::{bytes, digits, format_count, or_dash, percent, time};

use crate::document::SectionId;
use crate::sections::phase_tables::{Row, phases_that};

/// One store's rounds of one phase.
#[derive(Default)]
pub(crate) struct GcRow {
    allocated_bytes_per_operation: Vec<f64>,
    churn_bytes_per_operation: Vec<f64>,
    collections: Vec<f64>,
    gc_ns: Vec<f64>,
    gc_part: Vec<f64>,
    heap_peak_bytes: Vec<f64>,
    buffers_peak_bytes: Vec<f64>,
}

impl Row for GcRow {
    type Part = PhaseResult;
    const ID: SectionId = SectionId::Gc;
    const TITLE: &str = "Heap of stores on the JVM";
    const WHAT: &str = "Bytes that the replaying threads allocated for an operation (of scans an entry) while the clock ran; what collections took out of the heap's parts, by operations too (churn); collections of garbage in the whole phase, the \
        time they took, also as a part of the phase's, and the most heap in use at one moment; \
        beside the heap the most in Java's buffers, direct and mapped, without bakeoff's own. What libraries allocate or map by themselves, such as RocksDB's cache, is in neither: it is in the memory of the process, where it cannot be told from \
        the heap's pages and from what the JVM keeps for itself. Means of all rounds, of the peaks the most.";
    const COLUMNS: &[&str] =
        &["allocated/op", "churn/op", "collections", "took", "of the phase", "heap peak", "buffers peak"];

    fn parts(cell: &CellRound) -> Vec<(&str, &PhaseResult)> {
        phases_that(cell, |phase| phase.resources.gc_collections.is_some() || phase.resources.allocated_bytes.is_some())
    }

    fn add(&mut self, phase: &PhaseResult) {
        let resources = &phase.resources;
        let figure = |of: Option<u64>| of.map(|figure| figure as f64);
        let allocated = figure(resources.allocated_bytes).and_then(|all| per_operation(phase, all));
        self.allocated_bytes_per_operation.extend(allocated);
        let churn = figure(churn_bytes(resources)).and_then(|all| per_operation(phase, all));
        self.churn_bytes_per_operation.extend(churn);
        self.collections.extend(figure(resources.gc_collections));
        self.gc_ns.extend(figure(resources.gc_ns));
        self.gc_part.extend(figure(resources.gc_ns).map(|ns| ns / phase.wall_ns.max(1) as f64));
        self.heap_peak_bytes.extend(figure(resources.heap_peak_bytes));
        self.buffers_peak_bytes.extend(figure(resources.buffers_peak_bytes));
    }

    fn cells(&self) -> Vec<String> {
        let most = |of: &[f64]| of.iter().copied().reduce(f64::max);
        vec![
            or_dash(mean(&self.allocated_bytes_per_operation), bytes),
            or_dash(mean(&self.churn_bytes_per_operation), bytes),
            or_dash(mean(&self.collections), times),
            or_dash(mean(&self.gc_ns), time),
            or_dash(mean(&self.gc_part), percent),
            or_dash(most(&self.heap_peak_bytes), bytes),
            or_dash(most(&self.buffers_peak_bytes), bytes),
        ]
    }
}

/// What collections took out of all parts of the heap; `None` if it was not told.
fn churn_bytes(of: &Resources) -> Option<u64> {
    Some(of.gc_churn_eden_bytes? + of.gc_churn_survivor_bytes? + of.gc_churn_other_bytes?)
}

/// How often, on average.
fn times(mean: f64) -> String {
    if mean.fract() == 0.0 { format_count(mean as u64) } else { digits(mean) }
}
