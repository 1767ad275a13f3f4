//! The usual mode of a run: every round of every workload, in an order drawn by the seed, within the budget.

use std::time::Duration;

use anyhow::Result;
use bakeoff_suite::Cell;

use crate::mode::Mode;
use crate::plan::estimate::{FLUSHES_OF_A_WRITE, estimates_of_all};
use crate::plan::schedule::{Costs, Outlook, admit, steps};
use crate::plan::step::Step;
use crate::state::{Ended, RunState};
use crate::surroundings::progress::{Display, TimeLeft};
use bakeoff_results::omission::{Done, Omission, Reason};

/// A run of everything that is planned.
pub(crate) struct Run {
    /// Steps that are not measured yet, in order.
    pending: Vec<Step>,
    costs: Costs,
    /// The user or the budget ended it in the middle of a step.
    is_over: bool,
}

impl Run {
    /// Finds the steps that are still to be measured.
    ///
    /// # Errors
    /// `run.json` cannot be written.
    pub(crate) fn new(run: &mut RunState<'_>, display: &mut Display) -> Result<Self> {
        let workloads = &run.setup.plan.workloads;
        let counts: Vec<_> = workloads.iter().map(|workload| workload.cells.len()).collect();
        let costs = Costs::new(estimates_of_all(run.setup, FLUSHES_OF_A_WRITE));
        let mut pending = steps(&counts, run.setup.suite.rounds(), run.setup.suite.seed());
        pending.retain(|step| {
            let mut cells = step.cells.iter().map(|&cell| &workloads[step.workload].cells[cell]);
            !cells.all(|cell| run.is_cell_done(cell, step.round))
        });
        display.expect(pending.iter().map(|step| step.cells.len()).sum());
        if pending.is_empty() {
            run.setup.reporter.report("Nothing is left to measure");
        } else if run.file.finished.take().is_some() {
            run.file.given_up.clear();
            run.write_file()?;
        }
        Ok(Self { pending, costs, is_over: false })
    }

    /// The next step: the first in order with a workload that fits the time left.
    fn choose(&self, run: &RunState<'_>) -> Option<usize> {
        let pending = &self.pending;
        let Some(left) = run.budget_left() else { return (!pending.is_empty()).then_some(0) };
        let rounds = run.setup.suite.rounds();
        let outlooks: Vec<_> = (0..run.setup.plan.workloads.len())
            .map(|workload| {
                let rounds_left = pending.iter().filter(|step| step.workload == workload).count();
                let rounds_done = rounds.saturating_sub(u32::try_from(rounds_left).unwrap_or(u32::MAX));
                Outlook { round_ns: self.costs.predict(workload), rounds_done }
            })
            .collect();
        let admitted = admit(&outlooks, rounds, left.as_nanos() as f64);
        let fits = pending.iter().position(|step| outlooks[step.workload].rounds_done < admitted[step.workload]);
        // A guess is no reason to measure nothing.
        let shortest = || {
            let round_ns = |index: &usize| outlooks[pending[*index].workload].round_ns;
            (0..pending.len()).min_by(|a, b| round_ns(a).total_cmp(&round_ns(b)))
        };
        fits.or_else(|| run.results.rounds().is_empty().then(shortest).flatten())
    }

    /// What the steps after this one will take, nanoseconds.
    fn predict_rest(&self, workloads: usize) -> f64 {
        let of_workloads: Vec<_> = (0..workloads).map(|index| self.costs.predict(index)).collect();
        self.pending.iter().map(|step| of_workloads[step.workload]).sum()
    }

    /// What the budget left out, workload by workload.
    fn given_up(&self, run: &RunState<'_>) -> Vec<Omission> {
        let rounds = run.setup.suite.rounds();
        let workloads = run.setup.plan.workloads.iter().enumerate();
        workloads
            .filter_map(|(index, workload)| {
                let left = self.pending.iter().filter(|step| step.workload == index).count();
                let done = (rounds as usize).saturating_sub(left);
                let has_some = |cell: &Cell| run.results.status(&cell.id, 1).is_some();
                let done = match done {
                    _ if left == 0 => return None,
                    0 if workload.cells.iter().any(has_some) => Done::SomeStores,
                    0 => Done::Nothing,
                    done => Done::Rounds { done: done as u32, of: rounds },
                };
                Some(Omission::new(None, workload.to_string(), Reason::OverBudget(done)))
            })
            .chain(run.cut.clone())
            .collect()
    }
}

impl Mode for Run {
    fn next(&mut self, run: &mut RunState<'_>, _: &mut Display) -> Result<Option<Step>> {
        if self.is_over || run.is_interrupted() {
            return Ok(None);
        }
        Ok(self.choose(run).map(|index| self.pending.remove(index)))
    }

    fn before_cell(&self, run: &RunState<'_>, step: &Step, place: usize, display: &mut Display) {
        let predict = |&cell: &usize| self.costs.predict_cell(step.workload, cell);
        let here_ns = step.cells[place + 1..].iter().map(predict).sum::<f64>();
        let removal_ns = run.scratch.removal_time().as_nanos() as f64;
        let later_ns = here_ns + self.predict_rest(run.setup.plan.workloads.len()) + removal_ns;
        let (now, later) =
            (Duration::from_nanos(predict(&step.cells[place]) as u64), Duration::from_nanos(later_ns as u64));
        display.predict(Some(TimeLeft { now, later, most: run.budget_left() }), self.costs.has_seen_all());
    }

    fn after_cell(&mut self, step: &Step, cell: usize, took: Duration) {
        self.costs.saw(step.workload, cell, took.as_nanos() as f64);
    }

    fn after_step(&mut self, run: &mut RunState<'_>, step: Step, whole: bool, display: &mut Display) -> Result<()> {
        if whole {
            run.show_leaders(step.workload, display);
        } else {
            self.pending.push(step);
            self.is_over = true;
        }
        Ok(())
    }

    fn end(self: Box<Self>, run: RunState<'_>) -> Result<Ended> {
        let given_up = self.given_up(&run);
        run.end(given_up)
    }
}
