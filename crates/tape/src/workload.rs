//! What determines the bytes of a cell's tapes: as-validated types, which the suite fills and the recorder reads.

use bakeoff_tree::Tree;
use serde::{Deserialize, Serialize};

use crate::sizes::Sizes;
use crate::{Estimate, KeyMaker, OpenLoop, PhaseSpec};

/// The kinds of operation, with their code on the tape (`docs/TAPE.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Operation {
    /// Write a key that is not there.
    Insert = 1,
    /// Replace the value of a key that is there.
    Update = 2,
    /// Write a key whether or not it is there.
    Upsert = 3,
    /// Read a key.
    Get = 4,
    /// Remove a key.
    Delete = 5,
    /// Read some entries in key order.
    Scan = 6,
    /// Read every entry.
    ScanAll = 7,
    /// End a batch.
    Commit = 8,
    /// Look up a path in a directory tree, a component at a time.
    Walk = 9,
}

impl Operation {
    /// All kinds, by code.
    pub const ALL: [Self; 9] = [
        Self::Insert,
        Self::Update,
        Self::Upsert,
        Self::Get,
        Self::Delete,
        Self::Scan,
        Self::ScanAll,
        Self::Commit,
        Self::Walk,
    ];

    /// The kind with this code.
    #[inline]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// The name used in suites and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Upsert => "upsert",
            Self::Get => "get",
            Self::Delete => "delete",
            Self::Scan => "scan",
            Self::ScanAll => "scan-all",
            Self::Commit => "commit",
            Self::Walk => "walk",
        }
    }

    /// Whether it goes through entries that the store chooses: a scan or a walk.
    #[inline]
    pub fn visits(self) -> bool {
        matches!(self, Self::Scan | Self::ScanAll | Self::Walk)
    }

    /// Whether it changes the store.
    #[inline]
    pub fn writes(self) -> bool {
        self.writes_value() || self == Self::Delete
    }

    /// Whether it writes a value.
    #[inline]
    pub fn writes_value(self) -> bool {
        matches!(self, Self::Insert | Self::Update | Self::Upsert)
    }
}

/// What is done with each entry of a scan inside the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Consumer {
    /// Count entries and bytes.
    Count = 0,
    /// Read the first and last 8 bytes of key and value.
    Touch = 1,
    /// CRC-32 of all bytes.
    Crc32 = 2,
    /// XXH64 of all bytes.
    Xxh64 = 3,
    /// Copy key and value to the caller's buffer.
    Copy = 4,
}

impl Consumer {
    /// All consumers, by code.
    pub const ALL: [Self; 5] = [Self::Count, Self::Touch, Self::Crc32, Self::Xxh64, Self::Copy];

    /// The consumer with this code on the tape.
    #[inline]
    pub fn from_code(code: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

/// How the key of a record is made from its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyForm {
    /// Lower-case hexadecimal of the first 16 bytes of SHA-1 of the index (8 bytes, little-endian): 32 characters, in random order.
    Sha1,
    /// The index in decimal, zero-padded to 16 characters.
    Decimal,
    /// The index as a 4-byte big-endian integer, so that numeric order is byte order.
    Integer,
    /// 8-byte big-endian parent id, then a name: entries of a directory tree.
    Directory,
    /// As an application made them, of any length: on imported tapes alone.
    Raw,
}

impl KeyForm {
    /// All forms that can be made from an index.
    pub const ALL: [Self; 4] = [Self::Sha1, Self::Decimal, Self::Integer, Self::Directory];

    /// The name used in suites and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Decimal => "decimal",
            Self::Integer => "integer",
            Self::Directory => "directory",
            Self::Raw => "raw",
        }
    }
}

/// What values are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Data {
    /// Incompressible: output of a seeded generator.
    Random,
    /// Compressible: words, from a folder of text files or the built-in model.
    Text,
    /// Compressible to about a half by any compressor: short runs of generator output and of equal bytes in turn.
    Half,
}

impl Data {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Random, Self::Text, Self::Half];

    /// The name used in suites and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Text => "text",
            Self::Half => "half",
        }
    }
}

/// A range of sizes in bytes, both ends included; sizes are drawn uniformly from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SizeRange {
    /// Smallest.
    pub min: u64,
    /// Largest.
    pub max: u64,
}

/// How sizes and lengths lie in their range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Shape {
    /// Each equally likely.
    #[default]
    Uniform,
    /// A generalised Pareto distribution from 0, cut off above the range; what lies below the range becomes its least.
    Pareto {
        /// Its shape, at least 0; 0 is the exponential distribution.
        shape: f64,
        /// Its scale, above 0.
        scale: f64,
    },
}

impl Shape {
    pub(crate) fn is_uniform(&self) -> bool {
        *self == Self::Uniform
    }
}

/// Which records operations fall on. Every phase draws from a random stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Access {
    /// In ascending key order, starting again at the lowest.
    Sequential,
    /// In the order in which records were inserted (for an insert phase: ascending index).
    Insertion,
    /// Each live record equally likely; for a load, a random permutation.
    Uniform,
    /// Zipfian with this exponent, popular records scattered over the key space.
    Zipfian {
        /// The exponent: 0.99 in YCSB.
        theta: f64,
    },
    /// Zipfian over age: the newest record is the most popular.
    Latest {
        /// The exponent.
        theta: f64,
    },
    /// A part of the records takes a part of the operations.
    Hot {
        /// Part of the records that is hot, between 0 and 1.
        records: f64,
        /// Part of the operations that fall on them, between 0 and 1.
        operations: f64,
    },
    /// Ranges of neighbouring records whose popularity falls by two exponentials, and within each a power law, as in RocksDB's mixgraph.
    Ranges {
        /// Into how many ranges of equal length the records are divided.
        ranges: u32,
        /// `[a, b, c, d]`: the range of rank `x`, from 1, has the weight `a·e^(b·x) + c·e^(d·x)`.
        range: [f64; 4],
        /// `[a, b]`: the part `a·x^b` of a range's operations falls on its first `x` records, which are scattered over it; so many that
        /// the part reaches 1 may be more than the range has.
        key: [f64; 2],
    },
}

/// What is known of operations that an application did, instead of being drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Follows every byte of the tapes: XXH64 of their identities, 16 hexadecimal digits.
    pub identity: String,
    /// Lengths of keys.
    pub key_bytes: SizeRange,
    /// Mean length of a value written, bytes.
    pub value_bytes_mean: u64,
    /// From when the first operation is due until the last one is, seconds; 0 if they have no times.
    pub duration_s: f64,
    /// How large it is.
    pub size: Estimate,
}

impl Import {
    /// Whether the operations have times at which they are due.
    pub fn is_timed(&self) -> bool {
        self.duration_s > 0.0
    }
}

/// Everything that determines the bytes of a cell's tapes and pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Seed of every random stream.
    pub seed: u64,
    /// Key form.
    pub key: KeyForm,
    /// Length of keys, where it is not the form's own: 20 to 128 for `sha1`, 10 to 128 for `decimal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes: Option<u32>,
    /// Records loaded by the first phase.
    pub records: u64,
    /// Sizes of values.
    pub value_bytes: SizeRange,
    /// How they lie in that range.
    #[serde(default, skip_serializing_if = "Shape::is_uniform")]
    pub value_shape: Shape,
    /// What values are made of.
    pub data: Data,
    /// Length of the value pool.
    pub pool_bytes: u64,
    /// Lanes: one for each thread.
    pub lanes: u32,
    /// The tree, for [`KeyForm::Directory`]: `records` is then its number of entries.
    pub tree: Option<Tree>,
    /// The phases, in order; the first fills the store.
    pub phases: Vec<PhaseSpec>,
    /// Of an imported tape: where its operations came from. It cannot be recorded, only opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<Import>,
}

impl Workload {
    /// The directory tree that keys and values are of, if they are.
    pub(crate) fn directory_tree(&self) -> Option<Tree> {
        self.tree.filter(|_| self.key == KeyForm::Directory)
    }

    /// What workloads that have the same pool have the same, as a part of a file's name.
    pub fn pool_name(&self) -> String {
        let values = self.tree.map_or("all", |tree| tree.values.name());
        format!("{}-{values}-{}", self.data.name(), self.pool_bytes)
    }

    /// How long the operations of open loops are due, seconds: no store is faster.
    pub fn schedule_s(&self) -> f64 {
        let of_phase = |phase: &PhaseSpec| match phase.open_loop {
            None => 0.0,
            Some(OpenLoop::Poisson { per_second } | OpenLoop::Fixed { per_second }) => {
                phase.operations.unwrap_or(self.records) as f64 / per_second
            }
            Some(OpenLoop::Recorded { speed }) => self.import.as_ref().map_or(0.0, |import| import.duration_s / speed),
        };
        self.phases.iter().map(of_phase).sum()
    }

    /// The key form as suites and results name it: `sha1`, or `sha1:48` for keys of another length than the form's own.
    pub fn key_name(&self) -> String {
        self.key_bytes.map_or_else(|| self.key.name().to_owned(), |bytes| format!("{}:{bytes}", self.key.name()))
    }

    /// The mean size of values, bytes, rounded.
    pub fn value_bytes_mean(&self) -> u64 {
        if let Some(import) = &self.import {
            return import.value_bytes_mean;
        }
        Sizes::new(self.value_bytes, self.value_shape).mean().round() as u64
    }

    /// The lengths of its keys, bytes.
    pub fn key_bytes_range(&self) -> SizeRange {
        let own = KeyMaker::of(self).key_bytes() as u64;
        self.import.as_ref().map_or(SizeRange { min: own, max: own }, |import| import.key_bytes)
    }
}
