//! The outcome of a pick: its ranking, the stores without a place in it, and the resulting answer.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Durability, Leaves};
use bakeoff_stats::{Place, Ranking, Verdict};

use crate::cell_rounds::CellRound;
use crate::flush_share::{FlushShare, flush_share};
use crate::pick::{
    PICK_ASKED, is_ahead_by_far, is_answer, is_late, is_undecided_for_few_rounds, is_without_room, of_variant,
    proven_ranking, unknown_for_time,
};
use crate::pick_costs::PickCosts;
use crate::pick_facts::PickFacts;
use crate::run::Run;

/// A run of `bakeoff pick` with its question and everything derived from its rounds, each computed once.
pub struct PickOutcome<'a> {
    /// The run.
    pub run: &'a Run,
    /// The question, and the course of the race.
    pub facts: &'a PickFacts,
    asked: OnceCell<Option<Ranking>>,
    questions: OnceCell<BTreeMap<String, Option<Ranking>>>,
    costs: OnceCell<PickCosts>,
    flush_share: OnceCell<Option<FlushShare>>,
}

/// The answer that the ranking of the original question gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickAnswer {
    /// None: only one of several stores was measured. The budget ended before the others, the race was killed, or the
    /// disk was full.
    AloneByChance,
    /// One store: no other was measured to the end.
    Alone,
    /// None: the performance of some stores is unknown, as the disk was full or their time too short.
    SomeUnknown,
    /// One store: nothing is proven, but all others were far behind at once.
    AheadByFar,
    /// One store, proven.
    Winner,
    /// Several equally good stores, proven.
    Tie,
    /// One store, with others undecided against it.
    Undecided,
    /// None yet: several are undecided after fewer rounds than a proof needs.
    UndecidedForFewRounds,
    /// None yet: not every store had the rounds that a proof needs.
    Unproven,
}

impl<'a> PickOutcome<'a> {
    /// A run of a pick. Nothing is ranked yet.
    pub fn new(run: &'a Run, facts: &'a PickFacts) -> Self {
        let (asked, questions) = (OnceCell::new(), OnceCell::new());
        Self { run, facts, asked, questions, costs: OnceCell::new(), flush_share: OnceCell::new() }
    }

    /// The ranking of the original question. `None` if no store has figures.
    pub fn asked(&self) -> Option<&Ranking> {
        self.asked.get_or_init(|| proven_ranking(&self.run.cells, PICK_ASKED, self.facts)).as_ref()
    }

    /// The durability level at which a store took part, if it differs from the requested one because the store offers
    /// no lower level.
    pub fn other_level(&self, store: &str) -> Option<Durability> {
        let asked = self.facts.durability?;
        let mut cells = of_variant(&self.run.cells, PICK_ASKED).filter(|cell| cell.end.axes.store == store);
        cells.next().map(|cell| cell.end.axes.durability).filter(|level| *level != asked)
    }

    /// The ranking of a changed question's variant. `None` if no store has figures there.
    pub fn question(&self, variant: &str) -> Option<&Ranking> {
        let rankings = || {
            let ranking = |variant: &str| proven_ranking(&self.run.cells, variant, self.facts);
            let variants = self.facts.questions.iter().map(|question| &question.variant);
            variants.map(|variant| (variant.clone(), ranking(variant))).collect()
        };
        self.questions.get_or_init(rankings).get(variant)?.as_ref()
    }

    /// The costs of every store for the original question, by every measure.
    pub fn costs(&self) -> &PickCosts {
        self.costs.get_or_init(|| PickCosts::new(&self.run.cells, self.facts))
    }

    /// The share of flushes in write time for the original question. `None` if it is not most of the time.
    pub fn flush_share(&self) -> Option<&FlushShare> {
        self.flush_share.get_or_init(|| flush_share(self.run, self.cells(PICK_ASKED))).as_ref()
    }

    /// Whether the race has an answer. It has none if a store that might be the best lacked room or time.
    pub fn is_answered(&self) -> bool {
        self.asked().is_some_and(|ranking| is_answer(&self.run.cells, ranking, self.facts))
    }

    /// The answer that a ranking of the original question gives.
    pub fn answer(&self, ranking: &Ranking) -> PickAnswer {
        match ranking.verdict {
            Verdict::Alone if self.is_alone_by_chance(ranking) => PickAnswer::AloneByChance,
            Verdict::Alone => PickAnswer::Alone,
            _ if !self.without_room().is_empty() || !self.unknown_for_time().is_empty() => PickAnswer::SomeUnknown,
            _ if is_ahead_by_far(ranking, self.facts) => PickAnswer::AheadByFar,
            Verdict::Winner => PickAnswer::Winner,
            Verdict::Tie => PickAnswer::Tie,
            Verdict::Undecided if is_undecided_for_few_rounds(ranking) => PickAnswer::UndecidedForFewRounds,
            Verdict::Undecided => PickAnswer::Undecided,
            Verdict::Unproven => PickAnswer::Unproven,
        }
    }

    /// Whether only one of several stores was measured: the budget ended before the others, the race was killed, or the
    /// disk was full.
    fn is_alone_by_chance(&self, ranking: &Ranking) -> bool {
        let is_ended = self.facts.out_of_time || self.is_cut_short() || !self.without_room().is_empty();
        ranking.verdict == Verdict::Alone && !self.facts.is_of_one_store() && is_ended
    }

    /// What remains of a store after a power cut, at least, at its level in the race. `None` if its description does
    /// not state it.
    pub fn after_power_cut(&self, store: &str) -> Option<Leaves> {
        let raced = self.cells(PICK_ASKED).find(|cell| cell.end.axes.store == store)?;
        let description = self.run.store(store)?;
        Some(description.after_failure(raced.end.axes.durability)?.power_cut)
    }

    /// The rounds of a variant.
    pub fn cells<'v>(&'v self, variant: &'v str) -> impl Iterator<Item = &'v CellRound> {
        of_variant(&self.run.cells, variant)
    }

    /// Names of the stores with a failed round in this variant. None of their rounds of it count.
    pub fn failed(&self, variant: &str) -> Vec<String> {
        self.stores_with(variant, |cell| !cell.is_ok())
    }

    /// Whether a user ended it, rather than its results or its budget.
    pub fn is_cut_short(&self) -> bool {
        self.run.is_unfinished()
    }

    /// Names of the stores that exceeded their time in a variant.
    pub fn late(&self, variant: &str) -> Vec<String> {
        self.stores_with(variant, is_late)
    }

    /// Names of the stores for which the disk was full, from any cause: how good they are is unknown.
    pub fn without_room(&self) -> Vec<String> {
        self.stores_with(PICK_ASKED, is_without_room)
    }

    /// Names of the stores that had too little time, if that does not show how good they are.
    pub fn unknown_for_time(&self) -> Vec<String> {
        unknown_for_time(&self.run.cells, self.facts)
    }

    /// Names of the stores that were to race but have no measured round.
    pub fn unmeasured(&self) -> Vec<String> {
        let measured: BTreeSet<_> = self.cells(PICK_ASKED).map(|cell| &cell.end.axes.store).collect();
        self.facts.raced.iter().filter(|name| !measured.contains(name)).cloned().collect()
    }

    fn stores_with(&self, variant: &str, is_one: impl Fn(&CellRound) -> bool) -> Vec<String> {
        let stores = self.cells(variant).filter(|cell| is_one(cell)).map(|cell| &cell.end.axes.store);
        stores.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }
}

/// The rival of the best: the first store that is tied with it or undecided against it. With varying rounds this need
/// not be the second one. Otherwise the second.
pub fn rival(ranking: &Ranking) -> Option<&Place> {
    let mut others = ranking.order.iter().skip(1);
    match ranking.verdict {
        Verdict::Tie | Verdict::Undecided => others.find(|place| !place.is_worse()),
        _ => others.next(),
    }
}
