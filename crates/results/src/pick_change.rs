//! Whether the answer of a pick would be another if something else were asked.

use std::collections::BTreeSet;

use bakeoff_protocol::FailureKind;
use bakeoff_stats::{Place, Ranking, Standing, Verdict};

use crate::pick::{CLOSE, ROUNDS_PROOF};
use crate::pick_facts::Question;
use crate::pick_outcome::{PickOutcome, rival};

/// What a change of the question does to the answer.
#[derive(Clone, Debug)]
pub enum PickChange {
    /// Nothing is known: it was not measured, for this reason.
    NotMeasured(Option<String>),
    /// Nothing is known: these stores failed, and no other has a figure.
    Failed(Vec<String>),
    /// Nothing is known of the answer, as it has no figure there.
    AnswerUnknown {
        /// Why.
        why: Unknown,
        /// The store that leads what was measured.
        leader: String,
    },
    /// It is another store, as the answer failed or cannot do this.
    AnswerLost {
        /// Whether it failed; else it cannot do this.
        has_failed: bool,
        /// The ranking without it.
        ranking: Ranking,
        /// The fewest rounds, where they are too few for a proof.
        too_few_rounds: Option<usize>,
    },
    /// The answer alone has figures.
    Unrivalled(Unrivalled),
    /// Several have figures.
    Ranked {
        /// The ranking.
        ranking: Ranking,
        /// Names of the stores that were not done in time, of which it is not known how good they are.
        late: Vec<String>,
        /// What it says.
        outcome: Outcome,
    },
}

/// Why an answer has no figure where something else was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It was not done in its part of the time.
    Late,
    /// Its rounds are too few.
    TooFewRounds,
}

/// Why the answer is alone where something else was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unrivalled {
    /// Nobody knows: these were not done in time.
    Late(Vec<String>),
    /// Nobody knows: no other has a figure.
    NoFigure,
    /// Nobody knows: no other was asked.
    NotAsked,
    /// Nobody knows: no other was tried.
    NotTried,
    /// It stays the answer: no other that leads can do this.
    NobodyElseCan,
    /// It stays the answer: these failed.
    Failed(Vec<String>),
}

/// What a ranking says of the answer where something else was asked.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// So few rounds prove nothing.
    NotProven(usize),
    /// It shares the first place.
    Tied(Place),
    /// It is not told apart from the best.
    Undecided(Place),
    /// It stays the answer.
    Stays,
    /// It leads there too, but others are not told apart from it.
    Leads,
    /// Others lead, but it is too close to them to matter.
    Hardly(Place),
    /// Others lead.
    Lost(Place),
}

/// Stores that no change was tried with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotTried {
    /// Those that were to be tried, of which every change that was measured is beyond them.
    pub beyond: Vec<String>,
    /// Those that no figure tells from the first.
    pub level: Vec<String>,
    /// Those that are further behind.
    pub behind: Vec<String>,
}

impl PickOutcome<'_> {
    /// What a change of the question does to the answer, which is the best of the ranking of what was asked.
    pub fn change(&self, asked: &Ranking, question: &Question) -> PickChange {
        if question.not_measured.is_some() {
            return PickChange::NotMeasured(question.not_measured.clone());
        }
        let failed = self.failed(&question.variant);
        let Some(ranking) = self.question(&question.variant).cloned() else {
            return if failed.is_empty() { PickChange::NotMeasured(None) } else { PickChange::Failed(failed) };
        };
        let answer = &asked.best;
        let Some(place) = ranking.order.iter().find(|place| place.name == *answer).cloned() else {
            return self.without_answer(answer, question, ranking, &failed);
        };
        if rival(&ranking).is_none() {
            return PickChange::Unrivalled(self.unrivalled(question, failed, answer));
        }
        let outcome = outcome(&ranking, place, answer);
        PickChange::Ranked { late: self.late(&question.variant), outcome, ranking }
    }

    /// What a change does of which the answer has no figure.
    fn without_answer(&self, answer: &String, question: &Question, ranking: Ranking, failed: &[String]) -> PickChange {
        let own = || self.cells(&question.variant).filter(|cell| cell.end.axes.store == *answer);
        let has_failed = failed.contains(answer);
        // How good it is at it is not known.
        let unknown = match own().any(|cell| cell.end.failure == Some(FailureKind::Timeout)) {
            true => Some(Unknown::Late),
            false => (!has_failed && own().next().is_some()).then_some(Unknown::TooFewRounds),
        };
        match unknown {
            Some(why) => PickChange::AnswerUnknown { why, leader: ranking.best },
            None => PickChange::AnswerLost { has_failed, too_few_rounds: too_few_rounds(&ranking), ranking },
        }
    }

    /// What a change says of which the answer alone has figures. Only where the others cannot do it, or failed whatever time they had, does it stay.
    fn unrivalled(&self, question: &Question, failed: Vec<String>, answer: &str) -> Unrivalled {
        let late = self.late(&question.variant);
        let has_others = self.cells(&question.variant).any(|cell| cell.end.axes.store != answer);
        match failed.is_empty() {
            _ if !late.is_empty() => Unrivalled::Late(late),
            true if has_others => Unrivalled::NoFigure,
            true if self.facts.is_of_one_store() => Unrivalled::NotAsked,
            true if self.facts.finalists.len() == 1 => Unrivalled::NotTried,
            true => Unrivalled::NobodyElseCan,
            false => Unrivalled::Failed(failed),
        }
    }

    /// Which of those that were measured the changes were not tried on: an answer to a change is one among the others alone. Nothing where no change
    /// was measured.
    pub fn not_tried(&self, asked: &Ranking) -> NotTried {
        let measured = self.facts.questions.iter().filter(|question| question.not_measured.is_none());
        let tried: BTreeSet<&str> = measured
            .flat_map(|question| self.cells(&question.variant))
            .map(|cell| cell.end.axes.store.as_str())
            .collect();
        if tried.is_empty() {
            return NotTried::default();
        }
        // Those that were dropped after a round have no place in the order.
        let dropped = self.facts.dropped.iter().map(|each| &each.store);
        let dropped = dropped.filter(|name| asked.order.iter().all(|place| place.name != **name));
        let others = asked.order.iter().map(|place| &place.name).chain(dropped).cloned();
        let others = others.filter(|name| !tried.contains(name.as_str()));
        let (beyond, others): (Vec<_>, Vec<_>) = others.partition(|name| self.facts.finalists.contains(name));
        let (level, behind) = others
            .into_iter()
            .partition(|name| asked.order.iter().any(|place| place.name == *name && !place.is_worse()));
        NotTried { beyond, level, behind }
    }
}

/// What a ranking with a rival says of the answer, which has this place in it.
fn outcome(ranking: &Ranking, place: Place, answer: &str) -> Outcome {
    if let Some(rounds) = too_few_rounds(ranking) {
        return Outcome::NotProven(rounds);
    }
    match ranking.verdict {
        Verdict::Tie | Verdict::Undecided if ranking.tied.len() > 1 && place.is_first() => Outcome::Tied(place),
        Verdict::Undecided if ranking.best == answer => Outcome::Leads,
        _ if ranking.best == answer => Outcome::Stays,
        _ if place.standing == Standing::Undecided => Outcome::Undecided(place),
        _ if place.ratio_to_best.is_some_and(|ratio| ratio.high < CLOSE) => Outcome::Hardly(place),
        _ => Outcome::Lost(place),
    }
}

/// The fewest rounds of a store, where they are too few: for a proof, or for a tie that is more than their scatter.
fn too_few_rounds(ranking: &Ranking) -> Option<usize> {
    let rounds = ranking.order.iter().map(|place| place.rounds).min().unwrap_or(0);
    let few = rounds < ROUNDS_PROOF && ranking.verdict == Verdict::Undecided;
    (few || ranking.verdict == Verdict::Unproven).then_some(rounds)
}
