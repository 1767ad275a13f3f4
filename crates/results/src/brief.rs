//! What a short answer shows of a run: in how many workloads each store is fastest, and the order of the stores. It also counts
//! warnings, skips and abandoned cells.

use bakeoff_stats::Ranking;

use crate::analysis::{Analysis, Ranked};
use crate::caveats::caveats;
use crate::contender::Contenders;
use crate::overall::{Tally, most_first};
use crate::record::known;

/// In how many rankings each store is first, beyond doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FastestIn {
    /// Keys with the number of rankings that they win, most first.
    pub wins: Vec<(String, usize)>,
    /// Rankings that no store wins: several are tied, or nothing is proven.
    pub open: usize,
    /// All rankings.
    pub all: usize,
}

impl FastestIn {
    /// Who is fastest over all operations on each workload; `None` where there is one workload, or one store.
    pub fn of_workloads(of: Ranked) -> Option<Self> {
        Self::of(of.workloads().iter().map(|(_, overall)| &overall.ranking))
    }

    /// Who is fastest under each of the circumstances of a run.
    pub fn of_tables(of: &Analysis) -> Option<Self> {
        Self::of(of.ranked().filter_map(Ranked::whole_ranking))
    }

    fn of<'a>(rankings: impl Iterator<Item = &'a Ranking>) -> Option<Self> {
        let tally = Tally::of_rankings(rankings);
        let alone: usize = tally.alone.values().sum();
        let wins: Vec<(String, usize)> =
            most_first(&tally.wins).into_iter().map(|(key, wins)| (key.clone(), *wins)).collect();
        let won: usize = wins.iter().map(|(_, wins)| wins).sum();
        (alone < tally.fields).then_some(Self { wins, open: tally.fields - won, all: tally.fields })
    }
}

/// The keys of all stores of a table that may be ranked: by their places over everything, those without one last.
pub fn in_order(of: Ranked, contenders: &Contenders) -> Vec<String> {
    let placed = of.whole_ranking().into_iter().flat_map(|ranking| &ranking.order).map(|place| &place.name);
    let mut keys: Vec<String> = placed.cloned().collect();
    let is_ranked = |key: &&String| contenders.get(key).is_none_or(|contender| contender.ranked);
    let others: Vec<String> =
        of.table.present.iter().filter(is_ranked).filter(|key| !keys.contains(key)).cloned().collect();
    keys.extend(others);
    keys
}

/// How much there is to know besides the figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// Warnings, what could not be read, and what else a reader of the figures must know.
    pub warnings: usize,
    /// What the plan left out.
    pub skips: usize,
    /// What there was no time for.
    pub given_up: usize,
}

impl Notices {
    /// Those of a run.
    pub fn of(of: &Analysis) -> Self {
        let record = &of.run.record;
        let warnings = record.warnings.iter().filter(|of| known(&of.message).is_some() || of.advice.is_some()).count();
        Self {
            warnings: warnings + of.run.notes.len() + caveats(of).len(),
            skips: record.skipped.len(),
            given_up: record.given_up.len(),
        }
    }
}
