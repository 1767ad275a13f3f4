//! The replay loop: one thread, one lane of one tape, one session.
//!
//! A block is read, its operations are done under the clock with their answers kept, and then, outside the clock, the
//! answers are checked and the times recorded. The loop is the same for every store.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bakeoff_measure::{Clock, DeviceId};
use bakeoff_protocol::{Mode, OperationResult, ValueSizeRange};
use bakeoff_store::{Direction, Session, StoreError};
use bakeoff_tape::{Block, Consumer, LaneReader, Operation, Pool, Record, Scan, ScanFields, consume};
use bakeoff_tree::Walk;

use crate::answers::{Answer, CheckedAnswer, Visit, describe_wrong, judge, printable};
use crate::buffers::Buffers;
use crate::failure::Failure;
use crate::pace::Pace;
use crate::progress::Reporter;
use crate::steady_state::SteadyState;
use crate::tally::{Row, Tallies};
use crate::timeline::Slices;
use crate::walk;
use crate::watch::{Slow, Watch};

/// What the times of a block are: of each operation; of each from when it was due; of the whole.
const EACH: u8 = 0;
const WHEN_DUE: u8 = 1;
const WHOLE: u8 = 2;

/// Blocks whose values are fetched before a phase begins: more of them would not stay in a processor's cache.
const FETCHED_BLOCKS: usize = 16;

/// What a lane is replayed with.
pub struct LaneJob<'a> {
    /// Where values lie.
    pub pool: &'a Pool,
    /// The clock.
    pub clock: &'a Clock,
    /// How to take time.
    pub mode: Mode,
    /// In latency mode: begin operations at the tape's times divided by this.
    pub speed: Option<f64>,
    /// In latency mode: the ranges of value sizes whose latencies are kept apart.
    pub value_sizes: &'a [ValueSizeRange],
    /// Until when operations are a warm-up, if any are.
    pub steady: Option<&'a SteadyState>,
    /// Whether answers are compared: not for a store that keeps nothing.
    pub check: bool,
    /// Whether slow operations are explained: always, but where the cost of that is measured.
    pub watch: bool,
    /// Operations of all lanes of the phase.
    pub operations: u64,
    /// Whether no other thread replays the phase.
    pub alone: bool,
    /// The disk that the store lies on, if it lies on one.
    pub device: Option<DeviceId>,
    /// Tells how far all threads are.
    pub reporter: &'a Reporter<'a>,
    /// Set when another thread has failed.
    pub stop: &'a AtomicBool,
}

/// What came out of a lane.
#[derive(Default)]
pub struct LaneOutcome {
    /// Sum of the timed regions, nanoseconds; of several lanes together the time in which some of them were in the store.
    pub timed_ns: u64,
    /// Of several lanes together: the sum of all.
    pub(crate) threads_timed_ns: u64,
    /// In an open loop: when the last operation was due, from the beginning.
    pub(crate) due_ns: u64,
    /// Timed operations of a warm-up, which are in no other figure but the answers', and when it was over.
    pub(crate) warm_up_operations: u64,
    pub(crate) measured_from: Option<Instant>,
    /// Answers compared.
    pub answers_checked: u64,
    /// Answers that differed.
    pub answers_wrong: u64,
    /// The first of them, in words.
    pub first_wrong: Option<String>,
    pub(crate) tallies: Tallies,
    pub(crate) slices: Slices,
    pub(crate) slow: Vec<Slow>,
}

impl LaneOutcome {
    /// What was measured, by kind of operation, and of each by these sizes of values.
    pub fn operations(&self, value_sizes: &[ValueSizeRange]) -> Vec<OperationResult> {
        self.tallies.results(self.threads_timed_ns, value_sizes)
    }

    /// Entries that all operations delivered or wrote.
    pub(crate) fn entries(&self) -> u64 {
        self.tallies.entries()
    }

    /// What was replayed up to now was a warm-up: of it, only its answers count.
    fn begin_anew(&mut self) {
        *self = Self {
            warm_up_operations: self.warm_up_operations + self.tallies.operations(),
            measured_from: Some(Instant::now()),
            answers_checked: self.answers_checked,
            answers_wrong: self.answers_wrong,
            first_wrong: self.first_wrong.take(),
            ..Self::default()
        };
    }

    /// Timed operations up to now, and the time they took.
    fn timed(&self) -> (u64, u64) {
        (self.tallies.operations(), self.timed_ns)
    }
}

/// Replays `lane` into `session`.
///
/// # Errors
/// The first error of the store, with the operation and the key; or a tape that cannot be read.
pub fn replay_lane(
    job: &LaneJob<'_>,
    lane: &mut LaneReader,
    session: &mut dyn Session,
    buffers: &mut Buffers,
) -> Result<LaneOutcome, Failure> {
    let mut outcome = LaneOutcome::default();
    let mut writes = true;
    let mut warms_up = job.steady.is_some();
    let mut watch = new_watch(job, buffers);
    let mut pace = job.speed.map(|speed| Pace::new(job.clock, speed, job.alone));
    while let Some(block) = lane.next_block().map_err(|error| Failure::bad_tape(error.to_string()))? {
        if job.stop.load(Ordering::Relaxed) {
            break;
        }
        if warms_up && !job.steady.is_some_and(|steady| steady.claims(block.operations().into())) {
            warms_up = false;
            outcome.begin_anew();
            watch = new_watch(job, buffers);
        }
        let before = outcome.timed();
        buffers.output.clear();
        buffers.answers.clear();
        buffers.visits.clear();
        buffers.times.clear();
        if writes {
            touch_values(&block, job.pool);
        }
        let begin_ns = watch.begin_block();
        writes = match (job.mode, &mut pace) {
            (Mode::Latency, None) => {
                timed_each(job, &block, session, buffers, &mut watch)?;
                settle::<EACH>(job, &block, buffers, begin_ns, &mut outcome)
            }
            (Mode::Latency, Some(pace)) => {
                timed_when_due(job, &block, session, buffers, (&mut watch, pace))?;
                settle::<WHEN_DUE>(job, &block, buffers, begin_ns, &mut outcome)
            }
            (Mode::Throughput, _) => {
                outcome.timed_ns += timed_whole(job, &block, session, buffers)?;
                settle::<WHOLE>(job, &block, buffers, begin_ns, &mut outcome)
            }
        };
        if let Some(steady) = job.steady.filter(|_| warms_up) {
            let (operations, timed_ns) = outcome.timed();
            steady.add(operations - before.0, timed_ns - before.1);
        }
        job.reporter.add(block.operations());
    }
    if warms_up {
        // Other lanes had more to do.
        outcome.begin_anew();
    }
    outcome.slow.extend(buffers.slow.drain());
    if let Some(pace) = pace {
        (outcome.timed_ns, outcome.due_ns) = (pace.taken_ns(), pace.due_ns());
    }
    Ok(outcome)
}

/// A watch that begins now, with no slow operation seen. Where blocks are timed as a whole there is no operation to look at.
fn new_watch<'a>(job: &LaneJob<'a>, buffers: &mut Buffers) -> Watch<'a> {
    buffers.slow.clear();
    if job.watch && job.mode == Mode::Latency {
        Watch::new(job.clock, job.operations, job.alone, job.device)
    } else {
        Watch::blind(job.clock)
    }
}

/// Brings what a phase begins with to where a program that made it has it: the first of the lane's values, and its blocks. For the
/// first of many operations that changes nothing; in a short load it is most of what we would spend.
pub(crate) fn fetch_first_values(lane: &mut LaneReader, pool: &Pool) -> Result<(), Failure> {
    for _ in 0..FETCHED_BLOCKS {
        let Some(block) = lane.next_block().map_err(|error| Failure::bad_tape(error.to_string()))? else { break };
        touch_values(&block, pool);
    }
    lane.rewind();
    Ok(())
}

/// Reads a byte of every page of the values a block writes, so that no page of the pool is fetched inside the clock.
fn touch_values(block: &Block<'_>, pool: &Pool) {
    for record in block.records().filter(|record| record.operation.writes()) {
        if let Some(value) = pool.slice(record.value_offset, record.value_bytes) {
            value.iter().step_by(4096).chain(value.last()).for_each(|byte| {
                black_box(*byte);
            });
        }
    }
}

/// Latency mode: two clock readings around each call.
fn timed_each(
    job: &LaneJob<'_>,
    block: &Block<'_>,
    session: &mut dyn Session,
    buffers: &mut Buffers,
    watch: &mut Watch<'_>,
) -> Result<(), Failure> {
    for record in block.records() {
        let begin = job.clock.now();
        let done = perform(&record, job.pool, session, buffers);
        let end = job.clock.now();
        let found = done.map_err(|error| store_failure(block, buffers, &error))?;
        buffers.answers.push(Answer { output_end: buffers.output.len(), found });
        let time_ns = job.clock.ns(begin, end);
        buffers.times.push(time_ns);
        if watch.wants(time_ns, end) {
            watch.look(record.operation, !record.untimed(), (begin, time_ns), &mut buffers.slow);
        }
    }
    Ok(())
}

/// Latency mode in an open loop. Each call begins when it is due, or later if the call before it has not ended. Its time counts from when
/// it was due. The cause of a slow call is looked for in the call itself.
fn timed_when_due(
    job: &LaneJob<'_>,
    block: &Block<'_>,
    session: &mut dyn Session,
    buffers: &mut Buffers,
    (watch, pace): (&mut Watch<'_>, &mut Pace<'_>),
) -> Result<(), Failure> {
    for record in block.records() {
        let (from, begin) = pace.await_due(record.due_ns);
        let done = perform(&record, job.pool, session, buffers);
        let end = job.clock.now();
        let found = done.map_err(|error| store_failure(block, buffers, &error))?;
        buffers.answers.push(Answer { output_end: buffers.output.len(), found });
        buffers.times.push(job.clock.ns(from, end));
        if !record.untimed() {
            pace.ended(end);
        }
        let call_ns = job.clock.ns(begin, end);
        if watch.wants(call_ns, end) {
            watch.look(record.operation, !record.untimed(), (begin, call_ns), &mut buffers.slow);
        }
    }
    Ok(())
}

/// Throughput mode: one pair of readings around the block. Returns its time in nanoseconds.
fn timed_whole(
    job: &LaneJob<'_>,
    block: &Block<'_>,
    session: &mut dyn Session,
    buffers: &mut Buffers,
) -> Result<u64, Failure> {
    let begin = job.clock.now();
    for record in block.records() {
        let done = perform(&record, job.pool, session, buffers);
        let found = done.map_err(|error| store_failure(block, buffers, &error))?;
        buffers.answers.push(Answer { output_end: buffers.output.len(), found });
    }
    Ok(job.clock.ns(begin, job.clock.now()))
}

/// Does one operation and says whether a value was found. The only code between the two clock readings.
#[inline(always)]
fn perform(
    record: &Record<'_>,
    pool: &Pool,
    session: &mut dyn Session,
    buffers: &mut Buffers,
) -> Result<bool, StoreError> {
    // Before the others: a comparison costs less than the jump through a table that they share.
    if record.operation == Operation::Get {
        return session.get(record.key, &mut buffers.output);
    }
    match record.operation {
        // Done above.
        Operation::Get => Ok(()),
        Operation::Insert => session.insert(record.key, value_of(record, pool)?),
        Operation::Update => session.update(record.key, value_of(record, pool)?),
        Operation::Upsert => session.upsert(record.key, value_of(record, pool)?),
        Operation::Delete => session.delete(record.key),
        Operation::Commit => session.commit(),
        Operation::Scan => scan(Some(record.key), None, record.scan, direction(record), session, buffers),
        Operation::ScanAll => scan(None, None, record.scan, direction(record), session, buffers),
        Operation::ScanPrefix | Operation::First => {
            let from = if record.key.is_empty() { None } else { Some(record.key) };
            scan(from, Some(record.key), record.scan, direction(record), session, buffers)
        }
        Operation::Exists => return exists(record.key, session, &mut buffers.output),
        // Parts of the record: handing over the whole would keep it in memory instead of registers, for the others too.
        Operation::Walk => return walk(record.walk(), record.key, session, buffers),
    }?;
    Ok(false)
}

#[inline(always)]
fn value_of<'a>(record: &Record<'_>, pool: &'a Pool) -> Result<&'a [u8], StoreError> {
    pool.slice(record.value_offset, record.value_bytes)
        .ok_or_else(|| StoreError::BadRequest("the tape refers to a value outside the pool".to_owned()))
}

#[inline(always)]
fn direction(record: &Record<'_>) -> Direction {
    match (record.any_order(), record.reverse()) {
        (true, _) => Direction::Any,
        (false, true) => Direction::Reverse,
        (false, false) => Direction::Forward,
    }
}

/// What a store that reads the value appends is no part of the answer.
#[inline(never)]
fn exists(key: &[u8], session: &mut dyn Session, output: &mut Vec<u8>) -> Result<bool, StoreError> {
    let before = output.len();
    let found = session.exists(key, output);
    output.truncate(before);
    found
}

#[inline(never)]
fn scan(
    from: Option<&[u8]>,
    prefix: Option<&[u8]>,
    fields: Option<&ScanFields>,
    direction: Direction,
    session: &mut dyn Session,
    buffers: &mut Buffers,
) -> Result<(), StoreError> {
    let Some(plan) = fields.and_then(Scan::decode) else {
        return Err(StoreError::BadRequest("a scan without scan fields".to_owned()));
    };
    // A scan of everything has no limit.
    let limit = if from.is_none() && prefix.is_none() { u64::MAX } else { plan.limit };
    let (consumer, output) = (plan.consumer, &mut buffers.output);
    let mut scan = ScanUnderWay { seen: Visit::default(), limit, consumer, direction, output };
    if limit > 0 {
        match prefix {
            None | Some([]) => session.scan(from, direction, &mut |key, value| scan.visit(key, value))?,
            // The entry behind the last one is delivered too, since only its key shows that it is none of them.
            Some(prefix) => {
                session.scan(from, direction, &mut |key, value| key.starts_with(prefix) && scan.visit(key, value))?;
            }
        }
    }
    buffers.visits.push(scan.seen);
    Ok(())
}

/// A scan while it goes on.
struct ScanUnderWay<'a> {
    seen: Visit,
    /// Entries at most.
    limit: u64,
    consumer: Consumer,
    direction: Direction,
    output: &'a mut Vec<u8>,
}

impl ScanUnderWay<'_> {
    /// Takes an entry and says whether to go on. The fastest store steps to one in 20 ns, so counting is all that is done here.
    #[inline]
    fn visit(&mut self, key: &[u8], value: &[u8]) -> bool {
        self.seen.entries += 1;
        self.seen.bytes += (key.len() + value.len()) as u64;
        if self.consumer == Consumer::Count { self.goes_on() } else { self.consume(key, value) }
    }

    fn goes_on(&self) -> bool {
        self.seen.entries < self.limit
    }

    /// Apart, so that the registers it needs are not saved for what is only counted.
    #[inline(never)]
    fn consume(&mut self, key: &[u8], value: &[u8]) -> bool {
        let state = &mut self.seen.state;
        match self.consumer {
            Consumer::Copy => {
                self.output.extend_from_slice(key);
                self.output.extend_from_slice(value);
            }
            consumer if self.direction == Direction::Any => {
                *state = state.wrapping_add(consume::step(consumer, 0, key, value));
            }
            consumer => *state = consume::step(consumer, *state, key, value),
        }
        self.goes_on()
    }
}

#[inline(never)]
fn walk(plan: Option<Walk>, path: &[u8], session: &mut dyn Session, buffers: &mut Buffers) -> Result<bool, StoreError> {
    let mut seen = Visit::default();
    let found = walk::walk(plan, path, session, &mut buffers.walk, &mut seen)?;
    buffers.visits.push(seen);
    Ok(found)
}

/// Outside the clock: checks the answers of a block begun at `begin_ns` and records its times. Says whether it wrote anything.
///
/// This is half of what replaying into the fastest store costs, so each operation is looked at once, and the sums of a row of
/// like operations stay in registers.
fn settle<const TIMES: u8>(
    job: &LaneJob<'_>,
    block: &Block<'_>,
    buffers: &Buffers,
    begin_ns: u64,
    outcome: &mut LaneOutcome,
) -> bool {
    let mut at_ns = begin_ns;
    let speed = job.speed.unwrap_or(1.0);
    let (mut output_begin, mut writes, mut checked) = (0, false, 0);
    let (mut visits, mut times) = (buffers.visits.iter(), buffers.times.iter());
    let mut row = Row::default();
    let mut records = block.records();
    for (index, answer) in buffers.answers.iter().enumerate() {
        let at = records.clone();
        let Some(record) = records.next() else { break };
        let output = &buffers.output[output_begin..answer.output_end];
        output_begin = answer.output_end;
        let judged = judge((at, &record), answer.found, output, &mut visits, job.pool);
        if let Some(right) = judged.right {
            checked += 1;
            if !right && job.check {
                wrong(block, buffers, index, job.pool, outcome);
            }
        }
        if row.operation != Some(record.operation) {
            writes |= record.operation.writes();
            outcome.tallies.add(row);
            row = Row { operation: Some(record.operation), ..Row::default() };
        }
        let time = if TIMES == WHOLE { None } else { times.next() };
        if TIMES == WHEN_DUE {
            // Times overlap where operations wait for each other.
            at_ns = record.due_ns.map_or(at_ns, |due_ns| (due_ns as f64 / speed) as u64);
        } else {
            at_ns += time.copied().unwrap_or(0);
        }
        if record.untimed() {
            continue;
        }
        row.operations += 1;
        row.more_entries += judged.more_entries;
        row.bytes += judged.bytes;
        if let Some(&time) = time {
            outcome.tallies.time(record.operation, time);
            if !job.value_sizes.is_empty() && record.has_value() {
                let bytes = u64::from(record.value_bytes);
                if let Some(number) = job.value_sizes.iter().position(|sizes| bytes <= sizes.value_bytes_max) {
                    outcome.tallies.time_of_size(record.operation, number, time);
                }
            }
            outcome.slices.add(at_ns, time);
            outcome.timed_ns += time;
        }
    }
    outcome.tallies.add(row);
    outcome.answers_checked += if job.check { checked } else { 0 };
    writes
}

/// Counts a wrong answer to the operation with this index in the block. Its facts are looked up anew: passing them
/// would keep them in memory instead of registers, for every operation.
#[cold]
fn wrong(block: &Block<'_>, buffers: &Buffers, index: usize, pool: &Pool, outcome: &mut LaneOutcome) {
    outcome.answers_wrong += 1;
    if outcome.first_wrong.is_some() {
        return;
    }
    let mut records = block.records();
    let visits_before = records.by_ref().take(index).filter(|record| record.operation.visits()).count();
    let Some(record) = records.next() else { return };
    let begin = index.checked_sub(1).map_or(0, |before| buffers.answers[before].output_end);
    let answer = buffers.answers[index];
    let answered = CheckedAnswer {
        found: answer.found,
        visit: buffers.visits.get(visits_before).filter(|_| record.operation.visits()),
        output: &buffers.output[begin..answer.output_end],
    };
    outcome.first_wrong = Some(describe_wrong(&record, answered, pool));
}

/// A store's error, in the operation after those answered, as the end of a cell.
#[cold]
fn store_failure(block: &Block<'_>, buffers: &Buffers, error: &StoreError) -> Failure {
    let Some(record) = block.records().nth(buffers.answers.len()) else { return Failure::from_store("block", error) };
    let place = match record.operation {
        Operation::Commit | Operation::ScanAll | Operation::Walk => String::new(),
        _ => format!(" of key {}", printable(record.key)),
    };
    Failure::from_store(&format!("{}{place}", record.operation.name()), error)
}
