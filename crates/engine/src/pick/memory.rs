//! What stores have for caches and buffers in a pick.

use bakeoff_measure::Machine;
use bakeoff_results::map_axis::MapQuantity;
use bakeoff_text::format_size;

use crate::pick::need::{Memory, Need};

/// Memory for each byte of data. Stores divide it among a cache and write buffers, LevelDB in halves with two buffers.
/// So a quarter holds the data in each, as the page cache does for LMDB and for files.
const BY_DATA: u64 = 4;

/// The least memory that holds data, however little that is.
const EQUAL_BYTES_MIN: u64 = 64 << 20;

/// The least memory to vary: every store takes so much.
const VARIED_BYTES_MIN: u64 = 16 << 20;

/// The part of this machine's usable memory that a store may be given.
const USABLE_PART: u64 = 4;

/// Bytes of keys and values that the store begins with, on average; of a tape, the most that are alive at one time.
pub(crate) fn data_bytes(need: &Need) -> u64 {
    if let Some(bytes) = need.data_bytes {
        return bytes;
    }
    let value_bytes = need.value_bytes.mean() as u64;
    need.records.saturating_mul(value_bytes.saturating_add(need.key_bytes.min.midpoint(need.key_bytes.max)))
}

/// Memory as a suite writes it, for so much data.
pub(crate) fn memory_text(memory: Memory, data_bytes: u64) -> String {
    match memory {
        Memory::Default => "default".to_owned(),
        Memory::Bytes(bytes) => format!("{bytes}B"),
        Memory::Equal => {
            let usable_bytes = Machine::read_memory().memory_usable_bytes().unwrap_or(u64::MAX);
            format!("{}B", equal_bytes(data_bytes, usable_bytes))
        }
    }
}

/// Enough for the data, or as much as a store may have here.
fn equal_bytes(data_bytes: u64, usable_bytes: u64) -> u64 {
    let holding = data_bytes.saturating_mul(BY_DATA).max(EQUAL_BYTES_MIN);
    let holding = holding.checked_next_power_of_two().unwrap_or(u64::MAX);
    holding.min((usable_bytes / USABLE_PART) >> 20 << 20).max(VARIED_BYTES_MIN)
}

/// Another amount of memory that the answer might depend on.
pub(crate) struct MemoryChange {
    /// Of the variant that asks it.
    pub(crate) name: &'static str,
    /// For people.
    pub(crate) words: String,
    /// The quantity of a map that it varies, if it is one.
    pub(crate) varies: Option<MapQuantity>,
    /// As a suite writes it.
    pub(crate) memory: String,
}

/// Other amounts of memory that the answer might depend on.
pub(crate) fn memory_changes(need: &Need) -> Vec<MemoryChange> {
    let data_bytes = data_bytes(need);
    let mut changes = Vec::new();
    let less = (data_bytes / 2) >> 20 << 20;
    if need.memory == Memory::Equal && less >= VARIED_BYTES_MIN {
        let words = format!("Memory for half of the data, {}", format_size(less));
        let (varies, memory) = (Some(MapQuantity::Memory), format!("{less}B"));
        changes.push(MemoryChange { name: "memory-half", words, varies, memory });
    }
    let (name, words, other) = match need.memory {
        Memory::Default => ("memory-equal", "The same memory for each store", Memory::Equal),
        _ => ("memory-default", "Memory as each store takes by default", Memory::Default),
    };
    let memory = memory_text(other, data_bytes);
    changes.push(MemoryChange { name, words: words.to_owned(), varies: None, memory });
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn equal_memory_holds_the_data_or_is_what_there_is() {
        assert_eq!(equal_bytes(1_000, 24 << 30), 64 * MIB);
        assert_eq!(equal_bytes(20 * MIB, 24 << 30), 128 * MIB);
        assert_eq!(equal_bytes(100 << 30, 24 << 30), 6 << 30);
        assert_eq!(equal_bytes(u64::MAX, 2 << 30), 512 * MIB);
    }

    #[test]
    fn what_was_not_asked_is_varied() {
        let names = |need: &Need| memory_changes(need).into_iter().map(|change| change.name).collect::<Vec<_>>();
        let mut need = Need { records: 1_000, ..Need::default() };
        need.value_bytes = bakeoff_tape::SizeRange { min: 100, max: 100 }.into();
        assert_eq!(names(&need), ["memory-default"]);
        need.records = 1_000_000;
        need.data_bytes = Some(1 << 20);
        assert_eq!(names(&need), ["memory-default"], "a tape knows its data, regardless of its longest value");
        need.data_bytes = None;
        assert_eq!(names(&need), ["memory-half", "memory-default"]);
        need.memory = Memory::Default;
        assert_eq!(names(&need), ["memory-equal"]);
    }
}
