//! Background work that stores defer: for each phase that waited for it, the cost when acknowledged and the cost with
//! background work included.

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

/// The cost with background work included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettledCost {
    /// Time of an operation, nanoseconds.
    pub each_ns: Option<f64>,
    /// Its ratio to the acknowledged time.
    pub times: Option<f64>,
    /// How long background work continued after the phase, nanoseconds.
    pub after_ns: Option<f64>,
}

impl BackgroundWork {
    /// Time of an operation when acknowledged, nanoseconds. Like all of these, the mean of all rounds.
    pub fn acknowledged_ns(&self) -> Option<f64> {
        mean(&self.acknowledged_ns)
    }

    /// The cost with background work included. `None` if the work did not finish in some round: a mean of the others
    /// would hide that.
    pub fn settled(&self) -> Option<SettledCost> {
        let each_ns = mean(&self.settled_ns);
        let times = each_ns.zip(self.acknowledged_ns()).map(|(all, first)| all / first);
        (self.unfinished == 0).then(|| SettledCost { each_ns, times, after_ns: mean(&self.after_ns) })
    }

    /// Bytes written during the background work.
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
