//! A run under way: its tapes, its cells and its time. Which cell comes next is the matter of a mode.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_measure::Medium;
use bakeoff_protocol::{CellStatus, ResultLine};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::leaders::live_leaders;
use bakeoff_results::results_file::ResultsFile;
use bakeoff_results::warnings::warnings;
use bakeoff_suite::{Cell, WarmUpLimit, WorkloadPlan};
use bakeoff_tape::{OnProgress, Recording, Seal, TapeError, Workload};
use bakeoff_text::command_again;

use crate::cell::job::CellJob;
use crate::cell::{measurement, warm_up};
use crate::place::own_directory::OwnDirectory;
use crate::place::scratch::Scratch;
use crate::place::tree::remove_tree;
use crate::plan::setup::Setup;
use crate::surroundings::disturbance;
use crate::surroundings::interrupt::Interrupt;
use crate::surroundings::progress::Display;
use crate::timestamp::now;
use bakeoff_results::omission::{Done, Omission, Reason};
use bakeoff_results::record::{PoolRecord, RunRecord};

/// How much later than its budget a cell may end that began within it, in addition to a part of the budget. A guess may
/// be wrong, but only by a limited amount.
const LATE: Duration = Duration::from_secs(5);

/// That part.
const LATE_PART: u32 = 4;

/// Its maximum.
const LATE_MAX: Duration = Duration::from_secs(600);

/// A run under way.
pub(crate) struct RunState<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) directory: &'a OwnDirectory,
    pub(crate) file: RunRecord,
    pub(crate) results: ResultsFile,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) budget: Option<Duration>,
    pub(crate) memory_bytes_max: Option<u64>,
    pub(crate) begin: Instant,
    /// The cell that the budget cut, and how long it had gone on.
    pub(crate) cut: Option<Omission>,
    /// The tapes that were made or found, by the number of their workload in the plan.
    pub(crate) tapes: BTreeMap<usize, Rc<Tapes>>,
}

/// What the cells of a workload replay, and what drivers are warmed up with.
pub(crate) struct Tapes {
    recording: Recording,
    warm_up: Option<Recording>,
    /// Finds out if a driver changed one of their files, which all drivers share.
    seal: Seal,
}

/// File systems that update a file's times at every write, also through a mapping.
const TIMES_TELL: [&str; 6] = ["btrfs", "ext2", "ext3", "ext4", "f2fs", "xfs"];

impl Tapes {
    fn new(recording: Recording, warm_up: Option<Recording>) -> Result<Self> {
        let tells = Medium::read(&recording.pool).file_system.is_some_and(|name| TIMES_TELL.contains(&&*name));
        let files = recording.files().chain(warm_up.iter().flat_map(Recording::files));
        let seal = Seal::new(files.collect::<BTreeSet<_>>(), tells)?;
        Ok(Self { recording, warm_up, seal })
    }

    /// A file that somebody removed.
    fn missing(&self) -> Option<&Path> {
        self.seal.files().find(|file| !file.exists())
    }
}

/// What ends a cell early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellLimit {
    /// Where the time limit of a cell comes from, for people.
    pub(crate) timeout_from: &'static str,
    /// Whether a cell that was begun in the budget is abandoned when that has been over for a while.
    pub(crate) is_cut_by_budget: bool,
}

/// How it ended.
pub struct Ended {
    /// Rounds of cells, failed ones too.
    pub measured: usize,
    /// The failed ones.
    pub failed: usize,
    /// Cells that failed since the machine lacked something: they are tried again when the run is resumed.
    pub retried: usize,
    /// By the user.
    pub interrupted: bool,
}

impl RunState<'_> {
    /// Every round so far of cells that ended.
    pub(crate) fn rounds(&self) -> &[CellRound] {
        self.results.rounds()
    }

    /// Whether the user wants it to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.requested()
    }

    /// Writes the record of the run as it is now.
    pub(crate) fn write_file(&self) -> Result<()> {
        Ok(self.file.write(self.directory.path())?)
    }

    /// The part of the budget, if there is one, that is not needed to remove files put aside.
    pub(crate) fn budget_to_measure(&self) -> Option<Duration> {
        Some(self.budget?.saturating_sub(self.scratch.removal_time()))
    }

    /// The rest of it.
    pub(crate) fn budget_left(&self) -> Option<Duration> {
        Some(self.budget_to_measure()?.saturating_sub(self.begin.elapsed()))
    }

    /// Whether the user wants it, or the budget is over.
    pub(crate) fn must_stop(&self) -> bool {
        self.interrupt.requested() || self.budget_left().is_some_and(|left| left.is_zero())
    }

    /// When a cell that began within the budget is abandoned.
    fn deadline(&self) -> Option<Instant> {
        let budget = self.budget?;
        self.begin.checked_add(budget.saturating_add((budget / LATE_PART).min(LATE_MAX)).saturating_add(LATE))
    }

    /// Whether a round of a cell is not to be measured: it was, or some round of the cell failed.
    pub(crate) fn is_cell_done(&self, cell: &Cell, round: u32) -> bool {
        self.results.status(&cell.id, round).is_some() || self.results.has_failed(&cell.id)
    }

    /// Shows who leads a workload.
    pub(crate) fn show_leaders(&self, workload: usize, display: &mut Display) {
        let axes = &self.setup.plan.workloads[workload].cells[0].axes;
        display.leaders(&live_leaders(self.results.rounds(), &self.file.stores, axes));
    }

    /// Runs one round of one cell and keeps its lines. False if the user stopped it, or the budget was over long before it was done.
    pub(crate) fn cell(
        &mut self,
        workload: &WorkloadPlan,
        cell: &Cell,
        tapes: &Tapes,
        round: u32,
        limit: CellLimit,
        display: &mut Display,
    ) -> Result<bool> {
        let side = self.file.side.as_ref().map_or_else(String::new, |side| format!(" · {}", side.side.name()));
        let what = format!("{} · {} · round {round}{side}", cell.axes.store, workload);
        display.doing(&what);
        let medium = &workload.conditions.medium;
        let fresh = self.scratch.fresh(medium);
        let job = self.job(workload, cell, tapes, limit)?;
        let recording = &tapes.recording;
        let total: u64 = recording.phases.iter().map(|phase| phase.operations).sum();
        let log = format!("logs/{}-{round}.log", cell.id);
        let log_path = self.directory.path().join(&log);
        let begin = Instant::now();
        let lines = match fresh {
            Err(why) => measurement::without_medium(&job, round, log, &why),
            Ok(directory) => {
                let lines =
                    measurement::run(&job, round, directory, (&log_path, log), self.interrupt, &mut |progress| {
                        let phases = recording.phases.iter().take_while(|phase| phase.name != progress.phase);
                        let before: u64 = phases.map(|phase| phase.operations).sum();
                        let done = before.saturating_add(progress.operations).min(total);
                        let percent = done.saturating_mul(100) / total.max(1);
                        display.doing(&format!("{what}: {} {percent} %", progress.phase));
                    });
                let removed = self.scratch.removed(medium).or_else(|| tapes.missing()).map(Path::to_owned);
                self.scratch.clear(medium);
                let mut lines = lines?;
                if let (Some(removed), Some(lines)) = (removed, &mut lines) {
                    measurement::note_removed(lines, &removed);
                }
                lines
            }
        };
        let Some(lines) = lines else {
            let part = Done::PartOfCell(begin.elapsed().as_nanos() as u64);
            self.cut = Some(Omission::new(Some(cell.axes.store.clone()), what, Reason::OverBudget(part)));
            return Ok(false);
        };
        let (line, failed) = summary(&what, &lines);
        self.results.append(lines)?;
        display.done(&line, failed);
        if tapes.seal.is_broken() {
            self.discard_tapes(recording)?;
        }
        Ok(true)
    }

    /// Removes all tapes and pools after a driver changed one of them, since workloads share pools. They are recorded again when needed.
    ///
    /// # Errors
    /// The tape was imported, so it cannot be recorded again.
    fn discard_tapes(&mut self, recording: &Recording) -> Result<()> {
        if self.setup.imported.is_some() {
            let directory = recording.pool.parent().unwrap_or(&recording.pool);
            bail!("a driver has changed the imported tape {}: import it again, and resume", directory.display());
        }
        for (index, workload) in self.setup.plan.workloads.iter().enumerate() {
            self.forget_tapes(index)?;
            remove_tree(&lender(self.scratch.of_tapes()?, &workload.workload))?;
        }
        Ok(())
    }

    fn job<'b>(
        &'b self,
        workload: &'b WorkloadPlan,
        cell: &'b Cell,
        tapes: &'b Tapes,
        limit: CellLimit,
    ) -> Result<CellJob<'b>> {
        let name = &cell.axes.store;
        let driver = self.setup.driver(name)?;
        Ok(CellJob {
            workload,
            cell,
            store: self.setup.store(name)?,
            driver,
            scratch: self.scratch.of(&workload.conditions.medium)?,
            shared: self.scratch.of_tapes()?,
            recording: &tapes.recording,
            seal: Some(&tapes.seal),
            warm_up: tapes.warm_up.as_ref().map(|recording| (self.setup.suite.warm_up(), recording)),
            compacted_copy: self.setup.suite.makes_compacted_copies(),
            timeout: self.setup.suite.timeout(),
            timeout_from: limit.timeout_from,
            deadline: limit.is_cut_by_budget.then(|| self.deadline()).flatten(),
            memory_bytes_max: self.memory_bytes_max,
            groups: self.setup.groups.as_ref(),
            cut: self.setup.cut_job(workload),
            again: command_again(
                &cell.id,
                &self.directory.path().display().to_string(),
                &driver.path.display().to_string(),
            ),
        })
    }

    /// The tapes that the cells of a workload need; files that a disturbance needs are made next to them. `None` if the
    /// user stopped their recording or the budget ended on the way.
    pub(crate) fn tapes(&mut self, index: usize, display: &mut Display) -> Result<Option<Rc<Tapes>>> {
        self.scratch.restore_tapes()?;
        if let Some(tapes) = self.tapes.get(&index) {
            if tapes.missing().is_none() {
                return Ok(Some(Rc::clone(tapes)));
            }
            self.forget_tapes(index)?;
        }
        let tapes = self.make_tapes(index, display)?.map(Rc::new);
        self.tapes.extend(tapes.clone().map(|tapes| (index, tapes)));
        Ok(tapes)
    }

    /// Removes the tapes of a workload that is not measured again soon. If it is, the same tapes are recorded again.
    pub(crate) fn forget_tapes(&mut self, index: usize) -> Result<()> {
        self.tapes.remove(&index);
        remove_tree(&workload_directory(self.scratch, index)?)
    }

    fn make_tapes(&mut self, index: usize, display: &mut Display) -> Result<Option<Tapes>> {
        let workload = &self.setup.plan.workloads[index];
        disturbance::prepare(workload.conditions.disturbance, self.scratch.of_tapes()?, display, &|| !self.must_stop());
        let warms_up =
            |cell: &Cell| self.setup.driver(&cell.axes.store).is_ok_and(|driver| driver.description.warms_up);
        let wanted = self.setup.suite.warm_up() != WarmUpLimit::None && workload.cells.iter().any(warms_up);
        if let Some(imported) = &self.setup.imported {
            self.keep_pool(&workload.workload, &imported.recording)?;
            let warm_up = wanted.then(|| imported.warm_up.clone());
            return Tapes::new(imported.recording.clone(), warm_up).map(Some);
        }
        let Some(recording) = self.record(index, display)? else { return Ok(None) };
        let mut warm_up = None;
        if wanted {
            let directory = workload_directory(&*self.scratch, index)?;
            let corpus = self.setup.corpus.as_deref();
            warm_up = Some(warm_up::record(&workload.workload, &recording, &directory, corpus)?);
            self.scratch.settle(&workload.conditions.medium);
        }
        Tapes::new(recording, warm_up).map(Some)
    }

    /// The tapes of a workload: recorded when first needed, found again afterwards. `None` if the user stopped it or the budget
    /// ended on the way.
    fn record(&mut self, index: usize, display: &mut Display) -> Result<Option<Recording>> {
        let workload = &self.setup.plan.workloads[index];
        let directory = workload_directory(&*self.scratch, index)?;
        // Pools of the same data are kept once, whichever workload made them first.
        let lender = lender(self.scratch.of_tapes()?, &workload.workload);
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
            self.scratch.settle(&workload.conditions.medium);
            self.keep_pool(&workload.workload, &recording)?;
        }
        Ok(Some(recording))
    }

    /// Writes the facts about a pool into `run.json`, once.
    fn keep_pool(&mut self, workload: &Workload, recording: &Recording) -> Result<()> {
        let values = workload.tree.map(|tree| tree.values.name().to_owned());
        let pool = PoolRecord::new(workload.data.name(), values, &recording.pool_facts);
        let is_alike =
            |known: &&PoolRecord| (&known.data, &known.values, known.bytes) == (&pool.data, &pool.values, pool.bytes);
        if let Some(known) = self.file.pools.iter().find(is_alike) {
            // The checksum alone decides: ratios that were written and read again may differ in their last digit.
            if known.checksum == pool.checksum {
                return Ok(());
            }
            bail!(
                "{} values are not the same as when the run began (checksum {} then, {} now): has the --corpus changed? \
                 Their figures must not be mixed; start a new run",
                pool.data,
                known.checksum.as_deref().unwrap_or_default(),
                pool.checksum.as_deref().unwrap_or_default()
            );
        }
        self.file.pools.push(pool);
        self.write_file()
    }

    /// Finishes the records of a run that ended, with the omissions of the budget.
    pub(crate) fn end(mut self, given_up: Vec<Omission>) -> Result<Ended> {
        self.results.sync()?;
        self.file.rounds_ended = Some(self.results.ended() as u64);
        let interrupted = self.interrupt.requested();
        if !interrupted {
            self.file.given_up = given_up;
            self.file.finished.get_or_insert_with(now);
        }
        for warning in warnings(self.results.rounds()) {
            if !self.file.warnings.iter().any(|known| known.code == warning.code) {
                self.file.warnings.push(warning);
            }
        }
        self.write_file()?;
        Ok(Ended {
            measured: self.results.ended(),
            failed: self.results.failed(),
            retried: self.results.retried(),
            interrupted,
        })
    }
}

/// The directory of a pool that workloads with the same data share.
fn lender(tapes: &Path, workload: &Workload) -> PathBuf {
    tapes.join(format!("pool-of-{}", workload.pool_name()))
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
    let kind = end.failure.map_or("failed", |kind| kind.label());
    let message = end.failure_message.as_deref().unwrap_or_default();
    let again = end.failure_again.as_ref().map_or_else(String::new, |again| format!(" (again: {again})"));
    (bakeoff_text::printable(&format!("{what}: FAILED, {kind}: {message}{again}")), true)
}
