//! Durability levels: what a store promises for an acknowledged write, and what remains after a failure.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use Leaves::{EarlierState, Kept, PossiblyCorrupt};

/// A durability level: what a store promises for an acknowledged write. Stores are ranked only within one level.
///
/// Each level includes the promises of the levels before it. Settings have no such order. A store at level `none` may lose acknowledged
/// writes with the process, and still be intact after a power cut. See [`AfterFailure`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// An acknowledged write may be lost when the process dies.
    None,
    /// An acknowledged write survives the death of the process. After a power cut the store may be corrupt.
    Process,
    /// An acknowledged write survives the death of the process. After a power cut the store opens with an earlier consistent state.
    #[default]
    Consistent,
    /// An acknowledged write survives a power cut.
    Power,
}

impl Durability {
    /// All levels. Each includes the promises of the levels before it.
    pub const ALL: [Self; 4] = [Self::None, Self::Process, Self::Consistent, Self::Power];

    /// The name used in suites, requests and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Process => "process",
            Self::Consistent => "consistent",
            Self::Power => "power",
        }
    }

    /// Whether this level's promise includes another level's.
    pub fn includes(self, other: Self) -> bool {
        self >= other
    }

    /// Whether a store that is left like this keeps the level's promise.
    pub fn is_kept(self, after: AfterFailure) -> bool {
        let survives_process = after.process_death == Kept;
        match self {
            Self::None => true,
            Self::Process => survives_process,
            Self::Consistent => survives_process && after.power_cut != PossiblyCorrupt,
            Self::Power => survives_process && after.power_cut == Kept,
        }
    }

    /// The level to compare with: the next one, or the previous one of the last.
    pub fn neighbour(self) -> Self {
        match self {
            Self::None => Self::Process,
            Self::Process | Self::Power => Self::Consistent,
            Self::Consistent => Self::Power,
        }
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Durability {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|level| level.name() == word)
            .ok_or_else(|| format!("unknown durability `{word}`: use none, process, consistent or power"))
    }
}

/// What remains of a store after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaves {
    /// Every acknowledged write.
    Kept,
    /// An earlier consistent state: the last acknowledged writes may be lost.
    EarlierState,
    /// No promise: the store may not open, or may have lost or mixed any of its writes.
    PossiblyCorrupt,
}

impl fmt::Display for Leaves {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Kept => "kept",
            EarlierState => "an earlier state",
            PossiblyCorrupt => "possibly corrupt",
        })
    }
}

/// What remains at least after a failure, with the settings of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AfterFailure {
    /// After the death of the process, such as a crash or `kill -9`.
    pub process_death: Leaves,
    /// After a power cut or a crash of the operating system.
    pub power_cut: Leaves,
}

/// How a store reaches a durability level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DurabilitySupport {
    /// The settings or calls that reach it, in the store's own terms.
    pub how: String,
    /// The place in the store's documentation.
    pub source: String,
    /// What remains after a failure. Absent in descriptions older than the level `consistent`, whose level `process` made no statement
    /// about power cuts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<AfterFailure>,
    /// Every acknowledged write waits for a flush, although a power cut may leave an earlier state.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flushes: bool,
    /// Whether a batch is applied as a whole or not at all, if this level differs from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub atomic_batch: Option<bool>,
    /// Whether several threads read at the same time, if this level differs from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_readers: Option<bool>,
    /// Whether several threads write at the same time, if this level differs from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_writers: Option<bool>,
}

/// Why a store does not offer a durability level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotOffered {
    /// What it does instead, or which failure was observed.
    pub why: String,
    /// The place in the store's documentation, or the evidence.
    pub source: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_kept_by_what_it_promises_and_not_by_less() {
        let kept = |process_death, power_cut| {
            let after = AfterFailure { process_death, power_cut };
            Durability::ALL.into_iter().filter(|level| level.is_kept(after)).map(Durability::name).collect::<Vec<_>>()
        };
        assert_eq!(kept(Kept, Kept), ["none", "process", "consistent", "power"]);
        assert_eq!(kept(Kept, EarlierState), ["none", "process", "consistent"]);
        assert_eq!(kept(Kept, PossiblyCorrupt), ["none", "process"]);
        assert_eq!(kept(EarlierState, EarlierState), ["none"]);
        assert_eq!(kept(PossiblyCorrupt, Kept), ["none"]);
    }

    #[test]
    fn what_keeps_a_level_keeps_those_it_includes() {
        for process_death in [Kept, EarlierState, PossiblyCorrupt] {
            for power_cut in [Kept, EarlierState, PossiblyCorrupt] {
                let after = AfterFailure { process_death, power_cut };
                for level in Durability::ALL.into_iter().filter(|level| level.is_kept(after)) {
                    let included = Durability::ALL.into_iter().filter(|other| level.includes(*other));
                    included.for_each(|other| assert!(other.is_kept(after), "{level} without {other}: {after:?}"));
                }
            }
        }
    }

    #[test]
    fn names_are_read_back() {
        for level in Durability::ALL {
            assert_eq!(level.name().parse(), Ok(level));
            assert_eq!(serde_json::to_value(level).unwrap(), level.name());
        }
        assert!("flushed".parse::<Durability>().is_err());
        assert_eq!(serde_json::to_value(EarlierState).unwrap(), "earlier-state");
    }
}
