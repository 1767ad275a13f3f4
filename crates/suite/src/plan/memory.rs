//! Memory: every store gets the same amount. Each store's description says how to divide it among its settings.

use bakeoff_protocol::{MemoryShare, SettingKind, Settings, StoreDescription};
use bakeoff_text::{approximate_size, format_size};

use crate::error::{Problems, SuiteErrors};
use crate::model::Suite;
use crate::node::Node;
use crate::plan::skip::SkipReason;
use crate::plan::stores::{ConfiguredStore, configured_stores};

/// Checks the memory that a suite gives stores for caches and buffers against the memory that a process can have here.
/// A store with too much may fail in any way, even by a signal. Settings that are only mapped are not checked.
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
        for chosen in configured_stores(suite, stores, &mut Problems::default()) {
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

/// The settings that take memory of the store's process, each with its number of pieces. These are the shares that are
/// not just mapped, and other settings that the description marks as memory.
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

/// Divides `memory_bytes` among a store's settings for this number of threads. Settings that the suite sets are left
/// out.
///
/// # Errors
/// Why the store cannot use this memory: its description does not divide it, or a share is too small.
pub(crate) fn divide(
    store: &StoreDescription,
    memory_bytes: u64,
    threads: u32,
    given: &Settings,
) -> Result<Settings, SkipReason> {
    let split = store.memory.as_ref().ok_or(SkipReason::MemoryNotDivided)?;
    let mut parts = Vec::new();
    for share in split.shares.iter().filter(|share| !given.contains_key(&share.setting)) {
        let setting = store.settings.iter().find(|setting| setting.name == share.setting);
        let setting = setting.ok_or(SkipReason::MemoryNotDivided)?;
        let SettingKind::Bytes { min, max } = setting.kind else { return Err(SkipReason::MemoryNotDivided) };
        let room = setting.room.as_ref().map_or(0, |room| room.bytes(given, threads));
        parts.push(Part { share, bytes_min: min.max(room), bytes_max: max });
    }
    let mut settings = Settings::new();
    for (part, part_bytes) in parts.iter().zip(divide_among(&parts, memory_bytes, threads)) {
        let (setting, bytes_min) = (part.share.setting.clone(), part.bytes_min);
        let bytes = part.share.setting_bytes(part_bytes, threads).min(part.bytes_max);
        if bytes < bytes_min {
            return Err(SkipReason::MemoryTooSmall { memory_bytes, setting, bytes, bytes_min });
        }
        settings.insert(setting, bytes.into());
    }
    Ok(settings)
}

/// A share and the limits of its setting.
struct Part<'a> {
    share: &'a MemoryShare,
    bytes_min: u64,
    bytes_max: u64,
}

/// The bytes for each part, in proportion to its share, up to the part's maximum. Parts below their maximum divide the
/// rest in proportion to their shares. Bytes that no part can take stay unused.
fn divide_among(parts: &[Part<'_>], memory_bytes: u64, threads: u32) -> Vec<u64> {
    let most: Vec<u64> = parts.iter().map(|part| part.share.taken_bytes(part.bytes_max, threads)).collect();
    let percent = |of: &[usize]| of.iter().map(|&index| u128::from(parts[index].share.percent)).sum::<u128>();
    let mut open: Vec<usize> = (0..parts.len()).collect();
    let mut left = u128::from(memory_bytes) * percent(&open) / 100;
    let mut bytes = vec![0; parts.len()];
    loop {
        let all = percent(&open).max(1);
        for &index in &open {
            bytes[index] = u64::try_from(left * u128::from(parts[index].share.percent) / all).unwrap_or(u64::MAX);
        }
        let full: Vec<usize> = open.iter().copied().filter(|&index| bytes[index] > most[index]).collect();
        if full.is_empty() {
            return bytes;
        }
        for index in full {
            bytes[index] = most[index];
            left -= u128::from(most[index]);
            open.retain(|&other| other != index);
        }
    }
}

/// Notes settings that are too small for the largest number of threads in the suite.
pub(crate) fn check_room(suite: &Suite, chosen: &ConfiguredStore<'_>, threads: u32, problems: &mut Problems) {
    let tables = suite.file.root.get("settings").and_then(|tables| tables.get(&chosen.store.name));
    for setting in &chosen.store.settings {
        let (Some(room), Some(node)) = (&setting.room, tables.and_then(|table| table.get(&setting.name))) else {
            continue;
        };
        let Some(bytes) = chosen.settings.get(&setting.name).and_then(serde_json::Value::as_u64) else { continue };
        let least = room.bytes(&chosen.settings, threads);
        if bytes >= least {
            continue;
        }
        let (name, piece, pieces) = (&setting.name, &room.setting, room.pieces(threads));
        let message = format!(
            "`{name}` is {}, less than {pieces} times `{piece}` ({}), which {} needs for {threads} threads",
            format_size(bytes),
            format_size(room.piece_bytes(&chosen.settings)),
            chosen.store.name
        );
        problems.add(
            &node.place,
            message,
            format!("give {} at least, or a smaller `{piece}` or fewer threads", format_size(least)),
        );
    }
}
