//! How stores divide an amount of memory among their settings.

use serde::{Deserialize, Serialize};

use crate::Settings;

/// How a store divides an amount of memory that it is given, as its documentation advises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemorySplit {
    /// In words: what gets how much and why, and what is not counted.
    pub how: String,
    /// The documentation that this follows.
    pub source: String,
    /// The settings that share the memory. None where the store has no memory of its own but leaves its files to the page cache.
    #[serde(default)]
    pub shares: Vec<MemoryShare>,
}

impl MemorySplit {
    /// What the store takes with these settings when so many threads use it, in bytes.
    pub fn taken_bytes(&self, settings: &Settings, threads: u32) -> u64 {
        let taken = |share: &MemoryShare| {
            let bytes = settings.get(&share.setting).and_then(serde_json::Value::as_u64);
            bytes.map_or(0, |bytes| share.taken_bytes(bytes, threads))
        };
        self.shares.iter().map(taken).fold(0, u64::saturating_add)
    }
}

/// The part of the memory that one setting gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryShare {
    /// The setting, one of a number of bytes.
    pub setting: String,
    /// Its part of the memory, in percent.
    pub percent: u32,
    /// The store may hold so many pieces of the setting's size, which divide the part.
    pub pieces: u32,
    /// Each thread has pieces of its own.
    #[serde(default)]
    pub per_thread: bool,
    /// It is a part of a file that is mapped: page cache, for which the store takes no memory, so that more than there is does no harm.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mapped: bool,
    /// What the library takes besides the setting; absent where that does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Overhead>,
}

/// What a library takes besides what a setting names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overhead {
    /// In percent of the setting.
    pub percent: u32,
    /// Only where the setting is less than so many bytes.
    pub below_bytes: u64,
}

impl MemoryShare {
    fn all_pieces(&self, threads: u32) -> u128 {
        let threads = if self.per_thread { threads } else { 1 };
        u128::from(self.pieces.max(1)) * u128::from(threads.max(1))
    }

    /// What the setting becomes when its part of the memory is `part_bytes` and so many threads use the store.
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

    /// What the store takes when the setting is `setting_bytes` and so many threads use it.
    pub fn taken_bytes(&self, setting_bytes: u64, threads: u32) -> u64 {
        let bytes = u128::from(setting_bytes);
        let added = match self.overhead {
            Some(Overhead { percent, below_bytes }) if setting_bytes < below_bytes => bytes * u128::from(percent) / 100,
            _ => 0,
        };
        u64::try_from((bytes + added) * self.all_pieces(threads)).unwrap_or(u64::MAX)
    }
}
