//! Allocation by stores on the JVM, and the cost of garbage collection, phase by phase.

use bakeoff_protocol::{PhaseResult, Resources};
use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::figures::per_operation;
use crate::gathered::{Gathered, phases_that};

/// One store's rounds of one phase.
#[derive(Default)]
pub struct Gc {
    allocated_bytes_per_operation: Vec<f64>,
    churn_bytes_per_operation: Vec<f64>,
    collections: Vec<f64>,
    gc_ns: Vec<f64>,
    gc_share: Vec<f64>,
    heap_peak_bytes: Vec<f64>,
    buffers_peak_bytes: Vec<f64>,
}

impl Gc {
    /// Bytes that the replaying threads allocated per operation (per entry for scans). Like all of these except the
    /// peaks, the mean of all rounds.
    pub fn allocated_bytes_per_operation(&self) -> Option<f64> {
        mean(&self.allocated_bytes_per_operation)
    }

    /// Bytes per operation that collections removed from the heap's pools.
    pub fn churn_bytes_per_operation(&self) -> Option<f64> {
        mean(&self.churn_bytes_per_operation)
    }

    /// Collections in the whole phase.
    pub fn collections(&self) -> Option<f64> {
        mean(&self.collections)
    }

    /// The time of the collections, nanoseconds.
    pub fn gc_ns(&self) -> Option<f64> {
        mean(&self.gc_ns)
    }

    /// The same as a share of the phase's time.
    pub fn gc_share(&self) -> Option<f64> {
        mean(&self.gc_share)
    }

    /// The peak of used heap in any round, bytes.
    pub fn heap_peak_bytes(&self) -> Option<f64> {
        most(&self.heap_peak_bytes)
    }

    /// The peak of Java's buffers, bytes.
    pub fn buffers_peak_bytes(&self) -> Option<f64> {
        most(&self.buffers_peak_bytes)
    }
}

impl Gathered for Gc {
    type Part = PhaseResult;
    type Subject = String;

    fn parts(cell: &CellRound) -> Vec<(String, &PhaseResult)> {
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
        self.gc_share.extend(figure(resources.gc_ns).map(|ns| ns / phase.wall_ns.max(1) as f64));
        self.heap_peak_bytes.extend(figure(resources.heap_peak_bytes));
        self.buffers_peak_bytes.extend(figure(resources.buffers_peak_bytes));
    }
}

fn most(of: &[f64]) -> Option<f64> {
    of.iter().copied().reduce(f64::max)
}

/// Bytes that collections removed from all pools of the heap. `None` if not reported.
fn churn_bytes(of: &Resources) -> Option<u64> {
    Some(of.gc_churn_eden_bytes? + of.gc_churn_survivor_bytes? + of.gc_churn_other_bytes?)
}
