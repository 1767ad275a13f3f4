//! A builder for the description of a store.
//!
//! It starts with a store that keeps its data and has no other capability. Each call adds one fact, so a store mentions only what it has.

use std::collections::BTreeMap;

use bakeoff_protocol::{
    AfterFailure, Capabilities, Durability, DurabilitySupport, Leaves, MemoryShare, MemorySplit, NotOffered, Setting,
    StoreDescription, Structure,
};

/// A capability of a store besides single reads and writes. A missing one is shown as n/a and never emulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Scan entries in key order, forward and in reverse, from any key.
    ScanFrom,
    /// Scan all entries in key order.
    ScanOrdered,
    /// Scan all entries, in any order.
    ScanAnyOrder,
    /// Acknowledge several writes together.
    Batch,
    /// Read the writes of the session's own open batch.
    BatchReads,
    /// Apply a batch as a whole or not at all, even if the process is killed.
    AtomicBatch,
    /// Refuse to insert an existing key; otherwise an insert writes without a check.
    InsertRefuses,
    /// Let several threads read at the same time without waiting for each other.
    ParallelReaders,
    /// Let several threads write at the same time without waiting for each other.
    ParallelWriters,
    /// Let several processes have the store open at the same time, at least one of them for writing.
    MultiProcess,
    /// Copy itself while it is open, without free space in the copy.
    CompactedCopy,
    /// Check whether a key exists without reading the value; else an existence check is a get.
    ExistsCall,
}

/// Builds a [`StoreDescription`].
///
/// ```
/// use bakeoff_store::{Capability::*, Description, Durability, Leaves::*, Structure, after, setting, share};
///
/// const MANUAL: &str = "https://example.org/manual";
/// let description = Description::new("example", "Example DB")
///     .summary("B+ tree in one file.")
///     .version("1.2.3")
///     .license("MIT")
///     .language("Rust")
///     .structure(Structure::BTree)
///     .files("records.db")
///     .durability(Durability::Power, "sync = full: the file is flushed at every commit", after(Kept, Kept), MANUAL)
///     .durability(Durability::Consistent, "sync = log: only the log is flushed", after(Kept, EarlierState), MANUAL)
///     .flushes_each_write(Durability::Consistent)
///     .not_offered(Durability::Process, "every commit is flushed", MANUAL)
///     .not_offered(Durability::None, "every commit is flushed", MANUAL)
///     .can(&[ScanFrom, ScanOrdered, ScanAnyOrder, Batch, BatchReads, AtomicBatch])
///     .keys(1, 511)
///     .setting(setting::bytes("cache", 0..=1 << 40, Some(64 << 20), "Memory for pages.", MANUAL))
///     .memory("all of it for the cache", MANUAL, &[share("cache", 100, 1)])
///     .build();
/// assert!(description.capabilities.batch && !description.capabilities.multi_process);
/// ```
#[derive(Clone, Debug)]
pub struct Description(StoreDescription);

impl Description {
    /// A store with this name (in suites, requests and results: lower case, `-` between words) and this title (for people).
    #[must_use]
    pub fn new(name: &str, title: &str) -> Self {
        Self(StoreDescription {
            name: name.to_owned(),
            title: title.to_owned(),
            summary: String::new(),
            version: String::new(),
            license: String::new(),
            language: String::new(),
            structure: Structure::BTree,
            durability: BTreeMap::new(),
            not_offered: BTreeMap::new(),
            capabilities: NOTHING_BUT_KEEPING,
            key_bytes_max: None,
            value_bytes_max: None,
            key_bytes_min: 0,
            files: String::new(),
            table_files: Vec::new(),
            directories: Vec::new(),
            settings: Vec::new(),
            memory: None,
            always_compresses: None,
            test_only: false,
            unlocked: false,
            twin_of: None,
        })
    }

    /// A description in one sentence.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.0.summary = summary.into();
        self
    }

    /// The version that the library itself reports, not the requested one.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.0.version = version.into();
        self
    }

    /// Its licence, as an SPDX expression.
    #[must_use]
    pub fn license(mut self, license: &str) -> Self {
        self.0.license = license.to_owned();
        self
    }

    /// The language it is written in.
    #[must_use]
    pub fn language(mut self, language: &str) -> Self {
        self.0.language = language.to_owned();
        self
    }

    /// Its data structure.
    #[must_use]
    pub fn structure(mut self, structure: Structure) -> Self {
        self.0.structure = structure;
        self
    }

    /// Its files as a person finds them.
    #[must_use]
    pub fn files(mut self, files: impl Into<String>) -> Self {
        self.0.files = files.into();
        self
    }

    /// It collects writes in memory, and keeps them afterwards in these files, apart from its log: ends of their names (`.sst`), or names
    /// of their directories (`tables/`).
    #[must_use]
    pub fn table_files(mut self, files: &[&str]) -> Self {
        self.0.table_files = files.iter().map(|&file| file.to_owned()).collect();
        self
    }

    /// It has a file per record, spread evenly over directories: the maximum number on each level, outermost first.
    #[must_use]
    pub fn directories(mut self, levels: impl IntoIterator<Item = u64>) -> Self {
        self.0.directories = levels.into_iter().collect();
        self
    }

    /// A durability level that it offers: the settings or calls that reach it, what failures leave then ([`after`]), and the page of its
    /// documentation. Level consistent uses the weakest setting that keeps it, which may be that of level power.
    #[must_use]
    pub fn durability(
        mut self,
        level: Durability,
        how: impl Into<String>,
        after: AfterFailure,
        source: impl Into<String>,
    ) -> Self {
        let (atomic_batch, parallel_readers, parallel_writers) = (None, None, None);
        let (how, source, after, flushes) = (how.into(), source.into(), Some(after), false);
        let support =
            DurabilitySupport { how, source, after, flushes, atomic_batch, parallel_readers, parallel_writers };
        self.0.durability.insert(level, support);
        self
    }

    /// A durability level that it lacks: the reason, and the page or the observation that shows it.
    #[must_use]
    pub fn not_offered(mut self, level: Durability, why: impl Into<String>, source: impl Into<String>) -> Self {
        self.0.not_offered.insert(level, NotOffered { why: why.into(), source: source.into() });
        self
    }

    /// At this level, which a call above offers, every acknowledged write waits for a flush, although a power cut may leave an earlier
    /// state.
    #[must_use]
    pub fn flushes_each_write(mut self, level: Durability) -> Self {
        self.at_level(level, |support| support.flushes = true);
        self
    }

    /// At this level, which a call above offers, a batch may be applied in part, although it is atomic at others.
    #[must_use]
    pub fn batches_not_atomic(mut self, level: Durability) -> Self {
        self.at_level(level, |support| support.atomic_batch = Some(false));
        self
    }

    /// At this level, which a call above offers, threads take turns, although they work in parallel at others.
    #[must_use]
    pub fn threads_take_turns(mut self, level: Durability) -> Self {
        self.at_level(level, |support| {
            support.parallel_readers = Some(false);
            support.parallel_writers = Some(false);
        });
        self
    }

    fn at_level(&mut self, level: Durability, set: impl FnOnce(&mut DurabilitySupport)) {
        if let Some(support) = self.0.durability.get_mut(&level) {
            set(support);
        }
    }

    /// Its capabilities at every level, apart from the exceptions above.
    #[must_use]
    pub fn can(mut self, capabilities: &[Capability]) -> Self {
        capabilities.iter().for_each(|capability| *field_of(&mut self.0.capabilities, *capability) = true);
        // A scan of a prefix starts there, and the driver ends it.
        self.0.capabilities.scan_prefix = self.0.capabilities.scan_from;
        self
    }

    /// It keeps nothing, so its answers are not checked and it is never ranked.
    #[must_use]
    pub fn keeps_nothing(mut self) -> Self {
        self.0.capabilities.keeps_data = false;
        self
    }

    /// Its shortest and its longest key, in bytes; no longest one if only memory limits it. Without this call keys have any length.
    #[must_use]
    pub fn keys(mut self, min: u64, max: impl Into<Option<u64>>) -> Self {
        self.0.key_bytes_min = min;
        self.0.key_bytes_max = max.into();
        self
    }

    /// Its longest value, in bytes. Without this call only memory limits it.
    #[must_use]
    pub fn values(mut self, max: impl Into<Option<u64>>) -> Self {
        self.0.value_bytes_max = max.into();
        self
    }

    /// A setting that suites may change. Each call adds one; [`crate::setting`] makes them.
    #[must_use]
    pub fn setting(mut self, setting: Setting) -> Self {
        self.0.settings.push(setting);
        self
    }

    /// Several settings.
    #[must_use]
    pub fn settings(mut self, settings: impl IntoIterator<Item = Setting>) -> Self {
        self.0.settings.extend(settings);
        self
    }

    /// How it divides memory among its settings (`how`), with the page that advises it. No shares for a store without a memory setting.
    #[must_use]
    pub fn memory(mut self, how: impl Into<String>, source: impl Into<String>, shares: &[MemoryShare]) -> Self {
        self.0.memory = Some(MemorySplit { how: how.into(), source: source.into(), shares: shares.to_vec() });
        self
    }

    /// No setting turns its compression off: the reason, and the page that shows it. If a setting does, call [`Setting::uncompressed`] on
    /// that setting.
    #[must_use]
    pub fn always_compresses(mut self, why: impl Into<String>, source: impl Into<String>) -> Self {
        self.0.always_compresses = Some(NotOffered { why: why.into(), source: source.into() });
        self
    }

    /// A second process can open it unhindered and may damage the data, because it is not made for several ([`Capability::MultiProcess`]).
    #[must_use]
    pub fn unlocked(mut self) -> Self {
        self.0.unlocked = true;
        self
    }

    /// It exists to test bakeoff: never listed and never ranked.
    #[must_use]
    pub fn test_only(mut self) -> Self {
        self.0.test_only = true;
        self
    }

    /// The description.
    #[must_use]
    pub fn build(self) -> StoreDescription {
        self.0
    }
}

/// A setting's share of the memory, in percent. The share is divided by `pieces`, the number of times that the store may allocate the
/// setting's size.
#[must_use]
pub fn share(setting: &str, percent: u32, pieces: u32) -> MemoryShare {
    MemoryShare { setting: setting.to_owned(), percent, pieces, per_thread: false, mapped: false, overhead: None }
}

/// What remains at least after the death of the process and after a power cut.
#[must_use]
pub fn after(process_death: Leaves, power_cut: Leaves) -> AfterFailure {
    AfterFailure { process_death, power_cut }
}

const NOTHING_BUT_KEEPING: Capabilities = Capabilities {
    scan_from: false,
    scan_ordered: false,
    scan_any_order: false,
    batch: false,
    batch_reads: false,
    atomic_batch: false,
    insert_refuses: false,
    parallel_readers: false,
    parallel_writers: false,
    multi_process: false,
    compacted_copy: false,
    exists: true,
    exists_call: false,
    scan_prefix: false,
    keeps_data: true,
};

fn field_of(capabilities: &mut Capabilities, capability: Capability) -> &mut bool {
    match capability {
        Capability::ScanFrom => &mut capabilities.scan_from,
        Capability::ScanOrdered => &mut capabilities.scan_ordered,
        Capability::ScanAnyOrder => &mut capabilities.scan_any_order,
        Capability::Batch => &mut capabilities.batch,
        Capability::BatchReads => &mut capabilities.batch_reads,
        Capability::AtomicBatch => &mut capabilities.atomic_batch,
        Capability::InsertRefuses => &mut capabilities.insert_refuses,
        Capability::ParallelReaders => &mut capabilities.parallel_readers,
        Capability::ParallelWriters => &mut capabilities.parallel_writers,
        Capability::MultiProcess => &mut capabilities.multi_process,
        Capability::CompactedCopy => &mut capabilities.compacted_copy,
        Capability::ExistsCall => &mut capabilities.exists_call,
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_protocol::Leaves::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_not_mentioned_is_false_or_absent() {
        let described = serde_json::to_value(Description::new("bare", "Bare").build()).unwrap();
        let mut capabilities = described["capabilities"].as_object().unwrap().clone();
        for of_every_store in ["keeps_data", "exists"] {
            assert_eq!(capabilities.remove(of_every_store), Some(Value::Bool(true)));
        }
        assert!(capabilities.values().all(|can| *can == Value::Bool(false)), "{capabilities:?}");
        for absent in ["not_offered", "key_bytes_max", "value_bytes_max", "memory", "unlocked"] {
            assert_eq!(described.get(absent), None, "{absent}");
        }
        assert_eq!((&described["key_bytes_min"], &described["test_only"]), (&json!(0), &json!(false)));
    }

    #[test]
    fn each_capability_sets_its_own_field() {
        use Capability::*;
        let all = [
            (ScanFrom, "scan_from"),
            (ScanOrdered, "scan_ordered"),
            (ScanAnyOrder, "scan_any_order"),
            (Batch, "batch"),
            (BatchReads, "batch_reads"),
            (AtomicBatch, "atomic_batch"),
            (InsertRefuses, "insert_refuses"),
            (ParallelReaders, "parallel_readers"),
            (ParallelWriters, "parallel_writers"),
            (MultiProcess, "multi_process"),
            (CompactedCopy, "compacted_copy"),
            (ExistsCall, "exists_call"),
        ];
        for (capability, field) in all {
            let described = serde_json::to_value(Description::new("one", "One").can(&[capability]).build()).unwrap();
            let capabilities = described["capabilities"].as_object().unwrap();
            let implied = |name: &str| match name {
                "keeps_data" | "exists" => true,
                "scan_prefix" => capability == ScanFrom,
                _ => false,
            };
            let set = capabilities.iter().filter(|(name, can)| **can == json!(true) && !implied(name));
            assert_eq!(set.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), [field]);
        }
    }

    #[test]
    fn a_level_can_be_an_exception() {
        let description = Description::new("torn", "Torn")
            .durability(Durability::None, "no log", after(PossiblyCorrupt, PossiblyCorrupt), "https://example.org")
            .durability(Durability::Power, "a log", after(Kept, Kept), "https://example.org")
            .batches_not_atomic(Durability::None)
            .threads_take_turns(Durability::None)
            .can(&[Capability::AtomicBatch, Capability::ParallelReaders, Capability::ParallelWriters])
            .build();
        assert!(!description.batch_is_atomic(Durability::None) && description.batch_is_atomic(Durability::Power));
        assert!(!description.reads_in_parallel(Durability::None) && description.reads_in_parallel(Durability::Power));
        assert!(!description.writes_in_parallel(Durability::None) && description.writes_in_parallel(Durability::Power));
    }
}
