//! What else the machine does while a cell is measured.

use std::fmt;

use serde::Serialize;

/// Something that goes on beside a cell, from before the store is opened until it is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Disturbance {
    /// Nothing of ours.
    #[default]
    None,
    /// A video is played at its own speed.
    Video,
    /// Every processor computes.
    Cpu,
    /// Memory is taken, written and given back.
    Memory,
    /// Another process writes and reads files on the same medium.
    Disk,
}

impl Disturbance {
    /// All of them.
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

    /// Whether it is none.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
