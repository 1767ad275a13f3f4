//! Requirements of a pick that a store does not meet.

use std::fmt;

use bakeoff_protocol::{Durability, Platform};
use bakeoff_suite::SkipReason;
use bakeoff_text::{format_size, listed};
use serde::{Deserialize, Serialize};

use crate::language::Language;

/// One unmet requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// A plan skips the store, or would skip it.
    Skipped(SkipReason),
    /// It cannot be opened on this machine.
    CannotBeOpened {
        /// The reason, and how to fix it.
        why: String,
    },
    /// It lacks a feature.
    Feature {
        /// The feature's name in a need.
        name: String,
        /// The durability level without it, if the store has it at other levels.
        level: Option<Durability>,
        /// Whether the library may have it in a mode that bakeoff does not use.
        as_driven: bool,
    },
    /// It cannot scan from a key.
    Scans,
    /// It cannot scan the keys with a prefix.
    PrefixScans,
    /// It cannot find the first entry.
    FirstEntries,
    /// It cannot check whether a key exists.
    ExistenceChecks,
    /// It cannot write batches.
    Batches,
    /// It cannot read the writes of its open batch.
    BatchReads,
    /// It cannot write batches, which load the records at this level.
    BatchesToLoad {
        /// The level.
        level: Durability,
    },
    /// It does not accept keys of this length.
    Keys {
        /// The length.
        bytes: u64,
    },
    /// It does not accept values of the required length.
    Values {
        /// The longest value that it accepts, bytes.
        bytes_max: u64,
    },
    /// It is written in another language.
    Language {
        /// The language.
        language: String,
    },
    /// It is only for programs of this kind.
    Platform(Platform),
    /// No package is known for programs in any of these languages.
    Package {
        /// The languages.
        languages: Vec<Language>,
    },
    /// It has another licence.
    License {
        /// The licence.
        license: String,
    },
}

impl fmt::Display for Lack {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(reason) => reason.fmt(formatter),
            Self::CannotBeOpened { why } => write!(formatter, "cannot be opened here: {why}"),
            Self::Feature { name, level, as_driven } => {
                write!(formatter, "does not offer {name}")?;
                if let Some(level) = level {
                    write!(formatter, " at durability level {level}")?;
                }
                formatter.write_str(if *as_driven { ", as bakeoff uses it" } else { "" })
            }
            Self::Scans => formatter.write_str("does not offer scans from a key"),
            Self::PrefixScans => formatter.write_str("does not offer scans of a prefix"),
            Self::FirstEntries => formatter.write_str("does not offer first entries"),
            Self::ExistenceChecks => formatter.write_str("does not offer existence checks"),
            Self::Batches => formatter.write_str("does not offer batches of writes"),
            Self::BatchReads => formatter.write_str("does not offer reads of the writes in its open batch"),
            Self::BatchesToLoad { level } => write!(
                formatter,
                "does not offer batches of writes, in which the records are loaded at durability level {level}"
            ),
            Self::Keys { bytes } => write!(formatter, "takes no keys of {}", format_size(*bytes)),
            Self::Values { bytes_max } => write!(formatter, "takes values of up to {}", format_size(*bytes_max)),
            Self::Language { language } => write!(formatter, "written in {language}"),
            Self::Platform(Platform::Native) => formatter.write_str("for native programs only"),
            Self::Platform(Platform::Jvm) => formatter.write_str("for programs on the JVM only"),
            Self::Package { languages } => {
                let titles: Vec<String> = languages.iter().map(|language| language.title().to_owned()).collect();
                write!(formatter, "no package for {} is known", listed(&titles))
            }
            Self::License { license } => write!(formatter, "its licence is {license}"),
        }
    }
}
