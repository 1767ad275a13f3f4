//! The outcome of a check, with what was observed.

use std::fmt;

/// The outcome of a check, with what was observed.
pub(super) enum Outcome {
    Ok(String),
    NotOffered(&'static str),
    Skipped(String),
    Failed(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok(seen) => write!(formatter, "ok, {seen}"),
            Self::NotOffered(why) => write!(formatter, "n/a, {why}"),
            Self::Skipped(why) => write!(formatter, "SKIPPED, {why}"),
            Self::Failed(why) => write!(formatter, "FAILED, {why}"),
        }
    }
}
