//! Lanes of an imported tape: which operation goes to which. With several threads that is known only at the end of a trace, so its
//! operations are written in their order first, and dealt to lanes then.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::hash::BuildHasherDefault;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use bakeoff_tape::{DealtTape, Operation, POOL_BYTES_MAX, Record, TapeError, TapeReader, TapeShape};

use crate::error::TraceError;
use crate::event::Event;
use crate::hash::{IdentityHasher, part};
use crate::progress::{OnProgress, PROGRESS_OPERATIONS, report};

/// Lanes of an imported tape, at most: a block of each is in memory at the same time.
pub const IMPORT_LANES_MAX: u32 = 256;

/// Room for the metadata of an imported tape, bytes.
const METADATA_BYTES_MAX: usize = 4096;

/// How operations became lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneFacts {
    /// All on one.
    One,
    /// As many as the trace has threads, each with the operations of its thread. No thread uses a key that another one
    /// writes.
    Threads(u32),
    /// This many, with keys dealt to them by their hashes.
    Dealt(u32),
}

impl LaneFacts {
    /// How many lanes there are.
    pub fn lanes(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Threads(lanes) | Self::Dealt(lanes) => lanes,
        }
    }

    /// Keys dealt to `lanes` lanes.
    pub(crate) fn dealt(lanes: u32) -> Self {
        if lanes > 1 { Self::Dealt(lanes) } else { Self::One }
    }
}

/// Threads of a trace by their names, numbered as they are met.
#[derive(Default)]
pub(crate) struct Threads {
    numbers: HashMap<Box<[u8]>, u8, BuildHasherDefault<IdentityHasher>>,
    /// The one met last, which is often met again.
    last: (Box<[u8]>, u8),
}

impl Threads {
    /// How many were met.
    pub(crate) fn count(&self) -> u32 {
        self.numbers.len() as u32
    }

    #[inline]
    pub(crate) fn number(&mut self, event: &Event<'_>) -> Result<u8, TraceError> {
        let name = event.thread.unwrap_or_default();
        if *self.last.0 != *name || self.numbers.is_empty() {
            let number = match self.numbers.get(name) {
                Some(number) => *number,
                None => {
                    let too_many = |_| TraceError::TooManyThreads { origin: event.origin, most: self.numbers.len() };
                    let next = u8::try_from(self.numbers.len()).map_err(too_many)?;
                    self.numbers.insert(name.into(), next);
                    next
                }
            };
            self.last = (name.into(), number);
        }
        Ok(self.last.1)
    }
}

/// The shape of a tape before its pool is known.
pub(crate) fn shape(lanes: u32) -> TapeShape {
    TapeShape { lanes, pool_bytes: POOL_BYTES_MAX, pool_checksum: 0, metadata_bytes_max: METADATA_BYTES_MAX }
}

/// A file with the number of each operation's thread, in their order.
pub(crate) struct Order {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Drop for Order {
    fn drop(&mut self) {
        // If an import fails, its directory is removed with everything in it.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Order {
    pub(crate) fn create(path: PathBuf) -> Result<Self, TraceError> {
        Ok(Self { file: BufWriter::with_capacity(1 << 16, File::create(&path)?), path })
    }

    #[inline]
    pub(crate) fn push(&mut self, thread: u8) -> Result<(), TraceError> {
        Ok(self.file.write_all(&[thread])?)
    }

    /// Its content, from the beginning.
    fn read(&mut self) -> Result<BufReader<File>, TapeError> {
        let opened = self.file.flush().and_then(|()| File::open(&self.path));
        opened.map(|file| BufReader::with_capacity(1 << 16, file)).map_err(self.failed("read again"))
    }

    fn failed(&self, what: &'static str) -> impl FnOnce(std::io::Error) -> TapeError + use<> {
        let path = self.path.clone();
        move |cause| TapeError::Io { what, path, cause }
    }
}

/// Deals the operations of a tape with one lane to the lanes of another, which takes its name when it is complete; its commits only if they are
/// kept.
pub(crate) fn deal(
    path: &Path,
    (lanes, keeps_commits): (LaneFacts, bool),
    order: Option<Order>,
    progress: OnProgress<'_>,
) -> Result<DealtTape, TapeError> {
    let tape = TapeReader::open(path)?;
    let count = lanes.lanes();
    let asked = Cell::new(0);
    // It is called twice for each operation.
    let count_asked = || {
        asked.set(asked.get() + 1);
        match asked.get() % PROGRESS_OPERATIONS {
            0 => report(progress, "dealing the operations to threads", (asked.get(), 2 * tape.facts().operations)),
            _ => Ok(()),
        }
    };
    let is_kept = |record: &Record<'_>| keeps_commits || record.operation != Operation::Commit;
    match order {
        Some(mut order) if matches!(lanes, LaneFacts::Threads(_)) => {
            DealtTape::create(&tape, path, shape(count), || {
                let (mut threads, path) = (order.read()?, order.path.clone());
                Ok(move |record: &Record<'_>| {
                    count_asked()?;
                    let mut thread = [0];
                    let read = threads.read_exact(&mut thread);
                    read.map(|()| is_kept(record).then_some(u32::from(thread[0]))).map_err(|cause| TapeError::Io {
                        what: "read again",
                        path: path.clone(),
                        cause,
                    })
                })
            })
        }
        _ => DealtTape::create(&tape, path, shape(count), || {
            Ok(move |record: &Record<'_>| count_asked().map(|()| is_kept(record).then(|| part(record.key, count))))
        }),
    }
}
