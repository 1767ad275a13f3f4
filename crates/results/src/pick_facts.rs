//! What a pick was asked and how its race went, as `run.json` keeps it.

use std::time::Duration;

use bakeoff_text::{counted, format_count};
use serde::{Deserialize, Serialize};

use crate::goal::Goal;
use crate::grouped::grouped;
use crate::lack::Lack;

/// A store that cannot be the answer, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    /// The store's name.
    pub store: String,
    /// Why, for people.
    pub why: String,
    /// What it lacks of what was asked; empty where it was dropped from the race, and in runs of before it was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Lack>,
}

impl Excluded {
    /// A store that lacks something.
    pub fn lacking(store: String, lacks: Vec<Lack>) -> Self {
        let why: Vec<String> = lacks.iter().map(Lack::to_string).collect();
        Self { store, why: why.join("; "), lacks }
    }

    /// A store that was dropped from the race.
    pub fn dropped(store: String, why: String) -> Self {
        Self { store, why, lacks: Vec::new() }
    }

    /// Whether both lack the same. Runs of before it was kept have it for people alone.
    fn lacks_as(&self, other: &Self) -> bool {
        if self.lacks.is_empty() || other.lacks.is_empty() { self.why == other.why } else { self.lacks == other.lacks }
    }
}

/// Those that lack the same, together: their names, and what it is for people.
pub fn by_lack<'a>(excluded: &'a [Excluded]) -> Vec<(Vec<&'a str>, &'a str)> {
    let names = |group: &[&'a Excluded]| group.iter().map(|each| each.store.as_str()).collect();
    grouped(excluded, Excluded::lacks_as).iter().map(|group| (names(group), group[0].why.as_str())).collect()
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

/// How many operations of the mix a round has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundOperations {
    /// How many.
    pub count: u64,
    /// Why they are fewer than usual, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// Operations that a round does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// How many a round usually has.
    pub from: u64,
    /// Why this one has fewer.
    pub by: CutBy,
}

/// Why a round has fewer operations than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutBy {
    /// Each write may wait for the disk.
    Flushes,
    /// Values are long.
    LongValues,
    /// There are more inserts than deletes, and the store would become larger by more than half.
    Growth,
    /// There are more deletes than inserts, and the records would not last, or the store would become smaller by more than half.
    Shrinkage,
}

impl RoundOperations {
    /// How many there are, and why no more, as a sentence.
    pub fn describe(&self) -> String {
        let operations = counted(self.count, "operation");
        let Some(Cut { from, by }) = self.cut else { return format!("A round has {operations} of this mix.") };
        let why = match by {
            CutBy::Flushes => "each write may wait for the disk",
            CutBy::LongValues => "values are long",
            CutBy::Growth => "the mix has more inserts than deletes, and the store would grow by more than half",
            CutBy::Shrinkage => "the mix has more deletes than inserts, and the store would shrink by more than half",
        };
        format!("A round has {operations} of this mix instead of {}, as {why}.", format_count(from))
    }
}

/// What a pick was asked and how its race went, as `run.json` keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PickFacts {
    /// The need as it was understood: key and value, in the order of the questions.
    pub need: Vec<(String, String)>,
    /// What of the need is not the default, as options take it; `None` in older runs, and where a map cannot take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Vec<(String, String)>>,
    /// Operations of the mix in a round; absent where a tape says it, and in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<RoundOperations>,
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
