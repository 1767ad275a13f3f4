//! The run itself: step by step, each cell and round in a driver of its own, results kept as they come.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_protocol::{CellStatus, ResultLine};
use bakeoff_suite::{Cell, WarmUpLimit, WorkloadPlan};
use bakeoff_tape::{OnProgress, Recording, TapeError, Workload};
use bakeoff_text::command_again;

use crate::engine::cell::CellJob;
use crate::engine::estimate::{FLUSHES_OF_A_WRITE, estimates};
use crate::engine::interrupt::Interrupt;
use crate::engine::progress::{Display, TimeLeft};
use crate::engine::results::Results;
use crate::engine::run_file::{PoolEntry, RunFile, WhatWhy, now};
use crate::engine::schedule::{Costs, Outlook, Step, admit, steps};
use crate::engine::scratch::Scratch;
use crate::engine::setup::Setup;
use crate::engine::{disturbance, warm_up, warnings};
use crate::files::OwnDirectory;

/// How much later than its budget a cell may end that was begun in it, beside a part of the budget: a guess may be wrong, but not by any amount.
const LATE: Duration = Duration::from_secs(5);

/// That part.
const LATE_PART: u32 = 4;

/// The most that it comes to.
const LATE_MAX: Duration = Duration::from_secs(600);

/// A run under way.
pub(crate) struct Run<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) directory: &'a OwnDirectory,
    pub(crate) file: RunFile,
    pub(crate) results: Results,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) budget: Option<Duration>,
    pub(crate) memory_bytes_max: Option<u64>,
    pub(crate) begin: Instant,
    /// The cell that the budget cut, and how long it had gone on.
    pub(crate) cut: Option<WhatWhy>,
}

/// What the cells of a workload replay, and what drivers are warmed up with.
pub(crate) struct Tapes {
    recording: Recording,
    warm_up: Option<Recording>,
}

/// How it ended.
pub(crate) struct Ended {
    /// Rounds of cells, failed ones too.
    pub(crate) measured: usize,
    /// Cells.
    pub(crate) failed: usize,
    /// By the user.
    pub(crate) interrupted: bool,
}

impl Run<'_> {
    /// Runs every step that is not done, as far as the budget goes.
    pub(crate) fn run(mut self) -> Result<Ended> {
        let workloads = &self.setup.plan.workloads;
        let counts: Vec<_> = workloads.iter().map(|workload| workload.cells.len()).collect();
        let rounds = self.setup.suite.rounds();
        let mut pending = steps(&counts, rounds, self.setup.suite.seed());
        let guesses = workloads.iter().map(|workload| estimates(self.setup, workload, FLUSHES_OF_A_WRITE));
        let mut costs = Costs::new(guesses.collect());
        let mut display = Display::new(self.setup.reporter);
        pending.retain(|step| !self.is_done(step));
        display.expect(pending.iter().map(|step| step.cells.len()).sum());
        if pending.is_empty() {
            self.setup.reporter.report("Nothing is left to measure");
        } else if self.file.finished.take().is_some() {
            self.file.given_up.clear();
            self.file.write(self.directory.path())?;
        }
        while let Some(index) = self.next(&pending, &costs) {
            let step = pending.remove(index);
            if !self.step(&step, &pending, &mut costs, &mut display)? {
                pending.push(step);
                break;
            }
        }
        display.finish();
        let given_up = self.given_up(&pending);
        self.end(given_up)
    }

    /// The next step: the first in order whose workload fits the time left.
    fn next(&self, pending: &[Step], costs: &Costs) -> Option<usize> {
        if self.interrupt.requested() {
            return None;
        }
        let Some(left) = self.budget_left() else { return (!pending.is_empty()).then_some(0) };
        let rounds = self.setup.suite.rounds();
        let outlooks: Vec<_> = (0..self.setup.plan.workloads.len())
            .map(|workload| {
                let rounds_left = pending.iter().filter(|step| step.workload == workload).count();
                let rounds_done = rounds.saturating_sub(u32::try_from(rounds_left).unwrap_or(u32::MAX));
                Outlook { round_ns: costs.predict(workload), rounds_done }
            })
            .collect();
        let admitted = admit(&outlooks, rounds, left.as_nanos() as f64);
        let fits = pending.iter().position(|step| outlooks[step.workload].rounds_done < admitted[step.workload]);
        // A guess is no reason to measure nothing.
        let shortest = || {
            let round_ns = |index: &usize| outlooks[pending[*index].workload].round_ns;
            (0..pending.len()).min_by(|a, b| round_ns(a).total_cmp(&round_ns(b)))
        };
        fits.or_else(|| self.results.lines().is_empty().then(shortest).flatten())
    }

    /// The part of the budget, if there is one, that is not needed to remove what is put aside.
    pub(crate) fn budget_to_measure(&self) -> Option<Duration> {
        Some(self.budget?.saturating_sub(self.scratch.removal_time()))
    }

    /// What is left of it.
    fn budget_left(&self) -> Option<Duration> {
        Some(self.budget_to_measure()?.saturating_sub(self.begin.elapsed()))
    }

    /// Whether the user wants it, or the budget is over.
    fn must_stop(&self) -> bool {
        self.interrupt.requested() || self.budget_left().is_some_and(|left| left.is_zero())
    }

    /// When a cell is given up. One of a race has a time limit of its own.
    fn deadline(&self) -> Option<Instant> {
        let budget = self.budget.filter(|_| self.file.pick.is_none())?;
        self.begin.checked_add(budget.saturating_add((budget / LATE_PART).min(LATE_MAX)).saturating_add(LATE))
    }

    fn is_done(&self, step: &Step) -> bool {
        self.cells(step).all(|cell| self.is_cell_done(cell, step.round))
    }

    pub(crate) fn is_cell_done(&self, cell: &Cell, round: u32) -> bool {
        self.results.status(&cell.id, round).is_some() || self.results.has_failed(&cell.id)
    }

    fn cells<'s>(&'s self, step: &'s Step) -> impl Iterator<Item = &'s Cell> {
        let workload = &self.setup.plan.workloads[step.workload];
        step.cells.iter().map(|&index| &workload.cells[index])
    }

    /// What the steps after this one will take, nanoseconds.
    fn predict_rest(&self, pending: &[Step], costs: &Costs) -> f64 {
        let of_workloads: Vec<_> = (0..self.setup.plan.workloads.len()).map(|index| costs.predict(index)).collect();
        pending.iter().map(|step| of_workloads[step.workload]).sum()
    }

    /// The time left, if so many nanoseconds are expected for a cell and for what comes later, as far as the budget goes.
    fn time_left(&self, cell_ns: f64, later_ns: f64) -> TimeLeft {
        let (now, later) = (Duration::from_nanos(cell_ns as u64), Duration::from_nanos(later_ns as u64));
        TimeLeft { now, later, most: self.budget_left() }
    }

    /// Runs the cells of a step. False if the user stopped it or the budget ended on the way.
    pub(crate) fn step(
        &mut self,
        step: &Step,
        pending: &[Step],
        costs: &mut Costs,
        display: &mut Display,
    ) -> Result<bool> {
        let setup = self.setup;
        let workload = &setup.plan.workloads[step.workload];
        let Some(tapes) = self.tapes(step.workload, display)? else { return Ok(false) };
        for (place, &index) in step.cells.iter().enumerate() {
            let cell = &workload.cells[index];
            if self.is_cell_done(cell, step.round) {
                continue;
            }
            if self.must_stop() {
                return Ok(false);
            }
            let (begin, removal) = (Instant::now(), self.scratch.removal_time());
            match (&self.file.pick, self.budget) {
                // A race goes on until it knows the answer or its time is over.
                (Some(_), Some(budget)) => {
                    display.predict(Some(budget.saturating_sub(self.begin.elapsed()).into()), true)
                }
                _ => {
                    let predict = |&cell: &usize| costs.predict_cell(step.workload, cell);
                    let here_ns = step.cells[place + 1..].iter().map(predict).sum::<f64>();
                    let later_ns = here_ns + self.predict_rest(pending, costs) + removal.as_nanos() as f64;
                    display.predict(Some(self.time_left(predict(&index), later_ns)), costs.has_seen_all());
                }
            }
            if !self.cell(workload, cell, &tapes, step.round, display)? {
                return Ok(false);
            }
            let to_remove = self.scratch.removal_time().saturating_sub(removal);
            costs.saw(step.workload, index, (begin.elapsed() + to_remove).as_nanos() as f64);
        }
        display.leaders(bakeoff_results::leaders::live_leaders(
            self.results.lines(),
            &self.file.stores,
            &workload.cells[0].axes,
        ));
        Ok(true)
    }

    /// Runs one round of one cell and keeps its lines. False if the user stopped it, or the budget was over long before it was done.
    pub(crate) fn cell(
        &mut self,
        workload: &WorkloadPlan,
        cell: &Cell,
        tapes: &Tapes,
        round: u32,
        display: &mut Display,
    ) -> Result<bool> {
        let what = format!("{} · {} · round {round}", cell.axes.store, workload);
        display.doing(&what);
        let job = self.job(workload, cell, tapes)?;
        let recording = &tapes.recording;
        let total: u64 = recording.phases.iter().map(|phase| phase.operations).sum();
        let log = format!("logs/{}-{round}.log", cell.id);
        let log_path = self.directory.path().join(&log);
        let begin = Instant::now();
        let lines = match self.scratch.fresh(&workload.medium) {
            Err(why) => job.without_medium(round, log, &why),
            Ok(directory) => {
                let lines = job.run(round, directory, (&log_path, log), self.interrupt, &mut |progress| {
                    let phases = recording.phases.iter().take_while(|phase| phase.name != progress.phase);
                    let before: u64 = phases.map(|phase| phase.operations).sum();
                    let percent = (before + progress.operations) * 100 / total.max(1);
                    display.doing(&format!("{what}: {} {percent} %", progress.phase));
                });
                self.scratch.clear(&workload.medium);
                lines?
            }
        };
        let Some(lines) = lines else {
            let took = bakeoff_text::time(begin.elapsed().as_nanos() as f64);
            self.cut = Some(WhatWhy { what, why: format!("begun, and given up after {took}: the budget was over") });
            return Ok(false);
        };
        let (line, failed) = summary(&what, &lines);
        self.results.append(lines)?;
        display.done(&line, failed);
        Ok(true)
    }

    fn job<'b>(&'b self, workload: &'b WorkloadPlan, cell: &'b Cell, tapes: &'b Tapes) -> Result<CellJob<'b>> {
        let name = &cell.axes.store;
        let driver = self.setup.driver(name)?;
        Ok(CellJob {
            workload,
            cell,
            store: self.setup.store(name)?,
            driver,
            scratch: self.scratch.of(&workload.medium)?,
            shared: self.scratch.of_tapes()?,
            recording: &tapes.recording,
            warm_up: tapes.warm_up.as_ref().map(|recording| (self.setup.suite.warm_up(), recording)),
            compacted_copy: self.setup.suite.makes_compacted_copies(),
            timeout: self.setup.suite.timeout(),
            timeout_from: if self.file.pick.is_some() { "a part of --budget" } else { "--timeout" },
            deadline: self.deadline(),
            memory_bytes_max: self.memory_bytes_max,
            groups: self.setup.groups.as_ref(),
            again: command_again(
                &std::env::current_exe().unwrap_or_else(|_| PathBuf::from("bakeoff")).display().to_string(),
                &cell.id,
                &self.directory.path().display().to_string(),
                &driver.path.display().to_string(),
            ),
        })
    }

    /// The tapes that the cells of a workload need; beside them is made what disturbs them. `None` if the user stopped their recording or the budget ended on the way.
    pub(crate) fn tapes(&mut self, index: usize, display: &mut Display) -> Result<Option<Tapes>> {
        let workload = &self.setup.plan.workloads[index];
        disturbance::prepare(workload.disturbance, self.scratch.of_tapes()?, display, &|| !self.must_stop());
        let warms_up =
            |cell: &Cell| self.setup.driver(&cell.axes.store).is_ok_and(|driver| driver.description.warms_up);
        let wanted = self.setup.suite.warm_up() != WarmUpLimit::None && workload.cells.iter().any(warms_up);
        if let Some(replayed) = &self.setup.replayed {
            self.keep_pool(&workload.workload, &replayed.recording)?;
            let warm_up = wanted.then(|| replayed.warm_up.clone());
            return Ok(Some(Tapes { recording: replayed.recording.clone(), warm_up }));
        }
        let Some(recording) = self.record(index, display)? else { return Ok(None) };
        let mut tapes = Tapes { recording, warm_up: None };
        if wanted {
            let directory = workload_directory(&*self.scratch, index)?;
            let corpus = self.setup.corpus.as_deref();
            tapes.warm_up = Some(warm_up::record(&workload.workload, &tapes.recording, &directory, corpus)?);
            self.scratch.settle(&workload.medium);
        }
        Ok(Some(tapes))
    }

    /// The tapes of a workload: recorded when first needed, found again afterwards. `None` if the user stopped it or the budget
    /// ended on the way.
    fn record(&mut self, index: usize, display: &mut Display) -> Result<Option<Recording>> {
        let workload = &self.setup.plan.workloads[index];
        let directory = workload_directory(&*self.scratch, index)?;
        // Pools of the same data are kept once, whichever workload made them first.
        let lender = self.scratch.of_tapes()?.join(format!("pool-of-{}", workload.workload.pool_name()));
        let known = directory.exists();
        if !known {
            bakeoff_tape::lend_pool(&lender, &directory)?;
        }
        let what = format!("recording tapes of {}", workload);
        let recording = record(workload, &directory, self.setup.corpus.as_deref(), &mut |progress| {
            let percent = progress.done * 100 / progress.total.max(1);
            display.doing(&format!("{what}: {} {percent} %", progress.what));
            match self.must_stop() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        let Some(recording) = recording else { return Ok(None) };
        if !known {
            bakeoff_tape::lend_pool(&directory, &lender)?;
            // Tapes must not be on their way to the disk while a store is measured.
            self.scratch.settle(&workload.medium);
            self.keep_pool(&workload.workload, &recording)?;
        }
        Ok(Some(recording))
    }

    /// Writes what is known of a pool into `run.json`, once.
    fn keep_pool(&mut self, workload: &Workload, recording: &Recording) -> Result<()> {
        let (data, values) = (workload.data.name().to_owned(), workload.tree.map(|tree| tree.values.name().to_owned()));
        let pool = PoolEntry { data, values, facts: recording.pool_facts.clone() };
        let is_alike = |known: &&PoolEntry| {
            (&known.data, &known.values, known.facts.bytes) == (&pool.data, &pool.values, pool.facts.bytes)
        };
        if let Some(known) = self.file.pools.iter().find(is_alike) {
            // The checksum alone decides: ratios that were written and read again may differ in their last digit.
            if known.facts.checksum == pool.facts.checksum {
                return Ok(());
            }
            bail!(
                "{} values are not the same as when the run began (checksum {} then, {} now): has the --corpus changed? \
                 Their figures must not be mixed; start a new run",
                pool.data,
                known.facts.checksum,
                pool.facts.checksum
            );
        }
        self.file.pools.push(pool);
        self.file.write(self.directory.path())
    }

    /// Keeps what is to be kept of a run that ended, with what the budget left out.
    pub(crate) fn end(mut self, given_up: Vec<WhatWhy>) -> Result<Ended> {
        self.results.sync()?;
        let interrupted = self.interrupt.requested();
        if !interrupted {
            self.file.given_up = given_up;
            self.file.finished.get_or_insert_with(now);
        }
        for warning in warnings::after(self.results.lines()) {
            if !self.file.warnings.iter().any(|known| known.code == warning.code) {
                self.file.warnings.push(warning);
            }
        }
        self.file.write(self.directory.path())?;
        Ok(Ended { measured: self.results.lines().len(), failed: self.results.failed(), interrupted })
    }

    /// What the budget left out, workload by workload.
    fn given_up(&self, pending: &[Step]) -> Vec<WhatWhy> {
        let rounds = self.setup.suite.rounds();
        let workloads = self.setup.plan.workloads.iter().enumerate();
        workloads
            .filter_map(|(index, workload)| {
                let left = pending.iter().filter(|step| step.workload == index).count();
                let done = (rounds as usize).saturating_sub(left);
                let has_some = |cell: &Cell| self.results.status(&cell.id, 1).is_some();
                let why = match done {
                    _ if left == 0 => return None,
                    0 if workload.cells.iter().any(has_some) => {
                        "not run for all stores: no time for it in the budget".to_owned()
                    }
                    0 => "not run: no time for it in the budget".to_owned(),
                    done => format!("{done} of {rounds} rounds: no time for more in the budget"),
                };
                Some(WhatWhy { what: workload.to_string(), why })
            })
            .chain(self.cut.clone())
            .collect()
    }
}

/// Where the tapes of a workload are.
fn workload_directory(scratch: &Scratch, index: usize) -> Result<PathBuf> {
    Ok(scratch.of_tapes()?.join(format!("workload-{index}")))
}

/// Records a workload's tapes into `directory`, or finds them there. `None` if `on_progress` stopped it.
pub(crate) fn record(
    workload: &WorkloadPlan,
    directory: &Path,
    corpus: Option<&Path>,
    on_progress: OnProgress<'_>,
) -> Result<Option<Recording>> {
    match bakeoff_tape::record(&workload.workload, directory, corpus, on_progress) {
        Ok(recording) => Ok(Some(recording)),
        Err(TapeError::Stopped) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot record the tapes of {}", workload)),
    }
}

/// One line for a person: how a cell's round went.
fn summary(what: &str, lines: &[ResultLine]) -> (String, bool) {
    let Some(ResultLine::Cell(end)) = lines.last() else { return (format!("{what}: no result"), true) };
    if end.status == CellStatus::Ok {
        return (format!("{what}: ok in {:.1} s", end.process_ns as f64 / 1e9), false);
    }
    let kind = end.failure.map_or("failed", |kind| kind.words());
    let message = end.failure_message.as_deref().unwrap_or_default();
    (bakeoff_text::printable(&format!("{what}: FAILED, {kind}: {message}")), true)
}
