//! The time budget of a pick: what it was too short for, and how much would suffice.

use std::time::Duration;

use bakeoff_stats::{Interval, Place, Ranking, Verdict, mean};

use crate::pick::{CLOSE, PICK_ASKED, PICK_ASKED_PART, ROUNDS_PROOF, is_ahead_by_far, is_undecided_for_few_rounds};
use crate::pick_outcome::{PickOutcome, rival};

/// A limit beyond this does not show that a store is still a good choice.
pub const CLEAR: f64 = 2.0;

/// With fewer rounds than this, their variation is hardly known. With more, the width of an interval falls with the
/// square root of their number.
const ROUNDS_FEW: usize = 6;

/// The maximum for the factor by which a race can extend its rounds.
const TIMES_MAX: f64 = 100.0;

/// The time that three rounds of all stores need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnoughTime {
    /// Unknown: a user ended the pick.
    CutShort,
    /// More than the budget; how much more is unknown.
    More,
    /// At least this much: some stores were not measured to the end, and may take any time.
    AtLeast(Duration),
    /// More than the budget: rounds took longer than estimated, or were not started for that reason.
    MoreThanBudget,
    /// About this much, by a first estimate.
    About(Duration),
}

/// What is needed to separate the best store of a pick from its rival.
#[derive(Clone, Debug, PartialEq)]
pub enum MoreTime {
    /// Another pick: a user ended this one.
    CutShort,
    /// More time, for stores of unknown performance.
    ForUnknown,
    /// More time, to prove an answer that is already clear.
    ForProof,
    /// More time, as there is no answer at all.
    ForAnything,
    /// More time: this store had too few rounds for an answer.
    ForRounds {
        /// The store's name.
        store: String,
        /// Its rounds.
        rounds: usize,
    },
    /// No reasonable time: they are too close to matter.
    TooClose(Interval),
    /// At least twice the time. With so few rounds, the number of rounds cannot be estimated.
    Twice(Interval),
    /// A quieter machine: their rounds vary too much.
    Quieter(Interval),
    /// This many rounds.
    Rounds {
        /// The rounds.
        rounds: f64,
        /// The budget for them.
        budget: Duration,
        /// Whether the two are the first and second store.
        are_first_two: bool,
    },
    /// More rounds than a race has.
    TooManyRounds {
        /// The rounds.
        rounds: f64,
        /// The maximum of a race.
        most: u64,
        /// What helps instead.
        instead: Instead,
        /// Whether the two are the first and second store.
        are_first_two: bool,
    },
}

/// What helps if a race cannot have enough rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// Their other costs: neither store costs more than twice the other by the goal.
    OtherCosts,
    /// This budget, for all rounds of a race: they narrow the interval.
    Budget(Duration),
    /// A quieter machine, or their other costs.
    Quieter,
}

impl PickOutcome<'_> {
    /// The time that three rounds of all stores need.
    pub fn enough_time(&self) -> EnoughTime {
        if self.is_cut_short() {
            return EnoughTime::CutShort;
        }
        if self.facts.proof_ns_expected == 0 {
            return EnoughTime::More;
        }
        // They may use the whole budget.
        let (rounds, budget) = (Duration::from_nanos(self.facts.proof_ns_expected), self.facts.budget());
        if !self.late(PICK_ASKED).is_empty() || !self.unmeasured().is_empty() {
            // A store that was not measured to the end may take a hundred times the expected time.
            return EnoughTime::AtLeast(rounds);
        }
        if rounds <= budget { EnoughTime::MoreThanBudget } else { EnoughTime::About(rounds) }
    }

    /// What is needed to separate the best store from its rival. `None` if they are separated, or time does not help.
    pub fn more_time(&self, ranking: &Ranking) -> Option<MoreTime> {
        if self.is_cut_short() {
            return Some(MoreTime::CutShort);
        }
        if !self.without_room().is_empty() {
            return None;
        }
        // The answer itself reports this for a single store.
        if ranking.verdict != Verdict::Alone && !self.unknown_for_time().is_empty() {
            return Some(MoreTime::ForUnknown);
        }
        match ranking.verdict {
            _ if is_ahead_by_far(ranking, self.facts) => return Some(MoreTime::ForProof),
            Verdict::Unproven => {}
            Verdict::Undecided if self.facts.out_of_time || is_undecided_for_few_rounds(ranking) => {}
            Verdict::Undecided | Verdict::Tie | Verdict::Winner | Verdict::Alone => return None,
        }
        let (best, next) = (ranking.order.first()?, rival(ranking)?);
        let Some(interval) = next.ratio_to_best else { return Some(MoreTime::ForAnything) };
        // Every undecided store counts, as in `pick_is_answered`: with two rounds, its variation alone may be the
        // cause.
        let judged = |place: &&Place| [&best.name, &next.name].contains(&&place.name) || !place.is_worse();
        let least = ranking.order.iter().filter(judged).min_by_key(|place| place.rounds)?;
        if least.rounds < ROUNDS_PROOF {
            return Some(MoreTime::ForRounds { store: least.name.clone(), rounds: least.rounds });
        }
        let (distance, half) = (interval.estimate.ln(), (interval.high / interval.low).ln() / 2.0);
        // The width of an interval falls with the square root of the number of rounds.
        let times = (half / distance).powi(2);
        if times.is_finite() && times <= TIMES_MAX {
            return Some(self.rounds_to_tell(ranking, next, interval, times));
        }
        Some(match half < CLOSE.ln() {
            true => MoreTime::TooClose(interval),
            false if least.rounds < ROUNDS_FEW => MoreTime::Twice(interval),
            false => MoreTime::Quieter(interval),
        })
    }

    /// What is needed to separate two stores with `times` their rounds.
    fn rounds_to_tell(&self, ranking: &Ranking, next: &Place, interval: Interval, times: f64) -> MoreTime {
        let best = &ranking.order[0];
        // A tie of more than two may hold although these two alone would be separated.
        let are_first_two = next.name == ranking.order[1].name;
        let rounds = (best.rounds as f64 * times).ceil().max(best.rounds as f64 + 1.0);
        let most = self.run.record.rounds.map_or(u64::MAX, u64::from);
        let spent: f64 = self.cells(PICK_ASKED).map(|cell| cell.end.process_ns as f64 / 1e9).sum();
        let budget_of = |rounds: f64| {
            let more = (rounds - best.rounds as f64).max(1.0)
                * self.seconds_a_round(ranking.order.iter().filter(|place| !place.is_worse()));
            budget_for((spent + more).max(self.facts.budget().as_secs_f64()))
        };
        if rounds <= most as f64 {
            return MoreTime::Rounds { rounds, budget: budget_of(rounds), are_first_two };
        }
        let instead = if interval.high <= CLEAR {
            Instead::OtherCosts
        } else if (best.rounds as u64) < most {
            Instead::Budget(budget_of(most as f64))
        } else {
            Instead::Quieter
        };
        MoreTime::TooManyRounds { rounds, most, instead, are_first_two }
    }

    /// The time of one round of these stores together, seconds.
    fn seconds_a_round<'p>(&self, places: impl Iterator<Item = &'p Place>) -> f64 {
        let of = |place: &Place| {
            let asked = self.cells(PICK_ASKED).filter(|cell| cell.end.axes.store == place.name);
            let times: Vec<f64> = asked.map(|cell| cell.end.process_ns as f64 / 1e9).collect();
            mean(&times).unwrap_or(0.0)
        };
        places.map(of).sum()
    }
}

/// The whole budget whose share for the original question is this many seconds.
fn budget_for(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds / PICK_ASKED_PART)
}
