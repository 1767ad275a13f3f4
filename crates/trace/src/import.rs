//! A trace turned into tapes that can be replayed on every store: what was there before it began, the operations themselves, and
//! everything that must be there at the end.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use bakeoff_tape::{Data, Operation, Record, SizeRange, TapeWriter, Workload};

use crate::ahead::read_ahead;
use crate::content::{Content, Place, Step};
use crate::error::TraceError;
use crate::finish::{Done, LOAD_BATCH, LOAD_FILE, TRACE_FILE};
use crate::form::Form;
use crate::hash::Identity;
use crate::keys::Keys;
use crate::lanes::{LaneRule, Lanes, shape};
use crate::read::{Event, Trace};
use crate::summary::KEYS_MAX;

/// Longer than any trace: a time beyond is a mistake of its unit.
const DURATION_S_MAX: f64 = 1e9;

/// How a trace is to be imported.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Its form; told by its first line if not given.
    pub form: Option<Form>,
    /// Lanes to deal keys to, up to [`crate::IMPORT_LANES_MAX`]; if not given, what the trace says of threads.
    pub threads: Option<u32>,
    /// Make every key unreadable, keeping its length if that is at least 20.
    pub anonymize: bool,
    /// The length of values whose length the trace does not tell, bytes, at most 1 GiB.
    pub value_bytes: Option<u64>,
    /// What values are made of.
    pub data: Data,
    /// Seed of the values and where they lie.
    pub seed: u64,
    /// Only so many operations from the beginning.
    pub operations_max: Option<u64>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            form: None,
            threads: None,
            anonymize: false,
            value_bytes: None,
            data: Data::Text,
            seed: 1,
            operations_max: None,
        }
    }
}

/// How a trace became lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneFacts {
    /// One lane.
    One,
    /// Every thread has its own.
    Threads(u32),
    /// Keys were dealt to so many: threads use keys that others write, or the number was given.
    Dealt(u32),
}

/// An import that is done.
#[derive(Clone, Debug)]
pub struct Imported {
    /// What stands for its workload.
    pub workload: Workload,
    /// Operations of the trace.
    pub operations: u64,
    /// Records that must be there before it begins.
    pub loaded: u64,
    /// How it became lanes.
    pub lanes: LaneFacts,
}

/// Hears of the operations done so far and says whether to go on.
pub type OnImported<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Imports the trace in a file into an empty directory: a value pool, a tape to load what the trace found there, one with its operations, one to
/// compare everything at the end.
///
/// # Errors
/// A line is not what it should be, the directory cannot be written, or `progress` said to stop. What is in the directory then is
/// of no use.
pub fn import(
    trace: &Path,
    directory: &Path,
    options: &ImportOptions,
    progress: OnImported<'_>,
) -> Result<Imported, TraceError> {
    let mut reader = Trace::open(trace, options.form)?;
    let rule = match options.threads {
        None if reader.has_threads() => {
            let rule = LaneRule::survey(reader)?;
            reader = Trace::open(trace, options.form)?;
            rule
        }
        None | Some(1) => LaneRule::One,
        Some(lanes) => LaneRule::Dealt(lanes),
    };
    let mut importer = Importer::new(directory, options, rule)?;
    let most = options.operations_max.unwrap_or(u64::MAX);
    read_ahead(reader, Keys::new(options.anonymize)?, |batch| {
        importer.content.touch(batch);
        let room = usize::try_from(most - importer.operations).unwrap_or(usize::MAX);
        batch.events().take(room).try_for_each(|(event, id)| importer.add(&event, id))?;
        if progress(importer.operations).is_break() {
            return Err(TraceError::Stopped);
        }
        Ok(if importer.operations < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    importer.finish()
}

struct Importer<'a> {
    directory: &'a Path,
    options: &'a ImportOptions,
    rule: LaneRule,
    content: Content,
    load: TapeWriter,
    lanes: Lanes,
    operations: u64,
    mix: BTreeMap<Operation, u64>,
    key_bytes: Option<SizeRange>,
    first_s: Option<f64>,
    last_s: f64,
}

impl<'a> Importer<'a> {
    fn new(directory: &'a Path, options: &'a ImportOptions, rule: LaneRule) -> Result<Self, TraceError> {
        Ok(Self {
            directory,
            options,
            content: Content::new(options.seed),
            load: TapeWriter::create(&directory.join(LOAD_FILE), shape(rule.lanes()))?,
            lanes: Lanes::create(&directory.join(TRACE_FILE), rule.lanes())?,
            rule,
            operations: 0,
            mix: BTreeMap::new(),
            key_bytes: None,
            first_s: None,
            last_s: 0.0,
        })
    }

    /// Adds one operation to the tapes.
    fn add(&mut self, event: &Event<'_>, id: Identity) -> Result<(), TraceError> {
        if event.operation.visits() {
            let word = event.operation.name().as_bytes();
            let expected = "an operation on one key: a trace does not tell what a scan finds; leave scans out, or use `pick --trace`";
            return Err(TraceError::line(event.line, "op", word, expected));
        }
        let due_ns = self.due_ns(event)?;
        let key = event.key;
        let step = self
            .content
            .step((event.operation, id, key.len()), event.value_bytes, self.options.value_bytes)
            .map_err(|_| untold(event))?;
        if self.content.keys() > KEYS_MAX {
            return Err(TraceError::TooManyKeys { line: event.line, most: KEYS_MAX as u64 });
        }
        let bytes = key.len() as u64;
        let range = self.key_bytes.get_or_insert(SizeRange { min: bytes, max: bytes });
        *range = SizeRange { min: range.min.min(bytes), max: range.max.max(bytes) };
        if let Some(place) = step.load {
            self.load.push(&record((Operation::Insert, 0), key, place, None))?;
            if self.content.totals().loaded.is_multiple_of(LOAD_BATCH) {
                self.load.push(&record((Operation::Commit, 0), &[], Place::default(), None))?;
            }
        }
        let Step { operation, flags, value, .. } = step;
        let lane = self.rule.lane(event, id);
        self.lanes.push(lane, &record((operation, flags), key, value, due_ns))?;
        *self.mix.entry(operation).or_default() += 1;
        self.operations += 1;
        Ok(())
    }

    /// When the operation is due after the first one, nanoseconds.
    fn due_ns(&mut self, event: &Event<'_>) -> Result<Option<u64>, TraceError> {
        let timed = self.operations == 0 || self.first_s.is_some();
        let (Some(time_s), true) = (event.time_s, timed) else {
            if event.time_s.is_some() == self.first_s.is_some() {
                return Ok(None);
            }
            let found = event.time_s.map_or_else(String::new, |time_s| time_s.to_string());
            return Err(TraceError::line(event.line, "time", found.as_bytes(), "a time in every line, or in none"));
        };
        if time_s < self.last_s {
            let expected = format!("no less than {}, which came before", self.last_s);
            return Err(TraceError::line(event.line, "time", time_s.to_string().as_bytes(), expected));
        }
        self.last_s = time_s;
        let first_s = *self.first_s.get_or_insert(time_s);
        if time_s - first_s > DURATION_S_MAX {
            let expected = format!("no more than {DURATION_S_MAX} seconds (thirty years) after the first, {first_s}");
            return Err(TraceError::line(event.line, "time", time_s.to_string().as_bytes(), expected));
        }
        Ok(Some(((time_s - first_s) * 1e9) as u64))
    }

    fn finish(self) -> Result<Imported, TraceError> {
        let Some(key_bytes) = self.key_bytes else { return Err(TraceError::Empty) };
        let lanes = match &self.rule {
            LaneRule::One => LaneFacts::One,
            LaneRule::Threads(threads) => LaneFacts::Threads(threads.len() as u32),
            LaneRule::Dealt(lanes) => LaneFacts::Dealt(*lanes),
        };
        let done = Done {
            directory: self.directory,
            data: self.options.data,
            seed: self.options.seed,
            anonymized: self.options.anonymize,
            content: self.content,
            lanes: self.rule.lanes(),
            operations: self.operations,
            mix: self.mix,
            key_bytes,
            duration_s: self.first_s.map_or(0.0, |first_s| self.last_s - first_s),
        };
        let loaded = done.content.totals().loaded;
        let workload = done.keep(self.load, self.lanes)?;
        Ok(Imported { workload, operations: self.operations, loaded, lanes })
    }
}

pub(crate) fn record<'a>(
    (operation, flags): (Operation, u8),
    key: &'a [u8],
    value: Place,
    due_ns: Option<u64>,
) -> Record<'a> {
    let (value_bytes, value_offset) = (value.bytes, u64::from(value.offset));
    Record { operation, flags, key, value_bytes, value_offset, due_ns, scan: None }
}

#[cold]
fn untold(event: &Event<'_>) -> TraceError {
    let expected =
        "a length, since nothing before tells how long this value is: give one for all such values with --value-size";
    TraceError::line(event.line, "value_size", b"", expected)
}
