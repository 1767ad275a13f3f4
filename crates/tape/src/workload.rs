//! What determines the bytes of a cell's tapes: as-validated types, which the suite fills and the recorder reads.

use bakeoff_tree::Tree;
use serde::{Deserialize, Serialize};

use crate::{Measure, OpenLoop, Operation, PhaseSpec, Shape, SizeRange, ValueSizes};

/// What the phase is called that ages a store.
pub const AGE_PHASE: &str = "age";

/// How the key of a record is made from its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyForm {
    /// Lower-case hexadecimal of the first 16 bytes of SHA-1 of the index (8 bytes, little-endian): 32 characters, in random order.
    Sha1,
    /// The index in decimal, zero-padded to 16 characters.
    Decimal,
    /// The index as a big-endian integer of 4 bytes, so that numeric order is byte order.
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
    /// Compressible: JSON records of a web service, made up.
    Json,
    /// Compressible to about a half by any compressor: short runs of generator output and of equal bytes in turn.
    Half,
}

impl Data {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Random, Self::Text, Self::Json, Self::Half];

    /// The name used in suites and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Text => "text",
            Self::Json => "json",
            Self::Half => "half",
        }
    }
}

/// How large a workload gets, roughly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Bytes of keys and values alive at the same time, at most.
    pub data_bytes_max: u64,
    /// Bytes of keys and values that all phases write together.
    pub written_bytes: u64,
    /// Operations of all phases, commits and restoring inserts included.
    pub operations: u64,
    /// Length of all tapes together.
    pub tape_bytes: u64,
    /// Length of the pool.
    pub pool_bytes: u64,
}

/// Facts about operations that come from an application instead of a draw.
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
    /// Whether the operations are due at times.
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
    /// Length of keys, or of the shortest, where it is not the form's own: 20 to 128 for `sha1`, 1 to 128 for `decimal` and `integer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes: Option<u32>,
    /// Length of the longest key, up to 128, where keys have many lengths; each is equally likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes_max: Option<u32>,
    /// Records loaded by the first phase.
    pub records: u64,
    /// Sizes of values.
    pub value_bytes: ValueSizes,
    /// Their distribution in that range, if it is one.
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

    /// The most records by which a lane grows before inserted ones are removed again. It is four times what the lane
    /// has, so a store grows to five times its number of records, as in the program of Hines 2023.
    pub(crate) fn growth_max(&self) -> u64 {
        (self.records / u64::from(self.lanes)).saturating_mul(4).max(1)
    }

    /// How many times the data is replaced before anything is measured: 0 for a fresh store.
    pub fn age(&self) -> u32 {
        self.phases.get(1).map_or(0, |phase| phase.turnovers)
    }

    /// The same, aged: the data is replaced `turnovers` times after the load, in batches as the load's.
    pub fn aged(mut self, turnovers: u32) -> Self {
        if let (1.., Some(load)) = (turnovers, self.phases.first()) {
            let age = PhaseSpec {
                turnovers,
                batch: load.batch,
                measure: Measure::Throughput,
                ..PhaseSpec::new(AGE_PHASE, [(Operation::Update, 1.0)], None)
            };
            self.phases.insert(1, age);
        }
        self
    }

    /// How long the operations of open loops are due, seconds: no store is faster.
    pub fn schedule_s(&self) -> f64 {
        let of_phase = |phase: &PhaseSpec| match phase.open_loop {
            None => 0.0,
            Some(OpenLoop::Poisson { per_second } | OpenLoop::Fixed { per_second }) => {
                phase.drawn(self.records) as f64 / per_second
            }
            Some(OpenLoop::Recorded { speed }) => self.import.as_ref().map_or(0.0, |import| import.duration_s / speed),
        };
        self.phases.iter().map(of_phase).sum()
    }

    /// The key form as suites and results name it: `sha1`, `sha1:48` for keys of another length than the form's own, or `sha1:20..48`.
    pub fn key_name(&self) -> String {
        let name = self.key.name();
        match (self.key_bytes, self.key_bytes_max) {
            (None, _) => name.to_owned(),
            (Some(bytes), None) => format!("{name}:{bytes}"),
            (Some(least), Some(most)) => format!("{name}:{least}..{most}"),
        }
    }
}
