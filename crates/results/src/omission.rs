//! What was not measured, and why.

use std::fmt;

use bakeoff_suite::SkipReason;
use bakeoff_text::time;
use serde::{Deserialize, Serialize};

use crate::grouped::grouped;

/// Something that was not measured, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Omission {
    /// The store, where a single one is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// What is left out, for people; it begins with the store's name, if there is one.
    #[serde(default = "unknown")]
    pub what: String,
    /// Why, for people.
    #[serde(default = "unknown")]
    pub why: String,
    /// Why, for programs; absent in runs of before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// Why something was not measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The plan leaves it out.
    Skipped(SkipReason),
    /// The time budget was over after so much of it.
    OverBudget(Done),
}

/// How much was done when the time budget was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Done {
    /// Nothing.
    Nothing,
    /// The first round of some stores.
    SomeStores,
    /// Some rounds.
    Rounds {
        /// How many.
        done: u32,
        /// How many there were to be.
        of: u32,
    },
    /// A part of a round.
    PartOfRound,
    /// A part of a cell, which took this long until it was stopped, nanoseconds.
    PartOfCell(u64),
}

impl Omission {
    /// What is left out, and why.
    pub fn new(store: Option<String>, what: String, reason: Reason) -> Self {
        Self { store, what, why: reason.to_string(), reason: Some(reason) }
    }

    /// Whether both are left out for the same reason. Runs of before it was kept have it for people alone.
    fn has_reason_of(&self, other: &Self) -> bool {
        match (&self.reason, &other.reason) {
            (Some(reason), Some(other)) => reason == other,
            _ => self.why == other.why,
        }
    }
}

/// Omissions that have the same reason together, in the order of what people read.
pub fn by_reason<'a>(all: impl Iterator<Item = &'a Omission>) -> Vec<Vec<&'a Omission>> {
    let mut groups = grouped(all, Omission::has_reason_of);
    groups.sort_by_key(|group| &group[0].why);
    groups
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped(reason) => reason.fmt(formatter),
            Self::OverBudget(done) => done.fmt(formatter),
        }
    }
}

impl fmt::Display for Done {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => formatter.write_str("not run: no time for it in the budget"),
            Self::SomeStores => formatter.write_str("not run for all stores: no time for it in the budget"),
            Self::Rounds { done, of } => write!(formatter, "{done} of {of} rounds: no time for more in the budget"),
            Self::PartOfRound => formatter.write_str("not measured whole: no time for it in the budget"),
            Self::PartOfCell(ns) => {
                write!(formatter, "begun, and given up after {}: the budget was over", time(*ns as f64))
            }
        }
    }
}

fn unknown() -> String {
    "?".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reason_is_read_as_it_was_written() {
        let reason = Reason::Skipped(SkipReason::AboveLimit { db_bytes: 3 << 30, db_bytes_max: 1 << 30 });
        let written = serde_json::to_value(&reason).unwrap();
        assert_eq!(
            written,
            json!({ "skipped": { "above-limit": { "db_bytes": 3_u64 << 30, "db_bytes_max": 1 << 30 } } })
        );
        assert_eq!(serde_json::from_value::<Reason>(written).unwrap(), reason);
    }

    #[test]
    fn the_same_reason_is_given_once() {
        let of = |what: &str, reason| Omission::new(None, what.to_owned(), Reason::OverBudget(reason));
        let older = Omission { reason: None, ..of("d", Done::Nothing) };
        let all = [of("a", Done::Nothing), of("b", Done::PartOfRound), of("c", Done::Nothing), older];
        let what = |group: Vec<&Omission>| group.iter().map(|of| of.what.as_str()).collect::<String>();
        assert_eq!(by_reason(all.iter()).into_iter().map(what).collect::<Vec<_>>(), ["b", "acd"]);
    }
}
