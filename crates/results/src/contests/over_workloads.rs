//! Who is best over all workloads of the same circumstances, under each measure. Tables rank some measures so already: those rankings
//! are here too. Of the others typical rounds are compared, which proves nothing.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_stats::{Better, Interval, Standing, Verdict, geometric_mean};

use super::{Contest, Contests, Event, Place};
use crate::analysis::{Analysis, Ranked};
use crate::circumstances::Circumstances;
use crate::contests::measures::MEASURES;
use crate::figures::{Family, Measure};

/// The workloads of a run under the same circumstances.
pub struct OverWorkloads {
    /// One of their places.
    pub place: usize,
    /// Under each measure; `None` where stores have nothing in common.
    pub measures: [Option<Over>; MEASURES.len()],
}

/// How stores compare over workloads that all of them have figures of.
#[derive(Debug, PartialEq)]
pub struct Over {
    /// What can be said about the best; `None` where typical rounds were compared.
    pub verdict: Option<Verdict>,
    /// The stores, the best first.
    pub order: Vec<OverPlace>,
    /// How many workloads all of them have figures of.
    pub common: usize,
    /// How many workloads there are.
    pub all: usize,
}

/// Where a store stands.
#[derive(Debug, PartialEq)]
pub struct OverPlace {
    /// Its key.
    pub key: String,
    /// How many times worse than the best: a geometric mean.
    pub times: f64,
    /// The interval of that, and what it says; `None` where there is none.
    pub known: Option<(Interval, Standing)>,
}

impl<'a> Contests<'a> {
    /// How stores compare over all workloads, for the circumstances of each run.
    pub fn over_workloads(&self, runs: &[&'a Analysis<'a>]) -> Vec<OverWorkloads> {
        type Group<'c, 'a> = (usize, Vec<(&'c Event<'a>, &'c Contest<'a>)>);
        let mut groups: BTreeMap<(usize, Circumstances), Group> = BTreeMap::new();
        for ((event, place), contest) in &self.all {
            let Place { run, axes } = &self.places[*place];
            let group = groups.entry((*run, Circumstances::of(axes))).or_insert_with(|| (*place, Vec::new()));
            group.1.push((event, contest));
        }
        let of = |((run, circumstances), (place, contests)): ((usize, Circumstances), Group)| {
            let ranked = runs[run].ranked().find(|ranked| ranked.table.circumstances == circumstances);
            let over = |at: usize| match MEASURES[at].table {
                Some(family) => of_table(ranked?, family),
                None => {
                    let here = |(event, _): &&(&Event, &Contest)| event.phase.is_some() == MEASURES[at].per_phase;
                    of_typical_rounds(at, contests.iter().filter(here).map(|(_, contest)| *contest))
                }
            };
            OverWorkloads { place, measures: std::array::from_fn(over) }
        };
        groups.into_iter().map(of).collect()
    }
}

/// The ranking that a table has.
fn of_table(ranked: Ranked, family: Family) -> Option<Over> {
    let of = match family {
        Family::Time => ranked.whole(),
        Family::Space => ranked.measure(&Measure::Space),
        Family::Memory => ranked.measure(&Measure::Memory),
    }?;
    let place = |place: &bakeoff_stats::Place| OverPlace {
        key: place.name.clone(),
        times: of.ranking.times_the_best(place),
        known: place.ratio_to_best.map(|ratio| (ratio, place.standing)),
    };
    let order = of.ranking.order.iter().map(place).collect();
    Some(Over { verdict: Some(of.ranking.verdict), order, common: of.common, all: of.all })
}

/// Geometric means of typical rounds. Stores that failed somewhere are left out.
fn of_typical_rounds<'c, 'a: 'c>(at: usize, contests: impl Iterator<Item = &'c Contest<'a>>) -> Option<Over> {
    let ranked: Vec<_> = contests.filter(|contest| contest.rankings[at].is_some()).collect();
    let failed: BTreeSet<&str> = ranked.iter().flat_map(|contest| contest.failed.iter().copied()).collect();
    let names = ranked.iter().filter_map(|contest| contest.rankings[at].as_ref()).flat_map(|of| &of.order);
    let stores: BTreeSet<&str> = names.map(|place| place.name.as_str()).filter(|name| !failed.contains(name)).collect();
    let cost = |contest: &Contest, key: &str| {
        let figure = contest.entries.get(key)?.typical(at).filter(|figure| *figure > 0.0)?;
        Some(if MEASURES[at].better() == Better::Lower { figure } else { figure.recip() })
    };
    let costs = |contest: &&Contest| -> Option<Vec<f64>> { stores.iter().map(|key| cost(contest, key)).collect() };
    let common: Vec<Vec<f64>> = ranked.iter().filter_map(costs).collect();
    let means: Vec<f64> = (0..stores.len())
        .filter_map(|store| geometric_mean(&common.iter().map(|costs| costs[store]).collect::<Vec<_>>()))
        .collect();
    let best = means.iter().copied().min_by(f64::total_cmp)?;
    let place = |(key, mean): (&&str, &f64)| OverPlace { key: (*key).to_owned(), times: mean / best, known: None };
    let mut order: Vec<OverPlace> = stores.iter().zip(&means).map(place).collect();
    order.sort_by(|one, other| one.times.total_cmp(&other.times));
    Some(Over { verdict: None, order, common: common.len(), all: ranked.len() })
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{Candidate, RankOptions, rank};

    use super::*;

    /// The place of a measure that tables do not rank, of which more is better.
    fn rate() -> usize {
        MEASURES.iter().position(|measure| measure.name == "per_second").unwrap()
    }

    fn contest(rates: &[(&'static str, f64)], failed: &[&'static str]) -> Contest<'static> {
        let mut contest = Contest { failed: failed.iter().copied().collect(), ..Contest::default() };
        for (store, figure) in rates {
            contest.entries.entry(store).or_default().shown[rate()] = vec![*figure];
        }
        let candidates = rates.iter().map(|(store, figure)| Candidate::new(*store, [*figure]));
        contest.rankings[rate()] = rank(candidates, RankOptions::new(Better::Higher), 0.95);
        contest
    }

    /// The stores with their factors, the workloads that all have, and all workloads.
    type Over = (Vec<(String, f64)>, usize, usize);

    fn over(contests: &[Contest]) -> Option<Over> {
        let of = of_typical_rounds(rate(), contests.iter())?;
        Some((
            of.order.into_iter().map(|place| (place.key, (place.times * 1e6).round() / 1e6)).collect(),
            of.common,
            of.all,
        ))
    }

    #[test]
    fn stores_are_compared_where_all_of_them_have_figures() {
        let contests = [
            contest(&[("a", 100.0), ("b", 25.0)], &[]),
            contest(&[("a", 10.0), ("b", 10.0)], &[]),
            contest(&[("b", 7.0)], &[]),
        ];
        assert_eq!(over(&contests), Some((vec![("a".to_owned(), 1.0), ("b".to_owned(), 2.0)], 2, 3)));
    }

    #[test]
    fn who_failed_somewhere_is_left_out() {
        let contests = [contest(&[("a", 1.0), ("b", 2.0)], &[]), contest(&[("b", 2.0)], &["a"])];
        assert_eq!(over(&contests), Some((vec![("b".to_owned(), 1.0)], 2, 2)));
        assert_eq!(over(&[]), None);
        assert_eq!(over(&[contest(&[("a", 0.0)], &[])]), None, "of zero there is no ratio");
    }
}
