//! One round of a cell: its surroundings are made, its driver runs, and what that reports becomes result lines.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use bakeoff_protocol::{CellStatus, Crash, Event, FailureKind, Progress, Request, ResultLine};
use bakeoff_tape::Seal;

use crate::cell::claims::Refusal;
use crate::cell::cold::Gates;
use crate::cell::disk_peak::DiskPeak;
use crate::cell::job::CellJob;
use crate::cell::process::{self, Ending, Job, Left, Listener, Printed};
use crate::cell::round::RoundRecord;
use crate::explain::explained;
use crate::place::cgroup::MemoryGroup;
use crate::place::names::TEMPORARY;
use crate::place::own_directory::shown;
use crate::plan::flush::flush_ns_before_cell;
use crate::power_cut;
use crate::surroundings::disturbance::Running;
use crate::surroundings::interrupt::Interrupt;
use crate::surroundings::profile::Profiling;

/// Runs one round. `None` if the user stopped it, or the budget was over long before it was done.
pub(crate) fn run(
    job: &CellJob<'_>,
    round: u32,
    directory: PathBuf,
    log: (&Path, String),
    interrupt: &Interrupt,
    on_progress: &mut dyn FnMut(&Progress),
) -> Result<Option<Vec<ResultLine>>> {
    if let Some(cut) = &job.cut {
        return Ok(power_cut::round::run(job, cut, round, &directory, log, interrupt));
    }
    let profiling = profiling(job, round, &directory, &log);
    let profile = profiling.as_ref().and_then(Profiling::request);
    let mut request = Request { profile, ..job.request(round, directory) };
    let mut collected = RoundRecord::new(job, round, log.1);
    let mut beside = match Running::start(job.workload.conditions.disturbance, job.scratch, job.shared) {
        Ok(beside) => beside,
        Err(why) => return Ok(collected.end(Ending::disturbance(&why), 0, None)),
    };
    let is_flushed = job.store.flushes_writes(job.cell.axes.durability, &job.cell.settings);
    collected.end.flush_ns = is_flushed.then(|| flush_ns_before_cell(job.scratch)).flatten();
    let group = match memory_group(job) {
        Ok(group) => group,
        Err(why) => return Ok(collected.end(Ending::set_up(&why), 0, None)),
    };
    match Gates::put(job.phases().asked.into_iter().map(|(spec, _)| spec), &mut request) {
        Ok(gates) => collected.gates = Some(gates),
        Err(why) => return Ok(collected.end(Ending::set_up(&why), 0, None)),
    }
    let begin = Instant::now();
    let asked = Job {
        driver: &job.driver.path,
        request: &request,
        log: log.0,
        timeout: job.timeout,
        timeout_from: job.timeout_from,
        deadline: job.deadline,
        memory_bytes_max: job.memory_bytes_max,
        group: group.as_ref(),
        interrupt,
    };
    let disk_peak = DiskPeak::watch(request.directory.clone());
    let mut listener = Round { record: collected, profiling, request: &request, on_progress };
    let mut ending = process::run(&asked, &mut listener);
    if matches!(ending, Ending::Died) {
        let request = Request { phases: Vec::new(), crash: Some(Crash::Recover), ..request.clone() };
        let asked = Job { request: &request, ..asked };
        ending = process::run(&asked, &mut listener);
    }
    let Round { record: mut collected, profiling, .. } = listener;
    collected.end.disk_peak_allocated_bytes = disk_peak.end();
    let process_ns = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let ending = match beside.as_mut().map_or(Ok(()), Running::check_alive) {
        Err(why) if !matches!(ending, Ending::Interrupted) => Ending::disturbance(&why),
        _ => ending,
    };
    drop(beside);
    let ending = match job.seal.and_then(Seal::broken) {
        Some(file) if !matches!(ending, Ending::Interrupted) => {
            let what = format!("{} was changed while the driver ran, which may only read it", file.display());
            Ending::Failed { kind: FailureKind::BadOutput, message: what }
        }
        _ => ending,
    };
    collected.end.memory_peak_bytes = group.as_ref().and_then(MemoryGroup::peak_bytes);
    // A group that stays takes nothing from the measurements. `bakeoff clean` removes it.
    drop(group.map(MemoryGroup::remove));
    if !matches!(ending, Ending::Interrupted) {
        let finished = matches!(ending, Ending::Event(Event::Finished(_)));
        collected.end.profiled = profiling.map(|profiling| profiling.end(finished));
    }
    Ok(collected.end(ending, process_ns, Some(&request)))
}

/// What hears of the processes of a round.
struct Round<'a, 'b> {
    record: RoundRecord<'a>,
    profiling: Option<Profiling>,
    request: &'b Request,
    on_progress: &'b mut dyn FnMut(&Progress),
}

impl Listener for Round<'_, '_> {
    fn started(&mut self, process: u32) -> Option<u32> {
        let is_first = !self.record.recovers();
        self.record.begin_process(process, self.request);
        self.profiling.as_mut().filter(|_| is_first)?.attach(process)
    }

    fn heard(&mut self, printed: &Printed) -> Result<(), Refusal> {
        self.record.take(printed, self.request)?;
        if let Event::Progress(progress) = &printed.event {
            (self.on_progress)(progress);
        }
        Ok(())
    }

    fn ended(&mut self, rss_peak_bytes: u64) {
        self.record.end_process(rss_peak_bytes);
    }
}

/// The result of a round whose medium cannot be used any more, or has no room for a directory.
pub(crate) fn without_medium(
    job: &CellJob<'_>,
    round: u32,
    log: String,
    why: &anyhow::Error,
) -> Option<Vec<ResultLine>> {
    let is_full = Left::if_full(job.scratch, 0).is_some();
    let kind = if is_full { FailureKind::DiskFull } else { FailureKind::Medium };
    RoundRecord::new(job, round, log).end(Ending::Failed { kind, message: explained(why) }, 0, None)
}

/// Notes that something that a round needed was removed during it. If the round failed, no store is at fault, and it is
/// tried again.
pub(crate) fn note_removed(lines: &mut [ResultLine], removed: &Path) {
    if let Some(ResultLine::Cell(end)) = lines.last_mut()
        && end.status == CellStatus::Failed
    {
        let why = end.failure_message.take().unwrap_or_default();
        end.failure = Some(FailureKind::Medium);
        end.failure_message = Some(format!(
            "{} was removed meanwhile: let nothing remove directories of a run that goes on. {why}",
            shown(removed)
        ));
    }
}

/// A control group for one round, if the cell's memory is limited.
fn memory_group(job: &CellJob<'_>) -> Result<Option<MemoryGroup>> {
    let Some(bytes) = job.workload.conditions.memory_limit_bytes else { return Ok(None) };
    let groups = job.groups.with_context(|| {
        format!("the cell's memory cannot be limited here: `{} doctor` says why", bakeoff_text::program())
    })?;
    groups.create(bytes).map(Some)
}

/// How to profile one round, if it is to be profiled. Its flame graph is next to its log.
fn profiling(job: &CellJob<'_>, round: u32, directory: &Path, log: &(&Path, String)) -> Option<Profiling> {
    let kind = job.cell.axes.profile?;
    let graph = (log.0.with_extension("svg"), Path::new(&log.1).with_extension("svg").display().to_string());
    let title = format!("{} · {}", job.store.title, job.workload);
    let subtitle = format!("--profile {kind} · cell {} · round {round}", job.cell.id);
    let by_driver = job.driver.description.profiles.contains(&kind);
    Some(Profiling::new((kind, by_driver), directory.with_file_name(TEMPORARY), graph, (title, subtitle)))
}
