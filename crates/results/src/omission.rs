//! Omissions: what was not measured, and why.

use std::fmt;

use bakeoff_suite::SkipReason;
use bakeoff_text::time;
use serde::{Deserialize, Serialize};

use crate::grouped::grouped;

/// Something that was not measured, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Omission {
    /// The store, if only one is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// A description for people. It begins with the store's name, if there is one.
    #[serde(default = "unknown")]
    pub what: String,
    /// The reason, for people.
    #[serde(default = "unknown")]
    pub why: String,
    /// The reason, for programs. Absent in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// Why something was not measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The plan skipped it.
    Skipped(SkipReason),
    /// The time budget ended after this much of it.
    OverBudget(Done),
}

/// How much was done when the time budget ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Done {
    /// Nothing.
    Nothing,
    /// The first round of some stores.
    SomeStores,
    /// Some rounds.
    Rounds {
        /// The number of finished rounds.
        done: u32,
        /// The number of planned rounds.
        of: u32,
    },
    /// A part of a round.
    PartOfRound,
    /// A part of a cell, which was stopped after this time, nanoseconds.
    PartOfCell(u64),
}

impl Omission {
    /// An omission and its reason.
    pub fn new(store: Option<String>, what: String, reason: Reason) -> Self {
        Self { store, what, why: reason.to_string(), reason: Some(reason) }
    }

    /// Whether both have the same reason. Older runs have it only for people.
    fn has_reason_of(&self, other: &Self) -> bool {
        match (&self.reason, &other.reason) {
            (Some(reason), Some(other)) => reason == other,
            _ => self.why == other.why,
        }
    }
}

/// Omissions grouped by reason, in display order.
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
            Self::PartOfRound => formatter.write_str("measured in part: no time for more in the budget"),
            Self::PartOfCell(ns) => {
                write!(formatter, "stopped after {}: the budget was over", time(*ns as f64))
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
