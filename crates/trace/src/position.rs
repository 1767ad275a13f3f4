//! How much of a file was read.

use std::fs::{File, Metadata};
use std::io::Seek;

/// How much of a file was read.
#[derive(Debug)]
pub(crate) struct Position {
    /// The same open file, which has one position for both.
    file: File,
    bytes: u64,
}

impl Position {
    /// The position in a file; `None` in a pipe, which has no known length.
    pub(crate) fn of(file: &File) -> Option<Self> {
        let facts = file.metadata().ok().filter(Metadata::is_file)?;
        Some(Self { file: file.try_clone().ok()?, bytes: facts.len() })
    }

    /// Bytes read so far, and in all.
    pub(crate) fn of_all(&self) -> (u64, u64) {
        let read = (&self.file).stream_position().unwrap_or(0);
        (read.min(self.bytes), self.bytes)
    }
}
