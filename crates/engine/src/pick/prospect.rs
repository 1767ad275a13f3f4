//! Whether a budget can suffice for a pick on this machine now, by a first guess.

use std::time::Duration;

use bakeoff_measure::Machine;
use bakeoff_results::pick::{PICK_ASKED, PICK_ASKED_PART, ROUNDS_PROOF};
use bakeoff_suite::WorkloadPlan;

use crate::plan::estimate::{FLUSHES_OF_A_WRITE_MIN, estimates};
use crate::plan::setup::Setup;

/// A machine that slows everything down by this factor is busy.
const BUSY: f64 = 1.5;

/// Whether a budget can suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sufficiency {
    /// For the answer, and for when it would change.
    Enough,
    /// For the answer alone.
    AnswerOnly,
    /// For no proof.
    TooShort,
}

/// What the rounds of a proof take.
#[derive(Clone, Copy, Debug)]
pub struct Prospect {
    /// Stores in the race.
    pub stores: usize,
    /// How long three rounds of all of them take.
    pub rounds: Duration,
    /// How many times as long everything takes, as other programs use the processors.
    slower: f64,
}

impl Prospect {
    /// Guesses what the race of a plan takes; `None` if nothing can be measured.
    pub fn of(setup: &Setup) -> Option<Self> {
        let is_asked = |workload: &&WorkloadPlan| workload.variant.as_deref() == Some(PICK_ASKED);
        let asked = setup.plan.workloads.iter().find(is_asked)?;
        let costs = estimates(setup, asked, FLUSHES_OF_A_WRITE_MIN);
        let machine = Machine::read();
        let slower = slower(machine.load_1m, machine.cpus_usable);
        let round_ns: f64 = costs.iter().map(|(_, cell_ns)| cell_ns).sum();
        let rounds = Duration::from_secs_f64(round_ns / 1e9 * ROUNDS_PROOF as f64 * slower);
        Some(Self { stores: costs.len(), rounds, slower })
    }

    /// Whether a budget can suffice.
    pub fn of_budget(&self, budget: Duration) -> Sufficiency {
        match self.rounds {
            rounds if rounds <= budget.mul_f64(PICK_ASKED_PART) => Sufficiency::Enough,
            rounds if rounds <= budget => Sufficiency::AnswerOnly,
            _ => Sufficiency::TooShort,
        }
    }

    /// A budget that suffices, in whole minutes.
    pub fn enough(&self) -> Duration {
        let seconds = self.rounds.div_f64(PICK_ASKED_PART).as_secs() + 1;
        Duration::from_secs(seconds.next_multiple_of(60))
    }

    /// Whether other programs make the race much longer.
    pub fn is_busy(&self) -> bool {
        self.slower >= BUSY
    }
}

/// How many times as long a process takes next to so much load.
fn slower(load: Option<f64>, cpus: Option<u64>) -> f64 {
    let (load, cpus) = (load.unwrap_or(0.0), cpus.unwrap_or(1).max(1) as f64);
    ((load + 1.0) / cpus).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_takes_most_of_a_budget() {
        let prospect = Prospect { stores: 10, rounds: Duration::from_secs(110), slower: 1.0 };
        let of = |seconds| prospect.of_budget(Duration::from_secs(seconds));
        assert_eq!([of(60), of(110), of(190)], [Sufficiency::TooShort, Sufficiency::AnswerOnly, Sufficiency::Enough]);
        assert_eq!(prospect.enough(), Duration::from_secs(240));
        assert_eq!(prospect.of_budget(prospect.enough()), Sufficiency::Enough);
    }

    #[test]
    fn what_else_runs_counts_beyond_the_processors() {
        assert_eq!(slower(Some(0.5), Some(2)), 1.0);
        assert_eq!(slower(Some(7.0), Some(2)), 4.0);
        assert_eq!(slower(None, None), 1.0);
    }
}
