//! The answer of a driver to `describe`: itself and its stores.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::durability::{AfterFailure, Durability, DurabilitySupport, Leaves, NotOffered};
use crate::{MemorySplit, Profile};

/// The answer to `describe`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriverDescription {
    /// [`crate::PROTOCOL_VERSION`].
    pub protocol: u32,
    /// The driver's name, e.g. `bakeoff-driver-native`.
    pub driver: String,
    /// The driver's version.
    pub version: String,
    /// The build: `release` or `debug`. A debug build causes a warning.
    pub build: String,
    /// The platform of the programs that can use its stores.
    #[serde(default)]
    pub platform: Platform,
    /// The stores that it can open.
    pub stores: Vec<StoreDescription>,
    /// Its code is compiled at run time, so it needs a warm-up before measuring.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warms_up: bool,
    /// It can die with a store open, and open in another process the files of a process that died.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovers: bool,
    /// It says what is acknowledged while it writes, and lists what it finds in a store. Such a driver recovers too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub power_cuts: bool,
    /// The kinds of profile that it records itself. For other drivers bakeoff samples CPU time from outside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile>,
    /// Why some stores cannot be opened on this machine, for example a missing library, and how to fix it. By store name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
}

/// The answer of drivers for the JVM to `check`: whether their stores can be opened now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverCheck {
    /// The program that runs the driver, with its version: `Java 21.0.5, /usr/bin/java`.
    pub runtime: String,
    /// Why the Java in `JAVA_HOME` is not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub java_home: Option<String>,
    /// Why the profiler does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiler: Option<String>,
    /// Why stores cannot be opened, and how to fix it. By store name. A description may be out of date.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
}

/// The platform of the programs that can use a store. The language of the store does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Platform {
    /// Programs that do not run on a Java virtual machine.
    #[default]
    Native,
    /// Programs on a Java virtual machine.
    Jvm,
}

impl Platform {
    /// The name in descriptions and needs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Jvm => "jvm",
        }
    }
}

/// The data structure of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// A B-tree, B+ tree or copy-on-write B-tree.
    BTree,
    /// A log-structured merge tree.
    Lsm,
    /// A hash table.
    Hash,
    /// An append-only log with an index.
    Log,
    /// One file per record.
    Files,
    /// Nothing on disk: the stores that measure or test the harness.
    Memory,
}

impl Structure {
    /// The name used in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::BTree => "b-tree",
            Self::Lsm => "lsm",
            Self::Hash => "hash",
            Self::Log => "log",
            Self::Files => "files",
            Self::Memory => "memory",
        }
    }
}

/// A store's capabilities. A missing one is shown as n/a and never emulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// It scans entries in key order, forward and in reverse, from any key.
    pub scan_from: bool,
    /// It scans all entries in key order.
    pub scan_ordered: bool,
    /// It scans all entries in any order.
    pub scan_any_order: bool,
    /// It acknowledges several writes together.
    pub batch: bool,
    /// A session reads its own writes in an open batch.
    pub batch_reads: bool,
    /// A batch is applied as a whole or not at all, even if the process is killed. A durability level may state otherwise.
    pub atomic_batch: bool,
    /// Inserting an existing key is an error and leaves its value. Otherwise an insert writes without a check.
    pub insert_refuses: bool,
    /// Several threads can read at the same time without waiting for each other. A durability level may state otherwise.
    pub parallel_readers: bool,
    /// Several threads can write at the same time without waiting for each other. A durability level may state otherwise.
    pub parallel_writers: bool,
    /// Several processes can have the store open at the same time, at least one of them for writing.
    pub multi_process: bool,
    /// While open, it can make a copy of itself without free space.
    #[serde(default)]
    pub compacted_copy: bool,
    /// It checks whether a key exists. If it has no call for that, the check reads the value.
    #[serde(default)]
    pub exists: bool,
    /// It checks whether a key exists without reading the value.
    #[serde(default)]
    pub exists_call: bool,
    /// It scans a prefix, and finds the first of all entries.
    #[serde(default)]
    pub scan_prefix: bool,
    /// It keeps data. False only for `null`, whose answers are not checked and which is never ranked.
    pub keeps_data: bool,
}

/// The type of a setting's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum SettingKind {
    /// A number of bytes: an integer, or text such as "64MiB" in a suite (resolved to an integer in a request).
    Bytes {
        /// The smallest value allowed.
        min: u64,
        /// The largest value allowed.
        max: u64,
    },
    /// An integer.
    Integer {
        /// The smallest value allowed.
        min: i64,
        /// The largest value allowed.
        max: i64,
    },
    /// true or false.
    Boolean,
    /// One of a few words.
    Choice {
        /// The words.
        words: Vec<String>,
    },
}

/// Which numbers within a setting's limits are allowed, if not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// 1, 2, 4, 8 and so on.
    PowerOfTwo,
    /// Multiples of this number.
    MultipleOf(u64),
}

impl Step {
    /// The nearest allowed numbers at or below, and at or above, this one. Both are the number itself if it is allowed.
    pub fn around(self, number: u64) -> (u64, u64) {
        match self {
            Self::PowerOfTwo => {
                let above = number.max(1).checked_next_power_of_two().unwrap_or(1 << 63);
                (if above > number { (above / 2).max(1) } else { above }, above)
            }
            Self::MultipleOf(step) => {
                let below = number - number % step.max(1);
                (below, if below < number { below.saturating_add(step) } else { below })
            }
        }
    }

    /// Whether this number is allowed.
    pub fn takes(self, number: u64) -> bool {
        self.around(number) == (number, number)
    }
}

/// A store's setting that suites may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Its name in suites and requests, e.g. `cache`.
    pub name: String,
    /// Its type and limits.
    #[serde(flatten)]
    pub kind: SettingKind,
    /// Which numbers within its limits are allowed; absent if all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// It is memory that the process allocates, so it cannot exceed the machine's memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub memory: bool,
    /// The value that applies if a request sets none; absent if the store derives it from the request's hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<serde_json::Value>,
    /// What it must have room for, in addition to its limits; absent if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
    /// Its words that make every acknowledged write wait for a flush, at any level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flushing: Vec<String>,
    /// Its words that limit durability to a level. Stronger levels refuse them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub promises: BTreeMap<String, Durability>,
    /// Its words that allow only one thread to use the store.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<String>,
    /// The value that turns compression off; absent if it is unrelated to compression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncompressed: Option<serde_json::Value>,
    /// Its effect, in one sentence.
    pub help: String,
    /// The documentation behind the default.
    pub source: String,
}

impl Setting {
    /// The setting with only some numbers allowed.
    #[must_use]
    pub fn stepping(self, step: Step) -> Self {
        Self { step: Some(step), ..self }
    }

    /// The setting with room required for this.
    #[must_use]
    pub fn with_room(self, room: Room) -> Self {
        Self { room: Some(room), ..self }
    }

    /// The setting with a word that makes every acknowledged write wait for a flush.
    #[must_use]
    pub fn flushing(mut self, word: &str) -> Self {
        self.flushing.push(word.to_owned());
        self
    }

    /// The setting with a word that limits durability to a level.
    #[must_use]
    pub fn promising(mut self, word: &str, most: Durability) -> Self {
        self.promises.insert(word.to_owned(), most);
        self
    }

    /// The setting with a word that allows only one thread.
    #[must_use]
    pub fn alone(mut self, word: &str) -> Self {
        self.alone.push(word.to_owned());
        self
    }

    /// The setting with the value that turns compression off.
    #[must_use]
    pub fn uncompressed(self, value: impl Into<serde_json::Value>) -> Self {
        Self { uncompressed: Some(value.into()), ..self }
    }
}

/// Pieces of another setting's size that a setting must have room for, such as pages in a cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Room {
    /// The other setting, a number of bytes.
    pub setting: String,
    /// Its size in bytes if it is neither set nor has a default.
    pub otherwise_bytes: u64,
    /// The minimum number of pieces.
    pub pieces: u32,
    /// The number of pieces per thread, if that gives more.
    pub pieces_per_thread: u32,
}

impl Room {
    /// The number of pieces for this many threads.
    pub fn pieces(&self, threads: u32) -> u64 {
        u64::from(self.pieces).max(u64::from(self.pieces_per_thread) * u64::from(threads))
    }

    /// The size of a piece with these settings, in bytes.
    pub fn piece_bytes(&self, settings: &crate::Settings) -> u64 {
        settings.get(&self.setting).and_then(serde_json::Value::as_u64).unwrap_or(self.otherwise_bytes)
    }

    /// The minimum of the setting, in bytes.
    pub fn bytes(&self, settings: &crate::Settings, threads: u32) -> u64 {
        self.pieces(threads).saturating_mul(self.piece_bytes(settings))
    }
}

/// A store as its driver describes it. bakeoff knows nothing else about a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoreDescription {
    /// The name used in suites, requests and results ([`crate::check_store_name`]).
    pub name: String,
    /// The name for people.
    pub title: String,
    /// A description in one sentence.
    pub summary: String,
    /// The version that the library itself reports.
    pub version: String,
    /// SPDX licence expression.
    pub license: String,
    /// The language it is written in.
    pub language: String,
    /// Its data structure.
    pub structure: Structure,
    /// The durability levels that it offers, and how it reaches them. Other levels are not offered.
    pub durability: BTreeMap<Durability, DurabilitySupport>,
    /// Why it does not offer other levels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_offered: BTreeMap<Durability, NotOffered>,
    /// Its capabilities.
    pub capabilities: Capabilities,
    /// The longest key, bytes, even if a tape cannot have it; absent if only memory limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes_max: Option<u64>,
    /// The longest value, bytes; absent if only memory limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_bytes_max: Option<u64>,
    /// The shortest key, bytes: 0 if an empty key is allowed.
    #[serde(default)]
    pub key_bytes_min: u64,
    /// Its files as a person would find them.
    pub files: String,
    /// The table files of a store that collects writes in memory: where it keeps them afterwards, without its log. Each entry is the end of
    /// the files' names, such as `.sst`, or the name of their directory with a `/`. Empty if writes go to its files at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table_files: Vec<String>,
    /// For a store with a file per record: the maximum number of directories on each level, outermost first. Records are spread evenly over
    /// them. Empty if all files are in one directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<u64>,
    /// Its settings.
    pub settings: Vec<Setting>,
    /// How it divides memory among its settings; absent if unknown. Without it, the store takes part in no suite that sets an amount of
    /// memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemorySplit>,
    /// Why no setting turns compression off; absent if a setting does, or if it compresses nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always_compresses: Option<NotOffered>,
    /// It exists to test bakeoff itself: `bakeoff stores` and `--stores all` omit it, and it is never ranked.
    #[serde(default)]
    pub test_only: bool,
    /// Whether a second process can open it unhindered and may damage the data. Meaningless if several processes can have it open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlocked: bool,
    /// The store that this is a copy of under another name, to show how different equals look in a run; absent for every other store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
}

impl StoreDescription {
    /// The expected number of directories that contain files of this many records. A random record goes to each directory of a level with
    /// equal probability.
    pub fn directories_of(&self, records: u64) -> u64 {
        let filled = |&directories: &u64| {
            let (directories, records) = (directories as f64, records as f64);
            // Minus the empty ones: directories × (1 - 1/directories)^records.
            (-directories * (records * (-1.0 / directories).ln_1p()).exp_m1()).ceil() as u64
        };
        self.directories.iter().map(filled).fold(0, u64::saturating_add)
    }

    /// Why it does not offer this level; `None` if it does, or gives no reason.
    pub fn why_not(&self, class: Durability) -> Option<&NotOffered> {
        self.not_offered.get(&class).filter(|_| !self.durability.contains_key(&class))
    }

    /// Whether a batch is applied as a whole or not at all at this level, even if the process is killed.
    pub fn batch_is_atomic(&self, class: Durability) -> bool {
        self.in_class(class, |support| support.atomic_batch, self.capabilities.atomic_batch)
    }

    /// Whether several threads can read at the same time at this level without waiting for each other.
    pub fn reads_in_parallel(&self, class: Durability) -> bool {
        self.in_class(class, |support| support.parallel_readers, self.capabilities.parallel_readers)
    }

    /// Whether several threads can write at the same time at this level without waiting for each other.
    pub fn writes_in_parallel(&self, class: Durability) -> bool {
        self.in_class(class, |support| support.parallel_writers, self.capabilities.parallel_writers)
    }

    /// The statement of a level, or else the statement for all levels.
    fn in_class(&self, class: Durability, of: fn(&DurabilitySupport) -> Option<bool>, otherwise: bool) -> bool {
        self.durability.get(&class).and_then(of).unwrap_or(otherwise)
    }

    /// The setting whose word weakens this level, the word, and the level that remains; `None` if there is none.
    pub fn gives_up<'a>(
        &'a self,
        class: Durability,
        settings: &'a crate::Settings,
    ) -> Option<(&'a str, &'a str, Durability)> {
        self.named_values(settings).find_map(|(setting, word)| {
            let most = setting.promises.get(word).filter(|most| !most.includes(class))?;
            Some((setting.name.as_str(), word, *most))
        })
    }

    /// The setting whose word allows only one thread, and the word; `None` if there is none.
    pub fn is_alone<'a>(&'a self, settings: &'a crate::Settings) -> Option<(&'a str, &'a str)> {
        let alone = self.named_values(settings).find(|(setting, word)| setting.alone.iter().any(|one| one == word));
        alone.map(|(setting, word)| (setting.name.as_str(), word))
    }

    /// What a failure leaves at least at this level; `None` if it does not offer the level, or does not state it.
    pub fn after_failure(&self, level: Durability) -> Option<AfterFailure> {
        self.durability.get(&level)?.after
    }

    /// Whether every acknowledged write survives the death of the process at this level.
    pub fn survives_process_death(&self, level: Durability) -> bool {
        let kept = self.after_failure(level).map(|after| after.process_death == Leaves::Kept);
        kept.unwrap_or(level != Durability::None)
    }

    /// Whether every acknowledged write survives a power cut at this level.
    pub fn survives_power_cut(&self, level: Durability) -> bool {
        let kept = self.after_failure(level).map(|after| after.power_cut == Leaves::Kept);
        kept.unwrap_or(level == Durability::Power)
    }

    /// Whether each acknowledged write is flushed at this level with these settings.
    pub fn flushes_writes(&self, level: Durability, settings: &crate::Settings) -> bool {
        let mut values = self.named_values(settings);
        self.survives_power_cut(level)
            || self.durability.get(&level).is_some_and(|support| support.flushes)
            || values.any(|(setting, word)| setting.flushing.iter().any(|one| one == word))
    }

    /// The settings whose value is a word, with the word.
    fn named_values<'a>(&'a self, settings: &'a crate::Settings) -> impl Iterator<Item = (&'a Setting, &'a str)> {
        let word = |setting: &'a Setting| Some((setting, settings.get(&setting.name)?.as_str()?));
        self.settings.iter().filter_map(word)
    }
}

#[cfg(test)]
mod tests {
    use super::Step;

    #[test]
    fn numbers_beside_a_step_have_neighbours_that_are_taken() {
        let power = |number| Step::PowerOfTwo.around(number);
        assert_eq!([0, 1, 3, 5_000, 4_096].map(power), [(1, 1), (1, 1), (2, 4), (4_096, 8_192), (4_096, 4_096)]);
        let multiple = |number| Step::MultipleOf(4_096).around(number);
        assert_eq!([1, 4_096, 5_000].map(multiple), [(0, 4_096), (4_096, 4_096), (4_096, 8_192)]);
        assert!(Step::PowerOfTwo.takes(512) && !Step::PowerOfTwo.takes(u64::MAX) && !Step::MultipleOf(512).takes(513));
    }

    #[test]
    fn directories_are_those_that_records_fill() {
        let mut store: super::StoreDescription = serde_json::from_value(serde_json::json!({
            "name": "s", "title": "", "summary": "", "version": "", "license": "", "language": "", "structure": "files",
            "durability": {}, "files": "", "settings": [], "capabilities": {
                "scan_from": false, "scan_ordered": false, "scan_any_order": false, "batch": false, "batch_reads": false,
                "atomic_batch": false, "insert_refuses": false, "parallel_readers": false, "parallel_writers": false,
                "multi_process": false, "keeps_data": true,
            },
        }))
        .unwrap();
        assert_eq!(store.directories_of(1_000), 0);
        store.directories = vec![256, 65_536];
        let of = |records| store.directories_of(records);
        assert_eq!([0, 1, 2].map(of), [0, 2, 4]);
        assert_eq!([300, 65_536, 10_000_000].map(of), [477, 41_683, 65_792]);
        store.directories = vec![0, 1, u64::MAX, u64::MAX];
        assert_eq!([0, u64::MAX].map(|records| store.directories_of(records)), [0, u64::MAX]);
    }
}
