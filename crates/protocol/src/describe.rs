//! What a driver says about itself and its stores when asked to `describe`.

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
    /// How the driver was built: `release` or `debug`. A debug build is warned about.
    pub build: String,
    /// What programs its stores are libraries for.
    #[serde(default)]
    pub platform: Platform,
    /// The stores it can open.
    pub stores: Vec<StoreDescription>,
    /// Its code is compiled while it runs, so it wants to be warmed up before anything is measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub warms_up: bool,
    /// It can die with a store open, and open in another process what one that died has left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovers: bool,
    /// What it can profile by itself. The CPU time of a driver that cannot is sampled from outside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile>,
    /// Why some of its stores cannot be opened on this machine, in words with how that is mended, by their names: a library is missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
}

/// The answer to `check`, which drivers for the JVM have: whether its stores can be opened now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverCheck {
    /// The program that runs the driver, and its version: `Java 21.0.5, /usr/bin/java`.
    pub runtime: String,
    /// Why the Java that `JAVA_HOME` names is not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub java_home: Option<String>,
    /// Why the profiler does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiler: Option<String>,
    /// Why stores cannot be opened, and how to fix it, by store name. A description may be older.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
}

/// What programs a store is a library for, whatever it is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Platform {
    /// Those that run by themselves.
    #[default]
    Native,
    /// Those on a Java virtual machine.
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

/// How a store arranges its data.
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
    /// One file a record.
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

/// What a store can do. What it cannot is shown as n/a and never emulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Entries can be scanned in key order, forward and in reverse, from any key.
    pub scan_from: bool,
    /// All entries can be scanned in key order.
    pub scan_ordered: bool,
    /// All entries can be scanned, in whatever order.
    pub scan_any_order: bool,
    /// Several writes can be acknowledged together.
    pub batch: bool,
    /// A session reads what it wrote in its own open batch.
    pub batch_reads: bool,
    /// A batch is applied as a whole or not at all, even when the process is killed, in every class that does not say otherwise.
    pub atomic_batch: bool,
    /// Inserting a key that is there is an error and leaves its value; otherwise an insert writes without looking.
    pub insert_refuses: bool,
    /// Several threads can read at once without waiting for each other, in every class that does not say otherwise.
    pub parallel_readers: bool,
    /// Several threads can write at once without waiting for each other, in every class that does not say otherwise.
    pub parallel_writers: bool,
    /// Several processes can have the store open at once, at least one writing.
    pub multi_process: bool,
    /// It makes a copy of itself, while it is open, that has no free space left in it.
    #[serde(default)]
    pub compacted_copy: bool,
    /// Existence checks can be asked for; where the store has no call for them they read the value.
    #[serde(default)]
    pub exists: bool,
    /// It looks whether a key is there without reading the value.
    #[serde(default)]
    pub exists_call: bool,
    /// Scans of a prefix and first entries can be asked for.
    #[serde(default)]
    pub scan_prefix: bool,
    /// The store keeps what it is given. False only for `null`, whose answers are not checked and which is never ranked.
    pub keeps_data: bool,
}

/// The type of a setting's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum SettingKind {
    /// A number of bytes: an integer, or text such as "64MiB" in a suite (resolved to an integer in a request).
    Bytes {
        /// The smallest value taken.
        min: u64,
        /// The largest value taken.
        max: u64,
    },
    /// An integer.
    Integer {
        /// The smallest value taken.
        min: i64,
        /// The largest value taken.
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

/// Which numbers within a setting's limits are taken, where not all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// 1, 2, 4, 8 and so on.
    PowerOfTwo,
    /// Those that this divides.
    MultipleOf(u64),
}

impl Step {
    /// The nearest numbers that are taken, at most and at least this one: twice the number itself, if it is.
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

    /// Whether this number is taken.
    pub fn takes(self, number: u64) -> bool {
        self.around(number) == (number, number)
    }
}

/// A setting that suites may give a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Its name in suites and requests, e.g. `cache`.
    pub name: String,
    /// Its type and limits.
    #[serde(flatten)]
    pub kind: SettingKind,
    /// Which of the numbers within its limits it takes; absent where it takes all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// It is memory that the process takes for itself, so that more than there is cannot be given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub memory: bool,
    /// The value taken when a request gives none; absent where the store derives it from the request's hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<serde_json::Value>,
    /// What it must have room for, besides its limits; absent where nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
    /// Those of its words with which every acknowledged write is flushed, whatever the class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flushing: Vec<String>,
    /// Those of its words with which no more than a class is promised, whatever the class: in a stronger one they are not taken.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub promises: BTreeMap<String, Durability>,
    /// Those of its words with which one thread alone can use the store.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<String>,
    /// The value with which it compresses nothing; absent where it is no matter of compression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncompressed: Option<serde_json::Value>,
    /// What it does, in one sentence.
    pub help: String,
    /// The documentation that the default follows.
    pub source: String,
}

impl Setting {
    /// The same setting, of which only some numbers are taken.
    #[must_use]
    pub fn stepping(self, step: Step) -> Self {
        Self { step: Some(step), ..self }
    }

    /// The same setting, which must have room for this.
    #[must_use]
    pub fn with_room(self, room: Room) -> Self {
        Self { room: Some(room), ..self }
    }

    /// The same setting, which with this word has every acknowledged write flushed.
    #[must_use]
    pub fn flushing(mut self, word: &str) -> Self {
        self.flushing.push(word.to_owned());
        self
    }

    /// The same setting, which with this word promises no more than this class.
    #[must_use]
    pub fn promising(mut self, word: &str, most: Durability) -> Self {
        self.promises.insert(word.to_owned(), most);
        self
    }

    /// The same setting, which with this word lets one thread alone use the store.
    #[must_use]
    pub fn alone(mut self, word: &str) -> Self {
        self.alone.push(word.to_owned());
        self
    }

    /// The same setting, which with this value compresses nothing.
    #[must_use]
    pub fn uncompressed(self, value: impl Into<serde_json::Value>) -> Self {
        Self { uncompressed: Some(value.into()), ..self }
    }
}

/// Pieces of another setting's size that a setting must have room for, such as pages in a cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Room {
    /// The other setting, one of a number of bytes.
    pub setting: String,
    /// What that is taken to be, in bytes, where it is neither given nor has a default.
    pub otherwise_bytes: u64,
    /// So many pieces at least.
    pub pieces: u32,
    /// And so many for each thread, if that is more.
    pub pieces_per_thread: u32,
}

impl Room {
    /// How many pieces it is with so many threads.
    pub fn pieces(&self, threads: u32) -> u64 {
        u64::from(self.pieces).max(u64::from(self.pieces_per_thread) * u64::from(threads))
    }

    /// The size of one with these settings, in bytes.
    pub fn piece_bytes(&self, settings: &crate::Settings) -> u64 {
        settings.get(&self.setting).and_then(serde_json::Value::as_u64).unwrap_or(self.otherwise_bytes)
    }

    /// The least that the setting may be, in bytes.
    pub fn bytes(&self, settings: &crate::Settings, threads: u32) -> u64 {
        self.pieces(threads).saturating_mul(self.piece_bytes(settings))
    }
}

/// One store as its driver describes it. The core knows nothing else about a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoreDescription {
    /// The name used in suites, requests and results ([`crate::check_store_name`]).
    pub name: String,
    /// The name shown to people.
    pub title: String,
    /// What it is, in one sentence.
    pub summary: String,
    /// The version that the library itself reports.
    pub version: String,
    /// SPDX licence expression.
    pub license: String,
    /// The language it is written in.
    pub language: String,
    /// How it arranges its data.
    pub structure: Structure,
    /// The durability levels it offers and how it reaches them; a level not listed is not offered.
    pub durability: BTreeMap<Durability, DurabilitySupport>,
    /// Why it does not offer the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_offered: BTreeMap<Durability, NotOffered>,
    /// What it can do.
    pub capabilities: Capabilities,
    /// The longest key it takes, longer ones than a tape holds included; absent where only memory limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes_max: Option<u64>,
    /// The longest value it takes; absent where only memory limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_bytes_max: Option<u64>,
    /// The shortest key it takes: 0 where an empty key is allowed.
    #[serde(default)]
    pub key_bytes_min: u64,
    /// The files it keeps, as a person would find them.
    pub files: String,
    /// Of a store that collects writes in memory: the files in which it keeps them afterwards, its log left out. Each is the end of their names,
    /// such as `.sst`, or with a `/` behind the name of a directory that they are in. Empty where writes go to its files at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table_files: Vec<String>,
    /// Of a store that keeps a file for each record: how many directories each level has at most, from the outermost on. Records are spread
    /// evenly over them. Empty where all files are in one directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<u64>,
    /// The settings it takes.
    pub settings: Vec<Setting>,
    /// How it divides memory among them; absent where nobody has said, and then the store takes part in no suite that gives it some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemorySplit>,
    /// Why no setting keeps it from compressing; absent where its settings say how, or where it compresses nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always_compresses: Option<NotOffered>,
    /// Exists to test bakeoff itself: left out of `bakeoff stores` and of `--stores all`, never ranked.
    #[serde(default)]
    pub test_only: bool,
    /// Whether nothing keeps a second process from opening it, which may damage the data. Of no meaning where several processes can
    /// have it open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlocked: bool,
    /// The store that this one is under another name, so that a run shows how far equals look different; absent for every other store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
}

impl StoreDescription {
    /// How many directories so many records have files in, about: a random record falls into each directory of a level equally often.
    pub fn directories_of(&self, records: u64) -> u64 {
        let filled = |&directories: &u64| {
            let (directories, records) = (directories as f64, records as f64);
            // Those that are empty: directories × (1 - 1/directories)^records.
            (-directories * (records * (-1.0 / directories).ln_1p()).exp_m1()).ceil() as u64
        };
        self.directories.iter().map(filled).fold(0, u64::saturating_add)
    }

    /// Why it does not offer this class; `None` if it does, or does not say.
    pub fn why_not(&self, class: Durability) -> Option<&NotOffered> {
        self.not_offered.get(&class).filter(|_| !self.durability.contains_key(&class))
    }

    /// Whether a batch is applied as a whole or not at all in this class, even when the process is killed.
    pub fn batch_is_atomic(&self, class: Durability) -> bool {
        self.in_class(class, |support| support.atomic_batch, self.capabilities.atomic_batch)
    }

    /// Whether several threads can read at once in this class without waiting for each other.
    pub fn reads_in_parallel(&self, class: Durability) -> bool {
        self.in_class(class, |support| support.parallel_readers, self.capabilities.parallel_readers)
    }

    /// Whether several threads can write at once in this class without waiting for each other.
    pub fn writes_in_parallel(&self, class: Durability) -> bool {
        self.in_class(class, |support| support.parallel_writers, self.capabilities.parallel_writers)
    }

    /// What a class says of itself, or otherwise what holds in every class.
    fn in_class(&self, class: Durability, of: fn(&DurabilitySupport) -> Option<bool>, otherwise: bool) -> bool {
        self.durability.get(&class).and_then(of).unwrap_or(otherwise)
    }

    /// The setting whose word gives up what this class promises, the word, and the most that it promises; `None` if there is none.
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

    /// The setting whose word lets one thread alone use the store, and the word; `None` if there is none.
    pub fn is_alone<'a>(&'a self, settings: &'a crate::Settings) -> Option<(&'a str, &'a str)> {
        let alone = self.named_values(settings).find(|(setting, word)| setting.alone.iter().any(|one| one == word));
        alone.map(|(setting, word)| (setting.name.as_str(), word))
    }

    /// What failures leave of it at this level, at least; `None` if it does not offer the level, or does not say.
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

    /// Its settings that are given a word, and the word.
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
