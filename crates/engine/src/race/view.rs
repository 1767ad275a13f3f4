//! What a race looks at in the run under way.

use std::time::Duration;

use bakeoff_protocol::Structure;
use bakeoff_results::goal::Goal;
use bakeoff_results::pick::{PICK_ASKED, pick_ranking, pick_typical_ranking};
use bakeoff_results::race::{DROP_CONFIDENCE, is_far_behind};
use bakeoff_stats::Ranking;
use bakeoff_suite::{Cell, WorkloadPlan};

use crate::plan::setup::Setup;
use crate::state::RunState;

/// The time left of a part of the budget.
pub(super) fn left_of(run: &RunState<'_>, part: f64) -> Duration {
    let budget = run.budget_to_measure().unwrap_or(Duration::MAX / 2);
    budget.mul_f64(part).saturating_sub(run.begin.elapsed())
}

pub(super) fn leaves_many_files(run: &RunState<'_>, store: &str) -> bool {
    run.setup.stores.iter().any(|each| each.name == store && each.structure == Structure::Files)
}

/// Which of some stores are far behind what is best of a ranking of what was asked, after a round: of the first by what their operations
/// typically took too.
pub(super) fn far_behind(run: &RunState<'_>, among: &[String], ranking: &Ranking, round: u32) -> Vec<String> {
    let typical = pick_typical_ranking(run.rounds(), PICK_ASKED, Some(among));
    let is_typical = |store: &str| typical.as_ref().is_some_and(|typical| is_far_behind(store, typical));
    let is_far = |store: &&String| is_far_behind(store, ranking) && (round > 1 || is_typical(store));
    among.iter().filter(is_far).cloned().collect()
}

/// The ranking by the rounds so far of all stores in a variant, or of those of these names.
pub(super) fn ranking(run: &RunState<'_>, variant: &str, goal: Goal, among: Option<&[String]>) -> Option<Ranking> {
    pick_ranking(run.rounds(), variant, goal, DROP_CONFIDENCE, among)
}

/// The cells of a variant of the plan.
pub(super) fn cells_of<'p>(setup: &'p Setup, variant: &str) -> impl Iterator<Item = &'p Cell> {
    let workloads = setup.plan.workloads.iter();
    workloads.filter(move |workload| workload.variant.as_deref() == Some(variant)).flat_map(|each| &each.cells)
}

/// The stores of some cells.
pub(super) fn names(some: &[usize], cells: &[Cell]) -> Vec<String> {
    some.iter().map(|&cell| cells[cell].axes.store.clone()).collect()
}

/// Whether a store is in a higher class than the others of its workload, as it offers no lower one.
pub(super) fn promises_more(asked: &WorkloadPlan, store: &str) -> bool {
    asked.cells.iter().any(|cell| cell.axes.store == store && cell.axes.durability > asked.conditions.durability)
}
