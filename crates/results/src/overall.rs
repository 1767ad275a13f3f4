//! Rankings over many workloads: the best over a whole table, under one measure, or in one workload.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_stats::{
    Better, Candidate, CommonScatter, Interval, LogRatio, Place, RankOptions, Ranking, Rounds, Verdict, geometric_mean,
};

use crate::contender::{Contender, Contenders};
use crate::figures::Measure;
use crate::rounds::{over_workloads, with_enough_rounds};
use crate::verdict::{Column, Field, Position, Size, Table};

/// The ranking over all timed workloads for which every remaining store has figures, and their number.
#[derive(Clone, Debug)]
pub struct Overall {
    /// By geometric mean of the ratio to the best of each workload, round by round. Its intervals hold over rounds and,
    /// with several workloads, over workloads like these.
    pub ranking: Ranking,
    /// The number of common workloads in which the best store has the best figure.
    pub best_in: usize,
    /// Timed workloads (each phase counts) for which all these stores have figures.
    pub common: usize,
    /// Further common workloads, with too few rounds to be combined with these.
    pub short: usize,
    /// All timed workloads.
    pub all: usize,
    /// Keys left out because they failed somewhere or have no figures.
    pub left_out: BTreeSet<String>,
    /// Keys left out because none of their rounds has a figure in every one of these workloads.
    pub incomplete: BTreeSet<String>,
}

/// Ranks stores over all timed workloads. Stores that failed anywhere are left out. `None` if nothing is in common.
pub fn overall(table: &Table) -> Option<Overall> {
    overall_of(table, Measure::is_time)
}

/// Ranks stores over all workloads of some measures, like [`overall`] does over all timed ones.
pub fn overall_of(table: &Table, which: impl Fn(&Measure) -> bool) -> Option<Overall> {
    let measures = table.measures.iter().filter(|measure| which(measure));
    overall_over(measures.flat_map(|measure| table.places_of(measure)).collect())
}

/// A workload: the size of its values, their data and the number of records.
pub type Workload = (Size, Column);

/// The fastest stores in each workload, over all its operations. Empty with a single workload, which [`overall`] ranks.
pub fn by_workload(table: &Table) -> Vec<(Workload, Overall)> {
    let mut workloads: BTreeMap<(Size, &Column), Vec<(&Position, &Field)>> = BTreeMap::new();
    for (place @ (measure, size, column), field) in &table.fields {
        let of = workloads.entry((*size, column)).or_default();
        of.extend(measure.is_time().then_some((place, field)));
    }
    if workloads.len() < 2 {
        return Vec::new();
    }
    let of = |((size, column), fields)| Some(((size, Column::clone(column)), overall_over(fields)?));
    workloads.into_iter().filter_map(of).collect()
}

/// Ranks stores over some fields.
fn overall_over(fields: Vec<(&Position, &Field)>) -> Option<Overall> {
    let failed: BTreeSet<String> = fields.iter().flat_map(|(_, field)| field.failed.iter().cloned()).collect();
    let entrants: BTreeSet<&String> =
        fields.iter().flat_map(|(_, field)| field.rounds.keys()).filter(|key| !failed.contains(*key)).collect();
    let common = fields.iter().filter(|(_, field)| entrants.iter().all(|key| field.rounds.contains_key(*key)));
    let scored: Vec<Scored> = common.filter_map(|(place, field)| Scored::new(place, field, &entrants)).collect();
    let common = scored.len();
    let scored = with_enough_rounds(scored, |of| of.costs.values().map(Rounds::len).min().unwrap_or(0));
    let short = common - scored.len();
    let candidates = entrants.iter().map(|key| Candidate::new((*key).clone(), scores(&scored, key)));
    let ranking = over_rounds_and_workloads(candidates, &scored)?;
    let best_in = scored.iter().filter(|of| is_first(&of.costs, &ranking.best)).count();
    let is_ranked = |key: &String| ranking.order.iter().any(|place| place.name == *key);
    let incomplete = entrants.iter().filter(|key| !is_ranked(key)).map(|key| (*key).clone()).collect();
    Some(Overall { ranking, best_in, common: scored.len(), short, all: fields.len(), left_out: failed, incomplete })
}

/// A field with the costs of the ranked stores.
struct Scored<'a> {
    workload: (Size, &'a Column),
    /// The rounds' costs relative to the best typical round.
    costs: BTreeMap<&'a String, Rounds>,
}

impl<'a> Scored<'a> {
    /// `None` if the best is zero.
    fn new((measure, size, column): &'a Position, field: &'a Field, entrants: &BTreeSet<&'a String>) -> Option<Self> {
        let costs_of = |key| Some(field.costs(measure, field.rounds.get(key)?));
        let costs: BTreeMap<&String, Rounds> =
            entrants.iter().filter_map(|key| Some((*key, costs_of(*key)?))).collect();
        let centres = costs.values().filter_map(Rounds::centre);
        let best = centres.min_by(f64::total_cmp).filter(|best| *best > 0.0)?;
        let costs = costs.into_iter().map(|(key, costs)| (key, costs.map(|cost| cost / best))).collect();
        Some(Self { workload: (*size, column), costs })
    }
}

/// One store's geometric mean over the workloads, for each round that all of them have.
fn scores(scored: &[Scored<'_>], key: &String) -> Rounds {
    over_workloads(&scored.iter().filter_map(|of| of.costs.get(key)).collect::<Vec<_>>())
}

/// With fewer workloads, nothing can be said about how workloads differ. The ranking then holds only for these.
const WORKLOADS_MIN: usize = 3;

/// The confidence level of a ranking over a table.
const CONFIDENCE: f64 = 0.95;

/// The ranking by these scores. It must hold over the rounds and, with several workloads, over workloads too. If a
/// store is faster in one and slower in another, more rounds do not predict a further workload. Operations are not a
/// sample of other operations.
fn over_rounds_and_workloads(candidates: impl Iterator<Item = Candidate>, scored: &[Scored<'_>]) -> Option<Ranking> {
    let field = bakeoff_stats::Field::new(candidates, RankOptions::new(Better::Lower))?;
    let scatter = CommonScatter::of(field.ratios());
    let ranking = field.rank(&scatter, CONFIDENCE);
    let confidence = field.confidence_of_pair(&scatter, CONFIDENCE);
    let mut workloads: BTreeMap<(Size, &Column), Vec<&Scored>> = BTreeMap::new();
    for of in scored {
        workloads.entry(of.workload).or_default().push(of);
    }
    if workloads.len() < WORKLOADS_MIN {
        return Some(ranking);
    }
    let centres = |key: &str| -> Rounds {
        let of = |(workload, fields): (u32, &Vec<&Scored>)| {
            let centre = |of: &&Scored| of.costs.get(&key.to_owned())?.centre();
            let centres: Option<Vec<f64>> = fields.iter().map(centre).collect();
            Some((workload, geometric_mean(&centres?)?))
        };
        (1..).zip(workloads.values()).filter_map(of).collect()
    };
    let best = centres(&ranking.best);
    Some(ranking.widened(|key| {
        let ratio = LogRatio::of_unordered(&centres(key), &best)?;
        CommonScatter::default().interval(&ratio, confidence)
    }))
}

/// Whether a store has the best figure in a workload.
fn is_first(costs: &BTreeMap<&String, Rounds>, key: &String) -> bool {
    let centre = |rounds: &Rounds| rounds.centre().unwrap_or(f64::INFINITY);
    let own = costs.get(key).map_or(f64::INFINITY, centre);
    costs.values().all(|other| centre(other) >= own)
}

/// What the first place depends on, if the stores that share it win different comparisons. None of them is then best at
/// everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Depends {
    /// On the operation: the measures that each store wins, most wins first.
    OnOperation(Vec<(String, Vec<Measure>)>),
    /// On the workload: the number of comparisons that each store wins, most first, and the number of all comparisons.
    OnWorkload(Vec<(String, usize)>, usize),
}

/// What the first place of a ranking depends on. `None` unless several stores may be first and more than one of them
/// wins something.
pub fn depends(table: &Table, ranking: &Ranking) -> Option<Depends> {
    if !matches!(ranking.verdict, Verdict::Tie | Verdict::Undecided) {
        return None;
    }
    let may_be_first: Vec<&str> =
        ranking.order.iter().filter(|place| !place.is_worse()).map(|place| place.name.as_str()).collect();
    let mut all = Tally::default();
    let mut operations: BTreeMap<String, Vec<Measure>> = BTreeMap::new();
    let mut each_has_one = true;
    for measure in table.measures.iter().filter(|measure| measure.is_time()) {
        let mut tally = Tally::of(table, measure);
        tally.wins.retain(|key, _| may_be_first.contains(&key.as_str()));
        all.fields += tally.fields;
        each_has_one &= tally.wins.len() < 2;
        for (key, wins) in tally.wins {
            operations.entry(key.clone()).or_default().push(measure.clone());
            *all.wins.entry(key).or_default() += wins;
        }
    }
    if all.wins.len() < 2 {
        return None;
    }
    let winners = most_first(&all.wins).into_iter().map(|(key, wins)| (key.clone(), *wins));
    Some(if each_has_one {
        Depends::OnOperation(
            winners.map(|(key, _)| (key.clone(), operations.remove(&key).unwrap_or_default())).collect(),
        )
    } else {
        Depends::OnWorkload(winners.collect(), all.fields)
    })
}

/// How often each store was best.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Comparisons won, by store.
    pub wins: BTreeMap<String, usize>,
    /// Comparisons with a shared first place, by store.
    pub shared: BTreeMap<String, usize>,
    /// Comparisons with the best figure but without proof, by store.
    pub first: BTreeMap<String, usize>,
    /// Fields in which several stores have the same best figure.
    pub first_shared: usize,
    /// Comparisons in which the best figure is not proven.
    pub open: usize,
    /// Comparisons in which no other store has a figure, by store.
    pub alone: BTreeMap<String, usize>,
    /// Ties.
    pub ties: usize,
    /// Comparisons without any figure.
    pub nobody: usize,
    /// All comparisons.
    pub fields: usize,
}

impl Tally {
    /// How often each store is best at a measure.
    pub fn of(table: &Table, measure: &Measure) -> Self {
        let mut tally = Self::default();
        table.fields_of(measure).for_each(|field| tally.count(field.ranking.as_ref()));
        tally
    }

    /// How often each store is best in some comparisons.
    pub fn of_rankings<'a>(rankings: impl Iterator<Item = &'a Ranking>) -> Self {
        let mut tally = Self::default();
        rankings.for_each(|ranking| tally.count(Some(ranking)));
        tally
    }

    fn count(&mut self, ranking: Option<&Ranking>) {
        self.fields += 1;
        match ranking {
            Some(ranking) => self.add(ranking),
            None => self.nobody += 1,
        }
    }

    fn add(&mut self, ranking: &Ranking) {
        let is_open = matches!(ranking.verdict, Verdict::Unproven | Verdict::Undecided);
        let by_verdict = match ranking.verdict {
            Verdict::Winner => &mut self.wins,
            Verdict::Unproven | Verdict::Undecided => &mut self.first,
            Verdict::Alone => &mut self.alone,
            Verdict::Tie => &mut self.shared,
        };
        for key in &ranking.tied {
            *by_verdict.entry(key.clone()).or_default() += 1;
        }
        self.ties += usize::from(ranking.verdict == Verdict::Tie);
        self.open += usize::from(is_open);
        self.first_shared += usize::from(is_open && ranking.tied.len() > 1);
    }
}

/// The results of the stores that are first over all comparisons of a measure, within each comparison.
#[derive(Clone, Debug)]
pub struct FirstPlaces {
    /// Comparisons won by each of them, by store.
    pub wins: BTreeMap<String, usize>,
    /// Comparisons in which some of them share the first place.
    pub ties: usize,
    /// Comparisons in which one of them has the best figure without proof.
    pub open: usize,
    /// Whether no comparison has a competitor.
    pub is_alone: bool,
    /// All comparisons.
    pub comparisons: usize,
}

impl FirstPlaces {
    /// The results of the first stores of `overall` in the fields of a measure in which somebody is ranked.
    pub fn of(table: &Table, measure: &Measure, overall: &Ranking) -> Self {
        let rankings = || table.fields_of(measure).filter_map(|field| field.ranking.as_ref());
        let is_theirs = |of: &&Ranking| of.tied.iter().any(|key| overall.tied.contains(key));
        let (all, theirs) = (Tally::of_rankings(rankings()), Tally::of_rankings(rankings().filter(is_theirs)));
        Self {
            wins: theirs.wins,
            ties: theirs.ties,
            open: theirs.open,
            is_alone: all.alone.values().sum::<usize>() == all.fields,
            comparisons: all.fields,
        }
    }
}

/// How often a store is first among several answers.
#[derive(Clone, Copy, Debug)]
pub struct OftenFirst<'a> {
    /// The store, one per title.
    pub contender: &'a Contender,
    /// Answers won.
    pub wins: usize,
    /// Answers with a shared first place.
    pub ties: usize,
}

/// Stores that win or share a first place, most frequent first.
pub fn most_often_first<'a>(tally: &Tally, contenders: &'a Contenders) -> Vec<OftenFirst<'a>> {
    let titles = contenders.titles().into_iter();
    let mut all: Vec<OftenFirst> = titles.map(|contender| OftenFirst { contender, wins: 0, ties: 0 }).collect();
    for of in &mut all {
        let count = |counts: &BTreeMap<String, usize>| -> usize {
            counts.iter().filter(|(key, _)| contenders.index(key) == of.contender.index).map(|(_, count)| count).sum()
        };
        (of.wins, of.ties) = (count(&tally.wins), count(&tally.shared));
    }
    all.retain(|of| of.wins + of.ties > 0);
    all.sort_by_key(|of| std::cmp::Reverse((of.wins, of.ties)));
    all
}

/// Keys with their counts, highest first.
pub fn most_first(counts: &BTreeMap<String, usize>) -> Vec<(&String, &usize)> {
    let mut sorted: Vec<(&String, &usize)> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    sorted
}

/// The first store behind those sharing the first place, if that is proven.
pub fn next(ranking: &Ranking) -> Option<(&Place, Interval)> {
    let next = ranking.order.iter().find(|place| place.is_worse() && ranking.verdict != Verdict::Unproven)?;
    Some((next, next.ratio_to_best?))
}
