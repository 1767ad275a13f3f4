//! Whether another question would change the answer of a pick.

use std::collections::BTreeSet;

use bakeoff_protocol::FailureKind;
use bakeoff_stats::{Interval, Place, Ranking, Standing, Verdict};

use crate::pick::{CLOSE, ROUNDS_PROOF};
use crate::pick_facts::Question;
use crate::pick_outcome::{PickOutcome, rival};

/// The effect of a changed question on the answer.
#[derive(Clone, Debug)]
pub enum PickChange {
    /// Unknown: it was not measured, for this reason.
    NotMeasured(Option<String>),
    /// Unknown: these stores failed, and no other has a figure.
    Failed(Vec<String>),
    /// Unknown: the answer has no figure there.
    AnswerUnknown {
        /// The reason.
        why: Unknown,
        /// The leading store among those measured.
        leader: String,
    },
    /// Another store: the answer failed, or does not meet the changed requirements.
    AnswerLost {
        /// Whether it failed. Otherwise it does not meet the requirements.
        has_failed: bool,
        /// The ranking without it.
        ranking: Ranking,
        /// The lowest number of rounds, if it is too low for a proof.
        too_few_rounds: Option<usize>,
    },
    /// Only the answer has figures.
    Unrivalled(Unrivalled),
    /// Several have figures.
    Ranked {
        /// The ranking.
        ranking: Ranking,
        /// Names of the stores that exceeded their time: how good they are is unknown.
        late: Vec<String>,
        /// The outcome.
        outcome: Outcome,
    },
}

/// Why an answer has no figure for a changed question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It exceeded its time.
    Late,
    /// It has too few rounds.
    TooFewRounds,
}

/// Why the answer is alone for a changed question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unrivalled {
    /// Unknown: these exceeded their time.
    Late(Vec<String>),
    /// Unknown: no other store has a figure.
    NoFigure,
    /// Unknown: no other store was part of the pick.
    NotAsked,
    /// Unknown: no other store was tried.
    NotTried,
    /// The answer stays: no other leading store meets the requirements.
    NobodyElseCan,
    /// The answer stays: these failed.
    Failed(Vec<String>),
}

/// What a ranking shows about the answer to a changed question.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Too few rounds for a proof.
    NotProven(usize),
    /// It shares the first place.
    Tied(Place),
    /// It is undecided against the best.
    Undecided(Place),
    /// The answer stays.
    Stays,
    /// It leads there too, but other stores are undecided against it.
    Leads,
    /// Others lead, but too closely to matter.
    Hardly(Place),
    /// Others lead.
    Lost(Place),
}

/// What a change of the question does to the answer, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The answer is this store instead.
    Other(String),
    /// The answer stays: nothing shows another one.
    Same,
    /// Nobody knows.
    Unknown,
}

impl PickChange {
    /// What it does, in short.
    pub fn effect(&self) -> Effect {
        match self {
            Self::AnswerLost { ranking, .. } | Self::Ranked { ranking, outcome: Outcome::Lost(_), .. } => {
                Effect::Other(ranking.best.clone())
            }
            Self::Ranked {
                outcome: Outcome::Stays | Outcome::Leads | Outcome::Tied(_) | Outcome::Hardly(_), ..
            }
            | Self::Unrivalled(Unrivalled::NobodyElseCan | Unrivalled::Failed(_)) => Effect::Same,
            _ => Effect::Unknown,
        }
    }

    /// The best other store, and its cost as a multiple of the answer's: below 1 it is better. `None` without an
    /// interval.
    pub fn margin(&self, answer: &str) -> Option<(&str, Interval)> {
        let Self::Ranked { ranking, .. } = self else { return None };
        if ranking.best == answer {
            let next = rival(ranking)?;
            return Some((&next.name, next.ratio_to_best?));
        }
        let own = ranking.order.iter().find(|place| place.name == answer)?;
        Some((&ranking.best, own.ratio_to_best?.recip()))
    }
}

/// Stores with which no changed question was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotTried {
    /// Chosen to be tried, but they do not meet the requirements of any measured change.
    pub beyond: Vec<String>,
    /// Stores that are tied with the first or undecided against it.
    pub level: Vec<String>,
    /// Stores that are further behind.
    pub behind: Vec<String>,
}

impl PickOutcome<'_> {
    /// The effect of a changed question on the answer, which is the best of `asked`, the original ranking.
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

    /// The effect of a change for which the answer has no figure.
    fn without_answer(&self, answer: &String, question: &Question, ranking: Ranking, failed: &[String]) -> PickChange {
        let own = || self.cells(&question.variant).filter(|cell| cell.end.axes.store == *answer);
        let has_failed = failed.contains(answer);
        // How good it is there is unknown.
        let unknown = match own().any(|cell| cell.end.failure == Some(FailureKind::Timeout)) {
            true => Some(Unknown::Late),
            false => (!has_failed && own().next().is_some()).then_some(Unknown::TooFewRounds),
        };
        match unknown {
            Some(why) => PickChange::AnswerUnknown { why, leader: ranking.best },
            None => PickChange::AnswerLost { has_failed, too_few_rounds: too_few_rounds(&ranking), ranking },
        }
    }

    /// The effect of a change for which only the answer has figures. The answer stays only if the others cannot do it,
    /// or failed for reasons other than time.
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

    /// The measured stores with which no changed question was tried. An answer to a change is valid only among the
    /// tried stores. Empty if no change was measured.
    pub fn not_tried(&self, asked: &Ranking) -> NotTried {
        let measured = self.facts.questions.iter().filter(|question| question.not_measured.is_none());
        let tried: BTreeSet<&str> = measured
            .flat_map(|question| self.cells(&question.variant))
            .map(|cell| cell.end.axes.store.as_str())
            .collect();
        if tried.is_empty() {
            return NotTried::default();
        }
        // Stores that were dropped after one round are not in the order.
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

/// The outcome of a ranking with a rival. The answer has this place in it.
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

/// The lowest number of rounds of a store, if it is too low for a proof, or for a tie that is more than variation.
fn too_few_rounds(ranking: &Ranking) -> Option<usize> {
    let rounds = ranking.order.iter().map(|place| place.rounds).min().unwrap_or(0);
    let few = rounds < ROUNDS_PROOF && ranking.verdict == Verdict::Undecided;
    (few || ranking.verdict == Verdict::Unproven).then_some(rounds)
}
