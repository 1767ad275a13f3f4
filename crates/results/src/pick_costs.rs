//! The costs of a pick's stores by every measure, and the advantages of the losers.

use std::collections::BTreeMap;

use bakeoff_stats::{
    Better, Candidate, CommonScatter, Interval, LogRatio, Place, RankOptions, Ranking, Rounds, Verdict, rank,
};

use crate::cell_rounds::CellRound;
use crate::goal::{Goal, application, operations_of};
use crate::pick::{CLOSE, CONFIDENCE, PICK_ASKED, costs, of_variant};
use crate::pick_facts::PickFacts;

/// A measure with the costs of every round of every store, by name.
type ByStore = (Goal, BTreeMap<String, Rounds>);

/// The costs of every store for the original question, by every measure.
pub struct PickCosts {
    by_goal: Vec<ByStore>,
    /// The number of operations of each round that ended well, by store.
    operations: BTreeMap<String, Vec<u64>>,
}

/// A cost over all rounds of a store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cost {
    /// The cost of a typical round.
    Told(f64),
    /// A percentile with too few operations.
    TooFew,
    /// No figure.
    Unknown,
}

impl PickCosts {
    /// The costs in these rounds: the usual measures, and the goal. If the goal is an additional measure, it replaces
    /// the 99.9th percentile.
    pub(crate) fn new(cells: &[CellRound], facts: &PickFacts) -> Self {
        let makes_room = |goal: Goal| goal == Goal::P999 && !facts.optimize.is_usual() && facts.optimize != Goal::P50;
        let is_shown = |goal: &Goal| *goal == facts.optimize || goal.is_usual() && !makes_room(*goal);
        let goals = Goal::ALL.into_iter().filter(is_shown);
        let by_goal = goals.map(|goal| (goal, costs(cells, PICK_ASKED, |cell| goal.cost(cell)))).collect();
        let mut operations: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for cell in of_variant(cells, PICK_ASKED).filter(|cell| cell.is_ok()) {
            let of_store = operations.entry(cell.end.axes.store.clone()).or_default();
            of_store.extend(application(cell).map(operations_of));
        }
        Self { by_goal, operations }
    }

    /// The measures, in order.
    pub fn goals(&self) -> impl Iterator<Item = Goal> {
        self.by_goal.iter().map(|(goal, _)| *goal)
    }

    /// The costs of a store, one per measure.
    pub fn of_store(&self, store: &str) -> Vec<Cost> {
        let operations = self.operations.get(store).map_or(&[][..], Vec::as_slice);
        let cost = |(goal, rounds): &ByStore| match rounds.get(store).and_then(Rounds::centre) {
            Some(centre) if goal.is_told(operations) => Cost::Told(centre),
            Some(_) => Cost::TooFew,
            None => Cost::Unknown,
        };
        self.by_goal.iter().map(cost).collect()
    }

    /// Which of these stores uses the least disk, memory and CPU time, with proof and by a relevant margin.
    pub fn least_resources(&self, stores: &[&str]) -> Vec<(Goal, String)> {
        let least = |(goal, rounds): &ByStore| {
            let candidate = |name: &&str| Some(Candidate::new(*name, rounds.get(*name)?.clone()));
            let options = RankOptions { resolution: goal.resolution(), ..RankOptions::new(Better::Lower) };
            let ranking = rank(stores.iter().filter_map(candidate), options, CONFIDENCE)?;
            let is_enough = |place: &Place| place.ratio_to_best.is_some_and(|ratio| ratio.estimate > CLOSE);
            (ranking.verdict == Verdict::Winner && is_enough(ranking.order.get(1)?))
                .then(|| (*goal, ranking.best.clone()))
        };
        let is_resource = |(goal, _): &&ByStore| matches!(goal, Goal::Space | Goal::Memory | Goal::Cpu);
        self.by_goal.iter().filter(is_resource).filter_map(least).collect()
    }

    /// For each store except the best: where it beats the best, with proof and by a relevant margin, and by how much.
    /// Stores without such an advantage are missing. All comparisons together have the confidence level of an answer.
    pub fn better_at(&self, ranking: &Ranking) -> Vec<(String, Vec<(Goal, Interval)>)> {
        let others = &ranking.order[1..];
        let comparisons = (others.len() * self.by_goal.len()).max(1);
        let confidence = 1.0 - (1.0 - CONFIDENCE) / comparisons as f64;
        let better = |store: &String| -> Vec<(Goal, Interval)> {
            let of = |(goal, rounds): &ByStore| {
                let of_best = rounds.get(&ranking.best)?;
                let ratio = |own| LogRatio::of(own, of_best);
                let all: Vec<LogRatio> = others.iter().filter_map(|place| ratio(rounds.get(&place.name)?)).collect();
                let interval = CommonScatter::of(&all).interval(&ratio(rounds.get(store)?)?, confidence)?;
                (interval.high < 1.0 && interval.estimate < 1.0 / CLOSE).then_some((*goal, interval))
            };
            self.by_goal.iter().filter_map(of).collect()
        };
        let all = others.iter().map(|place| (place.name.clone(), better(&place.name)));
        all.filter(|(_, better)| !better.is_empty()).collect()
    }
}

/// Stores with fewer rounds that were in the race at its end. They had been dropped as worse, until later rounds of the
/// best were no better.
pub fn paused(facts: &PickFacts, ranking: &Ranking) -> Vec<String> {
    let most = ranking.order.iter().map(|place| place.rounds).max().unwrap_or(0);
    let is_dropped = |name: &String| facts.dropped.iter().any(|each| each.store == *name);
    // One round less is normal if the budget ended within a round.
    let paused = ranking.order.iter().filter(|place| place.rounds + 1 < most && !is_dropped(&place.name));
    paused.map(|place| place.name.clone()).collect()
}
