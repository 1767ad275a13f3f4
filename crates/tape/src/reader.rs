//! Reading a tape: a header that is checked when the tape is opened, and lanes that are read block by block.
//!
//! A block is checked as a whole before a caller gets it (checksum, counts, every record). So a replay loop goes
//! through its records without an error path. Once [`TapeReader::check`] has seen a whole tape, its blocks are not
//! checked again as long as the file stays as it was. A lane that begins looks whether it did, and a caller that has
//! replayed it asks ([`TapeReader::check_unchanged`]).

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use bakeoff_files::open_regular;
use memmap2::{Advice, Mmap, MmapOptions, UncheckedAdvice};
use xxhash_rust::xxh64::Xxh64;

use crate::format::{
    BLOCK_HEADER_BYTES, BlockHeader, Flaw, MAGIC, Record, VERSION, check_record, decode_record, u32_at, u64_at,
};
use crate::header::{FIXED_BYTES, HeaderShape, LaneFacts, TapeHeader, decode_header};
use crate::{BLOCK_BYTES_MAX, Operation, TapeError, consume};

/// An open tape.
pub struct TapeReader {
    file: File,
    map: Arc<Mmap>,
    path: Arc<PathBuf>,
    header: TapeHeader,
    /// All records were checked and correct, in a file of this stamp.
    checked: OnceLock<Stamp>,
}

/// What replaying a lane needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneNeeds {
    /// The most output that a block's right answers have, bytes.
    pub output_bytes_max: u64,
    /// Whether there are walks, which read values on their way.
    pub walks: bool,
    /// Whether there are existence checks, for which a store may read the value.
    pub exists: bool,
}

impl LaneNeeds {
    /// What one of them or the other needs.
    pub fn or(self, other: Self) -> Self {
        Self {
            output_bytes_max: self.output_bytes_max.max(other.output_bytes_max),
            walks: self.walks || other.walks,
            exists: self.exists || other.exists,
        }
    }
}

/// Bytes of a tape that are in memory at a time, for each lane.
const WINDOW_BYTES: usize = 1 << 20;

/// Where windows begin: a multiple of the pages of all machines.
const PAGE_BYTES: usize = 64 << 10;

/// The part of a mapped tape that a lane has in memory. It is read in as a whole, so that nothing is fetched while a
/// block's clock runs. It is released when the lane has gone through it, so that memory stays flat.
struct Window {
    map: Arc<Mmap>,
    begin: usize,
    end: usize,
}

impl Window {
    /// Nothing yet, at this place in the file.
    fn new(map: Arc<Mmap>, offset: u64) -> Self {
        let begin = usize::try_from(offset).unwrap_or(usize::MAX) / PAGE_BYTES * PAGE_BYTES;
        Self { map, begin, end: begin }
    }

    /// These bytes, in memory; `None` if the file does not have them.
    #[inline]
    fn get(&mut self, offset: u64, bytes: usize) -> Option<&[u8]> {
        let begin = usize::try_from(offset).ok()?;
        let end = begin.checked_add(bytes)?;
        if end > self.end {
            self.advance(begin, end);
        }
        self.map.get(begin..end)
    }

    #[cold]
    fn advance(&mut self, begin: usize, end: usize) {
        let begin = begin / PAGE_BYTES * PAGE_BYTES;
        if begin > self.begin {
            // SAFETY: the mapping is of a file and only read: what is let go of is read from the file again when wanted.
            let _ =
                unsafe { self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, self.begin, begin - self.begin) };
        }
        (self.begin, self.end) = (begin, end.max(begin + WINDOW_BYTES).min(self.map.len()));
        if self.end > begin && self.map.advise_range(Advice::PopulateRead, begin, self.end - begin).is_err() {
            // Linux before 5.14 does not know the advice: a byte of every page brings it in.
            self.map.get(begin..self.end).into_iter().flatten().step_by(4096).for_each(|byte| {
                black_box(*byte);
            });
        }
    }
}

/// What changes when a file is written to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: SystemTime,
}

impl Stamp {
    fn of(file: &File) -> std::io::Result<Self> {
        let facts = file.metadata()?;
        Ok(Self { bytes: facts.len(), modified: facts.modified()? })
    }
}

impl TapeReader {
    /// Opens a tape and checks its magic, version, length, header and lane table.
    ///
    /// # Errors
    /// The file cannot be read, is not a tape, is of another version, was cut short or is damaged.
    pub fn open(path: &Path) -> Result<Self, TapeError> {
        let file = open_regular(path, File::options().read(true)).map_err(TapeError::io("open the tape", path))?;
        let length = file.metadata().map_err(TapeError::io("open the tape", path))?.len();
        let fixed = read_fixed(&file, path, length)?;
        let damaged = |flaw| damaged(path, 0, flaw);
        let file_bytes = u64_at(&fixed, 48).unwrap_or_default();
        if file_bytes != length {
            return Err(TapeError::Length { path: path.to_owned(), found: length, expected: file_bytes });
        }
        let shape = HeaderShape::decode(&fixed).map_err(damaged)?;
        if shape.header_bytes as u64 > length {
            return Err(damaged(Flaw::new("header_bytes", 12, shape.header_bytes, format!("at most {length}"))));
        }
        let mut bytes = vec![0; shape.header_bytes];
        file.read_exact_at(&mut bytes, 0).map_err(TapeError::io("read the header of", path))?;
        let header = decode_header(&mut bytes, shape).map_err(damaged)?;
        // SAFETY: the mapping is only read. A tape gets its name when it is complete, and nothing in bakeoff writes to
        // it then. If somebody else overwrites it, records differ, and decoding bounds them. If somebody cuts it short,
        // SIGBUS ends the process, and with it one cell.
        let map = unsafe { MmapOptions::new().map(&file) }.map_err(TapeError::io("map into memory", path))?;
        let (map, path) = (Arc::new(map), Arc::new(path.to_owned()));
        Ok(Self { file, map, path, header, checked: OnceLock::new() })
    }

    /// What the header says.
    pub fn facts(&self) -> &TapeHeader {
        &self.header
    }

    /// Reads every block of every lane, with the memory of one block. Refuses the tape if anything on it is not as it
    /// was written: checksums, counts, records, values outside the pool. Gives what replaying each lane needs.
    ///
    /// # Errors
    /// What is wrong and where, or that the file cannot be read.
    pub fn check(&self) -> Result<Vec<LaneNeeds>, TapeError> {
        let stamp = Stamp::of(&self.file).map_err(TapeError::io("read the length of", &self.path))?;
        let mut content = Xxh64::new(0);
        let mut needs = vec![LaneNeeds::default(); self.header.lanes.len()];
        for (number, needs) in (0..).zip(&mut needs) {
            let mut lane = self.lane(number)?;
            while let Some(block) = lane.next_block()? {
                content.update(&block.header.checksum.to_le_bytes());
                needs.output_bytes_max = needs.output_bytes_max.max(block.output_bytes());
                for record in block.records() {
                    needs.walks |= record.operation == Operation::Walk;
                    needs.exists |= record.operation == Operation::Exists;
                }
            }
        }
        if content.digest() != self.header.content_checksum {
            let (found, expected) = (self.header.content_checksum, content.digest());
            let flaw = Flaw::new("content_checksum", 56, format!("{found:016x}"), format!("{expected:016x}"));
            return Err(damaged(&self.path, 0, flaw));
        }
        self.checked.get_or_init(|| stamp);
        Ok(needs)
    }

    /// The lane with this number, from its beginning, with its own file handle.
    ///
    /// # Errors
    /// There is no such lane, or the file was changed after it was checked.
    pub fn lane(&self, lane: u32) -> Result<LaneReader, TapeError> {
        let lanes = &self.header.lanes;
        let facts = *lanes.get(lane as usize).ok_or_else(|| TapeError::NoSuchLane {
            path: self.path.to_path_buf(),
            found: lane,
            expected: lanes.len() as u32,
        })?;
        self.check_unchanged()?;
        Ok(LaneReader {
            window: Window::new(Arc::clone(&self.map), facts.offset),
            path: Arc::clone(&self.path),
            facts,
            position: facts.offset,
            operations: 0,
            blocks: 0,
            pool_bytes: self.header.pool_bytes,
            is_checked: self.checked.get().is_some(),
        })
    }

    /// Refuses a file that was written to since it was checked. Call it when its lanes were read, outside of the
    /// measured time.
    ///
    /// # Errors
    /// It was, or it cannot be asked.
    pub fn check_unchanged(&self) -> Result<(), TapeError> {
        let Some(checked) = self.checked.get() else { return Ok(()) };
        let now = Stamp::of(&self.file).map_err(TapeError::io("read the length of", &self.path))?;
        if now == *checked { Ok(()) } else { Err(TapeError::Changed { path: self.path.to_path_buf() }) }
    }
}

/// The fixed part of the header, with magic and version checked.
fn read_fixed(file: &File, path: &Path, length: u64) -> Result<[u8; FIXED_BYTES], TapeError> {
    let mut fixed = [0; FIXED_BYTES];
    let there = usize::try_from(length).unwrap_or(FIXED_BYTES).min(FIXED_BYTES);
    file.read_exact_at(&mut fixed[..there], 0).map_err(TapeError::io("read the header of", path))?;
    let magic = &fixed[..there.min(MAGIC.len())];
    if magic != MAGIC {
        return Err(TapeError::Foreign { path: path.to_owned(), found: magic.to_vec(), expected: MAGIC });
    }
    if there < FIXED_BYTES {
        return Err(TapeError::Length { path: path.to_owned(), found: length, expected: FIXED_BYTES as u64 });
    }
    match u32_at(&fixed, 8).unwrap_or_default() {
        VERSION => Ok(fixed),
        found => Err(TapeError::Version { path: path.to_owned(), found, expected: VERSION }),
    }
}

fn damaged(path: &Path, base: u64, flaw: Flaw) -> TapeError {
    let Flaw { what, found, expected, offset } = flaw;
    TapeError::Damaged { path: path.to_owned(), offset: base + offset as u64, what, found, expected }
}

/// One lane of a tape, read from its beginning to its end.
pub struct LaneReader {
    window: Window,
    path: Arc<PathBuf>,
    facts: LaneFacts,
    /// Where in the file the next block begins.
    position: u64,
    operations: u64,
    blocks: u64,
    pool_bytes: u64,
    /// The whole tape was checked.
    is_checked: bool,
}

impl LaneReader {
    /// The next block, in memory and checked; `None` at the end of the lane.
    ///
    /// # Errors
    /// The block is damaged or cannot be read, or the lane's counts do not add up.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>, TapeError> {
        let base = self.position;
        let left = self.facts.offset + self.facts.bytes - base;
        if left == 0 {
            return self.check_counts().map(|()| None);
        }
        let header = self.read_header(left)?;
        let block_bytes = BLOCK_HEADER_BYTES + header.record_bytes as usize;
        let block = self.window.get(base, block_bytes).ok_or_else(|| cut_short(&self.path, base))?;
        let records = &block[BLOCK_HEADER_BYTES..];
        self.position += block_bytes as u64;
        self.operations += u64::from(header.operations);
        self.blocks += 1;
        if !self.is_checked {
            check_checksum(&header, records)
                .and_then(|()| check_block(&header, records, self.pool_bytes))
                .map_err(|flaw| damaged(&self.path, base, flaw))?;
        }
        Ok(Some(Block { header, records }))
    }

    /// Another reader of the same lane, as if it had its first block alone.
    ///
    /// # Errors
    /// As [`Self::next_block`].
    pub fn first_block(&self) -> Result<Self, TapeError> {
        let mut alone = Self {
            window: Window::new(Arc::clone(&self.window.map), self.facts.offset),
            path: Arc::clone(&self.path),
            position: self.facts.offset,
            operations: 0,
            blocks: 0,
            ..*self
        };
        alone.next_block()?;
        alone.facts.bytes = alone.position - alone.facts.offset;
        (alone.facts.operations, alone.facts.blocks) = (alone.operations, alone.blocks);
        alone.rewind();
        Ok(alone)
    }

    /// Operations in the lane, read or not.
    pub fn operations_in_all(&self) -> u64 {
        self.facts.operations
    }

    /// Goes back to the lane's beginning.
    pub fn rewind(&mut self) {
        let begin = Window::new(Arc::clone(&self.window.map), self.facts.offset);
        if self.window.begin > begin.begin {
            // The part that the lane has gone through was released.
            self.window = begin;
        }
        (self.position, self.operations, self.blocks) = (self.facts.offset, 0, 0);
    }

    /// The header of the block at `position`; `left` bytes are left of the lane.
    fn read_header(&mut self, left: u64) -> Result<BlockHeader, TapeError> {
        let base = self.position;
        if left < BLOCK_HEADER_BYTES as u64 {
            let flaw = Flaw::new("rest of the lane", 0, left, format!("0 or at least {BLOCK_HEADER_BYTES}"));
            return Err(damaged(&self.path, base, flaw));
        }
        let bytes = self.window.get(base, BLOCK_HEADER_BYTES).and_then(|bytes| bytes.first_chunk());
        let bytes = bytes.ok_or_else(|| cut_short(&self.path, base))?;
        let header = BlockHeader::decode(bytes).map_err(|flaw| damaged(&self.path, base, flaw))?;
        let most = left - BLOCK_HEADER_BYTES as u64;
        if u64::from(header.record_bytes) > most {
            let flaw =
                Flaw::new("record_bytes", 0, header.record_bytes, format!("at most {most}, the rest of the lane"));
            return Err(damaged(&self.path, base, flaw));
        }
        Ok(header)
    }

    fn check_counts(&self) -> Result<(), TapeError> {
        let counts = [
            ("operations of the lane", self.operations, self.facts.operations),
            ("blocks of the lane", self.blocks, self.facts.blocks),
        ];
        match counts.into_iter().find(|(_, found, expected)| found != expected) {
            None => Ok(()),
            Some((what, found, expected)) => {
                Err(damaged(&self.path, self.facts.offset, Flaw::new(what, 0, found, expected)))
            }
        }
    }
}

fn cut_short(path: &Path, base: u64) -> TapeError {
    damaged(path, base, Flaw::new("block", 0, "cut short", "within the file"))
}

/// Refuses a block whose bytes have changed since they were written. Offsets of flaws are from the block's header.
fn check_checksum(header: &BlockHeader, records: &[u8]) -> Result<(), Flaw> {
    let actual = consume::xxh64(records);
    if actual == header.checksum {
        return Ok(());
    }
    Err(Flaw::new("checksum of a block", 16, format!("{:016x}", header.checksum), format!("{actual:016x}")))
}

/// Refuses a block whose records are not exactly what its header says.
fn check_block(header: &BlockHeader, records: &[u8], pool_bytes: u64) -> Result<(), Flaw> {
    let (mut rest, mut operations, mut output_bytes, mut written_bytes) = (records, 0_u32, 0_u64, 0_u64);
    while !rest.is_empty() {
        let at = BLOCK_HEADER_BYTES + records.len() - rest.len();
        let code = rest[0];
        let record = decode_record(&mut rest).ok_or_else(|| {
            Flaw::new("record", at, format!("malformed (first byte {code})"), "a whole, known record")
        })?;
        check_record(&record, pool_bytes).map_err(|(what, found, expected)| Flaw::new(what, at, found, expected))?;
        operations += 1;
        output_bytes = output_bytes.saturating_add(record.output_bytes());
        written_bytes = written_bytes.saturating_add(record.written_bytes());
    }
    if operations != header.operations {
        return Err(Flaw::new("operations of a block", 4, header.operations, operations));
    }
    if output_bytes != header.output_bytes {
        return Err(Flaw::new("output_bytes", 8, header.output_bytes, output_bytes));
    }
    if operations > 1 && output_bytes.max(written_bytes) > BLOCK_BYTES_MAX {
        let expected = format!("at most {BLOCK_BYTES_MAX} in a block of several operations");
        return Err(Flaw::new("bytes of values", 8, output_bytes.max(written_bytes), expected));
    }
    Ok(())
}

/// Some operations, whole and checked.
pub struct Block<'a> {
    header: BlockHeader,
    records: &'a [u8],
}

impl<'a> Block<'a> {
    /// Operations in the block.
    #[inline]
    pub fn operations(&self) -> u32 {
        self.header.operations
    }

    /// Bytes that right answers append to the output.
    #[inline]
    pub fn output_bytes(&self) -> u64 {
        self.header.output_bytes
    }

    /// The operations in order.
    #[inline]
    pub fn records(&self) -> Records<'a> {
        Records { rest: self.records }
    }
}

/// The operations of a block in order.
#[derive(Clone)]
pub struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Record<'a>> {
        // The block was checked when it was read: this is `None` at its end only.
        decode_record(&mut self.rest)
    }
}
