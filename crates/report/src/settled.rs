//! What stores put off: for every phase that waited for it, the cost as it was acknowledged and as it was when all was done.

use bakeoff_protocol::PhaseResult;
use bakeoff_stats::mean;

use crate::figures::units;
use crate::format::{bytes, or_dash, ratio, time};
use crate::phase_tables::{Row, phases_that};
use crate::results::CellRound;

/// Time of an operation as it was acknowledged, with its commits, of scans of an entry, nanoseconds.
fn acknowledged_ns_mean(phase: &PhaseResult) -> Option<f64> {
    let operations: f64 = phase.operations.iter().filter(|each| each.operation != "commit").map(units).sum();
    (operations > 0.0).then(|| phase.timed_ns as f64 / operations)
}

/// The same with the time until the store had done what it put off; `None` where it did not end, or nobody waited.
pub(crate) fn settled_ns_mean(phase: &PhaseResult) -> Option<f64> {
    let settled_ns = phase.settled?.settled_ns?;
    acknowledged_ns_mean(phase).map(|each| each * (1.0 + settled_ns as f64 / phase.timed_ns.max(1) as f64))
}

/// One store's rounds of one phase.
#[derive(Default)]
pub(crate) struct SettledRow {
    acknowledged_ns: Vec<f64>,
    settled_ns: Vec<f64>,
    after_ns: Vec<f64>,
    written_bytes: Vec<f64>,
    unfinished: usize,
}

impl Row for SettledRow {
    type Part = PhaseResult;
    const TITLE: &str = "Settled cost";
    const WHAT: &str =
        "Time of an operation as acknowledged, and with the work that the store did in the background afterwards.";
    const COLUMNS: &[&str] = &["acknowledged", "settled", "times", "after", "written after"];

    fn parts(cell: &CellRound) -> Vec<(&str, &PhaseResult)> {
        phases_that(cell, |phase| phase.settled.is_some())
    }

    fn add(&mut self, phase: &PhaseResult) {
        let Some(settled) = phase.settled else { return };
        self.acknowledged_ns.extend(acknowledged_ns_mean(phase));
        self.written_bytes.push(settled.process_write_bytes as f64);
        match settled.settled_ns {
            Some(after_ns) => {
                self.after_ns.push(after_ns as f64);
                self.settled_ns.extend(settled_ns_mean(phase));
            }
            None => self.unfinished += 1,
        }
    }

    fn cells(&self) -> Vec<String> {
        let mean_of = |figures: &[f64], show: fn(f64) -> String| or_dash(mean(figures), show);
        let times = mean(&self.settled_ns).zip(mean(&self.acknowledged_ns)).map(|(all, first)| all / first);
        // A mean of those rounds that ended would hide the others.
        let ended = self.unfinished == 0;
        vec![
            mean_of(&self.acknowledged_ns, time),
            if ended { mean_of(&self.settled_ns, time) } else { "not settled".to_owned() },
            times.filter(|_| ended).map_or_else(String::new, ratio),
            if ended { mean_of(&self.after_ns, time) } else { String::new() },
            mean_of(&self.written_bytes, bytes),
        ]
    }
}
