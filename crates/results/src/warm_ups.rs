//! Phases that were measured only after their rate became steady: how long that took, and whether it happened.

use bakeoff_protocol::{PhaseResult, WarmUpOutcome};
use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::gathered::{Gathered, phases_that};

/// The warm-ups of one store's rounds of one phase.
#[derive(Default)]
pub struct WarmUps(Vec<WarmUpOutcome>);

/// In how many rounds the rate became steady.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// In all rounds.
    Always,
    /// In no round.
    Never,
    /// All rounds were too short for a decision.
    Unknown,
    /// In some rounds.
    In {
        /// The number of such rounds.
        rounds: usize,
        /// The number of all rounds.
        all: usize,
    },
}

impl WarmUps {
    /// Operations replayed before measuring began. Like all of these, the mean of all rounds.
    pub fn operations(&self) -> Option<f64> {
        self.mean_of(|one| Some(one.operations as f64))
    }

    /// Their duration, nanoseconds.
    pub fn wall_ns(&self) -> Option<f64> {
        self.mean_of(|one| Some(one.wall_ns as f64))
    }

    /// Time per operation in the first part of them, nanoseconds.
    pub fn first_ns(&self) -> Option<f64> {
        self.mean_of(|one| Some(*one.interval_ns_means.first()? as f64))
    }

    /// Time per operation in the last part of them, nanoseconds.
    pub fn last_ns(&self) -> Option<f64> {
        self.mean_of(|one| Some(*one.interval_ns_means.last()? as f64))
    }

    /// In how many rounds the rate became steady.
    pub fn settled(&self) -> Settled {
        let [yes, no] = [true, false].map(|told| self.0.iter().filter(|one| one.steady == Some(told)).count());
        let all = self.0.len();
        match (yes, no) {
            (0, 0) => Settled::Unknown,
            (yes, 0) if yes == all => Settled::Always,
            (0, no) if no == all => Settled::Never,
            (rounds, _) => Settled::In { rounds, all },
        }
    }

    fn mean_of(&self, figure: fn(&WarmUpOutcome) -> Option<f64>) -> Option<f64> {
        mean(&self.0.iter().filter_map(figure).collect::<Vec<_>>())
    }
}

impl Gathered for WarmUps {
    type Part = PhaseResult;
    type Subject = String;

    fn parts(cell: &CellRound) -> Vec<(String, &PhaseResult)> {
        phases_that(cell, |phase| phase.warm_up.is_some())
    }

    fn add(&mut self, phase: &PhaseResult) {
        self.0.extend(phase.warm_up.clone());
    }
}
