//! The question of a pick and the course of its race, as `run.json` stores them.

use std::time::Duration;

use bakeoff_protocol::Durability;
use bakeoff_text::{counted, format_count};
use serde::{Deserialize, Serialize};

use crate::goal::Goal;
use crate::grouped::grouped;
use crate::lack::Lack;
use crate::language::Language;
use crate::map_axis::MapQuantity;

/// A store that cannot be the answer, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    /// The store's name.
    pub store: String,
    /// The reason, for people.
    pub why: String,
    /// The requirements that it does not meet. Empty for stores dropped from the race, and in older runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Lack>,
}

impl Excluded {
    /// A store that does not meet a requirement.
    pub fn lacking(store: String, lacks: Vec<Lack>) -> Self {
        let why: Vec<String> = lacks.iter().map(Lack::to_string).collect();
        Self { store, why: why.join("; "), lacks }
    }

    /// A store that was dropped from the race.
    pub fn dropped(store: String, why: String) -> Self {
        Self { store, why, lacks: Vec::new() }
    }

    /// Whether both lack the same. Older runs have the reason only for people.
    fn lacks_as(&self, other: &Self) -> bool {
        if self.lacks.is_empty() || other.lacks.is_empty() { self.why == other.why } else { self.lacks == other.lacks }
    }
}

/// Stores grouped by what they lack: their names, and the reason for people.
pub fn by_lack<'a>(excluded: &'a [Excluded]) -> Vec<(Vec<&'a str>, &'a str)> {
    let names = |group: &[&'a Excluded]| group.iter().map(|each| each.store.as_str()).collect();
    grouped(excluded, Excluded::lacks_as).iter().map(|group| (names(group), group[0].why.as_str())).collect()
}

/// A changed question, to see whether it changes the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its variant of the suite.
    pub variant: String,
    /// The change, for people: `twice the value size, 2KiB..20KiB`.
    pub words: String,
    /// The quantity of a map that it changes. `None` if it is not numeric, and in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub varies: Option<MapQuantity>,
    /// Why it was not measured, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_measured: Option<String>,
}

/// What simulated power cuts left of a store that was among the best.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PickCuts {
    /// The store.
    pub store: String,
    /// The directory of their run, in that of the pick.
    pub run: String,
    /// The file system of the disk.
    pub file_system: String,
    /// Cuts that the promise is about, after which the disk could be mounted.
    pub cuts: u64,
    /// After how many of them an acknowledged write was missing, or the store was damaged.
    pub broken: u64,
}

/// The number of operations of the mix in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundOperations {
    /// The number.
    pub count: u64,
    /// Why it is lower than usual, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// A reduced number of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The usual number per round.
    pub from: u64,
    /// The reason for the reduction.
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
    /// Inserts exceed deletes, and the store would grow by more than half.
    Growth,
    /// Deletes exceed inserts, and the records would run out, or the store would shrink by more than half.
    Shrinkage,
}

impl RoundOperations {
    /// The number of operations and the reason for its limit, as a sentence.
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

/// The question of a pick and the course of its race, as `run.json` stores them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PickFacts {
    /// The need as bakeoff understood it, for people: keys and values, in the order of the questions.
    pub need: Vec<(String, String)>,
    /// What an acknowledged write must survive. `None` in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// Languages of the program, of which one is enough; none for any, and in older runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<Language>,
    /// Whether an imported tape was replayed, of which nothing can vary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_tape: bool,
    /// The parts of the need that are not defaults, as options. `None` in older runs, and if a map does not accept
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Vec<(String, String)>>,
    /// Operations of the mix in a round. Absent with a tape, which determines them, and in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<RoundOperations>,
    /// The goal.
    pub optimize: Goal,
    /// The time budget.
    pub budget_ns: u64,
    /// Whether the budget ended the race, rather than its results.
    pub out_of_time: bool,
    /// Stores that were to race. Empty in older runs.
    #[serde(default)]
    pub raced: Vec<String>,
    /// Stores that were not measured because they do not meet the requirements.
    pub excluded: Vec<Excluded>,
    /// Stores that were dropped before the end because they were behind.
    pub dropped: Vec<Excluded>,
    /// Stores with which changed questions are tried, best first. Empty in older runs.
    #[serde(default)]
    pub finalists: Vec<String>,
    /// Power cuts of the finalists, where the need must survive them and disks can be cut here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub power_cuts: Vec<PickCuts>,
    /// Changed questions, measured or not.
    pub questions: Vec<Question>,
    /// The estimated time of three rounds of all stores, as of the end, nanoseconds. 0 in older runs.
    #[serde(default)]
    pub proof_ns_expected: u64,
}

impl PickFacts {
    /// Whether there was no other store to race against.
    pub fn is_of_one_store(&self) -> bool {
        self.raced.len() == 1
    }

    /// The time budget.
    pub fn budget(&self) -> Duration {
        Duration::from_nanos(self.budget_ns)
    }
}
