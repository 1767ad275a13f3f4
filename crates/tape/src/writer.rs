//! Writing a tape: lane after lane, block by block, with the memory of one block. The header is written last, and the
//! file gets its name only when it is complete.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh64::Xxh64;

use crate::format::{BLOCK_HEADER_BYTES, BlockHeader, Record, check_record, encode_record};
use crate::header::{LaneFacts, TapeHeader};
use crate::part_file::{PartFile, TapeShape, unwritable};
use crate::{Operation, RECORD_KEY_BYTES_MAX, TapeError, consume};

/// Operations in a full block, fewer than a reader takes. So what a driver prepares for a block is still in the
/// processor's second cache when the store gets it, even if the store itself reads a lot.
pub(crate) const BLOCK_OPERATIONS: u32 = 256;
/// Bytes of output, or of written values, in a full block, fewer than a reader takes. Answers are kept in the place of
/// those of the block before, in the second cache.
pub(crate) const BLOCK_BYTES: u64 = 256 << 10;

/// Bytes that are written at a time. The kernel keeps what is written together in larger pieces, of which a driver
/// reads more in the same time. In Java, reading a tape written 4 KiB at a time took 6.5 to 7.4 ns an operation; 256
/// KiB took 4.8 to 5.1, and 1 MiB 4.1 to 4.5.
const WRITE_BYTES: usize = 1 << 20;

/// Totals of replaying a tape, which are the same for every store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Operations whose time counts, commits included.
    pub timed_operations: u64,
    /// Operations with an answer to compare: gets, scans and walks.
    pub answers: u64,
    /// The same operations by their kind; empty in a recording that was made before this was counted.
    #[serde(default)]
    pub kinds: BTreeMap<Operation, KindCounts>,
}

/// Totals of the timed operations of a kind in a correct store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCounts {
    /// How many they are.
    pub operations: u64,
    /// Entries that they write or deliver: of scans those they find, of walks steps at most, else one each.
    pub entries: u64,
    /// Bytes of the keys and values that they write or deliver.
    pub bytes: u64,
}

impl Counts {
    /// The same without the commits, which each ended one write.
    #[must_use]
    pub fn without_commits(mut self) -> Self {
        let commits = self.kinds.remove(&Operation::Commit).unwrap_or_default();
        self.timed_operations -= commits.operations;
        self
    }
}

impl KindCounts {
    #[inline]
    fn add(&mut self, record: &Record<'_>) {
        let (entries, bytes) = match record.scan() {
            Some(scan) => (scan.entries, scan.bytes),
            None if record.has_value() => (1, record.key.len() as u64 + u64::from(record.value_bytes)),
            None => (record.walk().map_or(1, |walk| walk.found()), 0),
        };
        self.operations += 1;
        self.entries = self.entries.saturating_add(entries);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// A tape being written. Dropped without [`TapeWriter::finish`], it leaves nothing behind.
pub struct TapeWriter {
    // Closed before it is removed.
    file: BufWriter<File>,
    place: PartFile,
    shape: TapeShape,
    position: u64,
    lanes: Vec<LaneFacts>,
    content: Xxh64,
    block: OpenBlock,
    answers: u64,
    /// By the code of the operation, less one.
    kinds: [KindCounts; Operation::ALL.len()],
}

/// The block that records are being added to.
#[derive(Default)]
pub(crate) struct OpenBlock {
    records: Vec<u8>,
    operations: u32,
    output_bytes: u64,
    written_bytes: u64,
}

impl OpenBlock {
    pub(crate) fn is_empty(&self) -> bool {
        self.operations == 0
    }

    /// Whether a record has to go into the next block.
    #[inline]
    pub(crate) fn is_full_for(&self, record: &Record<'_>) -> bool {
        self.operations == BLOCK_OPERATIONS
            || self.output_bytes.saturating_add(record.output_bytes()) > BLOCK_BYTES
            || self.written_bytes.saturating_add(record.written_bytes()) > BLOCK_BYTES
    }

    #[inline]
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        encode_record(record, &mut self.records);
        self.operations += 1;
        self.output_bytes = self.output_bytes.saturating_add(record.output_bytes());
        self.written_bytes = self.written_bytes.saturating_add(record.written_bytes());
    }

    /// Its header, and the records behind it.
    pub(crate) fn parts(&self) -> (BlockHeader, &[u8]) {
        let header = BlockHeader {
            record_bytes: self.records.len() as u32,
            operations: self.operations,
            output_bytes: self.output_bytes,
            checksum: consume::xxh64(&self.records),
        };
        (header, &self.records)
    }

    /// Adds its length in a file and its operations to its lane's facts.
    pub(crate) fn count(&self, lane: &mut LaneFacts) {
        lane.bytes += (BLOCK_HEADER_BYTES + self.records.len()) as u64;
        lane.operations += u64::from(self.operations);
        lane.blocks += 1;
    }

    /// Makes it empty, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        *self = Self { records: std::mem::take(&mut self.records), ..Self::default() };
    }
}

impl TapeWriter {
    /// Begins a tape that will be at `path`, with its first lane begun.
    ///
    /// # Errors
    /// The number of lanes or the room for metadata is out of range, or the file cannot be created.
    pub fn create(path: &Path, shape: TapeShape) -> Result<Self, TapeError> {
        let (place, file) = PartFile::create(path, shape)?;
        let mut file = BufWriter::with_capacity(WRITE_BYTES, file);
        file.write_all(&vec![0; place.header_bytes]).map_err(TapeError::io("write to", &place.temporary))?;
        let position = place.header_bytes as u64;
        Ok(Self {
            file,
            place,
            shape,
            position,
            lanes: vec![LaneFacts { offset: position, ..LaneFacts::default() }],
            content: Xxh64::new(0),
            block: OpenBlock::default(),
            answers: 0,
            kinds: Default::default(),
        })
    }

    /// Adds an operation to the current lane.
    ///
    /// # Errors
    /// The record breaks a rule of the format, or the disk is full.
    #[inline]
    pub fn push(&mut self, record: &Record<'_>) -> Result<(), TapeError> {
        self.check(record)?;
        if self.block.is_full_for(record) {
            self.end_block()?;
        }
        self.block.add(record);
        self.answers += u64::from(record.operation.answers());
        if !record.untimed() {
            self.kinds[record.operation as usize - 1].add(record);
        }
        Ok(())
    }

    #[inline]
    fn check(&self, record: &Record<'_>) -> Result<(), TapeError> {
        if record.key.len() as u64 > RECORD_KEY_BYTES_MAX {
            let expected = format!("at most {RECORD_KEY_BYTES_MAX}");
            return Err(unwritable(&self.place.path, "the length of a key", record.key.len(), expected));
        }
        if record.scan.is_some() != record.operation.scans() {
            let found = format!("{} of a {}", record.scan.map_or("absent", |_| "there"), record.operation.name());
            return Err(unwritable(&self.place.path, "a record's scan", found, "there for scans, and only for scans"));
        }
        check_record(record, self.shape.pool_bytes)
            .map_err(|(what, found, expected)| unwritable(&self.place.path, what, found, expected))
    }

    /// Ends the current lane and begins the next.
    ///
    /// # Errors
    /// The tape has all its lanes already, or the disk is full.
    pub fn next_lane(&mut self) -> Result<(), TapeError> {
        self.end_block()?;
        if self.lanes.len() == self.shape.lanes as usize {
            let found = self.lanes.len() + 1;
            return Err(unwritable(&self.place.path, "the number of lanes", found, self.shape.lanes));
        }
        self.lanes.push(LaneFacts { offset: self.position, ..LaneFacts::default() });
        Ok(())
    }

    /// Sets the pool of the values, where it is known only after the operations. Every value so far must be inside it.
    pub fn set_pool(&mut self, bytes: u64, checksum: u64) {
        (self.shape.pool_bytes, self.shape.pool_checksum) = (bytes, checksum);
    }

    /// Goes on with fewer lanes than the header has room for. No lane beyond these may have begun.
    pub fn set_lanes(&mut self, lanes: u32) {
        self.shape.lanes = lanes.min(self.shape.lanes);
    }

    /// The approximate length written so far: without the open block.
    pub fn bytes(&self) -> u64 {
        self.position
    }

    /// What a driver that replays everything written so far must report.
    pub fn counts(&self) -> Counts {
        let kinds = Operation::ALL.into_iter().zip(self.kinds).filter(|(_, kind)| kind.operations > 0);
        let timed_operations = self.kinds.iter().map(|kind| kind.operations).sum();
        Counts { timed_operations, answers: self.answers, kinds: kinds.collect() }
    }

    /// Operations written so far.
    pub fn operations(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.operations).sum::<u64>() + u64::from(self.block.operations)
    }

    fn end_block(&mut self) -> Result<(), TapeError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let (header, records) = self.block.parts();
        self.file
            .write_all(&header.encode())
            .and_then(|()| self.file.write_all(records))
            .map_err(TapeError::io("write to", &self.place.temporary))?;
        self.content.update(&header.checksum.to_le_bytes());
        if let Some(lane) = self.lanes.last_mut() {
            let before = lane.bytes;
            self.block.count(lane);
            self.position += lane.bytes - before;
        }
        self.block.clear();
        Ok(())
    }

    /// Ends the tape: writes the header, with this metadata, and gives the file its name.
    ///
    /// # Errors
    /// Lanes are missing, the metadata is longer than the room kept for it, or the disk is full.
    pub fn finish(mut self, metadata: &str) -> Result<TapeHeader, TapeError> {
        self.end_block()?;
        if self.lanes.len() != self.shape.lanes as usize {
            return Err(unwritable(&self.place.path, "the number of lanes", self.lanes.len(), self.shape.lanes));
        }
        let header = TapeHeader {
            operations: self.lanes.iter().map(|lane| lane.operations).sum(),
            lanes: self.lanes,
            pool_bytes: self.shape.pool_bytes,
            pool_checksum: self.shape.pool_checksum,
            file_bytes: self.position,
            content_checksum: self.content.digest(),
            tape_checksum: 0,
            metadata: metadata.to_owned(),
        };
        self.file.flush().map_err(TapeError::io("write to", &self.place.temporary))?;
        self.place.complete(self.file.get_ref(), header)
    }
}
