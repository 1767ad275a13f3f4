//! Visits every record's file, in the order of the directories' listings.

use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use bakeoff_store::StoreError;
use rustix::fs::RawDir;

use super::directory::open_directory;
use super::error::failed;
use super::layout::Layout;
use super::names::{MARK, decode};

/// Room for some hundreds of names per system call.
const BUFFER_BYTES: usize = 32 * 1_024;

/// Receives each file of a listing: its directory, its name there, and its key. Returns false to stop.
pub(super) type Found<'f> = &'f mut dyn FnMut(BorrowedFd<'_>, &[u8], &[u8]) -> Result<bool, StoreError>;

/// The buffers of a listing, reused by the next one.
#[derive(Default)]
pub(super) struct Listing {
    /// One buffer for each level of directories.
    buffers: Vec<Vec<u8>>,
    /// The names of the open marked directories, then the file's name; together they encode a key.
    name: Vec<u8>,
    key: Vec<u8>,
}

impl Listing {
    /// Passes every file below `root` to `found`.
    pub(super) fn visit(&mut self, root: OwnedFd, layout: Layout, found: Found<'_>) -> Result<(), StoreError> {
        self.name.clear();
        self.directory(root, layout.levels, 0, found).map(|_| ())
    }

    /// Passes every file below a directory. `levels` is the number of levels of hash directories still below it, `depth` its own depth.
    fn directory(&mut self, open: OwnedFd, levels: usize, depth: usize, found: Found<'_>) -> Result<bool, StoreError> {
        if self.buffers.len() <= depth {
            self.buffers.push(Vec::with_capacity(BUFFER_BYTES));
        }
        let mut buffer = std::mem::take(&mut self.buffers[depth]);
        let mut entries = RawDir::new(&open, buffer.spare_capacity_mut());
        let mut result = Ok(true);
        while let (Ok(true), Some(entry)) = (&result, entries.next()) {
            result = match entry {
                Ok(entry) => self.entry(open.as_fd(), entry.file_name().to_bytes(), levels, depth, found),
                Err(errno) => Err(failed("list a directory of", b"records", errno)),
            };
        }
        self.buffers[depth] = buffer;
        result
    }

    fn entry(
        &mut self,
        directory: BorrowedFd<'_>,
        name: &[u8],
        levels: usize,
        depth: usize,
        found: Found<'_>,
    ) -> Result<bool, StoreError> {
        // `.` and `..`, and unfinished files.
        if matches!(name, b"." | b"..") || name.first() == Some(&MARK) {
            return Ok(true);
        }
        if levels > 0 {
            return self.directory(open_directory(directory, name)?, levels - 1, depth + 1, found);
        }
        let length = self.name.len();
        let result = match name.strip_suffix(&[MARK]) {
            Some(piece) => {
                self.name.extend_from_slice(piece);
                self.directory(open_directory(directory, name)?, 0, depth + 1, found)
            }
            None => {
                self.name.extend_from_slice(name);
                self.file(directory, name, found)
            }
        };
        self.name.truncate(length);
        result
    }

    fn file(&mut self, directory: BorrowedFd<'_>, name: &[u8], found: Found<'_>) -> Result<bool, StoreError> {
        self.key.clear();
        if !decode(&self.name, &mut self.key) {
            let name = String::from_utf8_lossy(name);
            let message = format!("the folder of records has a file {name:?} that is not a record; remove it");
            return Err(StoreError::Store(message));
        }
        found(directory, name, &self.key)
    }
}

/// Keys in a single buffer, to be sorted.
#[derive(Default)]
pub(super) struct Keys {
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl Keys {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ranges.clear();
    }

    pub(super) fn push(&mut self, key: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.ranges.push(start..self.bytes.len());
    }

    pub(super) fn sort(&mut self) {
        let bytes = &self.bytes;
        self.ranges.sort_unstable_by(|one, other| bytes[one.clone()].cmp(&bytes[other.clone()]));
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.ranges.iter().map(|range| &self.bytes[range.clone()])
    }
}
