//! What stores put off: for every phase that waited for it, the cost as it was acknowledged and as it was when all was done.

use bakeoff_protocol::PhaseResult;
use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::figures::{acknowledged_ns_mean, settled_ns_mean};
use crate::gathered::{Gathered, phases_that};

/// One store's rounds of one phase.
#[derive(Default)]
pub struct BackgroundWork {
    acknowledged_ns: Vec<f64>,
    settled_ns: Vec<f64>,
    after_ns: Vec<f64>,
    written_bytes: Vec<f64>,
    unfinished: usize,
}

/// The cost with all that was put off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettledCost {
    /// Time of an operation, nanoseconds.
    pub each_ns: Option<f64>,
    /// How many times the acknowledged time that is.
    pub times: Option<f64>,
    /// How long the work went on after the phase, nanoseconds.
    pub after_ns: Option<f64>,
}

impl BackgroundWork {
    /// Time of an operation as it was acknowledged, nanoseconds; the mean of all rounds, as all of these.
    pub fn acknowledged_ns(&self) -> Option<f64> {
        mean(&self.acknowledged_ns)
    }

    /// The cost with all that was put off; `None` if it did not end in some round, since a mean of the others would hide that.
    pub fn settled(&self) -> Option<SettledCost> {
        let each_ns = mean(&self.settled_ns);
        let times = each_ns.zip(self.acknowledged_ns()).map(|(all, first)| all / first);
        (self.unfinished == 0).then(|| SettledCost { each_ns, times, after_ns: mean(&self.after_ns) })
    }

    /// What was written meanwhile, bytes.
    pub fn written_bytes(&self) -> Option<f64> {
        mean(&self.written_bytes)
    }
}

impl Gathered for BackgroundWork {
    type Part = PhaseResult;
    type Subject = String;

    fn parts(cell: &CellRound) -> Vec<(String, &PhaseResult)> {
        phases_that(cell, |phase| phase.background_work.is_some())
    }

    fn add(&mut self, phase: &PhaseResult) {
        let Some(settled) = phase.background_work else { return };
        self.acknowledged_ns.extend(acknowledged_ns_mean(phase));
        self.written_bytes.push(settled.process_write_bytes as f64);
        match settled.done_ns {
            Some(after_ns) => {
                self.after_ns.push(after_ns as f64);
                self.settled_ns.extend(settled_ns_mean(phase));
            }
            None => self.unfinished += 1,
        }
    }
}
