//! Evidence from a run with twins: how far equals appear to differ, and whether rankings call them different.
//!
//! A twin is a store under another name ([`bakeoff_protocol::StoreDescription::twin_of`]), so any difference between
//! the two is chance. The size of these differences shows which differences this machine can detect now.

use std::collections::BTreeMap;

use bakeoff_stats::{CommonScatter, LogRatio, Ranking, median};

use crate::analysis::Analysis;
use crate::contender::Contenders;
use crate::figures::Measure;
use crate::run::Run;
use crate::verdict::Table;

/// The confidence level for the ratio of two equals.
const CONFIDENCE: f64 = 0.95;

/// What a run shows about equals.
#[derive(Clone, Debug, PartialEq)]
pub struct Equals {
    /// By measure of time, in the order of the run's phases.
    pub measures: Vec<EqualsOfMeasure>,
    /// Rankings that contain a store and its twin.
    pub rankings: usize,
    /// Rankings among these that rank a twin of the best as worse.
    pub false_rankings: usize,
    /// Whether the ranking over everything does so. `None` if there is none.
    pub is_whole_false: Option<bool>,
}

/// How far equals appear to differ in one measure.
#[derive(Clone, Debug, PartialEq)]
pub struct EqualsOfMeasure {
    /// The measure.
    pub measure: Measure,
    /// Pairs of equals, one in each workload.
    pub pairs: usize,
    /// Rounds of a typical pair.
    pub rounds: usize,
    /// A typical ratio is known within this factor at 95 % confidence. Smaller slowdowns are not detectable.
    pub known_within: f64,
}

impl EqualsOfMeasure {
    /// This factor with another number of rounds, at least 1. The standard error falls with the square root of that
    /// number.
    pub fn known_within_after(&self, rounds: usize) -> f64 {
        (self.known_within.ln() * (self.rounds as f64 / rounds as f64).sqrt()).exp()
    }
}

impl Equals {
    /// What a run shows about its stores and their twins. `None` if no store has a twin in it, or all have too few
    /// rounds.
    pub fn of(analysis: &Analysis<'_>) -> Option<Self> {
        let names = Names::new(analysis.run, &analysis.contenders);
        let mut found = Self { measures: Vec::new(), rankings: 0, false_rankings: 0, is_whole_false: None };
        for ranked in analysis.ranked() {
            found.measures.extend(names.measures(ranked.table));
            let rankings = ranked.table.fields.iter().filter(|((measure, ..), _)| measure.is_time());
            for ranking in rankings.filter_map(|(_, field)| field.ranking.as_ref()) {
                if let Some(is_false) = names.is_false(ranking) {
                    found.rankings += 1;
                    found.false_rankings += usize::from(is_false);
                }
            }
            let whole = ranked.whole().and_then(|whole| names.is_false(&whole.ranking));
            found.is_whole_false = found.is_whole_false.into_iter().chain(whole).reduce(|a, b| a || b);
        }
        (!found.measures.is_empty()).then_some(found)
    }
}

/// The original store of each contender, by key.
struct Names<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Names<'a> {
    fn new(run: &'a Run, contenders: &'a Contenders) -> Self {
        let originals = run.stores().iter().filter_map(|store| Some((store.name.as_str(), store.twin_of.as_deref()?)));
        let originals: BTreeMap<&str, &str> = originals.collect();
        let all = contenders.titles().into_iter();
        Self(
            all.map(|each| (each.key.as_str(), *originals.get(each.store.as_str()).unwrap_or(&each.store.as_str())))
                .collect(),
        )
    }

    fn are_equal(&self, a: &str, b: &str) -> bool {
        a != b && self.0.get(a).is_some_and(|store| self.0.get(b) == Some(store))
    }

    /// Whether a ranking ranks an equal of the best as worse. `None` if it has none.
    fn is_false(&self, ranking: &Ranking) -> Option<bool> {
        let mut equals = ranking.order.iter().filter(|place| self.are_equal(&place.name, &ranking.best)).peekable();
        equals.peek()?;
        Some(equals.any(|place| place.is_worse()))
    }

    fn measures(&self, table: &Table) -> Vec<EqualsOfMeasure> {
        let times: Vec<(&Measure, Vec<LogRatio>)> = table
            .measures
            .iter()
            .filter(|measure| measure.is_time())
            .map(|each| (each, self.ratios(table, each)))
            .collect();
        let scatter = CommonScatter::of(times.iter().flat_map(|(_, ratios)| ratios));
        let of = |(measure, ratios): (&Measure, Vec<LogRatio>)| {
            let known = ratios.iter().filter_map(|ratio| {
                let interval = scatter.interval(ratio, CONFIDENCE)?;
                Some(interval.high / interval.estimate)
            });
            let known: Vec<f64> = known.collect();
            let rounds: Vec<f64> = ratios.iter().map(|ratio| ratio.rounds() as f64).collect();
            let (measure, pairs, rounds) = (measure.clone(), known.len(), median(&rounds)? as usize);
            Some(EqualsOfMeasure { measure, pairs, rounds, known_within: median(&known)? })
        };
        times.into_iter().filter_map(of).collect()
    }

    /// The ratios of all equals in all workloads.
    fn ratios(&self, table: &Table, measure: &Measure) -> Vec<LogRatio> {
        let of_field = |field: &crate::verdict::Field| {
            let costs: Vec<_> = field.rounds.iter().map(|(key, rounds)| (key, field.costs(measure, rounds))).collect();
            let pairs = costs.iter().enumerate().flat_map(|(at, a)| costs[at + 1..].iter().map(move |b| (a, b)));
            let equal = pairs.filter(|((a, _), (b, _))| self.are_equal(a, b));
            equal.filter_map(|((_, a), (_, b))| LogRatio::of(a, b)).collect::<Vec<_>>()
        };
        table.fields_of(measure).flat_map(of_field).collect()
    }
}
