//! A suite file as values: the part of the format that a pick writes (docs/SUITES.md).

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use bakeoff_protocol::Durability;
use serde::Serialize;

/// A suite file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SuiteFile {
    pub(crate) title: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) seed: u64,
    pub(crate) rounds: u32,
    /// How stores are left before they are opened again, where that is not closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ending: Option<&'static str>,
    /// Power cuts of each round, where the ending is `cut`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cuts: Option<u32>,
    /// Memory for caches and buffers, as a suite writes sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<String>,
    /// The imported tape that is replayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tape: Option<PathBuf>,
    pub(crate) axes: Axes,
    pub(crate) limits: Limits,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) settings: Settings,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) phases: Vec<Phase>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) variants: Vec<Variant>,
}

impl SuiteFile {
    /// The file's text.
    ///
    /// # Errors
    /// A path is not text.
    pub(crate) fn to_text(&self) -> Result<String> {
        toml::to_string(self).context("cannot write the suite of the pick as TOML")
    }
}

/// Values of axes; a variant's replace the suite's.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Axes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stores: Option<Vec<String>>,
    /// A size or a range of sizes, as a suite writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value_size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) records: Option<u64>,
    /// The form of keys, `decimal:16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) durability: Option<Durability>,
    /// How many times all data is replaced before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) age: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) threads: Option<u64>,
}

/// `[limits]`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Limits {
    /// A time, as a suite writes it.
    pub(crate) timeout: String,
}

/// `[settings]`, by store.
pub(crate) type Settings = BTreeMap<String, StoreSettings>;

/// What a suite sets for one store.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StoreSettings {
    pub(crate) durability: Durability,
}

/// A phase.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    /// The only kind of operation, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operation: Option<&'static str>,
    /// Kinds of operation by weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mix: Option<BTreeMap<String, f64>>,
    /// Threads with their own mixes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) roles: Vec<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) access: Option<Access>,
    /// The same for single kinds of operation.
    #[serde(rename = "access-of", skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) access_of: BTreeMap<&'static str, Access>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) batch: Option<u64>,
    /// How many bytes keys begin alike in scans of a prefix, as a suite writes sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prefix: Option<String>,
    /// The part of gets and existence checks that find nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) missing: Option<f64>,
    /// Whether it begins with the store's files in memory, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cache: Option<&'static str>,
    /// Whether threads read and scan what others write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shared: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) measure: Option<&'static str>,
}

/// Threads that all do the same, next to others.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Role {
    pub(crate) threads: u64,
    /// Their part of the operations, by weight.
    pub(crate) share: f64,
    /// Kinds of operation by weight.
    pub(crate) mix: BTreeMap<String, f64>,
}

/// Which records operations choose.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Access {
    /// `uniform`, `zipfian`, `latest`, `sequential` or `insertion`.
    Named(&'static str),
    /// `zipfian` or `latest` with an exponent.
    Skewed(BTreeMap<&'static str, f64>),
    /// A part of the records has a part of the operations.
    Hot {
        /// Both parts, from 0 to 1.
        hot: Hot,
    },
}

/// The parts of [`Access::Hot`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Hot {
    /// The part of the records, from 0 to 1.
    pub records: f64,
    /// The part of the operations that they have, from 0 to 1.
    pub operations: f64,
}

impl Access {
    /// Whether some records are more popular than others, for no reason such as their age.
    pub(crate) fn has_popular_records(&self) -> bool {
        match self {
            Self::Named(word) => *word == "zipfian",
            Self::Skewed(exponents) => exponents.contains_key("zipfian"),
            Self::Hot { .. } => true,
        }
    }

    /// Whether keys ascend as records are inserted, as numbers and times do.
    pub(crate) fn ascends(&self) -> bool {
        match self {
            Self::Named(word) => ["latest", "sequential", "insertion"].contains(word),
            Self::Skewed(exponents) => exponents.contains_key("latest"),
            Self::Hot { .. } => false,
        }
    }
}

/// A variant.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) summary: String,
    /// Its memory, where it is not the suite's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) axes: Option<Axes>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) settings: Settings,
    /// Its phases, where they are not the suite's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) phases: Vec<Phase>,
}
