//! How a run decides what to measure next, and the loop that all modes share.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::plan::step::Step;
use crate::state::{CellLimit, Ended, RunState};
use crate::surroundings::progress::Display;

/// How a run decides what to measure next: all that is planned ([`Run`](crate::run)), a race, or a search for the highest rates.
pub(crate) trait Mode {
    /// The next step; `None` when nothing is left to measure, or no time for it.
    fn next(&mut self, run: &mut RunState<'_>, display: &mut Display) -> Result<Option<Step>>;

    /// Predicts the time left, before the cell at `place` of a step.
    fn before_cell(&self, run: &RunState<'_>, step: &Step, place: usize, display: &mut Display);

    /// Takes account of what a cell took, the removal of its files included.
    fn after_cell(&mut self, _step: &Step, _cell: usize, _took: Duration) {}

    /// Takes account of a step. It is `whole` unless the user stopped it or its time ended on the way.
    fn after_step(&mut self, run: &mut RunState<'_>, step: Step, whole: bool, display: &mut Display) -> Result<()>;

    /// Keeps how it went.
    fn end(self: Box<Self>, run: RunState<'_>) -> Result<Ended>;

    /// What ends a cell early.
    fn cell_limit(&self) -> CellLimit {
        CellLimit { timeout_from: "--timeout", is_cut_by_budget: true }
    }
}

/// Measures step after step, as the mode decides, and keeps how it went.
///
/// # Errors
/// Something that the run needs cannot be made, or its results cannot be written.
pub(crate) fn measure(mut run: RunState<'_>, mut mode: Box<dyn Mode>, mut display: Display) -> Result<Ended> {
    while let Some(step) = mode.next(&mut run, &mut display)? {
        let whole = measure_step(&mut run, &mut *mode, &step, &mut display)?;
        mode.after_step(&mut run, step, whole, &mut display)?;
    }
    display.finish();
    mode.end(run)
}

/// Measures the cells of a step. False if the user stopped it or the time ended on the way.
fn measure_step(run: &mut RunState<'_>, mode: &mut dyn Mode, step: &Step, display: &mut Display) -> Result<bool> {
    let setup = run.setup;
    let workload = step.replayed(&setup.plan)?;
    for (place, &index) in step.cells.iter().enumerate() {
        let cell = &workload.cells[index];
        if run.is_cell_done(cell, step.round) {
            continue;
        }
        if run.must_stop() {
            return Ok(false);
        }
        // For each cell, as the driver of the one before may have changed them.
        let Some(tapes) = run.tapes(step.workload, display)? else { return Ok(false) };
        let (begin, removal) = (Instant::now(), run.scratch.removal_time());
        mode.before_cell(run, step, place, display);
        if !run.cell(&workload, cell, &tapes, step.round, mode.cell_limit(), display)? {
            return Ok(false);
        }
        let to_remove = run.scratch.removal_time().saturating_sub(removal);
        mode.after_cell(step, index, begin.elapsed() + to_remove);
    }
    Ok(true)
}
