//! A trace turned into tapes that can be replayed on every store: the records from before it began, the operations
//! themselves, and everything that must exist at the end.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use bakeoff_measure::room_bytes;
use bakeoff_tape::{Data, Operation, SizeRange, TapeError, TapeWriter, Workload, flags as tape_flags};

use crate::content::{Content, Place, Step, record};
use crate::error::{Origin, TraceError};
use crate::event::Event;
use crate::finish::{ImportParts, LOAD_BATCH, LOAD_FILE, MadePool, TRACE_FILE};
use crate::hash::Identity;
use crate::intake::Omitted;
use crate::keys::{Keys, Privacy};
use crate::lanes::{IMPORT_LANES_MAX, LaneFacts, Order, Threads, shape};
use crate::options::ReadOptions;
use crate::progress::{OnProgress, report_read};
use crate::read::Trace;
use crate::read_ahead::{Batch, Source, read_ahead};
use crate::summary::check_keys;

/// The directory within an import that has the beginning of the trace, imported once more separately.
pub const WARM_UP_DIRECTORY: &str = "warm-up";

/// While the trace is read, the file with its threads.
const ORDER_FILE: &str = "threads.part";

/// Threads of a trace, at most: their numbers have one byte.
const THREADS_MAX: usize = 256;

/// The length of a value in the small tape for warming up, where the trace has none.
const WARM_UP_VALUE_BYTES: u64 = 100;

/// Room on the disk is looked at again after this many bytes of tape.
const ROOM_CHECK_BYTES: u64 = 16 << 20;

/// How a trace is to be imported.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// How it is read.
    pub read: ReadOptions,
    /// Lanes to deal keys to, up to [`crate::IMPORT_LANES_MAX`]; if not given, what the trace says of threads.
    pub threads: Option<u32>,
    /// Make every key unreadable, keeping its length if that is at least 20.
    pub anonymize: bool,
    /// The length of values without a length in the trace, bytes, at most 1 GiB.
    pub value_bytes: Option<u64>,
    /// What values are made of.
    pub data: Data,
    /// Seed of the values and their places.
    pub seed: u64,
    /// This many operations from the beginning are imported once more, separately, below [`WARM_UP_DIRECTORY`], if the
    /// trace has more.
    pub warm_up_operations: Option<u64>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            read: ReadOptions::default(),
            threads: None,
            anonymize: false,
            value_bytes: None,
            data: Data::Text,
            seed: 1,
            warm_up_operations: None,
        }
    }
}

/// An import that is done.
#[derive(Clone, Debug)]
pub struct ImportOutcome {
    /// A stand-in for its workload.
    pub workload: Workload,
    /// Operations of the trace, without commits.
    pub operations: u64,
    /// Batches that its writes were committed in; 0 where each is acknowledged alone.
    pub commits: u64,
    /// Records that must be there before it begins.
    pub loaded: u64,
    /// How it became lanes.
    pub lanes: LaneFacts,
    /// Operations that read.
    pub reads: u64,
    /// Reads that find nothing.
    pub reads_missing: u64,
    /// What of the trace became no operation.
    pub omitted: Omitted,
    /// Times were dates without a zone, and counted as UTC.
    pub lacks_zone: bool,
}

/// Imports the trace in a file into an empty directory: a value pool, and three tapes. One loads what the trace found
/// there, one has its operations, and one compares everything at the end. The trace is read once, so it may come
/// through a pipe.
///
/// # Errors
/// A line is not what it should be, the directory cannot be written or has no room, or `progress` said to stop. The
/// directory's contents are then of no use.
pub fn import(
    trace: &Path,
    directory: &Path,
    options: &ImportOptions,
    progress: OnProgress<'_>,
) -> Result<ImportOutcome, TraceError> {
    import_trace(Trace::open(trace, &options.read, progress)?, directory, options, progress)
}

/// The same for an open trace.
///
/// # Errors
/// As [`import`].
pub fn import_trace<R: Read + Send>(
    mut trace: Trace<R>,
    directory: &Path,
    options: &ImportOptions,
    progress: OnProgress<'_>,
) -> Result<ImportOutcome, TraceError> {
    let position = trace.position();
    let threads = (options.threads.is_none() && trace.has_threads()).then(Threads::default);
    let mut importer = Importer::new(directory, options, threads.is_some())?;
    let mut warm_up = WarmUp::new(directory, options)?;
    let privacy = if options.anonymize { Privacy::Random } else { Privacy::None };
    let facts = read_ahead(Source { trace, keys: Keys::new(&privacy)?, threads }, |batch| {
        importer.add_all(batch, u64::MAX)?;
        if let Some(warm_up) = &mut warm_up {
            warm_up.add(batch)?;
        }
        Ok(report_read(progress, position.as_ref(), importer.operations)?)
    })?;
    let operations = importer.operations;
    let lanes = importer.lanes();
    let has_batches = importer.commit_rest()?;
    let reads_found_after_all = importer.content.totals().reads_found_after_all;
    let (mut imported, pool) = importer.finish((lanes, has_batches), None, progress)?;
    (imported.omitted, imported.lacks_zone) = (facts.omitted, facts.lacks_zone);
    imported.omitted.reads_found_after_all = reads_found_after_all;
    if let Some(warm_up) = warm_up {
        warm_up.finish((operations, lanes.lanes(), imported.commits > 0), pool, progress)?;
    }
    Ok(imported)
}

/// The beginning of a trace, imported separately.
struct WarmUp {
    directory: PathBuf,
    operations_max: u64,
    importer: Importer,
}

impl WarmUp {
    fn new(directory: &Path, options: &ImportOptions) -> Result<Option<Self>, TraceError> {
        let Some(operations_max) = options.warm_up_operations else { return Ok(None) };
        let directory = directory.join(WARM_UP_DIRECTORY);
        std::fs::create_dir(&directory)?;
        // Values whose length is only in a row from before the trace are not loaded. They are read as if they had this
        // length.
        let value_bytes = options.value_bytes.or(Some(WARM_UP_VALUE_BYTES));
        let options = ImportOptions { value_bytes, ..options.clone() };
        let importer = Importer { loads_only_what_it_needs: true, ..Importer::new(&directory, &options, false)? };
        Ok(Some(Self { directory, operations_max, importer }))
    }

    fn add(&mut self, batch: &Batch) -> Result<(), TraceError> {
        self.importer.add_all(batch, self.operations_max)
    }

    /// Ends it with as many lanes as the whole has, regardless of the threads in so small a part. It has batches if the
    /// whole has them, and the pool of the whole if it can.
    fn finish(
        mut self,
        (operations, lanes, has_batches): (u64, u32, bool),
        pool: MadePool,
        progress: OnProgress<'_>,
    ) -> Result<(), TraceError> {
        // A commit belongs to a thread, and keys that are dealt to lanes have none.
        let can_be_dealt = lanes == 1 || !has_batches;
        if operations > self.operations_max && can_be_dealt {
            self.importer.commit_rest()?;
            self.importer.finish((LaneFacts::dealt(lanes), has_batches), Some(pool), progress)?;
        } else {
            drop(self.importer);
            std::fs::remove_dir_all(&self.directory)?;
        }
        Ok(())
    }
}

/// The commits of a trace.
#[derive(Clone, Copy)]
struct Commits {
    first: Origin,
    /// Commits that had something to commit.
    count: u64,
    /// The first that ended several writes.
    first_batch: Option<Origin>,
}

struct Importer {
    directory: PathBuf,
    options: ImportOptions,
    content: Content,
    load: TapeWriter,
    /// Its operations, on one lane until the end.
    tape: TapeWriter,
    /// Their threads, if it depends on them which lanes there are.
    order: Option<Order>,
    threads: u32,
    operations: u64,
    mix: BTreeMap<Operation, u64>,
    /// The commits, if there are any.
    commits: Option<Commits>,
    /// For each thread, its writes since its last commit.
    uncommitted: [u64; THREADS_MAX],
    reads_missing: u64,
    key_bytes: Option<SizeRange>,
    first_s: Option<f64>,
    last_s: f64,
    loads_only_what_it_needs: bool,
    /// When room was last checked: length of the tapes, and of the pool.
    checked_bytes: Option<(u64, u64)>,
}

impl Importer {
    fn new(directory: &Path, options: &ImportOptions, by_threads: bool) -> Result<Self, TraceError> {
        let order = by_threads.then(|| Order::create(directory.join(ORDER_FILE))).transpose()?;
        Ok(Self {
            directory: directory.to_owned(),
            options: options.clone(),
            content: Content::new(options.seed),
            load: TapeWriter::create(&directory.join(LOAD_FILE), shape(IMPORT_LANES_MAX))?,
            tape: TapeWriter::create(&directory.join(TRACE_FILE), shape(1))?,
            order,
            threads: 1,
            operations: 0,
            mix: BTreeMap::new(),
            commits: None,
            uncommitted: [0; THREADS_MAX],
            reads_missing: 0,
            key_bytes: None,
            first_s: None,
            last_s: 0.0,
            loads_only_what_it_needs: false,
            checked_bytes: None,
        })
    }

    /// Adds the operations of a batch, until there are `operations_max`.
    fn add_all(&mut self, batch: &Batch, operations_max: u64) -> Result<(), TraceError> {
        if self.operations >= operations_max {
            return Ok(());
        }
        self.content.touch(batch);
        let mut origin = None;
        for (event, id, thread) in batch.events() {
            if self.operations >= operations_max {
                break;
            }
            self.add(&event, id, thread)?;
            origin = Some(event.origin);
        }
        self.check_room(origin)
    }

    /// Adds one operation to the tapes.
    fn add(&mut self, event: &Event<'_>, id: Identity, thread: u8) -> Result<(), TraceError> {
        if event.operation.visits() {
            let word = event.operation.name().as_bytes();
            let expected = "an operation on one key: a trace does not show what a scan finds; leave scans out with --ignore scan, or use `pick --trace`";
            return Err(TraceError::line(event.origin, "op", word, expected));
        }
        if event.is_before {
            return self.add_before(event, id);
        }
        if event.operation == Operation::Commit {
            // One of nothing came at no time.
            let due_ns = if self.uncommitted[usize::from(thread)] > 0 { self.due_ns(event) } else { None };
            return self.commit(event.origin, thread, due_ns);
        }
        let due_ns = self.due_ns(event);
        let key = event.key;
        let step = self
            .content
            .step((event.operation, id, key.len()), thread, event.value_bytes, self.options.value_bytes)
            .map_err(|_| unknown_length(event))?;
        self.count_key(event)?;
        if let Some(place) = step.load {
            self.push_load(key, place)?;
        }
        let Step { operation, flags, value, .. } = step;
        self.tape.push(&record((operation, flags), key, value, due_ns))?;
        if let Some(order) = &mut self.order {
            order.push(thread)?;
            self.threads = self.threads.max(u32::from(thread) + 1);
        }
        *self.mix.entry(operation).or_default() += 1;
        self.uncommitted[usize::from(thread)] += u64::from(operation.writes());
        self.reads_missing += u64::from(operation == Operation::Get && flags & tape_flags::FOUND == 0);
        self.operations += 1;
        Ok(())
    }

    /// Ends the batch of a thread. A batch without a write is none.
    fn commit(&mut self, origin: Origin, thread: u8, due_ns: Option<u64>) -> Result<(), TraceError> {
        let commits = self.commits.get_or_insert(Commits { first: origin, count: 0, first_batch: None });
        let writes = std::mem::take(&mut self.uncommitted[usize::from(thread)]);
        if writes == 0 {
            return Ok(());
        }
        if writes > 1 {
            if self.options.threads.is_some_and(|threads| threads > 1) {
                return Err(TraceError::CommitsDealt { origin });
            }
            commits.first_batch.get_or_insert(origin);
        }
        commits.count += 1;
        self.tape.push(&record((Operation::Commit, 0), &[], Place::default(), due_ns))?;
        self.order.as_mut().map_or(Ok(()), |order| order.push(thread))
    }

    /// Ends the batches that the trace leaves open, where it has any. Tells whether it has: commits that each end one write make none.
    fn commit_rest(&mut self) -> Result<bool, TraceError> {
        let Some(Commits { first, .. }) = self.commits else { return Ok(false) };
        let due_ns = self.first_s.map(|first_s| ((self.last_s - first_s) * 1e9).round() as u64);
        (0..=u8::MAX).try_for_each(|thread| self.commit(first, thread, due_ns))?;
        Ok(self.has_batches())
    }

    fn has_batches(&self) -> bool {
        self.commits.is_some_and(|commits| commits.first_batch.is_some())
    }

    /// Whether there are commits, each of a single write so far.
    fn commits_each(&self) -> bool {
        self.commits.is_some_and(|commits| commits.count > 0) && !self.has_batches()
    }

    /// Adds a record from before the trace. The small tape for warming up loads only the ones it needs.
    fn add_before(&mut self, event: &Event<'_>, id: Identity) -> Result<(), TraceError> {
        if self.loads_only_what_it_needs {
            return Ok(());
        }
        let bytes = event.value_bytes.or(self.options.value_bytes).ok_or_else(|| unknown_length(event))?;
        let place = self.content.load((id, event.key.len()), bytes as u32).ok_or_else(|| known_before(event))?;
        self.count_key(event)?;
        Ok(self.push_load(event.key, place)?)
    }

    fn push_load(&mut self, key: &[u8], place: Place) -> Result<(), TapeError> {
        self.load.push(&record((Operation::Insert, 0), key, place, None))?;
        if self.content.totals().loaded.is_multiple_of(LOAD_BATCH) {
            self.load.push(&record((Operation::Commit, 0), &[], Place::default(), None))?;
        }
        Ok(())
    }

    fn count_key(&mut self, event: &Event<'_>) -> Result<(), TraceError> {
        check_keys(self.content.keys(), event.origin)?;
        let bytes = event.key.len() as u64;
        let range = self.key_bytes.get_or_insert(SizeRange { min: bytes, max: bytes });
        *range = SizeRange { min: range.min.min(bytes), max: range.max.max(bytes) };
        Ok(())
    }

    /// Looks whether the disk has room for the pool, for the tapes until the next look, and for the tape that is dealt to lanes in the end.
    fn check_room(&mut self, origin: Option<Origin>) -> Result<(), TraceError> {
        let now = (self.load.bytes() + self.tape.bytes(), self.content.pool_bytes());
        let looked = self.checked_bytes.is_some_and(|(tapes, pool)| pool == now.1 && now.0 - tapes < ROOM_CHECK_BYTES);
        if looked {
            return Ok(());
        }
        self.checked_bytes = Some(now);
        let is_kept = self.lanes() == LaneFacts::One && !self.commits_each();
        let dealt_bytes = if is_kept { 0 } else { self.tape.bytes() + ROOM_CHECK_BYTES };
        let needed_bytes = self.content.pool_bytes() + ROOM_CHECK_BYTES + dealt_bytes;
        match room_bytes(&self.directory).filter(|free_bytes| *free_bytes < needed_bytes) {
            None => Ok(()),
            Some(free_bytes) => {
                let directory = self.directory.clone();
                Err(TraceError::NoRoom { origin, directory, free_bytes, needed_bytes })
            }
        }
    }

    /// The lanes, as read so far.
    fn lanes(&self) -> LaneFacts {
        match (&self.order, self.threads) {
            (None, _) => LaneFacts::dealt(self.options.threads.unwrap_or(1)),
            (Some(_), 1) => LaneFacts::One,
            (Some(_), threads) if self.content.is_contended() => LaneFacts::Dealt(threads),
            (Some(_), threads) => LaneFacts::Threads(threads),
        }
    }

    /// When the operation is due after the first one, nanoseconds.
    fn due_ns(&mut self, event: &Event<'_>) -> Option<u64> {
        let time_s = event.time_s?;
        self.last_s = time_s;
        Some(((time_s - *self.first_s.get_or_insert(time_s)) * 1e9).round() as u64)
    }

    fn finish(
        self,
        (lanes, has_batches): (LaneFacts, bool),
        pool: Option<MadePool>,
        progress: OnProgress<'_>,
    ) -> Result<(ImportOutcome, MadePool), TraceError> {
        let Some(key_bytes) = self.key_bytes.filter(|_| self.operations > 0) else { return Err(TraceError::Empty) };
        if let (Some(origin), LaneFacts::Dealt(_)) = (self.commits.and_then(|commits| commits.first_batch), lanes) {
            return Err(TraceError::CommitsDealt { origin });
        }
        let count = self.commits.map_or(0, |commits| commits.count);
        let commits = if has_batches { count } else { 0 };
        let reads = self.mix.get(&Operation::Get).copied().unwrap_or(0);
        let done = ImportParts {
            directory: &self.directory,
            progress,
            data: self.options.data,
            seed: self.options.seed,
            anonymized: self.options.anonymize,
            content: self.content,
            lanes,
            operations: self.operations,
            mix: self.mix,
            commits,
            drops_commits: count > commits,
            key_bytes,
            duration_s: self.first_s.map_or(0.0, |first_s| self.last_s - first_s),
        };
        let loaded = done.content.totals().loaded;
        let (workload, pool) = done.keep(self.load, self.tape, self.order, pool)?;
        let (operations, reads_missing) = (self.operations, self.reads_missing);
        let (omitted, lacks_zone) = (Omitted::default(), false);
        let imported =
            ImportOutcome { workload, operations, commits, loaded, lanes, reads, reads_missing, omitted, lacks_zone };
        Ok((imported, pool))
    }
}

#[cold]
pub(crate) fn known_before(event: &Event<'_>) -> TraceError {
    let expected =
        "a key that no row above has, since a row `load` is a record that was there before the first operation";
    TraceError::line(event.origin, "key", event.key, expected)
}

#[cold]
pub(crate) fn unknown_length(event: &Event<'_>) -> TraceError {
    let expected =
        "a length, since no earlier line has the length of this value: give one for all such values with --value-size";
    TraceError::line(event.origin, "value_size", b"", expected)
}
