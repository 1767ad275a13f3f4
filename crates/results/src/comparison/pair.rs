//! The figures that two runs have in common.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_stats::Rounds;

use crate::circumstances::Circumstances;
use crate::contender::Contenders;
use crate::figures::{Measure, resolution};
use crate::verdict::{Column, Size, Table};

/// The same figure in both runs, as costs, one per round.
pub(super) struct Pair<'a> {
    pub(super) circumstances: &'a Circumstances,
    pub(super) measure: &'a Measure,
    pub(super) size: Size,
    pub(super) column: &'a Column,
    pub(super) key: &'a str,
    pub(super) a: Rounds,
    pub(super) b: Rounds,
    pub(super) resolution: f64,
}

/// Maps the keys of stores that the other run has exactly once, with other settings, to their keys there.
pub(super) fn twins(tables: &[Table], others: &[Table], contenders: &Contenders) -> BTreeMap<String, String> {
    let (keys, others) = (present(tables), present(others));
    let store = |key: &str| contenders.get(key).map(|contender| contender.store.as_str());
    let twin = |key: &&str| {
        let mut of_store = others.iter().filter(|other| store(other) == store(key));
        of_store.next().filter(|_| of_store.next().is_none()).map(|twin| ((*key).to_owned(), (*twin).to_owned()))
    };
    keys.iter().filter(|key| !others.contains(**key)).filter_map(twin).collect()
}

/// The keys of all contenders in these tables.
fn present(tables: &[Table]) -> BTreeSet<&str> {
    tables.iter().flat_map(|table| &table.present).map(String::as_str).collect()
}

/// All figures that both runs have, and the number that only the first one has.
pub(super) fn pairs<'a>(a: &'a [Table], b: &'a [Table], twins: &BTreeMap<String, String>) -> (Vec<Pair<'a>>, usize) {
    let (mut common, mut only_a) = (Vec::new(), 0);
    for table in a {
        let other = b.iter().find(|other| other.circumstances == table.circumstances);
        for measure in &table.measures {
            for ((_, size, column), field) in table.places_of(measure) {
                let place = (measure.clone(), *size, column.clone());
                let twin = other.and_then(|other| other.fields.get(&place));
                for (key, rounds) in &field.rounds {
                    let Some(rounds_b) = twin.and_then(|twin| twin.rounds.get(twins.get(key).unwrap_or(key))) else {
                        only_a += 1;
                        continue;
                    };
                    let circumstances = &table.circumstances;
                    let (a, b) = (field.costs(measure, rounds), field.costs(measure, rounds_b));
                    let resolution = resolution(measure, field.mode);
                    common.push(Pair { circumstances, measure, size: *size, column, key, a, b, resolution });
                }
            }
        }
    }
    (common, only_a)
}
