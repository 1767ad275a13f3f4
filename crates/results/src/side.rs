//! The sides of a comparison measured in turn.

use serde::{Deserialize, Serialize};

/// A run that is one side of a comparison. Both sides were measured in turn, so rounds with the same number were
/// measured close in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideRecord {
    /// Which side it is.
    pub side: Side,
    /// The id of the comparison, the same in both runs.
    pub comparison: String,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The reference.
    A,
    /// The run compared with it.
    B,
}

impl Side {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }
}
