//! Rates of variants compared with those of a baseline: which fields have one, and each store's multiple of the
//! baseline's rate.

use std::collections::BTreeMap;

use bakeoff_stats::{Rounds, Standing, Verdict};

use crate::contender::Contenders;
use crate::figures::Measure;
use crate::verdict::{Field, Table};

/// The rates of the baseline's variants, by measure and store. If several variants have a rate, the first one counts.
pub struct Baseline<'a> {
    variants: &'a [String],
    rates: BTreeMap<(&'a Measure, &'a str), f64>,
}

/// How a store shares the first place of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shares {
    /// It is tied with the best.
    Tied,
    /// The rounds do not show whether the best is better.
    Open,
}

/// A store's rate in a field.
pub struct RateOf<'a> {
    /// The store's key.
    pub key: &'a str,
    /// Operations per second (entries for scans). `None` if it failed.
    pub per_second: Option<f64>,
    /// The multiple of the baseline's rate. `None` without a baseline, and for the baseline itself.
    pub times: Option<f64>,
    /// Whether it shares the first place, or might.
    pub shares: Option<Shares>,
}

impl<'a> Baseline<'a> {
    /// The rates of these variants.
    pub fn new(tables: &'a [Table], contenders: &'a Contenders, variants: &'a [String]) -> Self {
        let mut rates = BTreeMap::new();
        for table in tables.iter().filter(|table| is_among(variants, table)) {
            for (measure, field) in timed(table) {
                for (key, rounds) in &field.rounds {
                    if let Some(rate) = per_second(table, rounds) {
                        rates.entry((measure, contenders.store(key))).or_insert(rate);
                    }
                }
            }
        }
        Self { variants, rates }
    }

    /// The fields of a table to compare: those of measures that the baseline has too. Other measures only prepare them.
    /// All fields if an interrupted run has no baseline.
    pub fn fields<'t>(&self, table: &'t Table) -> impl Iterator<Item = (&'t Measure, &'t Field)> {
        timed(table).filter(|(measure, _)| self.rates.is_empty() || self.rates.keys().any(|(of, _)| of == measure))
    }

    /// The rate of each store in a field. Failed stores come last.
    pub fn rates<'f>(
        &self,
        table: &Table,
        measure: &Measure,
        field: &'f Field,
        contenders: &Contenders,
    ) -> Vec<RateOf<'f>> {
        let is_base = is_among(self.variants, table);
        let rate = |key: &'f String, per_second: Option<f64>| {
            let base = self.rates.get(&(measure, contenders.store(key))).filter(|_| !is_base);
            let times = per_second.zip(base).map(|(rate, base)| rate / base);
            RateOf { key, per_second, times, shares: shares(field, key) }
        };
        let measured = field.rounds.iter().map(|(key, rounds)| rate(key, per_second(table, rounds)));
        let failed = field.failed.iter().filter(|key| !field.rounds.contains_key(*key)).map(|key| rate(key, None));
        measured.chain(failed).collect()
    }
}

fn is_among(variants: &[String], table: &Table) -> bool {
    table.circumstances.variant().is_some_and(|variant| variants.iter().any(|of| of == variant))
}

/// The timed fields of a table, in the order of its measures.
fn timed(table: &Table) -> impl Iterator<Item = (&Measure, &Field)> {
    let measures = table.measures.iter().filter(|measure| measure.is_time());
    measures.flat_map(|measure| table.fields_of(measure).map(move |field| (measure, field)))
}

fn shares(field: &Field, key: &str) -> Option<Shares> {
    let ranking = field.ranking.as_ref()?;
    match ranking.order.iter().find(|place| place.name == key)?.standing {
        Standing::Undecided => Some(Shares::Open),
        Standing::Best | Standing::Tied if ranking.tied.len() > 1 => Some(Shares::Tied),
        Standing::Best if ranking.verdict == Verdict::Undecided => Some(Shares::Open),
        _ => None,
    }
}

/// Operations per second (entries for scans) of all threads together, from the typical round.
fn per_second(table: &Table, rounds: &Rounds) -> Option<f64> {
    let centre_ns = rounds.centre().filter(|centre| *centre > 0.0)?;
    Some(1e9 * table.circumstances.threads() as f64 / centre_ns)
}
