//! How many writes were acknowledged: counters in memory that the writer shares with the disk.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapOptions, MmapRaw};

/// Bytes of a counter's slot: each lane writes to a cache line of its own.
const SLOT_BYTES: usize = 64;

/// Counters in a file in memory, one in each slot. The first is 1 once the store has been created. The others count what lanes had
/// acknowledged. docs/PROTOCOL.md has the layout.
pub struct Acknowledged {
    file: File,
    map: MmapRaw,
    slots: usize,
}

impl Acknowledged {
    /// Counters of a store and so many lanes, all 0.
    ///
    /// # Errors
    /// There is no memory.
    pub fn new(lanes: u32) -> io::Result<Self> {
        let slots = lanes as usize + 1;
        Self::of(crate::memory_file((slots * SLOT_BYTES) as u64)?)
    }

    /// The counters in a file that was made by [`Self::new`].
    pub(crate) fn of(file: File) -> io::Result<Self> {
        let map = MmapOptions::new().map_raw(&file)?;
        let slots = map.len() / SLOT_BYTES;
        Ok(Self { file, map, slots })
    }

    /// Where the writer finds them.
    pub fn path(&self) -> PathBuf {
        crate::path_for_others(&self.file)
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The number of counters.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Every counter now.
    pub fn read(&self) -> impl Iterator<Item = u64> {
        (0..self.slots).map(|slot| self.counter(slot).load(Ordering::Acquire))
    }

    /// Sets a counter, as a writer does.
    pub fn store(&self, slot: usize, count: u64) {
        self.counter(slot).store(count, Ordering::Release);
    }

    fn counter(&self, slot: usize) -> &AtomicU64 {
        assert!(slot < self.slots);
        // SAFETY: the slot lies in the mapping, which lives as long as `self` and is aligned to a page. All users of the file access the
        // counter atomically.
        unsafe { AtomicU64::from_ptr(self.map.as_mut_ptr().add(slot * SLOT_BYTES).cast()) }
    }
}
