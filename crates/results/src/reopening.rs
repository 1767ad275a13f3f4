//! Times to close stores and to reopen them with their data.

use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::gathered::Gathered;

/// How the process ended that first opened a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// It closed the store.
    Closed,
    /// It was killed, so the next opening recovers.
    Killed,
}

/// One store's rounds of a workload.
#[derive(Default)]
pub struct Reopening {
    close_ns: Vec<f64>,
    reopen_ns: Vec<f64>,
}

impl Reopening {
    /// Time to close, nanoseconds; the mean of all rounds. `None` if processes were killed.
    pub fn close_ns(&self) -> Option<f64> {
        mean(&self.close_ns)
    }

    /// Time to reopen, nanoseconds; the mean of all rounds.
    pub fn reopen_ns(&self) -> Option<f64> {
        mean(&self.reopen_ns)
    }

    /// Time to reopen in the quickest round.
    pub fn least_ns(&self) -> Option<f64> {
        self.reopen_ns.iter().copied().reduce(f64::min)
    }

    /// Time to reopen in the slowest round.
    pub fn most_ns(&self) -> Option<f64> {
        self.reopen_ns.iter().copied().reduce(f64::max)
    }
}

impl Gathered for Reopening {
    type Part = CellRound;
    type Subject = Ended;

    fn parts(cell: &CellRound) -> Vec<(Ended, &CellRound)> {
        let ended = if cell.end.axes.killed { Ended::Killed } else { Ended::Closed };
        cell.end.verified.iter().map(|_| (ended, cell)).collect()
    }

    fn add(&mut self, cell: &CellRound) {
        self.reopen_ns.extend(cell.end.verified.as_ref().map(|verified| verified.reopen_ns as f64));
        if !cell.end.axes.killed {
            self.close_ns.extend(cell.end.finished.as_ref().map(|finished| finished.close_ns as f64));
        }
    }

    fn order(&self) -> f64 {
        self.reopen_ns().unwrap_or(f64::INFINITY)
    }
}
