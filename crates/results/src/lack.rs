//! What a store lacks of what a pick asks.

use std::fmt;

use bakeoff_protocol::{Durability, Platform};
use bakeoff_suite::SkipReason;
use bakeoff_text::format_size;
use serde::{Deserialize, Serialize};

/// One thing that a store lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lack {
    /// A plan would leave it out, or has left it out.
    Skipped(SkipReason),
    /// It cannot be opened on this machine.
    CannotBeOpened {
        /// Why, and how to fix it.
        why: String,
    },
    /// It does not offer something.
    Feature {
        /// By its word in a need.
        name: String,
        /// The durability level at which it does not, where it does at others.
        level: Option<Durability>,
        /// Whether the library may offer it in a mode that it is not opened in here.
        as_driven: bool,
    },
    /// It cannot scan from a key.
    Scans,
    /// It cannot find the first of its entries.
    FirstEntries,
    /// It cannot tell whether a key is there.
    ExistenceChecks,
    /// It cannot write batches.
    Batches,
    /// It cannot read what its open batch wrote.
    BatchReads,
    /// It cannot write batches, in which the records are loaded at this level.
    BatchesToLoad {
        /// The level.
        level: Durability,
    },
    /// It takes no keys of this length.
    Keys {
        /// The length.
        bytes: u64,
    },
    /// It takes no values as long as those asked for.
    Values {
        /// The longest that it takes, bytes.
        bytes_max: u64,
    },
    /// It is written in another language.
    Language {
        /// The language.
        language: String,
    },
    /// It is a library for programs of this kind only.
    Platform(Platform),
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
                formatter.write_str(if *as_driven { ", as it is driven here" } else { "" })
            }
            Self::Scans => formatter.write_str("does not offer scans from a key"),
            Self::FirstEntries => formatter.write_str("does not offer first entries"),
            Self::ExistenceChecks => formatter.write_str("does not offer existence checks"),
            Self::Batches => formatter.write_str("does not offer batches of writes"),
            Self::BatchReads => formatter.write_str("does not offer reads of what its open batch wrote"),
            Self::BatchesToLoad { level } => write!(
                formatter,
                "does not offer batches of writes, in which the records are loaded at durability level {level}"
            ),
            Self::Keys { bytes } => write!(formatter, "takes no keys of {}", format_size(*bytes)),
            Self::Values { bytes_max } => write!(formatter, "takes values of up to {}", format_size(*bytes_max)),
            Self::Language { language } => write!(formatter, "written in {language}"),
            Self::Platform(Platform::Native) => formatter.write_str("for native programs only"),
            Self::Platform(Platform::Jvm) => formatter.write_str("for programs on the JVM only"),
            Self::License { license } => write!(formatter, "its licence is {license}"),
        }
    }
}
