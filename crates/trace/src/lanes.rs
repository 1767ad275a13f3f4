//! Lanes of an imported tape: which operation goes to which, and tapes whose lanes grow at the same time.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::io::Read;
use std::path::{Path, PathBuf};

use bakeoff_tape::{Counts, POOL_BYTES_MAX, Record, TapeError, TapeHeader, TapeReader, TapeShape, TapeWriter};

use crate::error::TraceError;
use crate::hash::{Hashed, Identity};
use crate::read::{Event, Trace};
use crate::summary::KEYS_MAX;

/// Lanes of an imported tape, at most: all of them are written at the same time.
pub const IMPORT_LANES_MAX: u32 = 256;

/// Room for the metadata of an imported tape, bytes.
const METADATA_BYTES_MAX: usize = 4096;

/// Which lane an operation goes to.
#[derive(Clone, Debug)]
pub(crate) enum LaneRule {
    /// All on one.
    One,
    /// That of its thread: no thread uses a key that another one writes.
    Threads(HashMap<Box<[u8]>, u32>),
    /// That of its key: keys are dealt to so many lanes by their hashes.
    Dealt(u32),
}

/// Who uses a key.
struct Use {
    first: u32,
    shared: bool,
    written: bool,
}

impl LaneRule {
    /// Reads a trace to find out which of its threads there are, and whether each can keep the keys it uses.
    pub(crate) fn survey<R: Read>(mut trace: Trace<R>) -> Result<Self, TraceError> {
        let mut threads: HashMap<Box<[u8]>, u32> = HashMap::new();
        let mut uses: HashMap<Identity, Use, BuildHasherDefault<Hashed>> = HashMap::default();
        while let Some(event) = trace.next_event()? {
            let name = event.thread.unwrap_or_default();
            let thread = match threads.get(name) {
                Some(thread) => *thread,
                None if threads.len() == IMPORT_LANES_MAX as usize => {
                    return Err(TraceError::TooManyThreads { line: event.line, most: threads.len() });
                }
                None => {
                    let next = threads.len() as u32;
                    threads.insert(name.into(), next);
                    next
                }
            };
            let first = Use { first: thread, shared: false, written: false };
            let key = uses.entry(Identity::of(event.key)).or_insert(first);
            key.shared |= key.first != thread;
            key.written |= event.operation.writes();
            if uses.len() > KEYS_MAX {
                return Err(TraceError::TooManyKeys { line: event.line, most: KEYS_MAX as u64 });
            }
        }
        Ok(match threads.len() {
            0 | 1 => Self::One,
            count if uses.values().any(|key| key.shared && key.written) => Self::Dealt(count as u32),
            _ => Self::Threads(threads),
        })
    }

    /// How many lanes there are.
    pub(crate) fn lanes(&self) -> u32 {
        match self {
            Self::One => 1,
            Self::Threads(threads) => threads.len() as u32,
            Self::Dealt(lanes) => *lanes,
        }
    }

    pub(crate) fn lane(&self, event: &Event<'_>, key: Identity) -> u32 {
        match self {
            Self::One => 0,
            Self::Threads(threads) => threads.get(event.thread.unwrap_or_default()).copied().unwrap_or_default(),
            Self::Dealt(lanes) => key.part(*lanes),
        }
    }
}

/// The shape of a tape whose pool is not known yet.
pub(crate) fn shape(lanes: u32) -> TapeShape {
    TapeShape { lanes, pool_bytes: POOL_BYTES_MAX, pool_checksum: 0, metadata_bytes_max: METADATA_BYTES_MAX }
}

/// A tape whose lanes grow at the same time: several lie in files of their own until the end.
pub(crate) struct Lanes {
    path: PathBuf,
    writers: Vec<TapeWriter>,
}

impl Lanes {
    pub(crate) fn create(path: &Path, lanes: u32) -> Result<Self, TapeError> {
        let of_lane = |lane| if lanes == 1 { path.to_owned() } else { path.with_extension(format!("{lane}.tape")) };
        let writers = (0..lanes).map(|lane| TapeWriter::create(&of_lane(lane), shape(1))).collect::<Result<_, _>>()?;
        Ok(Self { path: path.to_owned(), writers })
    }

    #[inline]
    pub(crate) fn push(&mut self, lane: u32, record: &Record<'_>) -> Result<(), TapeError> {
        self.writers[lane as usize].push(record)
    }

    /// Puts the lanes together. With what a driver must report of them.
    pub(crate) fn finish(
        self,
        (bytes, checksum): (u64, u64),
        metadata: &str,
    ) -> Result<(TapeHeader, Counts), TapeError> {
        let lanes = self.writers.len() as u32;
        let mut of_lanes = Vec::new();
        for mut writer in self.writers {
            writer.set_pool(bytes, checksum);
            if lanes == 1 {
                let counts = writer.counts();
                return Ok((writer.finish(metadata)?, counts));
            }
            let path = self.path.with_extension(format!("{}.tape", of_lanes.len()));
            writer.finish("{}")?;
            of_lanes.push(path);
        }
        let mut whole = TapeWriter::create(&self.path, shape(lanes))?;
        whole.set_pool(bytes, checksum);
        for (number, path) in of_lanes.iter().enumerate() {
            if number > 0 {
                whole.next_lane()?;
            }
            let tape = TapeReader::open(path)?;
            let mut lane = tape.lane(0)?;
            while let Some(block) = lane.next_block()? {
                block.records().try_for_each(|record| whole.push(&record))?;
            }
            // The directory is removed if an import fails, with whatever is in it.
            let _ = std::fs::remove_file(path);
        }
        let counts = whole.counts();
        Ok((whole.finish(metadata)?, counts))
    }
}
