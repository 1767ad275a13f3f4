//! A trace made of others: merged, cut, with keys that nobody can read. What comes out is a table that is read as a trace again, with the
//! right answer in every row and a row for each record that was there before.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasherDefault;
use std::io::Write;

use bakeoff_tape::{Operation, flags};

use crate::content::{Content, Step};
use crate::error::{Origin, TraceError};
use crate::event::Event;
use crate::hash::{Identity, IdentityHasher};
use crate::import::{known_before, unknown_length};
use crate::intake::Omitted;
use crate::keys::{Keys, Privacy};
use crate::lanes::Threads;
use crate::progress::{OnProgress, PROGRESS_OPERATIONS, report, report_read};
use crate::read::{Input, Trace};
use crate::rows_out::{CsvOut, OutColumns, OutRow, ParquetOut, RowsOut};
use crate::summary::check_keys;

/// After a part cut from a trace without any commit so far, bakeoff looks for a commit among this many writes. No pick
/// asks for longer batches.
const BATCH_WRITES_MAX: u64 = 1_000_000;

/// How several traces become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Merge {
    /// By their times.
    #[default]
    ByTime,
    /// One operation of each by turns, each trace a thread or several. Times are left out.
    InTurn,
}

/// What part of a trace is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cut {
    /// This many operations at the beginning are left out.
    pub skip: u64,
    /// This many are kept after them; all if not given.
    pub take: Option<u64>,
    /// Only those are kept that come in this window, in seconds after the first operation: from, and before.
    pub window_s: Option<(f64, f64)>,
}

/// How a trace is made of others.
#[derive(Clone, Debug, Default)]
pub struct RewriteOptions {
    /// How they become one.
    pub merge: Merge,
    /// Keys of different traces are different: they begin with the number of their trace and a colon.
    pub apart: bool,
    /// What part is kept.
    pub cut: Cut,
    /// What becomes of keys.
    pub privacy: Privacy,
    /// The length of values without a length in the traces, bytes.
    pub value_bytes: Option<u64>,
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableForm {
    /// Comma-separated values.
    Csv,
    /// Apache's Parquet, with Snappy.
    Parquet,
}

/// What was written.
#[derive(Clone, Debug, Default)]
pub struct Rewritten {
    /// Operations, without commits.
    pub operations: u64,
    /// Batches that their writes were committed in; 0 where each is acknowledged alone.
    pub commits: u64,
    /// Records that were there before them.
    pub loaded: u64,
    /// What of the traces became no operation.
    pub omitted: Omitted,
    /// Times were dates without a zone, and counted as UTC.
    pub lacks_zone: bool,
}

/// Writes the operations of traces as a table.
///
/// # Errors
/// A line of a trace is not what it should be, or the length of a value is unknown. Needed times are missing, `out` takes
/// no more, or `progress` said to stop.
pub fn rewrite(
    mut traces: Vec<Trace<Input<'_>>>,
    options: &RewriteOptions,
    (form, out): (TableForm, Box<dyn Write + Send + '_>),
    progress: OnProgress<'_>,
) -> Result<Rewritten, TraceError> {
    let columns = OutColumns {
        time: options.merge == Merge::ByTime && traces.iter().all(Trace::has_times),
        thread: options.merge == Merge::InTurn || traces.iter().all(Trace::has_threads),
    };
    let out: Box<dyn RowsOut + '_> = match form {
        TableForm::Csv => Box::new(CsvOut::new(out, columns)?),
        TableForm::Parquet => Box::new(ParquetOut::new(out, columns)?),
    };
    let position = traces.first_mut().and_then(Trace::position);
    let mut merged = Merged::new(traces, options, columns.thread)?;
    let mut writer = Writer::new(options, columns, merged.sources.len() > 1, out)?;
    let mut read = 0_u64;
    while let Some(operation) = merged.next()? {
        if !writer.add(&operation)? {
            if writer.is_batch_unknown() {
                writer.has_commits = merged.has_commit_ahead(operation, progress)?;
            }
            break;
        }
        read += 1;
        if read.is_multiple_of(PROGRESS_OPERATIONS) {
            report_read(progress, position.as_ref(), read)?;
        }
        merged.give_back(operation);
    }
    merged.check_commits()?;
    writer.commit_rest()?;
    let Writer { out, operations, commits, loaded, .. } = writer;
    if operations == 0 {
        return Err(TraceError::NothingLeft);
    }
    out.finish()?;
    let (omitted, lacks_zone) = merged.facts();
    Ok(Rewritten { operations, commits, loaded, omitted, lacks_zone })
}

/// Counts the operations of a trace, without commits.
///
/// # Errors
/// As [`rewrite`].
pub fn count_operations(mut trace: Trace<Input<'_>>, progress: OnProgress<'_>) -> Result<u64, TraceError> {
    let position = trace.position();
    let mut operations = 0_u64;
    while let Some(event) = trace.next_event()? {
        operations += u64::from(!event.is_before && event.operation != Operation::Commit);
        if operations.is_multiple_of(PROGRESS_OPERATIONS) {
            report_read(progress, position.as_ref(), operations)?;
        }
    }
    Ok(operations)
}

/// An operation of one of the traces, with its key as it was.
struct Taken {
    origin: Origin,
    operation: Operation,
    is_before: bool,
    key: Vec<u8>,
    key_bytes: u64,
    value_bytes: Option<u64>,
    time_s: Option<f64>,
    /// The name of its thread, where that matters.
    thread: Vec<u8>,
}

impl Taken {
    fn event(&self) -> Event<'_> {
        Event {
            origin: self.origin,
            operation: self.operation,
            is_before: self.is_before,
            key: &self.key,
            key_bytes: self.key_bytes,
            value_bytes: self.value_bytes,
            time_s: self.time_s,
            thread: Some(&self.thread),
        }
    }
}

/// The operations of several traces.
struct Merged<'a> {
    sources: Vec<MergeSource<'a>>,
    merge: Merge,
    /// Whether threads are kept apart.
    has_threads: bool,
    is_apart: bool,
    /// The source whose turn it is.
    turn: usize,
    spare: Vec<Taken>,
}

struct MergeSource<'a> {
    trace: Trace<Input<'a>>,
    next: Option<Taken>,
    has_commits: bool,
    has_writes: bool,
}

impl<'a> Merged<'a> {
    fn new(traces: Vec<Trace<Input<'a>>>, options: &RewriteOptions, has_threads: bool) -> Result<Self, TraceError> {
        let source = |trace| MergeSource { trace, next: None, has_commits: false, has_writes: false };
        let (sources, spare) = (traces.into_iter().map(source).collect(), Vec::new());
        let mut merged = Self { sources, merge: options.merge, has_threads, is_apart: options.apart, turn: 0, spare };
        for number in 0..merged.sources.len() {
            merged.fill(number)?;
        }
        Ok(merged)
    }

    /// Reads the next operation of a trace.
    fn fill(&mut self, number: usize) -> Result<(), TraceError> {
        let (several, source) = (self.sources.len() > 1, &mut self.sources[number]);
        let next = source.trace.next_event().map_err(|cause| match several {
            true => TraceError::OneOfSeveral { number: number + 1, cause: Box::new(cause) },
            false => cause,
        })?;
        let Some(event) = next else { return Ok(()) };
        let mut taken = self.spare.pop().unwrap_or_else(|| Taken {
            origin: event.origin,
            operation: event.operation,
            is_before: false,
            key: Vec::new(),
            key_bytes: 0,
            value_bytes: None,
            time_s: None,
            thread: Vec::new(),
        });
        (taken.origin, taken.operation, taken.is_before) = (event.origin, event.operation, event.is_before);
        (taken.value_bytes, taken.time_s) = (event.value_bytes, event.time_s);
        taken.key.clear();
        let is_commit = event.operation == Operation::Commit;
        source.has_commits |= is_commit;
        source.has_writes |= event.operation.writes() && !event.is_before;
        if self.is_apart && !is_commit {
            taken.key.extend_from_slice((number + 1).to_string().as_bytes());
            taken.key.push(b':');
        }
        taken.key_bytes = event.key_bytes + taken.key.len() as u64;
        taken.key.extend_from_slice(event.key);
        taken.thread.clear();
        if several {
            taken.thread.extend_from_slice((number + 1).to_string().as_bytes());
            taken.thread.push(b':');
        }
        taken.thread.extend_from_slice(event.thread.unwrap_or_default());
        if several && self.merge == Merge::ByTime && taken.time_s.is_none() && !taken.is_before {
            let cause = Box::new(TraceError::NoTimes { origin: taken.origin });
            return Err(TraceError::OneOfSeveral { number: number + 1, cause });
        }
        if several && is_commit && !self.has_threads {
            let cause = Box::new(TraceError::CommitsByTime { origin: taken.origin });
            return Err(TraceError::OneOfSeveral { number: number + 1, cause });
        }
        source.next = Some(taken);
        Ok(())
    }

    /// The next operation; `None` at the end of all. Records that were there before come first.
    fn next(&mut self) -> Result<Option<Taken>, TraceError> {
        let count = self.sources.len();
        let waiting = |number: &usize| self.sources[*number].next.is_some();
        let number = match self.merge {
            Merge::InTurn => (0..count).map(|step| (self.turn + step) % count).find(waiting),
            Merge::ByTime => (0..count).filter(waiting).min_by(|one, other| {
                let time = |number: &usize| {
                    let next = self.sources[*number].next.as_ref();
                    next.and_then(|next| next.time_s.filter(|_| !next.is_before)).unwrap_or(f64::NEG_INFINITY)
                };
                time(one).total_cmp(&time(other))
            }),
        };
        let Some(number) = number else { return Ok(None) };
        let taken = self.sources[number].next.take();
        self.fill(number)?;
        // Records from before the trace take no turn, and a commit follows the write it ends.
        let next = &self.sources[number].next;
        let is_commit_next = next.as_ref().is_some_and(|next| next.operation == Operation::Commit);
        let is_before = taken.as_ref().is_some_and(|taken| taken.is_before);
        self.turn = if is_before || is_commit_next { number } else { number + 1 };
        Ok(taken)
    }

    fn give_back(&mut self, taken: Taken) {
        self.spare.push(taken);
    }

    /// Whether a commit comes after an operation, in a trace whose writes may each be acknowledged alone. A mistake
    /// after the kept part does not matter.
    fn has_commit_ahead(&mut self, first: Taken, progress: OnProgress<'_>) -> Result<bool, TraceError> {
        let (mut read, mut writes, mut next) = (0_u64, 0, Ok(Some(first)));
        while writes < BATCH_WRITES_MAX {
            match next {
                Ok(Some(taken)) if taken.operation == Operation::Commit => return Ok(true),
                Ok(Some(taken)) => {
                    writes += u64::from(taken.operation.writes());
                    self.give_back(taken);
                }
                Err(TraceError::Tape(why)) => return Err(why.into()),
                Ok(None) | Err(_) => break,
            }
            read += 1;
            if read.is_multiple_of(PROGRESS_OPERATIONS) {
                report(progress, "looking for a commit", (writes, BATCH_WRITES_MAX))?;
            }
            next = self.next();
        }
        Ok(false)
    }

    /// Refuses writes that wait for a commit together with others that do not.
    fn check_commits(&self) -> Result<(), TraceError> {
        let some = self.sources.iter().any(|source| source.has_commits);
        let all = self.sources.iter().all(|source| source.has_commits || !source.has_writes);
        if some && !all { Err(TraceError::CommitsInSome) } else { Ok(()) }
    }

    fn facts(&self) -> (Omitted, bool) {
        let mut omitted = Omitted::default();
        self.sources.iter().for_each(|source| omitted.add(source.trace.omitted()));
        (omitted, self.sources.iter().any(|source| source.trace.lacks_zone()))
    }
}

/// Writes operations with their right answers.
struct Writer<'a> {
    out: Box<dyn RowsOut + 'a>,
    columns: OutColumns,
    cut: Cut,
    otherwise: Option<u64>,
    is_merged: bool,
    content: Content,
    keys: Keys,
    threads: Threads,
    /// Records alive before the kept part begins.
    alive: Option<Alive>,
    first_s: Option<f64>,
    /// When the last operation came that is kept.
    last_s: Option<f64>,
    /// Whether any commit was met, kept or not.
    has_commits: bool,
    /// The threads that wrote since their last commit.
    uncommitted: BTreeSet<Option<u8>>,
    seen: u64,
    operations: u64,
    commits: u64,
    loaded: u64,
}

impl<'a> Writer<'a> {
    fn new(
        options: &RewriteOptions,
        columns: OutColumns,
        is_merged: bool,
        out: Box<dyn RowsOut + 'a>,
    ) -> Result<Self, TraceError> {
        let cut = options.cut;
        Ok(Self {
            out,
            columns,
            cut,
            otherwise: options.value_bytes,
            is_merged,
            content: Content::new(0),
            keys: Keys::new(&options.privacy)?,
            threads: Threads::default(),
            alive: (cut.skip > 0 || cut.window_s.is_some()).then(Alive::default),
            first_s: None,
            last_s: None,
            has_commits: false,
            uncommitted: BTreeSet::new(),
            seen: 0,
            operations: 0,
            commits: 0,
            loaded: 0,
        })
    }

    /// Adds an operation; false if none after it is of interest.
    fn add(&mut self, taken: &Taken) -> Result<bool, TraceError> {
        let event = taken.event();
        if event.is_before {
            return self.add_before(&event).map(|()| true);
        }
        if event.operation == Operation::Commit {
            return self.add_commit(&event);
        }
        let after_s = event.time_s.map(|time_s| time_s - *self.first_s.get_or_insert(time_s));
        let is_late = |(_, end_s): (f64, f64)| after_s.is_none_or(|after_s| after_s >= end_s);
        let is_early = |(begin_s, _): (f64, f64)| after_s.is_none_or(|after_s| after_s < begin_s);
        if self.cut.window_s.is_some() && after_s.is_none() {
            return Err(TraceError::NoTimes { origin: event.origin });
        }
        if self.cut.take.is_some_and(|take| self.operations >= take) || self.cut.window_s.is_some_and(is_late) {
            return Ok(false);
        }
        let is_kept = self.seen >= self.cut.skip && !self.cut.window_s.is_some_and(is_early);
        self.seen += 1;
        if is_kept && let Some(alive) = self.alive.take() {
            for (key, bytes) in alive.records.into_values() {
                self.load(&key, bytes)?;
            }
        }
        let thread = self.thread(&event)?;
        let time_s = event.time_s.filter(|_| self.columns.time);
        if is_kept {
            self.last_s = time_s;
            if event.operation.writes() {
                self.uncommitted.insert(thread);
            }
        }
        let key = self.keys.key(&event).to_vec();
        if event.operation.visits() {
            // Its result is unknown.
            if is_kept {
                let row = OutRow { operation: Some(event.operation), key: &key, value_bytes: None, time_s, thread };
                self.out.row(&row)?;
                self.operations += 1;
            }
            return Ok(true);
        }
        let id = Identity::of(&key);
        let step = self.content.step((event.operation, id, key.len()), 0, event.value_bytes, self.otherwise);
        let Step { load, operation, flags, value } = step.map_err(|_| unknown_length(&event))?;
        check_keys(self.content.keys(), event.origin)?;
        let is_found = flags & flags::FOUND != 0;
        if !is_kept {
            if let Some(alive) = &mut self.alive {
                match operation {
                    Operation::Delete => alive.remove(id),
                    Operation::Get => load.into_iter().for_each(|place| alive.put(id, &key, place.bytes)),
                    _ => alive.put(id, &key, value.bytes),
                }
            }
            return Ok(true);
        }
        if let Some(place) = load {
            self.load(&key, place.bytes)?;
        }
        let value_bytes = OutRow::value_size(operation, is_found, value.bytes.into());
        self.out.row(&OutRow { operation: Some(operation), key: &key, value_bytes, time_s, thread })?;
        self.operations += 1;
        Ok(true)
    }

    fn thread(&mut self, event: &Event<'_>) -> Result<Option<u8>, TraceError> {
        if self.columns.thread { self.threads.number(event).map(Some) } else { Ok(None) }
    }

    /// Ends the batch of a thread; false if the kept part has ended. A batch without a kept write is none.
    fn add_commit(&mut self, event: &Event<'_>) -> Result<bool, TraceError> {
        self.has_commits = true;
        let after_s = event.time_s.zip(self.first_s).map(|(time_s, first_s)| time_s - first_s);
        if self.cut.window_s.zip(after_s).is_some_and(|((_, end_s), after_s)| after_s >= end_s) {
            return Ok(false);
        }
        let thread = self.thread(event)?;
        if self.uncommitted.remove(&thread) {
            self.commit(thread, event.time_s.filter(|_| self.columns.time))?;
        }
        Ok(true)
    }

    /// Whether a write may or may not wait for a commit, which is not known yet.
    fn is_batch_unknown(&self) -> bool {
        !self.has_commits && !self.uncommitted.is_empty()
    }

    /// Ends the batches that are open, where there are any: without a commit each write would be acknowledged alone.
    fn commit_rest(&mut self) -> Result<(), TraceError> {
        let open = std::mem::take(&mut self.uncommitted);
        let is_batch = self.has_commits;
        open.into_iter().filter(|_| is_batch).try_for_each(|thread| self.commit(thread, self.last_s))
    }

    fn commit(&mut self, thread: Option<u8>, time_s: Option<f64>) -> Result<(), TraceError> {
        self.last_s = time_s;
        self.commits += 1;
        self.out.row(&OutRow { operation: Some(Operation::Commit), key: &[], value_bytes: None, time_s, thread })
    }

    /// Adds a record that was there before the trace began.
    fn add_before(&mut self, event: &Event<'_>) -> Result<(), TraceError> {
        let key = self.keys.key(event).to_vec();
        let id = Identity::of(&key);
        let bytes = event.value_bytes.or(self.otherwise).ok_or_else(|| unknown_length(event))?;
        let Some(place) = self.content.load((id, key.len()), bytes as u32) else {
            // Another trace of the same records has it too.
            return if self.is_merged { Ok(()) } else { Err(known_before(event)) };
        };
        check_keys(self.content.keys(), event.origin)?;
        match &mut self.alive {
            Some(alive) => alive.put(id, &key, place.bytes),
            None => self.load(&key, place.bytes)?,
        }
        Ok(())
    }

    fn load(&mut self, key: &[u8], bytes: u32) -> Result<(), TraceError> {
        self.loaded += 1;
        self.out.row(&OutRow { operation: None, key, value_bytes: Some(bytes.into()), time_s: None, thread: None })
    }
}

/// Live records, in the order in which they came.
#[derive(Default)]
struct Alive {
    births: HashMap<Identity, u64, BuildHasherDefault<IdentityHasher>>,
    records: BTreeMap<u64, (Box<[u8]>, u32)>,
    next: u64,
}

impl Alive {
    fn put(&mut self, id: Identity, key: &[u8], bytes: u32) {
        let known = self.births.get(&id).and_then(|birth| self.records.get_mut(birth));
        match known {
            Some((_, known)) => *known = bytes,
            None => {
                self.births.insert(id, self.next);
                self.records.insert(self.next, (key.into(), bytes));
                self.next += 1;
            }
        }
    }

    fn remove(&mut self, id: Identity) {
        if let Some(birth) = self.births.remove(&id) {
            self.records.remove(&birth);
        }
    }
}
