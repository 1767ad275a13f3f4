//! How stores divide an amount of memory among their settings.

use serde::{Deserialize, Serialize};

use crate::Settings;

/// How a store divides an amount of memory, as its documentation advises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemorySplit {
    /// In words: the shares and their reasons, and what is not counted.
    pub how: String,
    /// The documentation behind it.
    pub source: String,
    /// The settings that share the memory. Empty if the store has no memory of its own and leaves its files to the page cache.
    #[serde(default)]
    pub shares: Vec<MemoryShare>,
}

impl MemorySplit {
    /// The memory that the store uses with these settings and this many threads, in bytes.
    pub fn taken_bytes(&self, settings: &Settings, threads: u32) -> u64 {
        let taken = |share: &MemoryShare| {
            let bytes = settings.get(&share.setting).and_then(serde_json::Value::as_u64);
            bytes.map_or(0, |bytes| share.taken_bytes(bytes, threads))
        };
        self.shares.iter().map(taken).fold(0, u64::saturating_add)
    }
}

/// One setting's share of the memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryShare {
    /// The setting, a number of bytes.
    pub setting: String,
    /// Its share of the memory, in percent.
    pub percent: u32,
    /// The number of pieces of the setting's size that the store may hold. They divide the share.
    pub pieces: u32,
    /// Each thread has its own pieces.
    #[serde(default)]
    pub per_thread: bool,
    /// It is part of a mapped file: page cache, for which the store allocates no memory. It may exceed the machine's memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mapped: bool,
    /// Memory that the library uses in addition to the setting; absent if it does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Overhead>,
}

/// Memory that a library uses in addition to a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overhead {
    /// In percent of the setting.
    pub percent: u32,
    /// Only if the setting is below this many bytes.
    pub below_bytes: u64,
}

impl MemoryShare {
    fn all_pieces(&self, threads: u32) -> u128 {
        let threads = if self.per_thread { threads } else { 1 };
        u128::from(self.pieces.max(1)) * u128::from(threads.max(1))
    }

    /// The value of the setting if its share is `part_bytes` and this many threads use the store.
    pub fn setting_bytes(&self, part_bytes: u64, threads: u32) -> u64 {
        let piece = u128::from(part_bytes) / self.all_pieces(threads);
        let bytes = match self.overhead {
            Some(Overhead { percent, below_bytes }) if piece < u128::from(below_bytes) => {
                piece * 100 / (100 + u128::from(percent))
            }
            _ => piece,
        };
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// The memory that the store uses if the setting is `setting_bytes` and this many threads use it.
    pub fn taken_bytes(&self, setting_bytes: u64, threads: u32) -> u64 {
        let bytes = u128::from(setting_bytes);
        let added = match self.overhead {
            Some(Overhead { percent, below_bytes }) if setting_bytes < below_bytes => bytes * u128::from(percent) / 100,
            _ => 0,
        };
        u64::try_from((bytes + added) * self.all_pieces(threads)).unwrap_or(u64::MAX)
    }
}
