//! The replay loop: one thread, one lane of one tape, one session.
//!
//! A block is read, its operations are done under the clock with their answers kept, and then, outside the clock, the
//! answers are checked and the times recorded. The loop is the same for every store.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bakeoff_measure::{Clock, Histogram};
use bakeoff_protocol::Mode;
use bakeoff_stores::{Direction, Session, StoreError};
use bakeoff_tape::{BLOCK_OPERATIONS_MAX, Block, Consumer, LaneReader, Operation, Pool, Record, consume};

use crate::answers::{Answer, describe_wrong, is_right, printable};
use crate::run::Failure;
use crate::tally::Tallies;

/// Bytes of output and of written values that a block of several operations may have (`docs/TAPE.md`).
const BLOCK_BYTES_MAX: usize = 1 << 20;

/// The time of an operation that is done outside the clock.
const UNTIMED: u64 = u64::MAX;

/// A thread's buffers, made before the baseline of memory is taken so that they are part of it.
pub struct Buffers {
    output: Vec<u8>,
    answers: Vec<Answer>,
    times: Vec<u64>,
    walk_key: Vec<u8>,
    walk_value: Vec<u8>,
}

impl Buffers {
    /// Buffers for operations whose key and value are at most `entry_bytes_max` long together.
    pub fn new(entry_bytes_max: usize) -> Self {
        let touched = |bytes: usize| {
            let mut buffer = vec![1_u8; bytes];
            buffer.clear();
            buffer
        };
        Self {
            output: touched(BLOCK_BYTES_MAX + entry_bytes_max),
            answers: Vec::with_capacity(BLOCK_OPERATIONS_MAX),
            times: Vec::with_capacity(BLOCK_OPERATIONS_MAX),
            walk_key: touched(512),
            walk_value: touched(4096),
        }
    }
}

/// What a lane is replayed with.
pub struct LaneJob<'a> {
    /// Where values lie.
    pub pool: &'a Pool,
    /// The clock.
    pub clock: &'a Clock,
    /// How to take time.
    pub mode: Mode,
    /// Whether answers are compared: not for a store that keeps nothing.
    pub check: bool,
    /// Operations done so far by all threads, for progress.
    pub done: &'a AtomicU64,
    /// Set when another thread has failed.
    pub stop: &'a AtomicBool,
}

/// What came out of a lane.
#[derive(Default)]
pub struct LaneOutcome {
    /// Sum of the timed regions, nanoseconds.
    pub timed_ns: u64,
    /// Answers compared.
    pub answers_checked: u64,
    /// Answers that differed.
    pub answers_wrong: u64,
    /// The first of them, in words.
    pub first_wrong: Option<String>,
    pub(crate) tallies: Tallies,
}

impl LaneOutcome {
    /// Entries that all operations delivered or wrote.
    pub(crate) fn entries(&self) -> u64 {
        self.tallies.entries()
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
    while let Some(block) = lane.next_block().map_err(|error| Failure::bad_tape(error.to_string()))? {
        if job.stop.load(Ordering::Relaxed) {
            break;
        }
        buffers.output.clear();
        make_room(&mut buffers.output, block.output_bytes())?;
        buffers.answers.clear();
        buffers.times.clear();
        if writes {
            touch_values(&block, job.pool);
        }
        match job.mode {
            Mode::Latency => timed_each(job, &block, session, buffers)?,
            Mode::Throughput => outcome.timed_ns += timed_whole(job, &block, session, buffers)?,
        }
        writes = settle(job, &block, buffers, &mut outcome);
        job.done.fetch_add(u64::from(block.operations()), Ordering::Relaxed);
    }
    Ok(outcome)
}

/// Makes room for the output of a block before its clock starts.
fn make_room(output: &mut Vec<u8>, bytes: u64) -> Result<(), Failure> {
    let room = usize::try_from(bytes).ok().and_then(|bytes| output.try_reserve(bytes).ok());
    room.ok_or_else(|| Failure::bad_tape(format!("a block expects {bytes} bytes of output: no memory holds that")))
}

/// Reads a byte of every page of the values a block writes, so that no page of the pool is fetched inside the clock.
fn touch_values(block: &Block<'_>, pool: &Pool) {
    for record in block.records().filter(|record| record.operation.writes()) {
        if let Some(value) = pool.slice(record.value_offset, record.value_bytes) {
            value.iter().step_by(4096).for_each(|byte| {
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
) -> Result<(), Failure> {
    for record in block.records() {
        let mut answer = Answer::default();
        let begin = job.clock.now();
        let done = perform(&record, job.pool, session, buffers, &mut answer);
        let end = job.clock.now();
        if let Err(error) = done {
            return Err(store_failure(&record, &error));
        }
        answer.output_end = buffers.output.len();
        buffers.answers.push(answer);
        buffers.times.push(if record.untimed() { UNTIMED } else { job.clock.ns(begin, end) });
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
        let mut answer = Answer::default();
        if let Err(error) = perform(&record, job.pool, session, buffers, &mut answer) {
            return Err(store_failure(&record, &error));
        }
        answer.output_end = buffers.output.len();
        buffers.answers.push(answer);
    }
    Ok(job.clock.ns(begin, job.clock.now()))
}

/// Does one operation. The only code between the two clock readings.
#[inline(always)]
fn perform(
    record: &Record<'_>,
    pool: &Pool,
    session: &mut dyn Session,
    buffers: &mut Buffers,
    answer: &mut Answer,
) -> Result<(), StoreError> {
    match record.operation {
        Operation::Get => {
            answer.found = session.get(record.key, &mut buffers.output)?;
            Ok(())
        }
        Operation::Insert => session.insert(record.key, value_of(record, pool)?),
        Operation::Update => session.update(record.key, value_of(record, pool)?),
        Operation::Upsert => session.upsert(record.key, value_of(record, pool)?),
        Operation::Delete => session.delete(record.key),
        Operation::Commit => session.commit(),
        Operation::Scan | Operation::ScanAll => scan(record, session, buffers, answer),
        Operation::Walk => walk(record, session, buffers, answer),
    }
}

#[inline]
fn value_of<'a>(record: &Record<'_>, pool: &'a Pool) -> Result<&'a [u8], StoreError> {
    pool.slice(record.value_offset, record.value_bytes)
        .ok_or_else(|| StoreError::BadRequest("the tape refers to a value outside the pool".to_owned()))
}

fn scan(
    record: &Record<'_>,
    session: &mut dyn Session,
    buffers: &mut Buffers,
    answer: &mut Answer,
) -> Result<(), StoreError> {
    let Some(plan) = record.scan() else {
        return Err(StoreError::BadRequest("a scan without scan fields".to_owned()));
    };
    let whole = record.operation == Operation::ScanAll;
    let limit = if whole { u64::MAX } else { plan.limit };
    if limit == 0 {
        return Ok(());
    }
    let direction = match (record.any_order(), record.reverse()) {
        (true, _) => Direction::Any,
        (false, true) => Direction::Reverse,
        (false, false) => Direction::Forward,
    };
    let output = &mut buffers.output;
    let mut visit = |key: &[u8], value: &[u8]| {
        answer.entries += 1;
        answer.bytes += (key.len() + value.len()) as u64;
        match plan.consumer {
            Consumer::Count => {}
            Consumer::Copy => {
                output.extend_from_slice(key);
                output.extend_from_slice(value);
            }
            consumer if direction == Direction::Any => {
                answer.state = answer.state.wrapping_add(consume::step(consumer, 0, key, value));
            }
            consumer => answer.state = consume::step(consumer, answer.state, key, value),
        }
        answer.entries < limit
    };
    session.scan((!whole).then_some(record.key), direction, &mut visit)
}

/// Looks up a path component by component: each key begins with the id that the value before it holds.
fn walk(
    record: &Record<'_>,
    session: &mut dyn Session,
    buffers: &mut Buffers,
    answer: &mut Answer,
) -> Result<(), StoreError> {
    let mut path = record.key;
    let mut parent = 0_u64;
    while let Some((&length, rest)) = path.split_first() {
        let Some((name, rest)) = rest.split_at_checked(usize::from(length)) else {
            return Err(StoreError::BadRequest("a walk whose path is cut short".to_owned()));
        };
        path = rest;
        buffers.walk_key.clear();
        buffers.walk_key.extend_from_slice(&parent.to_be_bytes());
        buffers.walk_key.extend_from_slice(name);
        buffers.walk_value.clear();
        if !session.get(&buffers.walk_key, &mut buffers.walk_value)? {
            return Ok(());
        }
        // A value shorter than an id is a wrong answer, not an error: `found` stays false.
        let Some(id) = buffers.walk_value.first_chunk() else { return Ok(()) };
        parent = u64::from_le_bytes(*id);
        answer.entries += 1;
    }
    answer.found = true;
    answer.state = parent;
    Ok(())
}

/// Outside the clock: checks a block's answers and records its times. Says whether the block wrote anything.
fn settle(job: &LaneJob<'_>, block: &Block<'_>, buffers: &Buffers, outcome: &mut LaneOutcome) -> bool {
    let mut output_begin = 0;
    let mut writes = false;
    for (index, (record, answer)) in block.records().zip(&buffers.answers).enumerate() {
        writes |= record.operation.writes();
        let output = &buffers.output[output_begin..answer.output_end];
        output_begin = answer.output_end;
        if job.check {
            check(&record, answer, output, job.pool, outcome);
        }
        count(&record, answer, buffers.times.get(index).copied(), outcome);
    }
    writes
}

#[inline]
fn check(record: &Record<'_>, answer: &Answer, output: &[u8], pool: &Pool, outcome: &mut LaneOutcome) {
    let Some(right) = is_right(record, answer, output, pool) else { return };
    outcome.answers_checked += 1;
    if !right {
        outcome.answers_wrong += 1;
        outcome.first_wrong.get_or_insert_with(|| describe_wrong(record, answer, output, pool));
    }
}

/// Adds an operation to its kind's tally. `time` is absent in throughput mode.
#[inline]
fn count(record: &Record<'_>, answer: &Answer, time: Option<u64>, outcome: &mut LaneOutcome) {
    if record.untimed() {
        return;
    }
    let (entries, bytes) = match record.operation {
        Operation::Scan | Operation::ScanAll => (answer.entries, answer.bytes),
        Operation::Walk => (answer.entries, 0),
        Operation::Get if !record.found() => (1, 0),
        Operation::Delete | Operation::Commit => (1, 0),
        _ => (1, record.key.len() as u64 + u64::from(record.value_bytes)),
    };
    let tally = outcome.tallies.add(record.operation, entries, bytes);
    if let Some(time) = time {
        tally.latencies.get_or_insert_with(Histogram::new).record(time);
        outcome.timed_ns += time;
    }
}

/// A store's error as the end of a cell.
fn store_failure(record: &Record<'_>, error: &StoreError) -> Failure {
    let place = match record.operation {
        Operation::Commit | Operation::ScanAll | Operation::Walk => String::new(),
        _ => format!(" of key {}", printable(record.key)),
    };
    Failure::from_store(&format!("{}{place}", record.operation.name()), error)
}
