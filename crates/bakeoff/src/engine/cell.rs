//! One cell, one round: a request, a driver process, result lines.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bakeoff_measure::room_bytes_if_full;
use bakeoff_protocol::{
    CellEnd, CellStatus, Crash, Event, FailureKind, PROTOCOL_VERSION, PhaseLine, PhaseResult, Progress, Request,
    ResultLine, StoreDescription, TapeFacts,
};
use bakeoff_results::plausible::impossible;
use bakeoff_suite::{Cell, WarmUpLimit, WorkloadPlan};
use bakeoff_tape::{PhaseSpec, PhaseTape, Recording};

use crate::drivers::Driver;
use crate::engine::cgroup::{MemoryGroup, MemoryGroups};
use crate::engine::child::{self, Ending, Job};
use crate::engine::disturbance::Running;
use crate::engine::interrupt::Interrupt;
use crate::engine::names::TEMPORARY;
use crate::engine::profile::Profiling;
use crate::engine::request::{Phases, data_hints, mode, phase_request, warm_up_request};
use crate::engine::run_file::now;

/// A cell with everything needed to run it.
pub(crate) struct CellJob<'a> {
    pub(crate) workload: &'a WorkloadPlan,
    pub(crate) cell: &'a Cell,
    pub(crate) store: &'a StoreDescription,
    pub(crate) driver: &'a Driver,
    /// Our directory on the medium, for what a disturbance needs.
    pub(crate) scratch: &'a Path,
    /// Where what cells share lies: tapes, and what a disturbance needs.
    pub(crate) shared: &'a Path,
    pub(crate) recording: &'a Recording,
    /// How far to warm up drivers that want it, and with what.
    pub(crate) warm_up: Option<(WarmUpLimit, &'a Recording)>,
    /// Whether stores that can make a compacted copy of themselves do.
    pub(crate) compacted_copy: bool,
    pub(crate) timeout: Duration,
    /// What the limit comes from, for people.
    pub(crate) timeout_from: &'static str,
    /// When the cell is given up, if the run has a budget.
    pub(crate) deadline: Option<Instant>,
    pub(crate) memory_bytes_max: Option<u64>,
    /// Where the cell's memory can be limited.
    pub(crate) groups: Option<&'a MemoryGroups>,
    /// The command that shows a failure again.
    pub(crate) again: String,
}

impl<'a> CellJob<'a> {
    /// The phases, sorted by what the store offers.
    fn phases(&self) -> Phases<'a> {
        Phases::of(&self.workload.workload, self.recording, &self.store.capabilities)
    }

    /// What the driver is asked, for the store's files in `directory`.
    pub(crate) fn request(&self, round: u32, directory: PathBuf) -> Request {
        Request {
            compacted_copy: self.is_copied().then(|| directory.with_file_name(TEMPORARY).join("compacted-copy")),
            protocol: PROTOCOL_VERSION,
            cell: self.cell.id.clone(),
            round,
            store: self.cell.axes.store.clone(),
            durability: self.cell.axes.durability,
            settings: self.cell.settings.clone(),
            directory,
            pool: self.recording.pool.clone(),
            hints: data_hints(&self.recording.hints, self.workload.workload.lanes),
            phases: self.phases().asked.iter().map(|(spec, tape)| phase_request(spec, tape)).collect(),
            warm_up: self.warm_up(),
            verify: self.can_list().then(|| self.recording.verify.clone()),
            crash: self.cell.axes.killed.then_some(Crash::Die),
            profile: None,
        }
    }

    /// Whether the store is asked for a compacted copy of itself.
    fn is_copied(&self) -> bool {
        self.compacted_copy && self.store.capabilities.compacted_copy && !self.cell.axes.killed
    }

    fn warm_up(&self) -> Option<bakeoff_protocol::WarmUp> {
        let (limit, recording) = self.warm_up.filter(|_| self.driver.description.warms_up)?;
        warm_up_request(limit, recording, &self.phases(), self.workload.workload.lanes)
    }

    /// Whether the store can show everything in it, so that its content can be compared at the end.
    fn can_list(&self) -> bool {
        let capabilities = &self.store.capabilities;
        capabilities.scan_any_order || capabilities.scan_ordered
    }

    /// A control group for one round, if the cell's memory is limited.
    fn memory_group(&self) -> Result<Option<MemoryGroup>> {
        let Some(bytes) = self.workload.conditions.memory_limit_bytes else { return Ok(None) };
        let groups = self.groups.context("the cell's memory cannot be limited here: `bakeoff doctor` says why")?;
        groups.create(bytes).map(Some)
    }

    /// What to do to profile one round, if it is to be: its flame graph lies beside its log.
    fn profiling(&self, round: u32, directory: &Path, log: &(&Path, String)) -> Option<Profiling> {
        let kind = self.cell.axes.profile?;
        let graph = (log.0.with_extension("svg"), Path::new(&log.1).with_extension("svg").display().to_string());
        let title = format!("{} · {}", self.store.title, self.workload);
        let subtitle = format!("--profile {kind} · cell {} · round {round}", self.cell.id);
        let by_driver = self.driver.description.profiles.contains(&kind);
        Some(Profiling::new((kind, by_driver), directory.with_file_name(TEMPORARY), graph, (title, subtitle)))
    }

    /// What becomes of a round whose medium cannot be used any more, or has no room for a directory.
    pub(crate) fn without_medium(&self, round: u32, log: String, why: &anyhow::Error) -> Option<Vec<ResultLine>> {
        let is_full = room_bytes_if_full(self.scratch, 0).is_some();
        let kind = if is_full { FailureKind::DiskFull } else { FailureKind::Medium };
        Collected::new(self, round, log).end(Ending::Failed { kind, message: format!("{why:#}") }, 0)
    }

    /// Runs one round. `None` if the user stopped it, or the budget was over long before it was done.
    pub(crate) fn run(
        &self,
        round: u32,
        directory: PathBuf,
        log: (&Path, String),
        interrupt: &Interrupt,
        on_progress: &mut dyn FnMut(&Progress),
    ) -> Result<Option<Vec<ResultLine>>> {
        let mut profiling = self.profiling(round, &directory, &log);
        let request =
            Request { profile: profiling.as_ref().and_then(Profiling::request), ..self.request(round, directory) };
        let mut collected = Collected::new(self, round, log.1);
        let mut beside = match Running::start(self.workload.conditions.disturbance, self.scratch, self.shared) {
            Ok(beside) => beside,
            Err(why) => return Ok(collected.end(Ending::disturbance(&why), 0)),
        };
        let group = self.memory_group()?;
        let begin = Instant::now();
        let job = Job {
            driver: &self.driver.path,
            request: &request,
            log: log.0,
            timeout: self.timeout,
            timeout_from: self.timeout_from,
            deadline: self.deadline,
            memory_bytes_max: self.memory_bytes_max,
            group: group.as_ref(),
            interrupt,
        };
        let mut on_start = |process| profiling.iter_mut().for_each(|profiling| profiling.attach(process));
        let mut on_event = |event| match event {
            Event::Progress(progress) => on_progress(&progress),
            event => collected.take(event),
        };
        let which = || format!("cell {}", self.cell.id);
        let mut ending = child::run(&job, &mut on_start, &mut on_event).with_context(which)?;
        if matches!(ending, Ending::Died) {
            let request = Request { phases: Vec::new(), crash: Some(Crash::Recover), ..request.clone() };
            let job = Job { request: &request, ..job };
            ending = child::run(&job, &mut |_| (), &mut on_event).with_context(which)?;
        }
        let process_ns = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let ending = match beside.as_mut().map_or(Ok(()), Running::check_alive) {
            Err(why) if !matches!(ending, Ending::Interrupted) => Ending::disturbance(&why),
            _ => ending,
        };
        drop(beside);
        collected.end.memory_peak_bytes = group.as_ref().and_then(MemoryGroup::peak_bytes);
        group.map_or(Ok(()), MemoryGroup::remove)?;
        if !matches!(ending, Ending::Interrupted) {
            let finished = matches!(ending, Ending::Event(Event::Finished(_)));
            collected.end.profiled = profiling.map(|profiling| profiling.end(finished));
        }
        Ok(collected.end(ending, process_ns))
    }
}

/// What a driver has said so far about one round of a cell.
struct Collected<'a> {
    job: &'a CellJob<'a>,
    round: u32,
    lines: Vec<ResultLine>,
    end: CellEnd,
    /// The first thing a driver reported that cannot be.
    untrue: Option<(FailureKind, String)>,
}

impl<'a> Collected<'a> {
    fn new(job: &'a CellJob<'a>, round: u32, log: String) -> Self {
        let phases = job.phases();
        let last = phases.asked.last().map(|(_, tape)| *tape);
        let end = CellEnd {
            cell: job.cell.id.clone(),
            round,
            axes: job.cell.axes.clone(),
            status: CellStatus::Failed,
            failure: None,
            failure_phase: None,
            failure_message: None,
            started: now(),
            process_ns: 0,
            memory_settings: job.cell.memory_settings.clone(),
            memory_peak_bytes: None,
            not_offered: phases.not_offered,
            opened: None,
            verified: None,
            finished: None,
            data_bytes: last.map_or(0, |tape| tape.data_bytes_after),
            records_alive: last.map_or(0, |tape| tape.records_after),
            log,
            profiled: None,
        };
        Self { job, round, lines: Vec::new(), end, untrue: None }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Opened(opened) => self.end.opened = Some(opened),
            Event::Verified(verified) => self.end.verified = Some(verified),
            Event::Phase(result) => self.take_phase(*result),
            Event::Progress(_) | Event::Dying | Event::Finished(_) | Event::Failed { .. } => {}
        }
    }

    fn take_phase(&mut self, result: PhaseResult) {
        let due = self.job.phases().asked.into_iter().nth(self.lines.len());
        let Some((spec, tape)) = due.filter(|(spec, _)| spec.name == result.phase) else {
            let due = due.map_or("no phase", |(spec, _)| &spec.name);
            let what = format!("the driver reported the phase `{}` when {due} was due", result.phase);
            self.untrue.get_or_insert((FailureKind::BadOutput, what));
            return;
        };
        if let Some(untrue) = self.untrue_of(&result, spec, tape) {
            self.untrue.get_or_insert(untrue);
        }
        self.lines.push(ResultLine::Phase(Box::new(PhaseLine {
            cell: self.end.cell.clone(),
            round: self.round,
            axes: self.end.axes.clone(),
            tape: TapeFacts {
                tape_checksum: tape.tape_checksum.clone(),
                operations: tape.operations,
                records_after: tape.records_after,
                data_bytes_after: tape.data_bytes_after,
            },
            result,
        })));
    }

    /// What a phase's counts have against them: a driver in any language is held to what its tape says.
    fn untrue_of(&self, result: &PhaseResult, spec: &PhaseSpec, tape: &PhaseTape) -> Option<(FailureKind, String)> {
        let PhaseResult { phase, answers_checked, answers_wrong, .. } = result;
        if *answers_wrong > 0 {
            let what = format!("{answers_wrong} of {answers_checked} answers were wrong in the phase `{phase}`");
            return Some((FailureKind::WrongAnswer, what));
        }
        if result.mode != mode(spec) {
            let what = format!("the driver timed the phase `{phase}` in another mode than it was asked for");
            return Some((FailureKind::BadOutput, what));
        }
        if result.warm_up.is_some() != (spec.steady_within.is_some() && tape.operations > 0) {
            let what = format!(
                "the driver said nothing of a warm-up of the phase `{phase}`, or did one that nobody asked for"
            );
            return Some((FailureKind::BadOutput, what));
        }
        let warm_up = result.warm_up.as_ref().map_or(0, |warm_up| warm_up.operations);
        let operations = result.operations.iter().fold(warm_up, |sum: u64, of| sum.saturating_add(of.operations));
        let answers = if self.job.store.capabilities.keeps_data { tape.counts.answers } else { *answers_checked };
        let counts = [
            ("threads", result.threads.into(), self.job.workload.workload.lanes.into()),
            ("timed operations", operations, tape.counts.timed_operations),
            ("answers checked", *answers_checked, answers),
        ];
        let what = match counts.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => {
                format!("the driver reported {found} {what} in the phase `{phase}`, but its tape says {expected}")
            }
            None => format!("the driver reported for the phase `{phase}` {}", impossible(result)?),
        };
        Some((FailureKind::BadOutput, what))
    }

    fn end(mut self, ending: Ending, process_ns: u64) -> Option<Vec<ResultLine>> {
        self.end.process_ns = process_ns;
        match ending {
            Ending::Interrupted => return None,
            Ending::Died => self.fail(FailureKind::BadOutput, None, "the driver died a second time"),
            Ending::Event(Event::Finished(finished)) => {
                let untrue = self.untrue.take();
                match untrue.or_else(|| self.missing().map(|what| (FailureKind::BadOutput, what))) {
                    None => {
                        self.end.status = CellStatus::Ok;
                        self.end.finished = Some(finished);
                    }
                    Some((kind, what)) => self.fail(kind, None, &what),
                }
            }
            Ending::Event(Event::Failed { kind, phase, message }) => self.fail(kind, phase, &message),
            Ending::Event(_) => self.fail(FailureKind::BadOutput, None, "the driver's last event is none"),
            Ending::Failed { kind, message } => {
                let phase = self.phase_under_way();
                self.fail(kind, phase, &message);
            }
        }
        self.lines.push(ResultLine::Cell(Box::new(self.end)));
        Some(self.lines)
    }

    /// What a driver that says it finished has not delivered.
    fn missing(&self) -> Option<String> {
        let asked = self.job.phases().asked;
        if self.lines.len() != asked.len() {
            return Some(format!("the driver finished with {} of {} phases measured", self.lines.len(), asked.len()));
        }
        if self.end.opened.is_none() {
            return Some("the driver finished without opening the store".to_owned());
        }
        if !self.job.store.capabilities.keeps_data || !self.job.can_list() {
            return None;
        }
        match &self.end.verified {
            None => Some("the driver finished without verifying the store's content".to_owned()),
            Some(verified) if verified.entries != self.end.records_alive => Some(format!(
                "the driver verified {} entries after opening the store again, but {} are alive",
                verified.entries, self.end.records_alive
            )),
            Some(verified) if verified.compacted_copy.is_some() != self.job.is_copied() => Some(
                "the driver said nothing of the compacted copy it was asked for, or made one that nobody asked for"
                    .to_owned(),
            ),
            Some(_) => None,
        }
    }

    /// None before the store was open: a virtual machine that does not start, or a warm-up, is no phase's matter.
    fn phase_under_way(&self) -> Option<String> {
        self.end.opened.as_ref()?;
        self.job.phases().asked.get(self.lines.len()).map(|(spec, _)| spec.name.clone())
    }

    fn fail(&mut self, kind: FailureKind, phase: Option<String>, message: &str) {
        self.end.status = CellStatus::Failed;
        self.end.failure = Some(kind);
        self.end.failure_phase = phase;
        self.end.failure_message = Some(format!("{message} (again: {})", self.job.again));
    }
}
