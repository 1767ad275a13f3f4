//! What is written after a recovery, and whether it is there afterwards.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_protocol::{Mode, PhaseRequest};
use bakeoff_tape::consume::xxh64;
use bakeoff_tape::{InventoryEntry, Operation, Pool, Record, TapeShape, TapeWriter};

use crate::power_cut::history::{History, Value};

/// Keys that each lane writes after a recovery.
const KEYS: usize = 3;

/// What is written after a recovery: the same keys with the same value every time.
pub(super) struct More {
    pub(super) phase: PhaseRequest,
    keys: Vec<Vec<u8>>,
    value: Value,
}

impl More {
    /// Writes the tape: some keys of each lane get a value, whether or not they are there.
    pub(super) fn write(history: &History, path: &Path, pool: &Pool, value_bytes: u32, batched: bool) -> Result<Self> {
        let lanes = history.lanes.len() as u32;
        let shape =
            TapeShape { lanes, pool_bytes: pool.bytes(), pool_checksum: pool.checksum(), metadata_bytes_max: 64 };
        let mut tape = TapeWriter::create(path, shape)?;
        let mut keys = Vec::new();
        for lane in 0..lanes as usize {
            if lane > 0 {
                tape.next_lane()?;
            }
            let own: Vec<_> = history.keys.iter().filter(|(_, of)| *of == lane).map(|(key, _)| key).collect();
            let written = own.iter().step_by((own.len() / KEYS).max(1)).take(KEYS);
            for key in written.copied() {
                tape.push(&record(Operation::Upsert, key, value_bytes))?;
                keys.push(key.clone());
            }
            if batched && !own.is_empty() {
                tape.push(&record(Operation::Commit, b"", 0))?;
            }
        }
        tape.finish("{}")?;
        let value = pool.slice(0, value_bytes).ok_or_else(|| anyhow!("the pool is too short"))?;
        let phase = PhaseRequest { batched, ..PhaseRequest::new("after-recovery", path.to_owned(), Mode::Latency) };
        Ok(Self { phase, keys, value: (value.len() as u64, xxh64(value)) })
    }

    /// How what is found afterwards differs from what was found before, with this written.
    pub(super) fn difference(&self, before: &[InventoryEntry<'_>], after: &[InventoryEntry<'_>]) -> Option<String> {
        let value = |entry: &InventoryEntry<'_>| (entry.value_bytes, entry.value_checksum);
        let mut expected: BTreeMap<&[u8], Value> = before.iter().map(|entry| (entry.key, value(entry))).collect();
        expected.extend(self.keys.iter().map(|key| (key.as_slice(), self.value)));
        let found: BTreeMap<&[u8], Value> = after.iter().map(|entry| (entry.key, value(entry))).collect();
        if found.len() != after.len() {
            return Some("it lists a key twice".to_owned());
        }
        let differing = expected.iter().filter(|(key, value)| found.get(*key) != Some(*value)).count();
        let foreign = found.keys().filter(|key| !expected.contains_key(*key)).count();
        let differs = differing + foreign > 0;
        differs.then(|| format!("{differing} entries are gone or have another value, and {foreign} are new"))
    }
}

fn record(operation: Operation, key: &[u8], value_bytes: u32) -> Record<'_> {
    Record { operation, flags: 0, key, value_bytes, value_offset: 0, due_ns: None, scan: None }
}
