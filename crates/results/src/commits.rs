//! Commits of batched phases: their number and duration.

use bakeoff_protocol::{Latency, PhaseResult};
use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::figures::commits;
use crate::gathered::{Gathered, phases_that};
use crate::store_figures::{Percentile, percentiles};

/// One store's rounds of one phase whose commits were timed individually.
#[derive(Default)]
pub struct Commits {
    latencies: Vec<Latency>,
    operations: Vec<u64>,
}

impl Commits {
    /// Commits per round. Like all of these except the maximum, the mean of all rounds.
    pub fn count(&self) -> Option<f64> {
        mean(&self.operations.iter().map(|count| *count as f64).collect::<Vec<_>>())
    }

    /// Time of a commit, nanoseconds.
    pub fn mean_ns(&self) -> Option<f64> {
        mean(&self.latencies.iter().map(|latency| latency.latency_ns_mean as f64).collect::<Vec<_>>())
    }

    /// p50, p99 and p99.9: medians over rounds.
    pub fn percentiles(&self) -> [Percentile; 3] {
        percentiles(&self.latencies.iter().collect::<Vec<_>>(), &self.operations)
    }

    /// The slowest commit of all rounds, nanoseconds.
    pub fn max_ns(&self) -> Option<u64> {
        self.latencies.iter().map(|latency| latency.latency_ns_max).max()
    }
}

impl Gathered for Commits {
    type Part = PhaseResult;
    type Subject = String;

    fn parts(cell: &CellRound) -> Vec<(String, &PhaseResult)> {
        phases_that(cell, |phase| commits(phase).is_some_and(|of| of.latency.is_some()))
    }

    fn add(&mut self, phase: &PhaseResult) {
        let Some(of) = commits(phase) else { return };
        self.operations.push(of.operations);
        self.latencies.extend(of.latency.clone());
    }

    fn order(&self) -> f64 {
        self.mean_ns().unwrap_or(f64::INFINITY)
    }
}
