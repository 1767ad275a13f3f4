//! The places of a publication's figures in our tables, and who takes part in it.

use std::collections::BTreeMap;

use bakeoff_protocol::Axes;

use super::{Figure, Kind, Published, StoreFacts};
use crate::circumstances::Circumstances;
use crate::contender::{Contenders, Title};
use crate::figures::Measure;
use crate::verdict::{Column, LoneFigure, Size, Table, tables_of};

/// Everyone in a publication, with the class each was set to.
pub fn contenders(published: &Published) -> Contenders {
    let mut titles = BTreeMap::new();
    for figure in &published.figures {
        let known = store_facts(published, figure);
        let settings = figure.settings.as_ref().map_or_else(String::new, |settings| format!(" ({settings})"));
        let (title, class) = match known {
            Some(facts) => {
                let class = facts.durability_in(figure).unwrap_or(facts.durability);
                (Title::new(&facts.title, &format!(" ({class})")), Some(class))
            }
            None => (Title::new(&figure.store_published, &settings), None),
        };
        titles.entry(key(published, figure)).or_insert((store(figure).to_owned(), title, class));
    }
    Contenders::named(titles)
}

/// What tells contenders of a publication apart.
fn key(published: &Published, figure: &Figure) -> String {
    let class = store_facts(published, figure).and_then(|facts| facts.durability_in(figure));
    let apart = figure.settings.clone().into_iter().chain(class.map(|class| class.to_string()));
    std::iter::once(store(figure).to_owned()).chain(apart).collect::<Vec<_>>().join(" ")
}

/// Our name for a store, where we have one.
fn store(figure: &Figure) -> &str {
    figure.store.as_deref().unwrap_or(&figure.store_published)
}

fn store_facts<'a>(published: &'a Published, figure: &Figure) -> Option<&'a StoreFacts> {
    published.facts.stores.get(figure.store.as_ref()?)
}

/// The figures as tables: each one round, so that no place in them is proven. `records` is that of [`placed`].
pub fn tables(published: &Published, records: impl Fn(u64) -> u64) -> Vec<Table> {
    tables_of(placed(published, records).map(|(_, figure)| figure), published.facts.only_best)
}

/// The figures that have a place in a table, each with that. `records` changes how many records a figure is said to be of, so that a run of
/// fewer can be set beside it.
pub fn placed(published: &Published, records: impl Fn(u64) -> u64) -> impl Iterator<Item = (&Figure, LoneFigure)> {
    let lone = move |figure: &Figure| {
        let (value, measure) = (figure.value(&published.facts)?, measure(figure)?);
        let (size, column) = workload(figure, &records);
        let (circumstances, key) = (circumstances_of(figure), key(published, figure));
        Some(LoneFigure { circumstances, place: (measure, size, column), key, value })
    };
    published.figures.iter().filter_map(move |figure| Some((figure, lone(figure)?)))
}

/// The workload of a figure, with nothing where the publication does not say it; see [`placed`] for `records`.
pub fn workload(figure: &Figure, records: impl Fn(u64) -> u64) -> (Size, Column) {
    let size = (figure.value_bytes_min.unwrap_or(0), figure.value_bytes_max.unwrap_or(0));
    (size, Column { data: figure.data.clone().unwrap_or_default(), records: figure.records.map_or(0, records) })
}

/// The circumstances of a figure. What else a publication varied is part of its variant; of garbage it says what was counted.
pub fn circumstances_of(figure: &Figure) -> Circumstances {
    let parameters = figure.parameters.as_ref().filter(|_| figure.measure != Kind::Garbage);
    let parts = [figure.variant.as_ref(), parameters];
    let variant = parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
    Circumstances::of(&Axes {
        variant: Some(variant).filter(|variant| !variant.is_empty()),
        unequal: true,
        disturbance: figure.disturbance.clone(),
        medium: figure.hardware.clone(),
        key: String::new(),
        threads: figure.threads.unwrap_or(1),
        ..Axes::default()
    })
}

/// How many records a run has that was scaled down, as the suite rounds them.
pub fn scaled(records: u64, scale: Option<f64>) -> u64 {
    scale.map_or(records, |scale| ((records as f64 * scale).round() as u64).max(1))
}

fn measure(figure: &Figure) -> Option<Measure> {
    match figure.measure {
        Kind::Time | Kind::Rate => Some(Measure::Time { phase: figure.phase.clone()?, operation: None }),
        Kind::SpaceEfficiency | Kind::Size => Some(Measure::Space),
        Kind::PeakMemory => Some(Measure::Memory),
        Kind::Garbage => None,
    }
}
