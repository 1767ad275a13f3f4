//! What is on a disk when its recording begins.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

const PAGE_BYTES: usize = 4096;

/// Writes a number.
pub(crate) fn put(out: &mut impl Write, number: u64) -> io::Result<()> {
    out.write_all(&number.to_ne_bytes())
}

/// Reads a number.
pub(crate) fn take(input: &mut impl Read) -> io::Result<u64> {
    let mut number = [0; 8];
    input.read_exact(&mut number)?;
    Ok(u64::from_ne_bytes(number))
}

/// Reads so many bytes, with no more memory than there is input.
pub(crate) fn take_bytes(input: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The pages of a disk that are not zeros, in memory.
#[derive(Clone, Debug)]
pub struct Base {
    bytes: u64,
    /// Offset of each run of pages, and its data.
    runs: Vec<(u64, Vec<u8>)>,
}

impl Base {
    /// Reads a disk that is a file in memory.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(file: &File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        let mut base = Self { bytes, runs: Vec::new() };
        let mut at = 0;
        while at < bytes {
            at = match seek(file, SeekFrom::Data(at)) {
                Ok(data) => data,
                Err(Errno::NXIO) => break,
                Err(why) => return Err(why.into()),
            };
            let end = seek(file, SeekFrom::Hole(at))?.min(bytes);
            base.read_range(file, at, end)?;
            at = end;
        }
        Ok(base)
    }

    fn read_range(&mut self, file: &File, begin: u64, end: u64) -> io::Result<()> {
        let mut page = [0; PAGE_BYTES];
        let mut at = begin;
        while at < end {
            let bytes = (end - at).min(PAGE_BYTES as u64) as usize;
            file.read_exact_at(&mut page[..bytes], at)?;
            if page[..bytes].iter().any(|byte| *byte != 0) {
                match self.runs.last_mut() {
                    Some((offset, data)) if *offset + data.len() as u64 == at => data.extend_from_slice(&page[..bytes]),
                    _ => self.runs.push((at, page[..bytes].to_vec())),
                }
            }
            at += bytes as u64;
        }
        Ok(())
    }

    /// A fresh copy of the disk, as a file in memory.
    ///
    /// # Errors
    /// There is no memory.
    pub fn copy(&self) -> io::Result<File> {
        let file = crate::memory_file(self.bytes)?;
        self.runs.iter().try_for_each(|(offset, data)| file.write_all_at(data, *offset))?;
        Ok(file)
    }

    /// Writes it.
    pub(crate) fn save(&self, out: &mut impl Write) -> io::Result<()> {
        put(out, self.bytes)?;
        put(out, self.runs.len() as u64)?;
        for (offset, data) in &self.runs {
            put(out, *offset)?;
            put(out, data.len() as u64)?;
            out.write_all(data)?;
        }
        Ok(())
    }

    /// Reads what [`Self::save`] wrote.
    pub(crate) fn load(input: &mut impl Read) -> io::Result<Self> {
        let mut base = Self { bytes: take(input)?, runs: Vec::new() };
        for _ in 0..take(input)? {
            let (offset, length) = (take(input)?, take(input)?);
            base.runs.push((offset, take_bytes(input, length)?));
        }
        Ok(base)
    }

    /// The length of the disk.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
