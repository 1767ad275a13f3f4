//! What power cuts did to a store: part of the last line of a cell's round.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a driver found in a store after a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutVerdict {
    /// Everything acknowledged, and nothing else.
    Kept,
    /// Everything acknowledged, and the write or batch that was under way.
    OneMore,
    /// An earlier state: acknowledged writes are gone from the end.
    Lost,
    /// A part of a batch that is to be applied as a whole or not at all.
    Torn,
    /// A state that never was: some writes are there, and some before them are not.
    Mixed,
    /// Keys or values that were never written, or keys twice or out of order.
    Corrupt,
    /// It opened, and its content could not be read.
    Unreadable,
    /// It did not open.
    Unopenable,
    /// The process that opened it died.
    Crashed,
    /// The process that opened it did not end.
    Hung,
    /// Its content was right, but not after more was written and it was opened again.
    BrokenLater,
    /// The file system could not be mounted. That says nothing of the store.
    Unmountable,
}

impl CutVerdict {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Kept,
        Self::OneMore,
        Self::Lost,
        Self::Torn,
        Self::Mixed,
        Self::Corrupt,
        Self::Unreadable,
        Self::Unopenable,
        Self::Crashed,
        Self::Hung,
        Self::BrokenLater,
        Self::Unmountable,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::OneMore => "one-more",
            Self::Lost => "lost",
            Self::Torn => "torn",
            Self::Mixed => "mixed",
            Self::Corrupt => "corrupt",
            Self::Unreadable => "unreadable",
            Self::Unopenable => "unopenable",
            Self::Crashed => "crashed",
            Self::Hung => "hung",
            Self::BrokenLater => "broken-later",
            Self::Unmountable => "unmountable",
        }
    }

    /// Whether every acknowledged write was there.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Kept | Self::OneMore)
    }

    /// Whether the store was in a state that it had been in before, however old.
    pub fn is_a_state(self) -> bool {
        self.is_kept() || self == Self::Lost
    }

    /// Whether it says anything of the store.
    pub fn is_of_the_store(self) -> bool {
        self != Self::Unmountable
    }
}

impl fmt::Display for CutVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// Where the power was cut, and on which disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutPlace {
    /// After an acknowledgement, before anything else reached the disk, which kept only what was flushed.
    AfterAcknowledgement,
    /// At a random moment, with a random part of what was pending.
    Random,
    /// While another process recovered the store from a first cut.
    Recovery,
    /// Before the store was created, so that nothing was acknowledged.
    Creation,
    /// At a random moment, on a disk that ignores flushes: a control, which no store can pass.
    IgnoredFlushes,
}

impl CutPlace {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::AfterAcknowledgement, Self::Random, Self::Recovery, Self::Creation, Self::IgnoredFlushes];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::AfterAcknowledgement => "after-acknowledgement",
            Self::Random => "random",
            Self::Recovery => "recovery",
            Self::Creation => "creation",
            Self::IgnoredFlushes => "ignored-flushes",
        }
    }

    /// Whether the store's promise is about cuts there.
    pub fn counts(self) -> bool {
        matches!(self, Self::AfterAcknowledgement | Self::Random | Self::Recovery)
    }
}

/// The power cuts of a cell's round, all in one recording of what it wrote.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PowerCuts {
    /// The file system of the disk.
    pub file_system: String,
    /// From which the choice of cuts follows: 16 hex digits, since not every reader of JSON keeps 64 bits.
    pub seed: String,
    /// What was recorded.
    pub recorded: Recorded,
    /// How often each verdict was found at each place on each disk.
    pub counts: Vec<CutCount>,
    /// Cuts whose verdict is not that every acknowledged write was there, and of each place and verdict the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<BadCut>,
    /// Wall time of all cuts, nanoseconds.
    pub cuts_ns: u64,
}

/// What was recorded of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Writes that reached the disk.
    pub writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes of the recording.
    pub bytes: u64,
    /// Writes and commits that were acknowledged.
    pub acknowledged: u64,
    /// Whether files were written back at random moments besides.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pressure: bool,
}

/// How often a verdict was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutCount {
    /// Where the power was cut.
    pub place: CutPlace,
    /// What the disk writes as a whole or not at all, bytes.
    pub unit_bytes: u64,
    /// The verdict.
    pub verdict: CutVerdict,
    /// How often.
    pub cuts: u64,
}

/// A power cut after which not every acknowledged write was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadCut {
    /// Its number in the round, from 0.
    pub index: u32,
    /// Where the power was cut.
    pub place: CutPlace,
    /// What the disk writes as a whole or not at all, bytes.
    pub unit_bytes: u64,
    /// What became of pending writes: `nothing`, `everything`, `prefix`, `writes`, `pages`, `units`.
    pub policy: String,
    /// The number of writes and flushes before the cut.
    pub position: u64,
    /// How many writes were pending.
    pub pending: u64,
    /// What was found.
    pub verdict: CutVerdict,
    /// The same in words.
    pub message: String,
    /// What was found after the same cut of a disk that kept everything pending. Absent if that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_everything: Option<CutVerdict>,
    /// What was found after the same cut of a disk that writes 4 KiB as a whole. Absent if that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_pages: Option<CutVerdict>,
}
