//! The time of a pick: what it was too short for, and how much would be enough.

use std::time::Duration;

use bakeoff_stats::{Interval, Place, Ranking, Verdict, mean};

use crate::pick::{CLOSE, PICK_ASKED, PICK_ASKED_PART, ROUNDS_PROOF, is_ahead_by_far, is_undecided_for_few_rounds};
use crate::pick_outcome::{PickOutcome, rival};

/// A limit beyond this does not say that a store is still a good choice.
pub const CLEAR: f64 = 2.0;

/// With fewer rounds than this, how much they differ is hardly known; with more, the width of an interval falls with the root of their number.
const ROUNDS_FEW: usize = 6;

/// No race has so many times its rounds more.
const TIMES_MAX: f64 = 100.0;

/// How much time three rounds of all stores take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnoughTime {
    /// Nobody knows: it was ended by somebody.
    CutShort,
    /// More than there was; how much is not known.
    More,
    /// So much or more: some were not measured to the end, and may take any time.
    AtLeast(Duration),
    /// More than there was, as they took longer than the guess, or were not begun for fear that they would.
    MoreThanBudget,
    /// So much, by a first guess.
    About(Duration),
}

/// What it takes to tell the best of a pick from its rival.
#[derive(Clone, Debug, PartialEq)]
pub enum MoreTime {
    /// Another pick: this one was ended by somebody.
    CutShort,
    /// More time, for stores of which it is not known how good they are.
    ForUnknown,
    /// More time, for a proof of what is clear already.
    ForProof,
    /// More time, as nothing could be told.
    ForAnything,
    /// More time, as this store had so few rounds that nothing could be told.
    ForRounds {
        /// The store's name.
        store: String,
        /// Its rounds.
        rounds: usize,
    },
    /// No sensible time: they are too close to matter.
    TooClose(Interval),
    /// Twice the time or more: so few rounds cannot tell how many it takes.
    Twice(Interval),
    /// A quieter machine: their rounds differ too much.
    Quieter(Interval),
    /// So many rounds.
    Rounds {
        /// The rounds.
        rounds: f64,
        /// The budget for them.
        budget: Duration,
        /// Whether they are the first two.
        are_first_two: bool,
    },
    /// More rounds than a race has.
    TooManyRounds {
        /// The rounds.
        rounds: f64,
        /// Those that a race has.
        most: u64,
        /// What helps instead.
        instead: Instead,
        /// Whether they are the first two.
        are_first_two: bool,
    },
}

/// What helps where a race does not have enough rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// What else they cost: whichever is taken, the other is not worth twice as much.
    OtherCosts,
    /// This budget, for all rounds that a race has: they narrow the interval down.
    Budget(Duration),
    /// A quieter machine, or else what else they cost.
    Quieter,
}

impl PickOutcome<'_> {
    /// How much time three rounds of all stores take.
    pub fn enough_time(&self) -> EnoughTime {
        if self.is_cut_short() {
            return EnoughTime::CutShort;
        }
        if self.facts.proof_ns_expected == 0 {
            return EnoughTime::More;
        }
        // They may have all of the time.
        let (rounds, budget) = (Duration::from_nanos(self.facts.proof_ns_expected), self.facts.budget());
        if !self.late(PICK_ASKED).is_empty() || !self.unmeasured().is_empty() {
            // What was not measured to the end may take a hundred times what the others lead to expect.
            return EnoughTime::AtLeast(rounds);
        }
        if rounds <= budget { EnoughTime::MoreThanBudget } else { EnoughTime::About(rounds) }
    }

    /// What it takes to tell the best from its rival; `None` where they are apart, or time does not help.
    pub fn more_time(&self, ranking: &Ranking) -> Option<MoreTime> {
        if self.is_cut_short() {
            return Some(MoreTime::CutShort);
        }
        if !self.without_room().is_empty() {
            return None;
        }
        // Of one alone the answer has said it.
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
        // Each that is not told apart counts, as in `pick_is_answered`: one of two rounds may be so for its scatter alone.
        let judged = |place: &&Place| [&best.name, &next.name].contains(&&place.name) || !place.is_worse();
        let least = ranking.order.iter().filter(judged).min_by_key(|place| place.rounds)?;
        if least.rounds < ROUNDS_PROOF {
            return Some(MoreTime::ForRounds { store: least.name.clone(), rounds: least.rounds });
        }
        let (distance, half) = (interval.estimate.ln(), (interval.high / interval.low).ln() / 2.0);
        // The width of an interval falls with the root of the number of rounds.
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

    /// What it takes to tell two apart by so many times their rounds.
    fn rounds_to_tell(&self, ranking: &Ranking, next: &Place, interval: Interval, times: f64) -> MoreTime {
        let best = &ranking.order[0];
        // A tie among more than two may hold though these two alone would be apart.
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

/// The budget of which this many seconds of measuring what was asked are the part that it may have.
fn budget_for(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds / PICK_ASKED_PART)
}
