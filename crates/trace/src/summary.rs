//! A trace summed up: the operations of an application, the number and sizes of its records, and how it reads them.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::io::Read;

use bakeoff_measure::Histogram;
use bakeoff_tape::{Operation, TapeReader, ValueSizes};

use crate::error::{Origin, TraceError};
use crate::event::Event;
use crate::hash::{IdentityHasher, secret_hash};
use crate::intake::Omitted;
use crate::lanes::Threads;
use crate::popularity::{Law, Popularity};
use crate::progress::{OnProgress, PROGRESS_OPERATIONS, report, report_read};
use crate::read::Trace;
use crate::sizes::{RecordSizes, Sizes, by_popularity, means_differ};
use crate::turnover::{Birth, Lives, Turnover};

/// The most different keys that are counted: they take about 28 bytes of memory each.
const KEYS_MAX: usize = 200_000_000;

/// Refuses more different keys than are followed.
pub(crate) fn check_keys(keys: usize, origin: Origin) -> Result<(), TraceError> {
    match keys > KEYS_MAX {
        true => Err(TraceError::TooManyKeys { origin, most: KEYS_MAX as u64 }),
        false => Ok(()),
    }
}

/// The fewest steps from one key to another that show in which order keys come.
const STEPS_MIN: u64 = 1_000;

/// Mark an unknown length of a value, and a key that was never found.
const UNKNOWN: u32 = u32::MAX;
const NOTHING: u32 = u32::MAX - 1;

/// When operations came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// From the first to the last, seconds.
    pub duration_s: f64,
    /// Mean time between two, seconds.
    pub gap_s_mean: f64,
    /// The standard deviation of that time by its mean: 1 for independent arrivals, more for bursts.
    pub variation: f64,
}

/// What a trace says.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Operations in all.
    pub operations: u64,
    /// By kind.
    pub mix: BTreeMap<Operation, u64>,
    /// Batches that writes were committed in; 0 where each is acknowledged alone.
    pub commits: u64,
    /// Reads that find nothing: their key was removed, or its first length is 0.
    pub reads_missing: u64,
    /// Different keys.
    pub keys: u64,
    /// How records came and went.
    pub turnover: Turnover,
    /// Length of keys, over operations.
    pub key_bytes: Sizes,
    /// Length of keys, each different one counted once.
    pub record_key_bytes: Sizes,
    /// Length of values, over operations that tell one above 0; `None` if none does.
    pub value_bytes: Option<Sizes>,
    /// Length of values, over keys: for each key its last length above 0; `None` if there is none.
    pub record_value_bytes: Option<RecordSizes>,
    /// Sizes of popular records and of the rest, where the mean over operations is not that over records and a law of popularity with such sizes
    /// gives it. `None` too where keys ascend as records are made: age may then decide.
    pub sizes_by_popularity: Option<ValueSizes>,
    /// The most records alive at one time, with keys and values as long as the mean over all keys. A value of unknown
    /// length counts as long as the mean of the others.
    pub working_set_bytes: u64,
    /// How popular keys are; `None` where too few came often enough.
    pub popularity: Option<Popularity>,
    /// Among the reads and replacements whose key is another than the one before, the part whose key is above it.
    /// `None` where there are too few.
    pub ascending_steps: Option<f64>,
    /// When operations came; `None` where the trace does not tell, or all came at once.
    pub arrival: Option<Arrival>,
    /// How many threads it was; `None` where the trace does not tell, or tells of more than a tape has lanes.
    pub threads: Option<u32>,
    /// What of the trace became no operation.
    pub omitted: Omitted,
    /// Times were dates without a zone, and counted as UTC.
    pub lacks_zone: bool,
}

impl Summary {
    /// Writes of a batch on average, at least 1; `None` where each is acknowledged alone.
    pub fn batch(&self) -> Option<f64> {
        let writes: u64 = self.mix.iter().filter(|(kind, _)| kind.writes()).map(|(_, count)| count).sum();
        (self.commits > 0).then(|| (writes as f64 / self.commits as f64).max(1.0))
    }

    /// Reads a trace to its end.
    ///
    /// # Errors
    /// A line is not what it should be, there is no line, there are too many keys, or `progress` said to stop.
    pub fn read<R: Read>(mut trace: Trace<R>, progress: OnProgress<'_>) -> Result<Self, TraceError> {
        let position = trace.position();
        let mut counting = Counting { threads: Some(Threads::default()), ..Counting::default() };
        while let Some(event) = trace.next_event()? {
            counting.add(&event, None)?;
            if counting.operations.is_multiple_of(PROGRESS_OPERATIONS) {
                report_read(progress, position.as_ref(), counting.operations)?;
            }
        }
        let (mut omitted, lacks_zone) = (trace.omitted().clone(), trace.lacks_zone());
        omitted.reads_found_after_all = counting.reads_found_after_all;
        Ok(Self { omitted, lacks_zone, ..counting.finish()? })
    }

    /// Sums up an imported tape, on whose lanes together at most `records_max` records are alive at one time.
    ///
    /// # Errors
    /// The tape is damaged, there is nothing on it, or `progress` said to stop.
    pub fn of_tape(tape: &TapeReader, records_max: u64, progress: OnProgress<'_>) -> Result<Self, TraceError> {
        let mut counting = Counting { records_max: Some(records_max), ..Counting::default() };
        // Lanes come one after the other, and their operations came at the same time.
        let mut due_ns = Vec::new();
        let lanes = tape.facts().lanes.len() as u32;
        for number in 0..lanes {
            let mut lane = tape.lane(number)?;
            while let Some(block) = lane.next_block()? {
                report(progress, "reading the tape", (counting.operations, tape.facts().operations))?;
                for record in block.records() {
                    due_ns.extend(record.due_ns);
                    let value_bytes = Some(u64::from(record.value_bytes));
                    let (operation, key, key_bytes) = (record.operation, record.key, record.key.len() as u64);
                    let origin = Origin::Row(counting.operations + 1);
                    let (is_before, time_s, thread) = (false, None, None);
                    let event = Event { origin, operation, is_before, key, key_bytes, value_bytes, time_s, thread };
                    counting.add(&event, Some(record.found()))?;
                }
            }
        }
        tape.check_unchanged()?;
        due_ns.sort_unstable();
        due_ns.into_iter().for_each(|due_ns| counting.arrived(due_ns as f64 / 1e9));
        Ok(Self { threads: Some(lanes).filter(|lanes| *lanes > 1), ..counting.finish()? })
    }
}

/// Facts about a key: only these, since there may be very many.
struct Key {
    count: u32,
    /// Of the value seen last, or `NOTHING`, or `UNKNOWN`.
    value_bytes: u32,
    /// Whether it is there, and since when, once it was met.
    birth: Birth,
}

#[derive(Default)]
struct Counting {
    mix: BTreeMap<Operation, u64>,
    /// By hashes that nobody can foresee: keys made to meet would take a time that grows with their square.
    keys: HashMap<u64, Key, BuildHasherDefault<IdentityHasher>>,
    /// Of each different key once.
    different_key_bytes: Histogram,
    commits: u64,
    /// Writes since the last commit.
    uncommitted: u64,
    /// Whether a commit ended several writes.
    has_batches: bool,
    reads_missing: u64,
    /// Reads of a length of 0, of a record that is there with another.
    reads_found_after_all: u64,
    lives: Lives,
    /// The most records alive at one time, where it is known.
    records_max: Option<u64>,
    key_bytes: Histogram,
    value_bytes: Histogram,
    operations: u64,
    threads: Option<Threads>,
    /// The key that was read or replaced last, steps from it to another one, and those to one above.
    last_key: Vec<u8>,
    steps: u64,
    ascending_steps: u64,
    last_s: Option<f64>,
    gaps: u64,
    gap_sum: f64,
    gap_squares: f64,
}

impl Counting {
    /// `found` says whether the key was there, where that is known.
    fn add(&mut self, event: &Event<'_>, found: Option<bool>) -> Result<(), TraceError> {
        if event.operation == Operation::Commit {
            let writes = std::mem::take(&mut self.uncommitted);
            self.commits += u64::from(writes > 0);
            self.has_batches |= writes > 1;
            return Ok(());
        }
        let is_operation = !event.is_before;
        if is_operation {
            self.operations += 1;
            self.uncommitted += u64::from(event.operation.writes());
            *self.mix.entry(event.operation).or_default() += 1;
        }
        let key = self.keys.entry(secret_hash(event.key)).or_insert_with(|| {
            self.different_key_bytes.record(event.key_bytes);
            Key { count: 0, value_bytes: UNKNOWN, birth: Birth::default() }
        });
        let known = (key.count > 0 || key.birth != Birth::default()).then_some(key.birth);
        key.birth = if is_operation { self.lives.take(event, found, known) } else { self.lives.load(known) };
        key.count = key.count.saturating_add(u32::from(is_operation));
        // As an import has it: a record that was written is there until it is removed.
        let is_missing = event.operation == Operation::Get && key.birth == Birth::default();
        self.reads_missing += u64::from(is_operation && is_missing);
        let is_found_after_all =
            event.operation == Operation::Get && event.value_bytes == Some(0) && !is_missing && key.value_bytes != 0;
        self.reads_found_after_all += u64::from(is_operation && is_found_after_all);
        // A read length of 0 means a missing key: it does not show how long its value was before.
        let told = event.value_bytes.filter(|bytes| *bytes > 0 || event.operation.writes_value());
        match told {
            Some(bytes) => key.value_bytes = u32::try_from(bytes).unwrap_or(NOTHING - 1),
            None if event.value_bytes.is_some() && key.value_bytes == UNKNOWN => key.value_bytes = NOTHING,
            None => {}
        }
        check_keys(self.keys.len(), event.origin)?;
        if !is_operation {
            return Ok(());
        }
        let was_there = known.is_some_and(|birth| birth != Birth::default());
        match event.operation {
            Operation::Insert | Operation::Delete => {}
            Operation::Upsert if !was_there => {}
            _ => self.step_to(event.key),
        }
        self.key_bytes.record(event.key_bytes);
        if let Some(bytes) = told {
            self.value_bytes.record(bytes);
        }
        event.time_s.into_iter().for_each(|time_s| self.arrived(time_s));
        if self.threads.as_mut().is_some_and(|threads| threads.number(event).is_err()) {
            self.threads = None;
        }
        Ok(())
    }

    fn step_to(&mut self, key: &[u8]) {
        if key != self.last_key {
            self.steps += 1;
            self.ascending_steps += u64::from(*key > *self.last_key);
            self.last_key.clear();
            self.last_key.extend_from_slice(key);
        }
    }

    fn arrived(&mut self, time_s: f64) {
        if let Some(last_s) = self.last_s.replace(time_s) {
            let gap = time_s - last_s;
            self.gaps += 1;
            self.gap_sum += gap;
            self.gap_squares += gap * gap;
        }
    }

    fn finish(self) -> Result<Summary, TraceError> {
        let sizes = (Sizes::of(&self.key_bytes), Sizes::of(&self.different_key_bytes));
        let (Some(key_bytes), Some(record_key_bytes)) = sizes else { return Err(TraceError::Empty) };
        let arrival = self.arrival();
        let told = self.keys.values().map(|key| key.value_bytes).filter(|bytes| ![NOTHING, UNKNOWN].contains(bytes));
        let record_value_bytes = RecordSizes::of(told.collect());
        let (keys, counted) = (self.keys.len() as u64, self.lives.finish());
        let turnover = Turnover { records_max: self.records_max.unwrap_or(counted.records_max), ..counted };
        let key_and_value_bytes = self.different_key_bytes.sum_ns() + value_bytes(&self.keys, record_value_bytes);
        let ever_there = self.keys.values().filter(|key| key.value_bytes != NOTHING).count().max(1);
        let alive = (turnover.records_max as f64 / ever_there as f64).min(1.0);
        let value_bytes = Sizes::of(&self.value_bytes);
        let counts = self.keys.values().map(|key| key.count).filter(|count| *count > 0);
        let popularity = Popularity::fit(counts.collect());
        let has_law = popularity.is_some_and(|popularity| popularity.law != Law::Uniform);
        let differ = means_differ(value_bytes, record_value_bytes) && !turnover.makes_ascending_keys();
        let is_told = |key: &&Key| ![NOTHING, UNKNOWN].contains(&key.value_bytes);
        let records = || self.keys.values().filter(is_told).map(|key| (key.count, key.value_bytes)).collect();
        let sizes_by_popularity = if has_law && differ { by_popularity(records()) } else { None };
        Ok(Summary {
            operations: self.operations,
            commits: if self.has_batches { self.commits } else { 0 },
            reads_missing: self.reads_missing,
            keys,
            turnover,
            key_bytes,
            record_key_bytes,
            value_bytes,
            record_value_bytes,
            sizes_by_popularity,
            ascending_steps: (self.steps >= STEPS_MIN).then(|| self.ascending_steps as f64 / self.steps as f64),
            working_set_bytes: (key_and_value_bytes as f64 * alive).round() as u64,
            arrival,
            threads: self.threads.map(|threads| threads.count()).filter(|count| *count > 1),
            mix: self.mix,
            omitted: Omitted::default(),
            lacks_zone: false,
            popularity,
        })
    }

    fn arrival(&self) -> Option<Arrival> {
        let mean = self.gap_sum / self.gaps as f64;
        let variance = self.gap_squares / self.gaps as f64 - mean * mean;
        (mean > 0.0).then(|| Arrival {
            duration_s: self.gap_sum,
            gap_s_mean: mean,
            variation: variance.max(0.0).sqrt() / mean,
        })
    }
}

/// The values that keys had last, together.
fn value_bytes(keys: &HashMap<u64, Key, BuildHasherDefault<IdentityHasher>>, records: Option<RecordSizes>) -> u64 {
    let mean = records.map_or(0, |records| records.sizes.mean.round() as u64);
    let bytes = |key: &Key| match key.value_bytes {
        UNKNOWN => mean,
        NOTHING => 0,
        bytes => u64::from(bytes),
    };
    keys.values().map(bytes).sum()
}
