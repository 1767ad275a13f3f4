//! The data and operations of an application, and its demands on a store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use bakeoff_protocol::Durability;
use bakeoff_results::goal::Goal;
use bakeoff_results::language::Language;
use bakeoff_tape::{Data, KeyForm, SizeRange, ValueSizes};

use crate::pick::suite_file::Access;

/// The most records of a need: less than half of the numbers that records can have, which leaves enough for inserts of
/// the rounds.
pub const RECORDS_MAX: u64 = 2_000_000_000;

/// The most writes that are committed together.
pub const BATCH_MAX: u64 = 1_000_000;

/// Operations of a round by default: enough that a store's unfinished work on the load is a small part of it.
pub const OPERATIONS_USUAL: u64 = 50_000;

/// Keys of at least this length are hashes by default, unless they ascend.
pub const KEY_BYTES_HASHED: u64 = 20;

/// What a store must be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Must {
    /// Scan entries in the order of their keys.
    Ordered,
    /// Apply several writes as a whole or not at all.
    Transactions,
    /// Be open in several processes.
    MultiProcess,
    /// Write with several threads at once.
    ParallelWrites,
}

/// Every [`Must`] by its word.
pub const MUSTS: [(&str, Must); 4] = [
    ("ordered", Must::Ordered),
    ("transactions", Must::Transactions),
    ("multi-process", Must::MultiProcess),
    ("parallel-writes", Must::ParallelWrites),
];

/// Which stores take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stores {
    /// The stores of built drivers.
    Built,
    /// All, after building missing drivers.
    All,
    /// These.
    Named(Vec<String>),
}

/// What stores have for caches and buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The same for all: enough for the data, or as much as this machine can give.
    Equal,
    /// What each takes by default.
    Default,
    /// This many bytes each.
    Bytes(u64),
}

/// What an application needs of a store.
#[derive(Clone, Debug)]
pub struct Need {
    /// Records before anything is done.
    pub records: u64,
    /// Lengths of values.
    pub value_bytes: ValueSizes,
    /// Bytes of keys and values alive at one time at most, where a tape says that; `None` for what follows from the lengths.
    pub data_bytes: Option<u64>,
    /// Lengths of the keys that are measured.
    pub key_bytes: SizeRange,
    /// How they are made; `None` for what suits their lengths.
    pub key_form: Option<KeyForm>,
    /// The length of a key that a store must take too, though none so long is measured; 0 for none.
    pub key_bytes_longest: u64,
    /// Kinds of operation by weight, in the order typed.
    pub mix: Vec<(String, f64)>,
    /// How many bytes of their keys prefix scans have in common, and first entries; `None` for what suits the records, and the first of all.
    pub prefix_bytes: Option<u32>,
    /// The part of gets and existence checks that ask for a key that is not there, from 0 to 1.
    pub missing: f64,
    /// Writes that are committed together; 1 where each is acknowledged alone.
    pub batch: u64,
    /// Which records operations choose.
    pub access: Access,
    /// Which records single kinds of operation choose, where that is not the same.
    pub access_of: BTreeMap<&'static str, Access>,
    /// Operations of a round, at most.
    pub operations: u64,
    /// What values are made of.
    pub data: Data,
    /// What an acknowledged write must survive.
    pub durability: Durability,
    /// What stores have for caches and buffers.
    pub memory: Memory,
    /// Whether it begins with the store's files dropped from the page cache.
    pub cold: bool,
    /// Threads that use the store at the same time.
    pub threads: u64,
    /// Threads that only read, and threads that only write; 0 where all do the same.
    pub readers: u64,
    /// As `readers`.
    pub writers: u64,
    /// What the store must be able to do.
    pub must: Vec<Must>,
    /// Languages of the program, of which one is enough; empty for any.
    pub languages: Vec<Language>,
    /// Languages that the store may be written in, in lower case; empty for any.
    pub written_in: Vec<String>,
    /// As typed; empty for any.
    pub licenses: Vec<String>,
    /// What the store is to be best at.
    pub optimize: Goal,
    /// Which stores take part.
    pub stores: Stores,
    /// How long the measuring may take.
    pub budget: Duration,
    /// A directory on the disk to measure; `None` for the disk of the results.
    pub dir: Option<PathBuf>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Every key and its given value, for people.
    pub words: Vec<(String, String)>,
}

impl Default for Need {
    /// An empty need, to set the fields of.
    fn default() -> Self {
        Self {
            records: 0,
            value_bytes: SizeRange { min: 0, max: 0 }.into(),
            data_bytes: None,
            key_bytes: SizeRange { min: 0, max: 0 },
            key_form: None,
            key_bytes_longest: 0,
            mix: Vec::new(),
            prefix_bytes: None,
            missing: 0.0,
            batch: 1,
            access: Access::Named("uniform"),
            access_of: BTreeMap::new(),
            operations: 0,
            data: Data::Random,
            durability: Durability::default(),
            memory: Memory::Equal,
            cold: false,
            threads: 1,
            readers: 0,
            writers: 0,
            must: Vec::new(),
            languages: Vec::new(),
            written_in: Vec::new(),
            licenses: Vec::new(),
            optimize: Goal::Mean,
            stores: Stores::Built,
            budget: Duration::ZERO,
            dir: None,
            seed: 0,
            words: Vec::new(),
        }
    }
}

impl Need {
    /// Whether the mix has this kind of operation.
    pub fn does(&self, operation: &str) -> bool {
        does(&self.mix, operation)
    }

    /// Whether it asks for records by their keys, so that one may be missing.
    pub fn looks_up(&self) -> bool {
        looks_up(&self.mix)
    }

    /// Whether anything is read.
    pub fn reads(&self) -> bool {
        self.mix.iter().any(|(kind, _)| !is_write(kind))
    }

    /// The form of the measured keys. By default, keys below 10 bytes are integers, keys from 20 bytes on are hashes
    /// unless they ascend, and others are digits.
    pub(crate) fn form_of_keys(&self) -> KeyForm {
        self.key_form.unwrap_or(match self.key_bytes.min {
            0..10 => KeyForm::Integer,
            KEY_BYTES_HASHED.. if !self.access.ascends() => KeyForm::Sha1,
            _ => KeyForm::Decimal,
        })
    }

    /// How many bytes of their keys the prefix scans and first entries of a mix have in common, if any.
    pub(crate) fn prefix_of(&self, mix: &[(String, f64)]) -> Option<u32> {
        if does(mix, "scan-prefix") {
            Some(self.prefix_bytes.unwrap_or_else(|| self.prefix_of_a_hundred()))
        } else {
            self.prefix_bytes.filter(|_| does(mix, "first"))
        }
    }

    /// The prefix that about a hundred records have in common.
    fn prefix_of_a_hundred(&self) -> u32 {
        let shortest = self.key_bytes.min as u32;
        let bytes = match self.form_of_keys() {
            // The last two digits, or the last byte.
            KeyForm::Integer => shortest.saturating_sub(1),
            KeyForm::Sha1 => (self.records as f64 / 100.0).max(1.0).log(16.0).ceil() as u32,
            _ => shortest.saturating_sub(2),
        };
        bytes.clamp(1, shortest.max(1))
    }

    /// Whether some records are more popular than others, for no reason such as their age or place, for a kind of operation in the mix.
    pub fn has_popular_records(&self) -> bool {
        let kinds = self.mix.iter().map(|(kind, _)| kind.as_str()).filter(|kind| !["insert", "first"].contains(kind));
        kinds.map(|kind| self.access_of.get(kind).unwrap_or(&self.access)).any(Access::has_popular_records)
    }

    /// Whether its reads depend on other threads' writes.
    pub fn scans(&self) -> bool {
        visits(&self.mix)
    }

    /// Whether threads may read and scan records that others write, so that every answer is known: nothing is deleted, and next to scans nothing is
    /// inserted.
    pub fn is_shareable(&self) -> bool {
        is_shareable(&self.mix)
    }

    /// Whether anything but reading is done.
    pub fn writes(&self) -> bool {
        self.mix.iter().any(|(kind, _)| is_write(kind))
    }
}

/// Whether a mix has this kind of operation.
pub(crate) fn does(mix: &[(String, f64)], operation: &str) -> bool {
    mix.iter().any(|(kind, _)| kind == operation)
}

/// Whether a mix asks for records by their keys.
pub(crate) fn looks_up(mix: &[(String, f64)]) -> bool {
    mix.iter().any(|(kind, _)| matches!(kind.as_str(), "get" | "exists"))
}

/// Whether a mix reads entries in the order of their keys.
pub(crate) fn visits(mix: &[(String, f64)]) -> bool {
    mix.iter().any(|(kind, _)| matches!(kind.as_str(), "scan" | "scan-prefix" | "first"))
}

/// [`Need::is_shareable`] of a mix.
pub(crate) fn is_shareable(mix: &[(String, f64)]) -> bool {
    !(does(mix, "delete") || does(mix, "insert") && visits(mix))
}

/// Whether a kind of operation changes the store.
pub fn is_write(kind: &str) -> bool {
    !matches!(kind, "get" | "exists" | "scan" | "scan-prefix" | "first")
}
