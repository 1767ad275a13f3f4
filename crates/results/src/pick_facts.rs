//! What a pick was asked and how its race went, as `run.json` keeps it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::goal::Goal;

/// A store that cannot be the answer, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    /// The store's name.
    pub store: String,
    /// What it lacks, for a person.
    pub why: String,
}

/// Those that lack the same side by side: their names, and what it is.
pub fn by_reason(excluded: &[Excluded]) -> Vec<(String, &str)> {
    let mut groups: Vec<(String, &str)> = Vec::new();
    for Excluded { store, why } in excluded {
        match groups.iter_mut().find(|(_, of)| of == why) {
            Some((stores, _)) => *stores += &format!(", {store}"),
            None => groups.push((store.clone(), why)),
        }
    }
    groups
}

/// Something else that might be asked, to see whether the answer would be another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The variant of the suite that asks it.
    pub variant: String,
    /// What is different, for a person: `twice the value size, 2KiB..20KiB`.
    pub words: String,
    /// Why it was not measured, if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_measured: Option<String>,
}

/// What a pick was asked and how its race went, as `run.json` keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PickFacts {
    /// The need as it was understood: key and value, in the order of the questions.
    pub need: Vec<(String, String)>,
    /// What the store is to be best at.
    pub optimize: Goal,
    /// The time there was.
    pub budget_ns: u64,
    /// Whether the time, and not the figures, ended the race.
    pub out_of_time: bool,
    /// Stores that were to race; none in runs of before it was kept.
    #[serde(default)]
    pub raced: Vec<String>,
    /// Stores that were not measured, since they cannot do what is asked.
    pub excluded: Vec<Excluded>,
    /// Stores that were not measured to the end, being behind.
    pub dropped: Vec<Excluded>,
    /// Stores that the questions are tried with, the first ones first; none in runs of before it was kept.
    #[serde(default)]
    pub finalists: Vec<String>,
    /// What else was, or was to be, measured.
    pub questions: Vec<Question>,
    /// What three rounds of all stores take, as far as was known at the end, nanoseconds; 0 in runs of before it was kept.
    #[serde(default)]
    pub proof_ns_expected: u64,
}

impl PickFacts {
    /// Whether there was nothing to race against.
    pub fn is_of_one_store(&self) -> bool {
        self.raced.len() == 1
    }

    /// The time there was.
    pub fn budget(&self) -> Duration {
        Duration::from_nanos(self.budget_ns)
    }
}
