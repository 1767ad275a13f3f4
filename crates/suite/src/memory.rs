//! Memory: the same amount for every store, divided among its settings as the store says, and the limit that a cell runs under.

use bakeoff_protocol::{SettingKind, Settings, StoreDescription};

use crate::error::Problems;
use crate::node::{Node, Value};
use crate::read;
use crate::skip::SkipReason;
use crate::units::{format_size, parse_size};

/// Amounts of memory that can be given, in bytes: no store's buffers fit less than the least.
const MEMORY_BYTES: (u64, u64) = (64 << 10, 1 << 46);

/// Limits that a cell can run under, in bytes: a driver alone takes more than the least.
const LIMIT_BYTES: (u64, u64) = (8 << 20, 1 << 46);

/// Reads the memory that every store is given.
pub(crate) fn memory(node: &Node, what: &str, problems: &mut Problems) -> Option<u64> {
    read::quantity(node, what, MEMORY_BYTES, parse_size, format_size, problems)
}

/// Reads a value of the axis `memory-limit`: a size, or `none`.
pub(crate) fn limit(node: &Node, what: &str, problems: &mut Problems) -> Option<Option<u64>> {
    match &node.value {
        Value::Text(word) if word == "none" => Some(None),
        _ => read::quantity(node, what, LIMIT_BYTES, parse_size, format_size, problems).map(Some),
    }
}

/// The settings among which a store divides `memory_bytes` when so many threads use it. What the suite sets itself is left out.
///
/// A share above the most that its setting takes becomes that.
///
/// # Errors
/// Why the store cannot be given this memory: nobody has said how it divides it, or a share is too small.
pub(crate) fn divide(
    store: &StoreDescription,
    memory_bytes: u64,
    threads: u32,
    given: &Settings,
) -> Result<Settings, SkipReason> {
    let split = store.memory.as_ref().ok_or(SkipReason::MemoryNotDivided)?;
    let mut settings = Settings::new();
    for share in split.shares.iter().filter(|share| !given.contains_key(&share.setting)) {
        let kind = store.settings.iter().find(|setting| setting.name == share.setting).map(|setting| &setting.kind);
        let Some(SettingKind::Bytes { min, max }) = kind else { return Err(SkipReason::MemoryNotDivided) };
        let bytes = share.bytes(memory_bytes, threads);
        if bytes < *min {
            let setting = share.setting.clone();
            return Err(SkipReason::MemoryTooSmall { memory_bytes, setting, bytes, bytes_min: *min });
        }
        settings.insert(share.setting.clone(), bytes.min(*max).into());
    }
    Ok(settings)
}
