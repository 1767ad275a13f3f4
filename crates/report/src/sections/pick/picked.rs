//! A run of `bakeoff pick` with what is needed to describe it: titles, who failed where, how sure a ranking is.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::pick::{PICK_ASKED, is_late, is_without_room, of_variant, proven_ranking};
use bakeoff_results::pick_facts::PickFacts;
use bakeoff_results::run::Run;
use bakeoff_stats::{Interval, Place, Ranking, Verdict};
use bakeoff_text::{listed, printable, ratio, ratio_range};

use crate::sections::heading::is_unfinished;

/// No figures are given for what lies further from one than this.
const BEYOND: f64 = 1000.0;

/// Of a pick that somebody ended.
pub(crate) const CUT_SHORT: &str =
    "It was stopped before it was done, so this is what was known by then: start another.";

/// A run of `bakeoff pick` with what is needed to speak of it.
pub(crate) struct Picked<'a> {
    pub(crate) run: &'a Run,
    pub(crate) facts: &'a PickFacts,
    pub(crate) titles: BTreeMap<&'a str, String>,
}

impl<'a> Picked<'a> {
    /// The run with the titles of its stores.
    pub(crate) fn new(run: &'a Run, facts: &'a PickFacts) -> Self {
        let asked = facts.need.iter().find(|(key, _)| key == "durability").map(|(_, class)| class.as_str());
        let titles = run.stores().iter().map(|store| {
            let mut title = printable(&store.title);
            // One that promises more than was asked, as it offers nothing less.
            let mut cells = of_variant(&run.cells, PICK_ASKED).filter(|cell| cell.end.axes.store == store.name);
            let class = cells.next().map(|cell| cell.end.axes.durability);
            if let Some(class) = class.filter(|class| asked.is_some_and(|asked| asked != class.name())) {
                title += &format!(" ({class})");
            }
            (store.name.as_str(), title)
        });
        let titles = titles.collect();
        Self { run, facts, titles }
    }

    /// The store's name for people.
    pub(crate) fn title(&self, store: &str) -> String {
        self.titles.get(store).cloned().unwrap_or_else(|| printable(store))
    }

    /// Titles in a sentence.
    pub(crate) fn titles(&self, stores: &[String]) -> String {
        listed(&stores.iter().map(|store| self.title(store)).collect::<Vec<_>>())
    }

    /// The rounds of a variant.
    pub(crate) fn cells<'v>(&'v self, variant: &'v str) -> impl Iterator<Item = &'v CellRound> {
        of_variant(&self.run.cells, variant)
    }

    /// Names of the stores of which a round of this variant failed: none of their rounds of it count.
    pub(crate) fn failed(&self, variant: &str) -> Vec<String> {
        let failed: BTreeSet<_> =
            self.cells(variant).filter(|cell| !cell.is_ok()).map(|cell| &cell.end.axes.store).collect();
        failed.into_iter().cloned().collect()
    }

    /// Whether somebody, and neither the figures nor the time, ended it.
    pub(crate) fn is_cut_short(&self) -> bool {
        is_unfinished(self.run)
    }

    /// Names of the stores that were not done with a variant in their part of the time.
    pub(crate) fn late(&self, variant: &str) -> Vec<String> {
        let late = self.cells(variant).filter(|cell| is_late(cell)).map(|cell| &cell.end.axes.store);
        late.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }

    /// Names of the stores for which there was no room on the disk, whoever took it: how good they are is not known.
    pub(crate) fn without_room(&self) -> Vec<String> {
        let full = self.cells(PICK_ASKED).filter(|cell| is_without_room(cell)).map(|cell| &cell.end.axes.store);
        full.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }

    /// Names of the stores that were to race and of which no round was measured.
    pub(crate) fn unmeasured(&self) -> Vec<String> {
        let measured: BTreeSet<_> = self.cells(PICK_ASKED).map(|cell| &cell.end.axes.store).collect();
        self.facts.raced.iter().filter(|name| !measured.contains(name)).cloned().collect()
    }

    /// The ranking of a variant.
    pub(crate) fn ranking(&self, variant: &str) -> Option<Ranking> {
        proven_ranking(&self.run.cells, variant, self.facts)
    }
}

/// Whom the best is set against: the first that is tied with it, who need not be the next where rounds scatter; else the next.
pub(crate) fn rival(ranking: &Ranking) -> Option<&Place> {
    let mut others = ranking.order.iter().skip(1);
    match ranking.verdict {
        Verdict::Tie => others.find(|place| ranking.tied.contains(&place.name)),
        _ => others.next(),
    }
}

/// The rival and its place, for a sentence.
pub(crate) fn describe_rival(picked: &Picked<'_>, ranking: &Ranking, rival: &Place) -> String {
    let relation = if rival.name == ranking.order[1].name { "the next" } else { "tied with it" };
    format!("{}, {relation},", picked.title(&rival.name))
}

/// An interval as a part of a sentence. Of two rounds it may be wide beyond all sense, and then its ends have no figures.
pub(crate) fn surely(interval: Interval) -> String {
    let Interval { low, high, .. } = interval;
    let range = match (low < 1.0 / BEYOND, high > BEYOND) {
        (false, false) => ratio_range(low, high),
        (true, false) => format!("less than {} to {}", ratio(1.0 / BEYOND), ratio(high)),
        (false, true) => format!("{} to more than {}", ratio(low), ratio(BEYOND)),
        (true, true) => format!("less than {} to more than {}", ratio(1.0 / BEYOND), ratio(BEYOND)),
    };
    format!("{range} with 95\u{a0}% confidence")
}
