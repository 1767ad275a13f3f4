//! A trace summed up: what an application does, with how many records of which sizes, and how it asks for them.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::io::Read;

use bakeoff_measure::Histogram;
use bakeoff_tape::{Operation, TapeReader};

use crate::error::{Origin, TraceError};
use crate::event::Event;
use crate::hash::{IdentityHasher, secret_hash};
use crate::lanes::Threads;
use crate::popularity::Popularity;
use crate::progress::{OnProgress, PROGRESS_OPERATIONS, report, report_read};
use crate::read::Trace;
use crate::sizes::{RecordSizes, Sizes};

/// The most different keys that are counted: they take about 20 bytes of memory each.
pub(crate) const KEYS_MAX: usize = 200_000_000;

/// Stand for the length of a value that no line tells, and for that of a key which was never found.
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
    /// Reads whose value has a length of 0: they found nothing.
    pub reads_missing: u64,
    /// Different keys.
    pub keys: u64,
    /// Length of keys, over operations.
    pub key_bytes: Sizes,
    /// Mean length of keys, each different one counted once.
    pub record_key_bytes: f64,
    /// Length of values, over operations that tell one above 0; `None` if none does.
    pub value_bytes: Option<Sizes>,
    /// Length of values, over keys: of each key the last one above 0 that is told; `None` if there is none.
    pub record_value_bytes: Option<RecordSizes>,
    /// Keys and the values that they had last. A value whose length no line tells counts as long as the mean of the others.
    pub working_set_bytes: u64,
    /// How popular keys are; `None` where too few came often enough.
    pub popularity: Option<Popularity>,
    /// When operations came; `None` where the trace does not tell, or all came at once.
    pub arrival: Option<Arrival>,
    /// How many threads it was; `None` where the trace does not tell, or tells of more than a tape has lanes.
    pub threads: Option<u32>,
}

impl Summary {
    /// Reads a trace to its end.
    ///
    /// # Errors
    /// A line is not what it should be, there is none, there are too many keys, or `progress` said to stop.
    pub fn read<R: Read>(mut trace: Trace<R>, progress: OnProgress<'_>) -> Result<Self, TraceError> {
        let position = trace.take_position();
        let mut counting = Counting { threads: Some(Threads::default()), ..Counting::default() };
        while let Some(event) = trace.next_event()? {
            counting.add(&event)?;
            if counting.operations.is_multiple_of(PROGRESS_OPERATIONS) {
                report_read(progress, position.as_ref(), counting.operations)?;
            }
        }
        counting.finish()
    }

    /// Sums up what is on an imported tape.
    ///
    /// # Errors
    /// The tape is damaged, there is nothing on it, or `progress` said to stop.
    pub fn of_tape(tape: &TapeReader, progress: OnProgress<'_>) -> Result<Self, TraceError> {
        let mut counting = Counting::default();
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
                    counting.add(&Event {
                        origin,
                        operation,
                        key,
                        key_bytes,
                        value_bytes,
                        time_s: None,
                        thread: None,
                    })?;
                }
            }
        }
        tape.check_unchanged()?;
        due_ns.sort_unstable();
        due_ns.into_iter().for_each(|due_ns| counting.arrived(due_ns as f64 / 1e9));
        Ok(Self { threads: Some(lanes).filter(|lanes| *lanes > 1), ..counting.finish()? })
    }
}

/// What is known of a key: no more, since there may be very many.
struct Key {
    count: u32,
    /// Of the value seen last, or `NOTHING`, or `UNKNOWN`.
    value_bytes: u32,
}

#[derive(Default)]
struct Counting {
    mix: BTreeMap<Operation, u64>,
    /// By hashes that nobody can foresee: keys made to meet would take a time that grows with their square.
    keys: HashMap<u64, Key, BuildHasherDefault<IdentityHasher>>,
    /// Of each different key once.
    different_key_bytes: u64,
    reads_missing: u64,
    key_bytes: Histogram,
    value_bytes: Histogram,
    operations: u64,
    threads: Option<Threads>,
    last_s: Option<f64>,
    gaps: u64,
    gap_sum: f64,
    gap_squares: f64,
}

impl Counting {
    fn add(&mut self, event: &Event<'_>) -> Result<(), TraceError> {
        self.operations += 1;
        *self.mix.entry(event.operation).or_default() += 1;
        self.reads_missing += u64::from(event.operation == Operation::Get && event.value_bytes == Some(0));
        let key = self.keys.entry(secret_hash(event.key)).or_insert_with(|| {
            self.different_key_bytes += event.key_bytes;
            Key { count: 0, value_bytes: UNKNOWN }
        });
        key.count = key.count.saturating_add(1);
        // A length of 0 that was read is that of a key that is not there: it does not say how long its value was before.
        let told = event.value_bytes.filter(|bytes| *bytes > 0 || event.operation.writes_value());
        match told {
            Some(bytes) => key.value_bytes = u32::try_from(bytes).unwrap_or(NOTHING - 1),
            None if event.value_bytes.is_some() && key.value_bytes == UNKNOWN => key.value_bytes = NOTHING,
            None => {}
        }
        if self.keys.len() > KEYS_MAX {
            return Err(TraceError::TooManyKeys { origin: event.origin, most: KEYS_MAX as u64 });
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

    fn arrived(&mut self, time_s: f64) {
        if let Some(last_s) = self.last_s.replace(time_s) {
            let gap = time_s - last_s;
            self.gaps += 1;
            self.gap_sum += gap;
            self.gap_squares += gap * gap;
        }
    }

    fn finish(self) -> Result<Summary, TraceError> {
        let (Some(key_bytes), Some(_)) = (Sizes::of(&self.key_bytes), self.mix.first_key_value()) else {
            return Err(TraceError::Empty);
        };
        let arrival = self.arrival();
        let told = self.keys.values().map(|key| key.value_bytes).filter(|bytes| ![NOTHING, UNKNOWN].contains(bytes));
        let record_value_bytes = RecordSizes::of(told.collect());
        Ok(Summary {
            operations: self.operations,
            reads_missing: self.reads_missing,
            keys: self.keys.len() as u64,
            key_bytes,
            record_key_bytes: self.different_key_bytes as f64 / self.keys.len() as f64,
            value_bytes: Sizes::of(&self.value_bytes),
            record_value_bytes,
            working_set_bytes: self.working_set_bytes(record_value_bytes),
            arrival,
            threads: self.threads.map(|threads| threads.count()).filter(|count| *count > 1),
            mix: self.mix,
            popularity: Popularity::fit(self.keys.into_values().map(|key| key.count).collect()),
        })
    }

    fn working_set_bytes(&self, records: Option<RecordSizes>) -> u64 {
        let mean = records.map_or(0, |records| records.sizes.mean.round() as u64);
        let value_bytes = |key: &Key| match key.value_bytes {
            UNKNOWN => mean,
            NOTHING => 0,
            bytes => u64::from(bytes),
        };
        self.different_key_bytes + self.keys.values().map(value_bytes).sum::<u64>()
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
