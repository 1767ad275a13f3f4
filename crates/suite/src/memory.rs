//! Memory: the same amount for every store, divided among its settings as the store says, and the limit that a cell runs under.

use bakeoff_protocol::{SettingKind, Settings, StoreDescription};

use crate::error::{Problems, SuiteErrors};
use crate::node::{Node, Value};
use crate::read;
use crate::skip::SkipReason;
use crate::stores::choose;
use crate::suite::Suite;
use crate::units::{approximate_size, format_size, parse_size};

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

/// Checks what a suite gives stores for caches and buffers against the memory that a process can have here: a store asked for more ends however it
/// likes, by a signal too. What a store only maps is not checked.
///
/// # Errors
/// Amounts above that, each with its place.
pub fn check_memory(suite: &Suite, stores: &[StoreDescription], usable_bytes: u64) -> Result<(), SuiteErrors> {
    for suite in suite.measured() {
        let mut problems = Problems::default();
        let mut check = |node: &Node, what: &str, bytes: u64, pieces: u64| {
            if bytes.saturating_mul(pieces) > usable_bytes {
                let times = if pieces > 1 { format!(" for each of {pieces} pieces") } else { String::new() };
                let message = format!("`{what}` is {}{times}, more memory than there is", format_size(bytes));
                let most = approximate_size(usable_bytes / pieces);
                problems.add(
                    &node.place,
                    message,
                    format!("give less than {most}: a process can have {} here", approximate_size(usable_bytes)),
                );
            }
        };
        if let (Some(node), Some(bytes)) = (suite.file.root.get("memory"), suite.memory_bytes()) {
            check(node, "memory", bytes, 1);
        }
        for chosen in choose(suite, stores, &mut Problems::default()) {
            let tables = suite.file.root.get("settings").and_then(|tables| tables.get(&chosen.store.name));
            for (setting, pieces) in taken(chosen.store) {
                let node = tables.and_then(|table| table.get(setting));
                let bytes = chosen.settings.get(setting).and_then(serde_json::Value::as_u64);
                if let (Some(node), Some(bytes)) = (node, bytes) {
                    check(node, setting, bytes, pieces.max(1).into());
                }
            }
        }
        if !problems.is_empty() {
            return Err(suite.file.errors(problems));
        }
    }
    Ok(())
}

/// The settings that are memory of the store's process, with how many pieces of the size there are: its shares of what it is given, unless they are only
/// mapped, and what it says is memory without being given a share.
fn taken(store: &StoreDescription) -> Vec<(&str, u32)> {
    let shares = store.memory.iter().flat_map(|split| &split.shares).filter(|share| !share.mapped);
    let mut taken: Vec<_> = shares.map(|share| (share.setting.as_str(), share.pieces)).collect();
    let others = store.settings.iter().filter(|setting| setting.memory).map(|setting| setting.name.as_str());
    for name in others {
        if !taken.iter().any(|(share, _)| *share == name) {
            taken.push((name, 1));
        }
    }
    taken
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
