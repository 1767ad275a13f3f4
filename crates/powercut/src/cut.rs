//! A power cut: when, and what becomes of what was pending.

use crate::random::Random;

/// What a disk keeps of what was pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Nothing.
    Nothing,
    /// Everything.
    Everything,
    /// The first so many writes, and a beginning of the next.
    Prefix,
    /// Any of the writes, each whole or not at all.
    Writes,
    /// Any of the pages of 4 KiB.
    Pages,
    /// Any of the disk's atomic units.
    Units,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Nothing, Self::Everything, Self::Prefix, Self::Writes, Self::Pages, Self::Units];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Everything => "everything",
            Self::Prefix => "prefix",
            Self::Writes => "writes",
            Self::Pages => "pages",
            Self::Units => "units",
        }
    }

    /// Draws one. The three that choose are drawn more often.
    pub fn draw(random: &mut Random) -> Self {
        const DRAWN: [Policy; 10] = [
            Policy::Nothing,
            Policy::Everything,
            Policy::Prefix,
            Policy::Prefix,
            Policy::Writes,
            Policy::Writes,
            Policy::Pages,
            Policy::Pages,
            Policy::Units,
            Policy::Units,
        ];
        DRAWN[random.below(DRAWN.len() as u64) as usize]
    }
}

/// What a disk does at a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flushes {
    /// It makes everything durable.
    Obeyed,
    /// Nothing: the last writes, at most so many, are pending always.
    Ignored {
        /// How many writes the disk keeps in its cache.
        cached: usize,
    },
}

/// A power cut in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cut {
    /// The number of writes and flushes before it.
    pub position: usize,
    /// What the disk keeps.
    pub policy: Policy,
    /// What the disk writes as a whole or not at all, bytes: a power of two, at least 512.
    pub unit_bytes: u64,
    /// What it does at flushes.
    pub flushes: Flushes,
    /// From which its choices follow.
    pub seed: u64,
}
