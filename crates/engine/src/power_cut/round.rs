//! A round of a cell whose disk loses its power: one recording, and all cuts of it.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bakeoff_limits::spawn_in;
use bakeoff_powercut::{Base, Cut, Policy, Recording};
use bakeoff_protocol::{
    BadCut, CutCount, CutPlace, CutVerdict, Durability, Event, FailureKind, PowerCuts, Recorded, Request, ResultLine,
};
use bakeoff_results::power_cuts::is_broken;

use crate::cell::job::{CellJob, CutJob};
use crate::cell::log::Log;
use crate::cell::process::Ending;
use crate::cell::round::RoundRecord;
use crate::drivers::process::Answer;
use crate::power_cut::attempt::Outcome;
use crate::power_cut::bench::Bench;
use crate::power_cut::choice::{Task, choose, seed_of, task_of};
use crate::power_cut::grounds::formatted;
use crate::power_cut::kept;
use crate::power_cut::record::record;
use crate::power_cut::stand::Stand;
use crate::surroundings::interrupt::Interrupt;

/// Bad cuts that are described, of each place and verdict.
const DESCRIBED: usize = 5;

/// The atomic unit of nearly all disks.
const PAGE_BYTES: u64 = 4096;

/// Workers for each CPU. Stores wait while they open and close: WiredTiger for its threads, for seconds.
const WORKERS_OF_CPU: usize = 2;

/// Workers at the same time, at most. Each has a disk in memory.
const WORKERS_MAX: usize = 8;

/// Runs a round in a directory that is there and empty. `None` if the user stopped it, or the time of the run was over.
pub(crate) fn run(
    job: &CellJob<'_>,
    cut: &CutJob<'_>,
    round: u32,
    directory: &Path,
    log: (&Path, String),
    interrupt: &Interrupt,
) -> Option<Vec<ResultLine>> {
    let begin = Instant::now();
    let record = RoundRecord::new(job, round, log.1);
    let ended = run_round(job, cut, round, directory, log.0, interrupt);
    let process_ns = nanoseconds(begin.elapsed());
    match ended {
        _ if interrupt.requested() => None,
        Ok(None) => None,
        Ok(Some(Ok(cuts))) => Some(record.end_cut(cuts, process_ns)),
        Ok(Some(Err(ending))) => record.end(ending, process_ns, None),
        Err(why) => record.end(Ending::set_up(&why), process_ns, None),
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn run_round(
    job: &CellJob<'_>,
    cut: &CutJob<'_>,
    round: u32,
    directory: &Path,
    log: &Path,
    interrupt: &Interrupt,
) -> Result<Option<Result<PowerCuts, Ending>>> {
    // Logs have a directory in that of the run.
    let run = log.parent().and_then(Path::parent).context("a log without a run")?;
    let bench = Bench::new(job, cut, round, directory, interrupt)?;
    let workers = (WORKERS_OF_CPU * thread::available_parallelism().map_or(1, usize::from)).min(WORKERS_MAX);
    let stands: Vec<Stand> =
        (0..workers).map(|worker| Stand::make(&directory.join(worker.to_string()))).collect::<Result<_>>()?;
    let seed = seed_of(cut.seed, &job.cell.id, round);
    let base = Base::read(&formatted(cut.file_system)?).context("cannot read a new disk")?;
    let log = Log::open(log, false)?;
    let pressure = round.is_multiple_of(2).then_some(seed);
    let mut request = Request { directory: stands[0].store(), ..bench.request.clone() };
    let recorded_once = record(&bench, &stands[0], base, &mut request, (&log, job.timeout, pressure))?;
    let (answer, recording) = recorded_once.context("cannot mount the disk that records")?;
    if bench.must_stop() {
        return Ok(None);
    }
    if let Some(ending) = failed(&answer) {
        return Ok(Some(Err(ending)));
    }
    let recorded = recorded(&recording, pressure.is_some());
    if recorded.acknowledged != bench.history.writes() {
        let (found, expected) = (recorded.acknowledged, bench.history.writes());
        let message =
            format!("the driver acknowledged {found} writes and commits in `acknowledged`, and replayed {expected}");
        return Ok(Some(Err(Ending::Failed { kind: FailureKind::BadOutput, message })));
    }
    let begin = Instant::now();
    let tasks = choose(&recording, cut.cuts, seed);
    let Some(outcomes) = run_tasks(&bench, &stands, &recording, &tasks)? else { return Ok(None) };
    let mut cuts = tally(&tasks, &outcomes);
    for cut in &mut cuts.cuts {
        if !bench.must_stop() {
            attribute(&bench, &stands[0], &recording, &tasks, cut)?;
        }
    }
    let level = job.cell.axes.durability;
    let breaks = |bad: &BadCut| bad.place.counts() && is_broken(level, bad.verdict);
    if level.includes(Durability::Consistent) && cuts.cuts.iter().any(breaks) {
        kept::keep(&recording, run, &job.cell.id, round)?;
    }
    (cuts.file_system, cuts.seed, cuts.recorded) = (cut.file_system.name.to_owned(), format!("{seed:016x}"), recorded);
    cuts.cuts_ns = nanoseconds(begin.elapsed());
    Ok(Some(Ok(cuts)))
}

/// How the recorded driver failed, if it did.
fn failed(answer: &Answer) -> Option<Ending> {
    let failed = |kind, message: String| Some(Ending::Failed { kind, message });
    let events = match answer.events() {
        Ok(events) => events,
        Err(what) => {
            return failed(FailureKind::BadOutput, format!("while it was recorded, the driver printed {what}"));
        }
    };
    match events.into_iter().last() {
        Some(Event::Finished(_)) if answer.status.is_some_and(|status| status.success()) => None,
        Some(event @ Event::Failed { .. }) => Some(Ending::Event(event)),
        _ if answer.is_late => {
            failed(FailureKind::Timeout, format!("while it was recorded, the driver {}", answer.ending()))
        }
        _ => failed(
            FailureKind::Crash,
            format!("while it was recorded, the driver {}; its last words: {}", answer.ending(), answer.last_words()),
        ),
    }
}

fn recorded(recording: &Recording, pressure: bool) -> Recorded {
    let flushes = (0..recording.len()).filter(|at| *recording.event(*at) == bakeoff_powercut::Recorded::Flush).count();
    Recorded {
        writes: (recording.len() - flushes) as u64,
        flushes: flushes as u64,
        bytes: recording.log_bytes(),
        acknowledged: recording.acknowledged(recording.len())[1..].iter().sum(),
        pressure,
    }
}

/// Does all tasks, in any order. `None` if the user wants to stop, or the time is over.
fn run_tasks(
    bench: &Bench<'_>,
    stands: &[Stand],
    recording: &Recording,
    tasks: &[Task],
) -> Result<Option<Vec<Vec<Outcome>>>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new((0..tasks.len()).map(|_| None).collect::<Vec<_>>()));
    let work = |stand: &Stand| {
        while !bench.must_stop() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(at) else { return };
            let outcome = bench.attempt(stand, recording, task);
            let is_error = outcome.is_err();
            done.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(outcome);
            if is_error {
                next.store(tasks.len(), Ordering::Relaxed);
            }
        }
    };
    let work = &work;
    thread::scope(|scope| {
        for stand in &stands[1..] {
            // The threads are helpers: where one is refused, the others do its work.
            let _ = spawn_in(scope, move || work(stand));
        }
        work(&stands[0]);
    });
    let mut outcomes = Vec::new();
    for outcome in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        match outcome {
            Some(outcome) => outcomes.push(outcome),
            None if bench.must_stop() => return Ok(None),
            // Another task failed, and its error follows.
            None => {}
        }
    }
    outcomes.into_iter().collect::<Result<Vec<_>>>().map(Some)
}

/// Cuts the power once more in other ways, to find out what a bad cut comes from.
fn attribute(bench: &Bench<'_>, stand: &Stand, recording: &Recording, tasks: &[Task], bad: &mut BadCut) -> Result<()> {
    let task = task_of(tasks, bad.index).map(|(task, _)| task);
    let Some(Task::Cut(place, cut)) = task.filter(|_| bad.place.counts()) else { return Ok(()) };
    let again = |cut: Cut| -> Result<Option<CutVerdict>> {
        let outcomes = bench.attempt(stand, recording, &Task::Cut(*place, cut))?;
        Ok(outcomes.first().map(|outcome| outcome.judged.verdict))
    };
    bad.with_everything = again(Cut { policy: Policy::Everything, ..*cut })?;
    if cut.unit_bytes < PAGE_BYTES && cut.policy != Policy::Nothing {
        bad.with_pages = again(Cut { unit_bytes: PAGE_BYTES, ..*cut })?;
    }
    Ok(())
}

/// Counts verdicts, and describes the first bad ones.
fn tally(tasks: &[Task], outcomes: &[Vec<Outcome>]) -> PowerCuts {
    let mut cuts = PowerCuts::default();
    let mut index = 0;
    for (task, outcomes) in tasks.iter().zip(outcomes) {
        let place = match task {
            Task::Cut(place, _) => *place,
            Task::Recovery(..) => CutPlace::Recovery,
        };
        for (number, outcome) in (index..).zip(outcomes) {
            count(&mut cuts, place, outcome);
            let (verdict, unit_bytes) = (outcome.judged.verdict, outcome.cut.unit_bytes);
            let alike = cuts.cuts.iter().filter(|cut| (cut.place, cut.verdict) == (place, verdict)).count();
            if !verdict.is_kept() && alike < DESCRIBED {
                cuts.cuts.push(BadCut {
                    index: number,
                    place,
                    unit_bytes,
                    policy: outcome.cut.policy.name().to_owned(),
                    position: outcome.cut.position as u64,
                    pending: outcome.pending as u64,
                    verdict,
                    message: bakeoff_text::printable(&outcome.judged.message),
                    with_everything: None,
                    with_pages: None,
                });
            }
        }
        index += task.cuts();
    }
    cuts.counts.sort_by_key(|count| (count.place, count.unit_bytes, count.verdict));
    cuts
}

fn count(cuts: &mut PowerCuts, place: CutPlace, outcome: &Outcome) {
    let (verdict, unit_bytes) = (outcome.judged.verdict, outcome.cut.unit_bytes);
    let is_it = |count: &&mut CutCount| (count.place, count.unit_bytes, count.verdict) == (place, unit_bytes, verdict);
    match cuts.counts.iter_mut().find(is_it) {
        Some(count) => count.cuts += 1,
        None => cuts.counts.push(CutCount { place, unit_bytes, verdict, cuts: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power_cut::judge::Judged;
    use bakeoff_powercut::Flushes;

    #[test]
    fn verdicts_are_counted_by_place_and_unit_and_few_are_described() {
        let cut =
            |unit_bytes| Cut { position: 7, policy: Policy::Prefix, unit_bytes, flushes: Flushes::Obeyed, seed: 1 };
        let outcome = |unit_bytes, verdict| {
            vec![Outcome { cut: cut(unit_bytes), pending: 3, judged: Judged::new(verdict, "found\n") }]
        };
        let tasks = vec![Task::Cut(CutPlace::Random, cut(512)); 10];
        let mut outcomes: Vec<_> = (0..8).map(|_| outcome(512, CutVerdict::Lost)).collect();
        outcomes.extend([outcome(4096, CutVerdict::Lost), outcome(4096, CutVerdict::Kept)]);
        let cuts = tally(&tasks, &outcomes);
        let counts: Vec<_> = cuts.counts.iter().map(|count| (count.unit_bytes, count.verdict, count.cuts)).collect();
        assert_eq!(counts, [(512, CutVerdict::Lost, 8), (4096, CutVerdict::Kept, 1), (4096, CutVerdict::Lost, 1)]);
        assert_eq!(cuts.cuts.iter().map(|cut| cut.index).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert!(cuts.cuts.iter().all(|cut| (cut.pending, cut.policy.as_str()) == (3, "prefix")));
    }
}
