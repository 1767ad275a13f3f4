//! The model of an import: which keys exist, and the place of each value in the pool, so that every answer is known.
//!
//! A key is kept as its hashes alone. Memory grows with the number of different keys, not with the length of the trace.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::hint::black_box;

use bakeoff_tape::{Consumer, Operation, Places, Pool, Record, Scan, SizeRange, TapeError, below, flags, pool_bytes};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use xxhash_rust::xxh64::xxh64;

use crate::hash::{Identity, IdentityHasher};
use crate::progress::{OnProgress, report};
use crate::read_ahead::Batch;

/// Progress is reported after this many bytes of values.
const TELL_BYTES: u64 = 64 << 20;

/// A value in the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

/// A key that is not there is kept with this length, which no value has.
const ABSENT: Place = Place { offset: 0, bytes: u32::MAX };

/// What one operation of a trace becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The value that the key must have before the trace begins.
    pub(crate) load: Option<Place>,
    pub(crate) operation: Operation,
    pub(crate) flags: u8,
    pub(crate) value: Place,
}

/// A trace lacks the length of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownLength;

/// Operations done and records that exist. Counts of what was loaded are separate, because all of it exists from the
/// beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) loaded: u64,
    /// Bytes of keys and values.
    pub(crate) loaded_bytes: u64,
    /// Records that the trace itself made.
    pub(crate) inserted: u64,
    pub(crate) writes: u64,
    /// Of values alone, loaded ones included.
    pub(crate) value_bytes_written: u64,
    pub(crate) value_bytes_min: u64,
    pub(crate) value_bytes_max: u64,
    /// Bytes of keys and values that the trace itself wrote.
    pub(crate) written_bytes: u64,
    /// Reads that find a record which they did not find in the trace.
    pub(crate) reads_found_after_all: u64,
    /// How much there is beyond the loaded records, now and at most.
    records: i64,
    records_most: i64,
    bytes: i64,
    bytes_most: i64,
}

impl Totals {
    pub(crate) fn records(&self) -> u64 {
        self.loaded.saturating_add_signed(self.records)
    }

    pub(crate) fn records_max(&self) -> u64 {
        self.loaded.saturating_add_signed(self.records_most)
    }

    pub(crate) fn data_bytes(&self) -> u64 {
        self.loaded_bytes.saturating_add_signed(self.bytes)
    }

    pub(crate) fn data_bytes_max(&self) -> u64 {
        self.loaded_bytes.saturating_add_signed(self.bytes_most)
    }

    fn wrote(&mut self, bytes: u32) {
        let bytes = u64::from(bytes);
        self.value_bytes_min = if self.writes == 0 { bytes } else { self.value_bytes_min.min(bytes) };
        self.value_bytes_max = self.value_bytes_max.max(bytes);
        self.value_bytes_written += bytes;
        self.writes += 1;
    }

    fn changed(&mut self, records: i64, bytes: i64) {
        self.records += records;
        self.bytes += bytes;
        self.records_most = self.records_most.max(self.records);
        self.bytes_most = self.bytes_most.max(self.bytes);
    }
}

/// A key that was met.
#[derive(Clone, Copy)]
struct KeyState {
    place: Place,
    /// The thread that met it first, and whether another one did, and whether any wrote it.
    first: u8,
    /// Whether any did.
    is_met: bool,
    shared: bool,
    written: bool,
}

/// Which keys are there.
pub(crate) struct Content {
    known: HashMap<Identity, KeyState, BuildHasherDefault<IdentityHasher>>,
    /// Whether a thread used a key that another one writes.
    contended: bool,
    values: Values,
    totals: Totals,
}

/// The values to write, and the pool they are in.
struct Values {
    places: Places,
    random: Xoshiro256PlusPlus,
    pool_bytes: u64,
}

impl Content {
    pub(crate) fn new(seed: u64) -> Self {
        Self { known: HashMap::default(), contended: false, values: Values::new(seed), totals: Totals::default() }
    }

    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Different keys so far.
    pub(crate) fn keys(&self) -> usize {
        self.known.len()
    }

    /// Whether a thread used a key that another one writes.
    pub(crate) fn is_contended(&self) -> bool {
        self.contended
    }

    /// The pool of every value so far.
    pub(crate) fn pool_bytes(&self) -> u64 {
        self.values.pool_bytes
    }

    /// Looks up the keys of a batch one right after the other, so that the processor waits for memory for many of them
    /// at a time. The next look-up finds them in its caches.
    pub(crate) fn touch(&self, batch: &Batch) {
        let bytes = |identity| self.known.get(&identity).map_or(0, |known| known.place.bytes);
        black_box(batch.identities().map(bytes).fold(0, u32::wrapping_add));
    }

    /// Puts a record that is there before the trace begins; `None` if its key was met.
    pub(crate) fn load(&mut self, (key, key_bytes): (Identity, usize), bytes: u32) -> Option<Place> {
        let Entry::Vacant(entry) = self.known.entry(key) else { return None };
        let place = self.values.draw(bytes);
        entry.insert(KeyState { place, first: 0, is_met: false, shared: false, written: false });
        self.totals.loaded += 1;
        self.totals.loaded_bytes += key_bytes as u64 + u64::from(bytes);
        self.totals.wrote(bytes);
        Some(place)
    }

    /// Does one operation. `told` is the length of the value in the trace; `otherwise` holds where the trace has none.
    /// An update without a length leaves a value as long as it was.
    pub(crate) fn step(
        &mut self,
        (operation, key, key_bytes): (Operation, Identity, usize),
        thread: u8,
        told: Option<u64>,
        otherwise: Option<u64>,
    ) -> Result<Step, UnknownLength> {
        let bytes = told.or(otherwise).map(|bytes| bytes as u32).ok_or(UnknownLength);
        let length = |value: Place| (key_bytes + value.bytes as usize) as i64;
        let mut step = Step { load: None, operation, flags: 0, value: Place::default() };
        let mut known = match self.known.entry(key) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => {
                // First met. What reads, replaces or removes it found it there, unless the trace says that nothing was found.
                let found = match operation {
                    Operation::Get => told != Some(0),
                    Operation::Update => true,
                    Operation::Delete => told.is_some_and(|bytes| bytes > 0),
                    _ => false,
                };
                if found {
                    let value = self.values.draw(bytes?);
                    step.load = Some(value);
                    self.totals.loaded += 1;
                    self.totals.loaded_bytes += length(value) as u64;
                    self.totals.wrote(value.bytes);
                }
                let place = step.load.unwrap_or(ABSENT);
                entry.insert_entry(KeyState { place, first: thread, is_met: true, shared: false, written: false })
            }
        };
        let known = known.get_mut();
        if !std::mem::replace(&mut known.is_met, true) {
            known.first = thread;
        }
        known.shared |= known.first != thread;
        known.written |= operation.writes();
        self.contended |= known.shared && known.written;
        let before = Some(known.place).filter(|place| *place != ABSENT);
        step.flags = if before.is_some() { flags::FOUND } else { 0 };
        match operation {
            Operation::Get => {
                step.value = before.unwrap_or_default();
                self.totals.reads_found_after_all += u64::from(told == Some(0) && step.value.bytes > 0);
            }
            Operation::Delete => {
                if let Some(value) = before {
                    self.totals.changed(-1, -length(value));
                    known.place = ABSENT;
                }
            }
            _ => {
                step.operation = written(operation, before.is_some());
                if step.operation == Operation::Insert {
                    step.flags = 0;
                }
                let bytes = match (operation, told, before) {
                    (Operation::Update, None, Some(before)) => before.bytes,
                    _ => bytes?,
                };
                step.value = self.values.draw(bytes);
                self.totals.changed(i64::from(before.is_none()), length(step.value) - before.map_or(0, length));
                self.totals.inserted += u64::from(before.is_none());
                self.totals.written_bytes += length(step.value) as u64;
                self.totals.wrote(step.value.bytes);
                known.place = step.value;
            }
        }
        Ok(step)
    }

    /// The result of a scan of everything, in any order, by the strong checksum; `None` if a value is outside the pool.
    pub(crate) fn scan(&self, pool: &Pool, progress: OnProgress<'_>) -> Result<Option<Scan>, TapeError> {
        let mut checksum = 0_u64;
        let (mut entries, mut untold_bytes, records) = (0, 0, self.totals.records());
        for (key, known) in self.known.iter().filter(|(_, known)| known.place != ABSENT) {
            let Some(value) = pool.slice(u64::from(known.place.offset), known.place.bytes) else { return Ok(None) };
            untold_bytes += value.len() as u64;
            if untold_bytes >= TELL_BYTES {
                report(progress, "adding up what must be there in the end", (entries, records))?;
                untold_bytes = 0;
            }
            checksum = checksum.wrapping_add(xxh64(value, key.checksum));
            entries += 1;
        }
        let bytes = self.totals.data_bytes();
        Ok(Some(Scan { limit: 0, entries, bytes, checksum, consumer: Consumer::Xxh64 }))
    }
}

/// How a value is written, so that stores also answer right that refuse to insert an existing record, or to replace a
/// missing one.
fn written(operation: Operation, there: bool) -> Operation {
    match (operation, there) {
        (Operation::Insert, true) | (Operation::Update, false) => Operation::Upsert,
        (as_it_is, _) => as_it_is,
    }
}

/// How long the pool is for values of up to `bytes` bytes.
fn pool_for(bytes: u32) -> u64 {
    pool_bytes(&SizeRange { min: 0, max: bytes.into() }.into())
}

impl Values {
    fn new(seed: u64) -> Self {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { places: Places::default(), random, pool_bytes: pool_for(0) }
    }

    /// A value of this length, for which the pool is made longer if need be.
    fn draw(&mut self, bytes: u32) -> Place {
        self.pool_bytes = pool_for(bytes).max(self.pool_bytes);
        let draw = |bound| below(self.random.next_u64(), bound);
        Place { offset: self.places.place(bytes, self.pool_bytes, draw), bytes }
    }
}

/// A record for a tape, without a scan.
pub(crate) fn record<'a>(
    (operation, flags): (Operation, u8),
    key: &'a [u8],
    value: Place,
    due_ns: Option<u64>,
) -> Record<'a> {
    let (value_bytes, value_offset) = (value.bytes, u64::from(value.offset));
    Record { operation, flags, key, value_bytes, value_offset, due_ns, scan: None }
}
