//! What a driver has acknowledged, in a file that its caller reads at any moment, also after the driver was killed.
//!
//! The file has a slot of 64 bytes, a cache line, for the store and one for each lane. A slot begins with a little-endian number of
//! 64 bits. `docs/PROTOCOL.md` has the rules.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use bakeoff_files::{check_length, open_regular};
use memmap2::MmapRaw;

use crate::TapeError;

/// Length of a slot, so that no two threads share a cache line.
const SLOT_BYTES: usize = 64;

/// The file, mapped and shared with every process that maps it too.
pub struct Acknowledged {
    map: MmapRaw,
}

impl Acknowledged {
    /// Length of the file for so many lanes.
    pub fn file_bytes(lanes: u32) -> u64 {
        (u64::from(lanes) + 1) * SLOT_BYTES as u64
    }

    /// Makes the file, in which nothing is acknowledged yet.
    ///
    /// # Errors
    /// There is something already, or the file cannot be made or mapped.
    pub fn create(path: &Path, lanes: u32) -> Result<Self, TapeError> {
        let file = File::options().read(true).write(true).create_new(true).open(path);
        let file = file.map_err(TapeError::io("create", path))?;
        file.set_len(Self::file_bytes(lanes)).map_err(TapeError::io("lengthen", path))?;
        Self::map(&file, path)
    }

    /// Maps the file that a caller has made.
    ///
    /// # Errors
    /// It cannot be opened for reading and writing, is no file, or has another length than that for so many lanes.
    pub fn open(path: &Path, lanes: u32) -> Result<Self, TapeError> {
        let refused = || TapeError::io("open the file for acknowledgements", path);
        let file = open_regular(path, File::options().read(true).write(true)).map_err(refused())?;
        let (found, expected) = (check_length(&file, u64::MAX).map_err(refused())?, Self::file_bytes(lanes));
        match found == expected {
            true => Self::map(&file, path),
            false => Err(TapeError::Slots { path: path.to_owned(), found, expected }),
        }
    }

    fn map(file: &File, path: &Path) -> Result<Self, TapeError> {
        Self::of_file(file).map_err(TapeError::io("map into memory", path))
    }

    /// Maps an open file of [`Self::file_bytes`], which may have no name.
    ///
    /// # Errors
    /// It cannot be mapped.
    pub fn of_file(file: &File) -> io::Result<Self> {
        Ok(Self { map: MmapRaw::map_raw(file)? })
    }

    /// The first number of a slot.
    ///
    /// # Panics
    /// The file has no such slot.
    fn slot(&self, number: usize) -> &AtomicU64 {
        assert!((number + 1) * SLOT_BYTES <= self.map.len(), "slot {number} of {} bytes", self.map.len());
        // SAFETY: the mapping lives as long as `self` and has the slot, as was just checked. A multiple of 64 in it is aligned, as it
        // begins with a page. All who write to it, in any process, do so with atomic stores.
        unsafe { AtomicU64::from_ptr(self.map.as_mut_ptr().add(number * SLOT_BYTES).cast()) }
    }

    /// Whether nothing is acknowledged, and no other byte is in use.
    pub fn is_unused(&self) -> bool {
        // SAFETY: the mapping has all these bytes, and at this time nobody else writes to it.
        let bytes = unsafe { std::slice::from_raw_parts(self.map.as_ptr(), self.map.len()) };
        bytes.iter().all(|byte| *byte == 0)
    }

    /// Whether the store was open and set up: what made it has ended.
    pub fn is_open(&self) -> bool {
        self.number(0) != 0
    }

    /// Says that the store is open and set up.
    pub fn set_open(&self) {
        self.slot(0).store(1_u64.to_le(), Ordering::Release);
    }

    /// How many of a lane's writes and commits are acknowledged.
    ///
    /// # Panics
    /// The file has no such lane.
    pub fn count(&self, lane: u32) -> u64 {
        self.number(lane as usize + 1)
    }

    /// The number of each slot: 1 of a store that is open, and then each lane's count.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        (0..self.map.len() / SLOT_BYTES).map(|slot| self.number(slot))
    }

    fn number(&self, slot: usize) -> u64 {
        u64::from_le(self.slot(slot).load(Ordering::Acquire))
    }

    /// Says how many of a lane's writes and commits are acknowledged.
    ///
    /// # Panics
    /// The file has no such lane.
    #[inline]
    pub fn set_count(&self, lane: u32, count: u64) {
        self.slot(lane as usize + 1).store(count.to_le(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_has_a_slot_that_others_see_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("acknowledged");
        let caller = Acknowledged::create(&path, 2).unwrap();
        let driver = Acknowledged::open(&path, 2).unwrap();
        assert!(driver.is_unused() && !caller.is_open());
        driver.set_open();
        driver.set_count(1, 0x0102);
        assert!(caller.is_open() && !caller.is_unused());
        assert_eq!((caller.count(0), caller.count(1)), (0, 0x0102));
        assert_eq!(caller.numbers().collect::<Vec<_>>(), [1, 0, 0x0102]);
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!((bytes.len(), bytes[0], &bytes[128..130]), (192, 1, &[2, 1][..]));
        assert_eq!(bytes.iter().filter(|byte| **byte != 0).count(), 3);
    }

    #[test]
    fn a_file_of_another_length_or_none_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("acknowledged");
        assert!(Acknowledged::open(&path, 1).is_err(), "it is made by the caller");
        Acknowledged::create(&path, 1).unwrap();
        for lanes in [0, 2] {
            assert!(matches!(Acknowledged::open(&path, lanes), Err(TapeError::Slots { found: 128, .. })));
        }
        assert!(Acknowledged::create(&path, 1).is_err(), "nothing is overwritten");
        assert!(Acknowledged::open(directory.path(), 1).is_err());
    }
}
