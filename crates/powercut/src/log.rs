//! The log of what reached the disk: a file in memory that grows, with an entry for each write and flush.
//!
//! An entry has kind, offset and length, a number for each counter of acknowledgements, and the data of a write. Numbers have 64 bits in
//! this machine's byte order, and data is padded to 8 bytes.

use std::fs::File;
use std::io::{self, Write};

use bakeoff_tape::Acknowledged;

/// The most that is recorded.
pub const LOG_BYTES_MAX: u64 = 1 << 30;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Data was written.
    Write,
    /// A range came to be zeros, without data.
    Zero,
    /// All before is durable.
    Flush,
    /// The log was full, and nothing was recorded any more.
    Full,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Write, Self::Zero, Self::Flush, Self::Full];

    pub(crate) fn number(self) -> u64 {
        self as u64
    }

    pub(crate) fn of(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

/// The log while it is written.
pub(crate) struct Log {
    file: File,
    bytes: u64,
    bytes_max: u64,
    entry: Vec<u8>,
}

impl Log {
    pub(crate) fn new(file: File, bytes_max: u64) -> Self {
        Self { file, bytes: 0, bytes_max, entry: Vec::new() }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// The log is full; that is noted in it once.
    pub(crate) fn add(
        &mut self,
        (kind, offset, bytes): (Kind, u64, u64),
        data: &[u8],
        acknowledged: &Acknowledged,
    ) -> io::Result<()> {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        if self.bytes >= self.bytes_max {
            return Err(full());
        }
        let is_full = self.bytes + data.len() as u64 > self.bytes_max;
        let (kind, data) = if is_full { (Kind::Full, &[][..]) } else { (kind, data) };
        self.entry.clear();
        let numbers = [kind.number(), offset, bytes].into_iter().chain(acknowledged.numbers());
        numbers.for_each(|number| self.entry.extend_from_slice(&number.to_ne_bytes()));
        self.entry.extend_from_slice(data);
        self.entry.resize(self.entry.len().next_multiple_of(8), 0);
        self.file.write_all(&self.entry)?;
        self.bytes = if is_full { self.bytes_max } else { self.bytes + self.entry.len() as u64 };
        if is_full { Err(full()) } else { Ok(()) }
    }
}
