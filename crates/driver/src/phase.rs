//! One phase: the threads that replay its lanes, their common start, and what the process spent until their end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bakeoff_limits::spawn_in;
use bakeoff_measure::{Clock, DeviceId, Snapshot, wait_for_background_work};
use bakeoff_protocol::{Event, FailureKind, Mode, OpenLoop, PhaseRequest, PhaseResult, Progress};
use bakeoff_store::{Null, Session, SessionPlan, Store, StoreError};
use bakeoff_tape::{Acknowledged, LaneReader, Pool, TapeReader};

use crate::acknowledge::Acknowledging;
use crate::buffers::Buffers;
use crate::emit::Emitter;
use crate::failure::Failure;
use crate::lane::{LaneJob, LaneOutcome, fetch_first_values, replay_lane};
use crate::progress::Reporter;
use crate::steady_state::{Begin, SteadyState};
use crate::watch::explain;

/// How long a store may take to do what it put off, before nobody waits any longer.
const SETTLE_LONGEST: Duration = Duration::from_secs(60);

/// What all phases of a run share.
pub(crate) struct Stage<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) clock: &'a Clock,
    pub(crate) check: bool,
    pub(crate) device: Option<DeviceId>,
    pub(crate) rss_baseline_bytes: Option<u64>,
    pub(crate) emitter: &'a Emitter,
    /// Where to say what is acknowledged, if anywhere.
    pub(crate) acknowledged: Option<&'a Acknowledged>,
}

/// Replays a phase and returns what was measured.
pub(crate) fn run_phase(
    stage: &Stage<'_>,
    store: &dyn Store,
    request: &PhaseRequest,
    tape: &TapeReader,
    buffers: &mut [Buffers],
) -> Result<PhaseResult, Failure> {
    let steady = request.steady_within.map(|part| SteadyState::new(part, tape.facts().operations, stage.device));
    let reporter = begin_progress(stage, &request.name, tape);
    let mut lanes = lanes_of(tape)?;
    let mut begin = Begin::now(stage.device);
    if let Some(first) = lanes.first_mut() {
        // After what the snapshot reads, which takes the place of values in the processor's caches.
        fetch_first_values(first, stage.pool)?;
        rehearse(stage, request, first, buffers)?;
    }
    begin.begin_anew();
    let outcome = replay(stage, store, (request, steady.as_ref()), lanes, buffers, &reporter)?;
    let (end, after) = (Instant::now(), Snapshot::take(stage.device));
    check_unchanged(tape)?;
    let warmed_up = steady.and_then(|steady| steady.finish(outcome.warm_up_operations, begin.at));
    let (warm_up, begin) = warmed_up.map_or((None, begin), |(warm_up, begin)| (Some(warm_up), begin));
    let wall_ns = u64::try_from((end - begin.at).as_nanos()).unwrap_or(u64::MAX);
    let resources = after.resources_since(&begin.snapshot, stage.rss_baseline_bytes);
    if let Some(first) = outcome.first_wrong {
        let (wrong, checked) = (outcome.answers_wrong, outcome.answers_checked);
        return Err(Failure::new(
            FailureKind::WrongAnswer,
            format!("{wrong} of {checked} answers were wrong; the first: {first}"),
        ));
    }
    let background_work = request.settle.then(|| wait_for_background_work(SETTLE_LONGEST)).flatten();
    let timed = outcome.tallies.operations();
    Ok(PhaseResult {
        phase: request.name.clone(),
        mode: request.mode,
        threads: u32::try_from(buffers.len()).unwrap_or(u32::MAX),
        timed_ns: outcome.timed_ns,
        threads_timed_ns: Some(outcome.threads_timed_ns),
        wall_ns,
        operations: outcome.operations(&request.value_sizes),
        answers_checked: outcome.answers_checked,
        answers_wrong: outcome.answers_wrong,
        resources,
        open_loop: request.speed.map(|speed| OpenLoop { speed, due_ns: outcome.due_ns }),
        warm_up,
        reopen_ns: None,
        background_work,
        over_time: outcome.slices.finish(),
        slow: explain(outcome.slow, timed),
    })
}

/// Replays the first block of a phase's first lane into a store that does nothing. The code for a block is then in the processor's
/// caches. Fetching it took 5 to 7 us, a tenth of LMDB's load of 100 records.
fn rehearse(
    stage: &Stage<'_>,
    request: &PhaseRequest,
    lane: &LaneReader,
    buffers: &mut [Buffers],
) -> Result<(), Failure> {
    if request.speed.is_some() {
        // It would wait until its operations are due.
        return Ok(());
    }
    let Some(buffers) = buffers.get_mut(..1) else { return Ok(()) };
    let block = lane.first_block().map_err(|error| Failure::bad_tape(error.to_string()))?;
    let unchecked = Stage { check: false, acknowledged: None, ..*stage };
    replay(&unchecked, &Null, (request, None), vec![block], buffers, &Reporter::new(|_| ())).map(drop)
}

/// Replays all lanes of a tape, a thread each, the first in this one, and merges what they saw.
pub(crate) fn replay(
    stage: &Stage<'_>,
    store: &dyn Store,
    (request, steady): (&PhaseRequest, Option<&SteadyState>),
    lanes: Vec<LaneReader>,
    buffers: &mut [Buffers],
    reporter: &Reporter<'_>,
) -> Result<LaneOutcome, Failure> {
    if lanes.len() != buffers.len() {
        return Err(Failure::bad_request(format!(
            "phase `{}`: the tape has {} lanes, but hints.threads is {}",
            request.name,
            lanes.len(),
            buffers.len()
        )));
    }
    let operations = lanes.iter().map(LaneReader::operations_in_all).sum();
    let (stop, waiting) = (AtomicBool::new(false), AtomicU32::new(0));
    let threads = u32::try_from(lanes.len()).unwrap_or(u32::MAX);
    let team = Team { stage, store, request, steady, operations, reporter, stop: &stop, waiting: &waiting, threads };
    let mut work = (0..).zip(lanes).zip(buffers);
    let Some(first) = work.next() else { return Ok(LaneOutcome::default()) };
    let is_open_loop = request.speed.is_some();
    if threads == 1 {
        // Without a scope, whose code would be run, and fetched from the file, for this alone; and with nothing to merge.
        let outcome = team.replay(first)?.outcome;
        return Ok(LaneOutcome { threads_timed_ns: outcome.timed_ns, ..outcome });
    }
    std::thread::scope(|scope| {
        let team = &team;
        let started = work.map(|of_lane| spawn_in(scope, move || team.replay(of_lane)));
        let handles = started.collect::<Result<Vec<_>, _>>().map_err(|why| {
            // Those that were started wait for all.
            team.stop.store(true, Ordering::Release);
            Failure::new(FailureKind::OutOfMemory, format!("phase `{}`: {why}", request.name))
        })?;
        // As in a program with one thread: glibc gives the memory of other threads back to the kernel sooner, and fetching it again
        // would be the store's time.
        let mut outcomes = vec![team.replay(first)];
        outcomes.extend(
            handles.into_iter().map(|handle| handle.join().unwrap_or_else(|panic| Err(Failure::from_panic(&*panic)))),
        );
        merge(outcomes, is_open_loop)
    })
}

/// What came out of a lane, and when its replay began and ended.
struct LaneReplay {
    outcome: LaneOutcome,
    begin: Instant,
    end: Instant,
}

fn merge(lanes: Vec<Result<LaneReplay, Failure>>, is_open_loop: bool) -> Result<LaneOutcome, Failure> {
    let lanes = lanes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let times: Vec<_> = lanes.iter().map(|lane| (lane.begin, lane.end, lane.outcome.timed_ns)).collect();
    // In an open loop each lane's time goes from its beginning to its last answer, without what held it up, which may be more than held
    // up others.
    let longest_ns = times.iter().map(|(.., timed_ns)| *timed_ns).max().unwrap_or(0);
    let timed_ns = if is_open_loop { longest_ns } else { time_in_store_ns(&times) };
    let mut whole = LaneOutcome { timed_ns, ..LaneOutcome::default() };
    for LaneReplay { outcome, .. } in lanes {
        whole.warm_up_operations += outcome.warm_up_operations;
        whole.threads_timed_ns += outcome.timed_ns;
        whole.due_ns = whole.due_ns.max(outcome.due_ns);
        whole.answers_checked += outcome.answers_checked;
        whole.answers_wrong += outcome.answers_wrong;
        whole.first_wrong = whole.first_wrong.or(outcome.first_wrong);
        whole.tallies.merge(outcome.tallies);
        whole.slices.merge(outcome.slices);
        whole.slow.extend(outcome.slow);
    }
    Ok(whole)
}

/// The time that several threads spent in the store. Each thread gives the begin and end of its replay, and the sum of its timed regions.
/// The time runs from the first begin to the last end, less the average time outside the store. It is at least the longest sum, and at
/// most the total of all sums.
///
/// Where all run at the same time this is the longest sum. Where they take turns, as more threads than processors do, and threads
/// whose work is over before the next one wakes, it is the time of all turns.
fn time_in_store_ns(lanes: &[(Instant, Instant, u64)]) -> u64 {
    let first = lanes.iter().map(|(begin, ..)| *begin).min();
    let last = lanes.iter().map(|(_, end, _)| *end).max();
    let (Some(first), Some(last)) = (first, last) else { return 0 };
    let sums_ns = lanes.iter().map(|(.., timed_ns)| *timed_ns);
    let outside_ns: u128 =
        lanes.iter().map(|(begin, end, timed_ns)| (*end - *begin).as_nanos().saturating_sub((*timed_ns).into())).sum();
    let inside_ns = (last - first).as_nanos().saturating_sub(outside_ns / lanes.len() as u128);
    u64::try_from(inside_ns).unwrap_or(u64::MAX).clamp(sums_ns.clone().max().unwrap_or(0), sums_ns.sum())
}

/// What the threads of a phase share.
struct Team<'a> {
    stage: &'a Stage<'a>,
    store: &'a dyn Store,
    request: &'a PhaseRequest,
    steady: Option<&'a SteadyState>,
    /// Of all lanes.
    operations: u64,
    reporter: &'a Reporter<'a>,
    stop: &'a AtomicBool,
    waiting: &'a AtomicU32,
    threads: u32,
}

impl Team<'_> {
    /// Replays one lane. A panic of the store is a failure like any other, and stops the other threads.
    fn replay(&self, of_lane: ((u32, LaneReader), &mut Buffers)) -> Result<LaneReplay, Failure> {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.replay_in_session(of_lane)))
            .unwrap_or_else(|panic| Err(Failure::from_panic(&*panic)));
        if outcome.is_err() {
            self.stop.store(true, Ordering::Release);
        }
        outcome
    }

    fn replay_in_session(
        &self,
        ((lane, mut reader), buffers): ((u32, LaneReader), &mut Buffers),
    ) -> Result<LaneReplay, Failure> {
        let plan = SessionPlan { batched: self.request.batched, ascending: self.request.ascending };
        let mut outcome = None;
        let mut work = |session: &mut dyn Session| {
            self.start_together();
            let begin = Instant::now();
            let replayed = match self.stage.acknowledged {
                None => replay_lane(&self.job(), &mut reader, session, buffers),
                Some(acknowledged) => {
                    let mut session = Acknowledging::new(session, (acknowledged, lane), plan.batched);
                    replay_lane(&self.job(), &mut reader, &mut session, buffers)
                }
            };
            let end = Instant::now();
            outcome = Some(replayed.map(|outcome| {
                let begin = outcome.measured_from.unwrap_or(begin);
                LaneReplay { outcome, begin, end: end.max(begin) }
            }));
            Ok::<(), StoreError>(())
        };
        let opened = self.store.session(&plan, &mut work);
        // The replay's own error is the cause where there is one; the session's end comes after it.
        match (outcome, opened) {
            (Some(Ok(outcome)), Ok(())) => Ok(outcome),
            (Some(Err(failure)), _) => Err(failure),
            (_, Err(error)) => Err(Failure::from_store("session", &error)),
            (None, Ok(())) => {
                Err(Failure::new(FailureKind::StoreError, "the store opened no session and gave no error".to_owned()))
            }
        }
    }

    fn job(&self) -> LaneJob<'_> {
        LaneJob {
            pool: self.stage.pool,
            clock: self.stage.clock,
            mode: self.request.mode,
            speed: self.request.speed,
            value_sizes: &self.request.value_sizes,
            steady: self.steady,
            check: self.stage.check,
            watch: true,
            operations: self.operations,
            alone: self.threads == 1,
            device: self.stage.device,
            reporter: self.reporter,
            stop: self.stop,
        }
    }

    /// Waits until every thread has its session, or one has failed.
    fn start_together(&self) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        while self.waiting.load(Ordering::Acquire) < self.threads && !self.stop.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    }
}

/// Reports that a phase begins, and returns what reports its progress.
pub(crate) fn begin_progress<'a>(stage: &Stage<'a>, phase: &'a str, tape: &TapeReader) -> Reporter<'a> {
    let (emitter, operations_total) = (stage.emitter, tape.facts().operations);
    let tell = move |operations| {
        emitter.emit(&Event::Progress(Progress { phase: phase.to_owned(), operations, operations_total }));
    };
    // A phase of one block, as a scan is, ends before it could tell of it.
    tell(0);
    Reporter::new(tell)
}

/// Refuses a tape that was written to while it was replayed: what was wrong then says nothing of a store.
pub(crate) fn check_unchanged(tape: &TapeReader) -> Result<(), Failure> {
    tape.check_unchanged().map_err(|error| Failure::bad_tape(error.to_string()))
}

/// The lanes of a tape that is right.
pub(crate) fn lanes_of(tape: &TapeReader) -> Result<Vec<LaneReader>, Failure> {
    let lanes = (0..).zip(&tape.facts().lanes).map(|(lane, _)| tape.lane(lane));
    lanes.collect::<Result<_, _>>().map_err(|error| Failure::bad_tape(error.to_string()))
}

/// The final comparison as a phase; its time goes nowhere.
pub(crate) fn verify_request() -> PhaseRequest {
    PhaseRequest::new("verify", PathBuf::new(), Mode::Throughput)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::Path;

    use bakeoff_protocol::{DataHints, Durability, Settings};
    use bakeoff_store::{Direction, OpenRequest};
    use bakeoff_tape::{
        Access, Data, KeyForm, LaneNeeds, Measure, Operation, PhaseSpec, Shape, SizeRange, Workload, record,
    };

    use super::*;

    /// A store in memory that refuses to insert what is there.
    fn in_memory(directory: &Path) -> Box<dyn Store> {
        let entry = bakeoff_stores::find("faulty").unwrap();
        let settings = bakeoff_store::resolve_settings(&(entry.describe)(), &Settings::new()).unwrap();
        let (durability, hints) = (Durability::None, &DataHints::default());
        (entry.open)(&OpenRequest { directory, durability, settings: &settings, hints }).unwrap()
    }

    /// How many entries a store has.
    fn entries(store: &dyn Store) -> u64 {
        let mut entries = 0;
        let mut count = |session: &mut dyn Session| {
            session.scan(None, Direction::Forward, &mut |_, _| {
                entries += 1;
                true
            })
        };
        store.session(&SessionPlan::default(), &mut count).unwrap();
        entries
    }

    fn stage<'a>(pool: &'a Pool, clock: &'a Clock, emitter: &'a Emitter) -> Stage<'a> {
        Stage { pool, clock, check: true, device: None, rss_baseline_bytes: None, emitter, acknowledged: None }
    }

    fn inserts(records: u64, lanes: u32) -> Workload {
        let load = PhaseSpec {
            access: Access::Uniform,
            measure: Measure::Latency,
            ..PhaseSpec::new("load", [(Operation::Insert, 1.0)], None)
        };
        Workload {
            seed: 1,
            key: KeyForm::Decimal,
            key_bytes: None,
            key_bytes_max: None,
            records,
            value_bytes: SizeRange { min: 10, max: 100 }.into(),
            value_shape: Shape::Uniform,
            data: Data::Random,
            pool_bytes: 1 << 20,
            lanes,
            tree: None,
            import: None,
            phases: vec![load],
        }
    }

    #[test]
    fn what_is_rehearsed_reaches_no_store_and_is_not_counted() {
        for (records, lanes, mode) in
            [(1_000, 1, Mode::Latency), (1_000, 2, Mode::Throughput), (3, 2, Mode::Latency), (1, 2, Mode::Throughput)]
        {
            let directory = tempfile::tempdir().unwrap();
            let recording =
                record(&inserts(records, lanes), directory.path(), None, &mut |_| ControlFlow::Continue(())).unwrap();
            let (pool, clock, emitter) = (Pool::open(&recording.pool).unwrap(), Clock::new(), Emitter::new());
            let stage = stage(&pool, &clock, &emitter);
            let tape = TapeReader::open(&recording.phases[0].path).unwrap();
            tape.check().unwrap();
            let request = PhaseRequest { mode, ..verify_request() };
            let mut buffers: Vec<_> = (0..lanes).map(|_| Buffers::new(LaneNeeds::default(), 100).unwrap()).collect();
            let store = in_memory(directory.path());
            let result = run_phase(&stage, &*store, &request, &tape, &mut buffers).unwrap();
            assert_eq!(
                (entries(&*store), result.operations[0].operations),
                (records, records),
                "{lanes} lanes, {mode:?}"
            );
            assert_eq!(result.threads, lanes);
        }
    }

    /// Has the tape written to while it is replayed.
    struct Tampering<'a>(Box<dyn Store>, &'a Path);

    impl Store for Tampering<'_> {
        fn session(&self, plan: &SessionPlan, work: bakeoff_store::Work<'_>) -> Result<(), StoreError> {
            self.0.session(plan, work)?;
            // As writing does, but with no moment in which a lane that is still replayed finds it cut short.
            let tape = std::fs::File::options().write(true).open(self.1).unwrap();
            tape.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
            Ok(())
        }

        fn close(self: Box<Self>) -> Result<(), StoreError> {
            self.0.close()
        }
    }

    #[test]
    fn a_tape_that_somebody_writes_to_while_it_is_replayed_fails_the_phase() {
        for lanes in [1, 2] {
            let directory = tempfile::tempdir().unwrap();
            let recording =
                record(&inserts(100, lanes), directory.path(), None, &mut |_| ControlFlow::Continue(())).unwrap();
            let (pool, clock, emitter) = (Pool::open(&recording.pool).unwrap(), Clock::new(), Emitter::new());
            let stage = stage(&pool, &clock, &emitter);
            let tape = TapeReader::open(&recording.phases[0].path).unwrap();
            tape.check().unwrap();
            let mut buffers: Vec<_> = (0..lanes).map(|_| Buffers::new(LaneNeeds::default(), 100).unwrap()).collect();
            let store = Tampering(in_memory(directory.path()), &recording.phases[0].path);
            let failure = run_phase(&stage, &store, &verify_request(), &tape, &mut buffers).unwrap_err();
            assert_eq!(failure.kind, FailureKind::BadTape, "{}", failure.message);
        }
    }

    #[test]
    fn a_schedule_that_was_kept_is_not_exceeded_because_one_thread_was_held_up_for_longer() {
        let begin = Instant::now();
        let lane = |timed_ms: u64, wall_ms| {
            let outcome = LaneOutcome { timed_ns: timed_ms * 1_000_000, due_ns: 100_000_000, ..LaneOutcome::default() };
            Ok(LaneReplay { outcome, begin, end: begin + Duration::from_millis(wall_ms) })
        };
        let lanes = || vec![lane(100, 140), lane(100, 105)];
        assert_eq!(merge(lanes(), true).unwrap().timed_ns, 100_000_000);
        assert_eq!(merge(lanes(), false).unwrap().timed_ns, 117_500_000);
    }

    fn lane(begin: Instant, from_us: u64, to_us: u64, timed_us: u64) -> (Instant, Instant, u64) {
        let at = |us| begin + Duration::from_micros(us);
        (at(from_us), at(to_us), timed_us * 1000)
    }

    #[test]
    fn threads_that_run_together_take_their_longest_sum_and_those_that_take_turns_all_turns() {
        let begin = Instant::now();
        assert_eq!(time_in_store_ns(&[]), 0);
        assert_eq!(time_in_store_ns(&[lane(begin, 0, 1000, 700)]), 700_000);
        // Two at the same time, each a third outside.
        assert_eq!(time_in_store_ns(&[lane(begin, 0, 900, 600), lane(begin, 0, 900, 600)]), 600_000);
        // The second woke up when the first was done.
        assert_eq!(time_in_store_ns(&[lane(begin, 0, 100, 100), lane(begin, 100, 200, 100)]), 200_000);
        // One has much more to do.
        assert_eq!(time_in_store_ns(&[lane(begin, 0, 900, 900), lane(begin, 0, 100, 50)]), 900_000);
        // What is spent outside is nobody's turn.
        assert_eq!(time_in_store_ns(&[lane(begin, 0, 150, 100), lane(begin, 150, 300, 100)]), 200_000);
        assert_eq!(time_in_store_ns(&[lane(begin, 0, 500, 100), lane(begin, 400, 900, 100)]), 200_000);
    }
}
