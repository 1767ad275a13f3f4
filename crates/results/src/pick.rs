//! Decisions of a pick: the ranking after some rounds, and whether the race is answered.

use std::collections::BTreeMap;

use bakeoff_protocol::FailureKind;
use bakeoff_stats::{Better, Candidate, Place, RankOptions, Ranking, Rounds, Verdict, rank};

use crate::cell_rounds::{CellRound, failed_cells};
use crate::goal::{Goal, application, operations_of};
use crate::pick_facts::PickFacts;

/// The variant of a pick's suite with the original question. The other variants show when the answer would change.
pub const PICK_ASKED: &str = "asked";

/// The confidence level of an answer, over all comparisons it rests on.
pub const CONFIDENCE: f64 = 0.95;

/// The share of the time budget for the original question. The rest is for the other variants.
pub const PICK_ASKED_PART: f64 = 0.6;

/// From this multiple of the best cost on, a store is far behind. Two rounds may not prove that, but are hardly wrong
/// by so much.
pub const PICK_FAR_BEHIND: f64 = 4.0;

/// Stores whose difference is known to be below this factor are too close to matter.
pub const CLOSE: f64 = 1.1;

/// The number of rounds that a proof needs.
pub const ROUNDS_PROOF: usize = 3;

/// The ranking of a variant for an answer. `None` if no store has figures there.
pub fn proven_ranking(cells: &[CellRound], variant: &str, facts: &PickFacts) -> Option<Ranking> {
    let ranking = |among| pick_ranking(cells, variant, facts.optimize, CONFIDENCE, among);
    let all = ranking(None)?;
    // The budget may have ended during the second round. A store with one round that is first or second must not be
    // ignored.
    if all.order.iter().take(2).any(|place| place.rounds < 2) {
        return Some(all);
    }
    // A single round proves nothing. If other stores have more rounds, stores with one round are behind and reported as
    // such. The same holds for stores that were dropped far behind after two rounds, which may vary too much for a
    // proof.
    let is_told =
        |place: &&Place| place.rounds > 1 && !(variant == PICK_ASKED && is_dropped_far(place, &all.order[0], facts));
    let told: Vec<String> = all.order.iter().filter(is_told).map(|place| place.name.clone()).collect();
    if told.len() < 2 || told.len() == all.order.len() {
        return Some(all);
    }
    ranking(Some(&told))
}

/// Whether a store was dropped far behind the best, before it had the rounds that a proof needs.
fn is_dropped_far(place: &Place, best: &Place, facts: &PickFacts) -> bool {
    let is_dropped = facts.dropped.iter().any(|each| each.store == place.name);
    is_dropped && place.rounds < ROUNDS_PROOF && place.centre > PICK_FAR_BEHIND * best.centre
}

/// Whether the ranking of the original question has an answer: the best store, a tie, the only store that can do it, or a
/// leader with all others far behind. There is no answer if the disk was too full for a store, which might be the best.
/// There is none either if a store had too little time and the goal is not a time.
pub(crate) fn is_answer(cells: &[CellRound], ranking: &Ranking, facts: &PickFacts) -> bool {
    if of_variant(cells, PICK_ASKED).any(is_without_room) || !unknown_for_time(cells, facts).is_empty() {
        return false;
    }
    match ranking.verdict {
        Verdict::Winner | Verdict::Tie => true,
        Verdict::Undecided => !is_undecided_for_few_rounds(ranking) || is_ahead_by_far(ranking, facts),
        Verdict::Alone => facts.is_of_one_store() || !facts.out_of_time,
        Verdict::Unproven => is_ahead_by_far(ranking, facts),
    }
}

/// Whether the best store, or a store undecided against it, had fewer rounds than a proof needs, for lack of time.
pub fn is_undecided_for_few_rounds(ranking: &Ranking) -> bool {
    let mut open = ranking.order.iter().filter(|place| !place.is_worse());
    ranking.verdict == Verdict::Undecided && open.any(|place| place.rounds < ROUNDS_PROOF)
}

/// Whether nothing is proven but the best has several rounds, and every store it is not proven better than was dropped
/// far behind.
pub fn is_ahead_by_far(ranking: &Ranking, facts: &PickFacts) -> bool {
    let (best, others) = (&ranking.order[0], &ranking.order[1..]);
    matches!(ranking.verdict, Verdict::Unproven | Verdict::Undecided)
        && best.rounds > 1
        && others.iter().all(|place| place.is_worse() || is_dropped_far(place, best, facts))
}

/// Whether a round exceeded its time.
pub fn is_late(cell: &CellRound) -> bool {
    cell.end.failure == Some(FailureKind::Timeout)
}

/// Stores that had too little time for a round of the original question, if that does not show how good they are: a
/// slow store may use the least memory. Empty if the goal is a time.
pub fn unknown_for_time(cells: &[CellRound], facts: &PickFacts) -> Vec<String> {
    if facts.optimize.is_of_time() {
        return Vec::new();
    }
    let asked = || of_variant(cells, PICK_ASKED);
    let is_unknown = |name: &&String| {
        let mut own = asked().filter(|cell| cell.end.axes.store == **name).peekable();
        own.peek().is_none() || own.any(is_late)
    };
    facts.raced.iter().filter(is_unknown).cloned().collect()
}

/// Whether a round failed because of the disk, which may not be the store's fault.
pub fn is_without_room(cell: &CellRound) -> bool {
    matches!(cell.end.failure, Some(FailureKind::DiskFull | FailureKind::Medium))
}

/// The rounds of a variant of a pick's suite.
pub fn of_variant<'a, 'v>(
    cells: &'a [CellRound],
    variant: &'v str,
) -> impl Iterator<Item = &'a CellRound> + Clone + use<'a, 'v> {
    cells.iter().filter(move |cell| cell.end.axes.variant.as_deref() == Some(variant))
}

/// The costs of every round of every store in a variant of a pick's suite, by name. Stores that failed there have none.
pub fn costs(cells: &[CellRound], variant: &str, cost: impl Fn(&CellRound) -> Option<f64>) -> BTreeMap<String, Rounds> {
    costs_of(&of_variant(cells, variant).collect::<Vec<_>>(), cost)
}

/// The costs by store, for rounds of the same workload.
fn costs_of(cells: &[&CellRound], cost: impl Fn(&CellRound) -> Option<f64>) -> BTreeMap<String, Rounds> {
    let failed = failed_cells(cells);
    let mut costs: BTreeMap<String, Rounds> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| !failed.contains(cell.end.cell.as_str())) {
        if let Some(cost) = cost(cell) {
            costs.entry(cell.end.axes.store.clone()).or_default().add(cell.end.round, cost);
        }
    }
    costs
}

/// Ranks stores by a cost, for rounds of the same workload. `None` if nothing was measured.
pub(crate) fn rank_costs(
    cells: &[&CellRound],
    cost: impl Fn(&CellRound) -> Option<f64>,
    resolution: f64,
    confidence: f64,
) -> Option<Ranking> {
    let options = RankOptions { resolution, ..RankOptions::new(Better::Lower) };
    rank_among(costs_of(cells, cost), options, confidence, None)
}

/// The cost that compares the rounds so far: the goal, or the mean while there are too few operations for the goal's
/// percentile.
pub fn goal_so_far(cells: &[CellRound], goal: Goal) -> Goal {
    let mut operations: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for cell in of_variant(cells, PICK_ASKED) {
        let of_store = operations.entry(&cell.end.axes.store).or_default();
        of_store.extend(application(cell).map(operations_of));
    }
    let most_rounds = operations.into_values().max_by_key(Vec::len).unwrap_or_default();
    if goal.is_told(&most_rounds) { goal } else { Goal::Mean }
}

/// Ranks the stores of a variant of a pick's suite by their rounds so far. Stores outside `among`, if given, are left
/// out. `None` if nothing was measured.
pub fn pick_ranking(
    cells: &[CellRound],
    variant: &str,
    goal: Goal,
    confidence: f64,
    among: Option<&[String]>,
) -> Option<Ranking> {
    let options = RankOptions { resolution: goal.resolution(), ..RankOptions::new(Better::Lower) };
    rank_among(costs(cells, variant, |cell| goal.cost(cell)), options, confidence, among)
}

/// Ranks stores by their costs. Stores outside `among`, if given, are left out. `None` if there are none.
pub(crate) fn rank_among(
    costs: BTreeMap<String, Rounds>,
    options: RankOptions,
    confidence: f64,
    among: Option<&[String]>,
) -> Option<Ranking> {
    let costs = costs.into_iter().filter(|(store, _)| among.is_none_or(|among| among.contains(store)));
    rank(costs.map(|(store, rounds)| Candidate::new(store, rounds)), options, confidence)
}
