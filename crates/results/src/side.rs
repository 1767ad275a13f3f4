//! The sides of a comparison that was measured in turn.

use serde::{Deserialize, Serialize};

/// A run that is one side of a comparison: both were measured in turn, so that their rounds of the same number are of the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideRecord {
    /// Which side it is.
    pub side: Side,
    /// The name of the comparison: the same in the run that is the other side.
    pub comparison: String,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What is compared with.
    A,
    /// What is compared with it.
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
