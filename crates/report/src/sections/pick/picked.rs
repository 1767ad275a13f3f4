//! A run of `bakeoff pick` with helpers to describe it: titles, failed stores, how sure a ranking is.

use std::collections::BTreeMap;

use bakeoff_results::pick_facts::PickFacts;
use bakeoff_results::pick_outcome::PickOutcome;
use bakeoff_stats::{Interval, Place, Ranking, Standing};
use bakeoff_text::{listed, printable};

use crate::labels::{TOO_FEW_ROUNDS, interval};

/// Of a pick that somebody ended.
pub(crate) const CUT_SHORT: &str =
    "It was stopped before it was done, so this is its state at that time: start another.";

/// What came of a pick, with the titles of its stores.
pub(crate) struct Picked<'a> {
    pub(crate) outcome: &'a PickOutcome<'a>,
    titles: BTreeMap<&'a str, String>,
}

impl<'a> Picked<'a> {
    /// The outcome with the titles of its stores.
    pub(crate) fn new(outcome: &'a PickOutcome<'a>) -> Self {
        let titles = outcome.run.stores().iter().map(|store| {
            let level = outcome.other_level(&store.name).map_or_else(String::new, |level| format!(" ({level})"));
            (store.name.as_str(), printable(&store.title) + &level)
        });
        let titles = titles.collect();
        Self { outcome, titles }
    }

    /// The store's name for people.
    pub(crate) fn title(&self, store: &str) -> String {
        self.titles.get(store).cloned().unwrap_or_else(|| printable(store))
    }

    /// Titles in a sentence.
    pub(crate) fn titles(&self, stores: &[String]) -> String {
        listed(&stores.iter().map(|store| self.title(store)).collect::<Vec<_>>())
    }

    /// The need, and how the race went.
    pub(crate) fn facts(&self) -> &'a PickFacts {
        self.outcome.facts
    }
}

/// The rival and its place, for a sentence.
pub(crate) fn describe_rival(picked: &Picked<'_>, ranking: &Ranking, rival: &Place) -> String {
    let relation = match rival.standing {
        _ if rival.name == ranking.order[1].name => "the next",
        Standing::Tied => "tied with it",
        _ => "not told apart from it",
    };
    format!("{}, {relation},", picked.title(&rival.name))
}

/// An interval as a part of a sentence.
pub(crate) fn surely(of: Interval) -> String {
    if of.says_nothing() {
        return format!("{TOO_FEW_ROUNDS} to say");
    }
    format!("{} with 95\u{a0}% confidence", interval(of, TOO_FEW_ROUNDS))
}
