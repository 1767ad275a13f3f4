//! What a race looks at in the run under way.

use std::time::Duration;

use bakeoff_protocol::Structure;
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
