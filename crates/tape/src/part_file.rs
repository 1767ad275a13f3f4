//! The file of an unfinished tape. It has another name until it is complete, and room for a header that is written
//! last.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::TapeError;
use crate::format::{LANES_MAX, METADATA_BYTES_MAX};
use crate::header::{TapeHeader, encode_header, header_bytes};

/// What must be known before the first record is written.
#[derive(Clone, Copy, Debug)]
pub struct TapeShape {
    /// Lanes the tape will have, at least 1.
    pub lanes: u32,
    /// Length of the pool, bytes.
    pub pool_bytes: u64,
    /// XXH64 of the pool.
    pub pool_checksum: u64,
    /// Room to keep for the metadata, bytes.
    pub metadata_bytes_max: usize,
}

/// Where a tape will be. Dropped before [`PartFile::complete`], it leaves nothing behind.
pub(crate) struct PartFile {
    pub(crate) path: PathBuf,
    pub(crate) temporary: PathBuf,
    /// Room for the header, which is before the lanes.
    pub(crate) header_bytes: usize,
    metadata_bytes_max: usize,
}

impl PartFile {
    /// Makes the file, still empty.
    ///
    /// # Errors
    /// The number of lanes or the room for metadata is out of range, or the file cannot be created.
    pub(crate) fn create(path: &Path, shape: TapeShape) -> Result<(Self, File), TapeError> {
        if shape.lanes == 0 || shape.lanes > LANES_MAX {
            return Err(unwritable(path, "the number of lanes", shape.lanes, format!("1 to {LANES_MAX}")));
        }
        if shape.metadata_bytes_max > METADATA_BYTES_MAX {
            let expected = format!("at most {METADATA_BYTES_MAX} bytes");
            return Err(unwritable(path, "the room for metadata", shape.metadata_bytes_max, expected));
        }
        let temporary = path.with_extension("tape.part");
        let file = File::create(&temporary).map_err(TapeError::io("create", &temporary))?;
        let header_bytes = header_bytes(shape.lanes as usize, shape.metadata_bytes_max);
        let metadata_bytes_max = shape.metadata_bytes_max;
        Ok((Self { path: path.to_owned(), temporary, header_bytes, metadata_bytes_max }, file))
    }

    /// Writes the header, with its own checksum, in front of everything else, and gives the file its name.
    ///
    /// # Errors
    /// The metadata is longer than the room kept for it, or the disk is full.
    pub(crate) fn complete(self, file: &File, mut header: TapeHeader) -> Result<TapeHeader, TapeError> {
        if header.metadata.len() > self.metadata_bytes_max {
            let expected = format!("at most {} bytes", self.metadata_bytes_max);
            return Err(unwritable(&self.path, "the length of the metadata", header.metadata.len(), expected));
        }
        let (bytes, checksum) = encode_header(&header, self.header_bytes);
        header.tape_checksum = checksum;
        file.write_all_at(&bytes, 0).map_err(TapeError::io("write to", &self.temporary))?;
        std::fs::rename(&self.temporary, &self.path).map_err(TapeError::io("give its name to", &self.path))?;
        Ok(header)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // A complete one has its name and there is nothing to remove; before, nobody can use a half-written one.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

#[cold]
pub(crate) fn unwritable(path: &Path, what: &'static str, found: impl ToString, expected: impl ToString) -> TapeError {
    TapeError::Unwritable { path: path.to_owned(), what, found: found.to_string(), expected: expected.to_string() }
}
