//! Background load while a cell is measured.

use std::fmt;

use serde::Serialize;

/// Background load. It starts before the store is opened, and ends after the store is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Disturbance {
    /// No background load from bakeoff.
    #[default]
    None,
    /// A video plays at normal speed.
    Video,
    /// Every processor computes.
    Cpu,
    /// A process allocates memory, writes to it, and frees it.
    Memory,
    /// Another process writes and reads files on the same medium.
    Disk,
}

impl Disturbance {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::None, Self::Video, Self::Cpu, Self::Memory, Self::Disk];

    /// The name used in suites and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Video => "video",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Disk => "disk",
        }
    }

    /// Whether there is no background load.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
