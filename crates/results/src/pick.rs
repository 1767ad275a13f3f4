//! The decisions of a pick: how its stores rank after some rounds, and whether its race is answered.

use std::collections::BTreeMap;

use bakeoff_protocol::FailureKind;
use bakeoff_stats::{Better, Candidate, Place, RankOptions, Ranking, Rounds, Verdict, rank};

use crate::cell_rounds::{CellRound, failed_cells};
use crate::goal::{Goal, application, operations_of, typical};
use crate::pick_facts::PickFacts;

/// The variant of a pick's suite that is what was asked; the others say when the answer would change.
pub const PICK_ASKED: &str = "asked";

/// How sure an answer is, over all the comparisons it rests on.
pub const CONFIDENCE: f64 = 0.95;

/// The part of the time for what was asked; the rest is for what the answer depends on.
pub const PICK_ASKED_PART: f64 = 0.6;

/// What costs so many times as much as the best is far behind it: two rounds may not prove that, but they hardly err by so much.
pub const PICK_FAR_BEHIND: f64 = 4.0;

/// Stores that differ by less than this factor, for all that is known, are too close to matter.
pub const CLOSE: f64 = 1.1;

/// Rounds that a proof takes.
pub const ROUNDS_PROOF: usize = 3;

/// The ranking of a variant as an answer gives it; `None` if no store has figures there.
pub fn proven_ranking(cells: &[CellRound], variant: &str, facts: &PickFacts) -> Option<Ranking> {
    let ranking = |among| pick_ranking(cells, variant, facts.optimize, CONFIDENCE, among);
    let all = ranking(None)?;
    // The time may have ended inside the second round: what then has one, and is first or next by it, cannot be passed over.
    if all.order.iter().take(2).any(|place| place.rounds < 2) {
        return Some(all);
    }
    // Of a single round nothing can be proven: where others have more, those that have not are behind, and said to be. So are those that were
    // dropped far behind after two, which may scatter too much for a proof.
    let is_told =
        |place: &&Place| place.rounds > 1 && !(variant == PICK_ASKED && is_dropped_far(place, &all.order[0], facts));
    let told: Vec<String> = all.order.iter().filter(is_told).map(|place| place.name.clone()).collect();
    if told.len() < 2 || told.len() == all.order.len() {
        return Some(all);
    }
    ranking(Some(&told))
}

/// Whether a store was dropped before it had the rounds that a proof takes, being far behind the best.
fn is_dropped_far(place: &Place, best: &Place, facts: &PickFacts) -> bool {
    let is_dropped = facts.dropped.iter().any(|each| each.store == place.name);
    is_dropped && place.rounds < ROUNDS_PROOF && place.centre > PICK_FAR_BEHIND * best.centre
}

/// Whether a race told anything: which store is best, or that some cannot be told apart, or that one alone can do what was asked, or that
/// all others were far behind at once; and nothing where the disk was too full for one of them, which might be better than all, or the time was
/// too short for one where the goal is none of time.
pub fn pick_is_answered(cells: &[CellRound], facts: &PickFacts) -> bool {
    proven_ranking(cells, PICK_ASKED, facts).is_some_and(|ranking| is_answer(cells, &ranking, facts))
}

/// The same by the ranking of what was asked.
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

/// Whether the best, or one that is not told apart from it, had fewer rounds than a proof takes, as the time ended or was too short for more
/// of it.
pub fn is_undecided_for_few_rounds(ranking: &Ranking) -> bool {
    let mut open = ranking.order.iter().filter(|place| !place.is_worse());
    ranking.verdict == Verdict::Undecided && open.any(|place| place.rounds < ROUNDS_PROOF)
}

/// Whether nothing is proven of the best but that it had two rounds, and that whatever it is not proven to be better than was dropped early,
/// being far behind.
pub fn is_ahead_by_far(ranking: &Ranking, facts: &PickFacts) -> bool {
    let (best, others) = (&ranking.order[0], &ranking.order[1..]);
    matches!(ranking.verdict, Verdict::Unproven | Verdict::Undecided)
        && best.rounds > 1
        && others.iter().all(|place| place.is_worse() || is_dropped_far(place, best, facts))
}

/// Whether a round was not done in its part of the time.
pub fn is_late(cell: &CellRound) -> bool {
    cell.end.failure == Some(FailureKind::Timeout)
}

/// Stores of which the time was too short for a round of what was asked, where that says nothing of how good they are: whoever takes long may
/// take the least memory. None where the goal is one of time.
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

/// Whether a round failed for want of a disk to write to, which may be nothing of the store's.
pub fn is_without_room(cell: &CellRound) -> bool {
    matches!(cell.end.failure, Some(FailureKind::DiskFull | FailureKind::Medium))
}

/// The rounds of a variant of a pick's suite.
pub fn of_variant<'a>(cells: &'a [CellRound], variant: &'a str) -> impl Iterator<Item = &'a CellRound> + Clone {
    cells.iter().filter(move |cell| cell.end.axes.variant.as_deref() == Some(variant))
}

/// The costs of every round of every store in a variant of a pick's suite, by name; stores that failed there have none.
pub fn costs(cells: &[CellRound], variant: &str, cost: impl Fn(&CellRound) -> Option<f64>) -> BTreeMap<String, Rounds> {
    costs_of(&of_variant(cells, variant).collect::<Vec<_>>(), cost)
}

/// The same of these rounds, which are of one workload.
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

/// Ranks stores by a cost of each of these rounds, which are of one workload. `None` if nothing was measured.
pub(crate) fn rank_costs(
    cells: &[&CellRound],
    cost: impl Fn(&CellRound) -> Option<f64>,
    resolution: f64,
    confidence: f64,
) -> Option<Ranking> {
    let options = RankOptions { resolution, ..RankOptions::new(Better::Lower) };
    rank_among(costs_of(cells, cost), options, confidence, None)
}

/// What the rounds so far of what was asked are compared by: the goal, or the mean while it is a percentile that they are too few to tell.
pub fn goal_so_far(cells: &[CellRound], goal: Goal) -> Goal {
    let mut operations: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for cell in of_variant(cells, PICK_ASKED) {
        let of_store = operations.entry(&cell.end.axes.store).or_default();
        of_store.extend(application(cell).map(operations_of));
    }
    let most_rounds = operations.into_values().max_by_key(Vec::len).unwrap_or_default();
    if goal.is_told(&most_rounds) { goal } else { Goal::Mean }
}

/// Ranks the stores of a variant of a pick's suite by their rounds so far; those not in `among`, if that is given, are left out. `None`
/// if nothing was measured.
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

/// The same by what an operation of each kind typically takes, which other work on the machine hardly spoils in a single round.
pub fn pick_typical_ranking(cells: &[CellRound], variant: &str, among: Option<&[String]>) -> Option<Ranking> {
    rank_among(costs(cells, variant, typical), RankOptions::new(Better::Lower), CONFIDENCE, among)
}

fn rank_among(
    costs: BTreeMap<String, Rounds>,
    options: RankOptions,
    confidence: f64,
    among: Option<&[String]>,
) -> Option<Ranking> {
    let costs = costs.into_iter().filter(|(store, _)| among.is_none_or(|among| among.contains(store)));
    rank(costs.map(|(store, rounds)| Candidate::new(store, rounds)), options, confidence)
}
