//! The value pool: one file of bytes that all values of a cell are slices of.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use bakeoff_files::{check_length, open_regular};
use bakeoff_tree::{Encoder, Tree, TreeValues};
use memmap2::{Mmap, MmapOptions};
use serde::{Deserialize, Serialize};

use crate::progress::report_progress;
use crate::source::Source;
use crate::{Data, OnProgress, Progress, TapeError, consume};

/// The longest pool, bytes: the model keeps 32 bits for each value's place.
pub const POOL_BYTES_MAX: u64 = 1 << 32;
/// Length of the pieces that are compressed to learn how compressible the pool is.
const PIECE_BYTES: usize = 64 << 10;
/// Pieces compressed, at most.
const PIECES_MAX: usize = 64;

/// Progress is reported after this many bytes: several times a second.
const PROGRESS_BYTES: u64 = 4 << 20;

/// Facts about a pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolFacts {
    /// Its length.
    pub bytes: u64,
    /// XXH64 of it: 16 hexadecimal digits.
    pub checksum: String,
    /// Compressed by original size with Snappy, over pieces of 64 KiB.
    pub snappy_ratio: f64,
    /// The same with LZ4 (block format).
    pub lz4_ratio: f64,
    /// The same with Zstandard at its default level.
    pub zstd_ratio: f64,
}

/// A pool in memory: mapped, all its pages present.
pub struct Pool {
    map: Mmap,
}

impl Pool {
    /// Writes a pool of `bytes` bytes of this kind of data. Text comes from the text files in `corpus`, or from the
    /// built-in words.
    ///
    /// # Errors
    /// The pool would be empty or longer than [`POOL_BYTES_MAX`], the corpus has no text, the file cannot be written, or `progress` said
    /// to stop.
    pub fn create(
        path: &Path,
        data: Data,
        bytes: u64,
        seed: u64,
        corpus: Option<&Path>,
        progress: OnProgress<'_>,
    ) -> Result<PoolFacts, TapeError> {
        let mut source = Source::new(data, seed, corpus)?;
        write_pool(path, bytes, progress, |piece| source.fill(piece))
    }

    /// Writes the pool of a directory tree: the values of all `entries` in the order of their indexes, padding of this kind of data.
    ///
    /// # Errors
    /// As [`Pool::create`].
    pub fn create_tree(
        path: &Path,
        tree: Tree,
        entries: u64,
        data: Data,
        seed: u64,
        corpus: Option<&Path>,
        progress: OnProgress<'_>,
    ) -> Result<PoolFacts, TapeError> {
        let mut source = Source::new(data, seed, corpus)?;
        let values = TreeValues::new(tree);
        let (mut encoder, mut value, mut used, mut index) = (Encoder::default(), Vec::new(), 0, 0);
        write_pool(path, values.offset(entries), progress, |mut piece| {
            while !piece.is_empty() {
                if used == value.len() {
                    values.write(index, &mut encoder, &mut value, |padding| source.fill(padding))?;
                    (used, index) = (0, index + 1);
                }
                let taken = (value.len() - used).min(piece.len());
                let (now, later) = piece.split_at_mut(taken);
                now.copy_from_slice(&value[used..used + taken]);
                (piece, used) = (later, used + taken);
            }
            Ok(())
        })
    }

    /// Maps a pool into memory and touches every page of it.
    ///
    /// # Errors
    /// The file cannot be opened or mapped, or is longer than [`POOL_BYTES_MAX`].
    pub fn open(path: &Path) -> Result<Self, TapeError> {
        let file = open_regular(path, File::options().read(true)).map_err(TapeError::io("open the pool", path))?;
        check_length(&file, POOL_BYTES_MAX).map_err(TapeError::io("open the pool", path))?;
        Self::map(&file, path)
    }

    /// The same for a pool that must have `bytes` bytes. A pool of another length is refused before it is read.
    ///
    /// # Errors
    /// As [`Pool::open`], or it has another length.
    pub fn open_whole(path: &Path, bytes: u64) -> Result<Self, TapeError> {
        let file = open_regular(path, File::options().read(true)).map_err(TapeError::io("open the pool", path))?;
        let found = check_length(&file, u64::MAX).map_err(TapeError::io("open the pool", path))?;
        if found != bytes || bytes > POOL_BYTES_MAX {
            let expected = bytes.min(POOL_BYTES_MAX);
            return Err(TapeError::Length { path: path.to_owned(), found, expected });
        }
        Self::map(&file, path)
    }

    fn map(file: &File, path: &Path) -> Result<Self, TapeError> {
        // SAFETY: the mapping is private to this process and only read. Nothing in bakeoff changes a pool that has its
        // name. If someone else changes it, values are wrong, and the checks of answers find that.
        let map = unsafe { MmapOptions::new().populate().map(file) };
        Ok(Self { map: map.map_err(TapeError::io("map into memory", path))? })
    }

    /// Its length.
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// XXH64 of it. Reads all of it.
    pub fn checksum(&self) -> u64 {
        consume::xxh64(&self.map)
    }

    /// A value; `None` if it would be outside the pool.
    #[inline]
    pub fn slice(&self, offset: u64, bytes: u32) -> Option<&[u8]> {
        let begin = usize::try_from(offset).ok()?;
        self.map.get(begin..begin.checked_add(bytes as usize)?)
    }

    /// How compressible it is.
    fn facts(&self) -> Result<PoolFacts, std::io::Error> {
        let ratios = Ratios::measure(&self.map)?;
        let ratio = |compressed: u64| compressed as f64 / ratios.original.max(1) as f64;
        Ok(PoolFacts {
            bytes: self.bytes(),
            checksum: format!("{:016x}", self.checksum()),
            snappy_ratio: ratio(ratios.snappy),
            lz4_ratio: ratio(ratios.lz4),
            zstd_ratio: ratio(ratios.zstd),
        })
    }
}

/// Fills a file piece by piece (each with its offset), under a temporary name until it is complete.
fn write_pool(
    path: &Path,
    bytes: u64,
    progress: OnProgress<'_>,
    mut fill: impl FnMut(&mut [u8]) -> Result<(), TapeError>,
) -> Result<PoolFacts, TapeError> {
    if bytes == 0 || bytes > POOL_BYTES_MAX {
        return Err(TapeError::workload("pool_bytes", bytes, format!("use 1 to {POOL_BYTES_MAX} bytes")));
    }
    let temporary = path.with_extension("bin.part");
    let file = File::create(&temporary).map_err(TapeError::io("create", &temporary))?;
    let mut file = BufWriter::new(file);
    let mut piece = vec![0; PIECE_BYTES];
    let mut offset = 0;
    while offset < bytes {
        let length = (bytes - offset).min(PIECE_BYTES as u64);
        let piece = &mut piece[..length as usize];
        if offset.is_multiple_of(PROGRESS_BYTES) {
            report_progress(progress, Progress { what: "pool", done: offset, total: bytes })?;
        }
        fill(piece)?;
        file.write_all(piece).map_err(TapeError::io("write to", &temporary))?;
        offset += length;
    }
    file.flush().map_err(TapeError::io("write to", &temporary))?;
    std::fs::rename(&temporary, path).map_err(TapeError::io("give its name to", path))?;
    Pool::open(path)?.facts().map_err(TapeError::io("compress pieces of", path))
}

/// Sums over the pieces that were compressed.
#[derive(Default)]
struct Ratios {
    original: u64,
    snappy: u64,
    lz4: u64,
    zstd: u64,
}

impl Ratios {
    fn measure(pool: &[u8]) -> Result<Self, std::io::Error> {
        let pieces = pool.len().div_ceil(PIECE_BYTES);
        let step = pieces.div_ceil(PIECES_MAX).max(1);
        let mut sums = Self::default();
        for piece in pool.chunks(PIECE_BYTES).step_by(step) {
            let snappy = snap::raw::Encoder::new().compress_vec(piece).map_err(std::io::Error::other)?;
            sums.original += piece.len() as u64;
            sums.snappy += snappy.len() as u64;
            sums.lz4 += lz4_flex::block::compress(piece).len() as u64;
            sums.zstd += zstd::bulk::compress(piece, zstd::DEFAULT_COMPRESSION_LEVEL)?.len() as u64;
        }
        Ok(sums)
    }
}
