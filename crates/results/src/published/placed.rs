//! Places a publication's figures in bakeoff's tables, and lists its contenders.

use std::collections::BTreeMap;

use bakeoff_protocol::Axes;

use super::{Figure, Kind, Published, StoreFacts};
use crate::circumstances::Circumstances;
use crate::contender::{Contenders, Title};
use crate::figures::Measure;
use crate::verdict::{Column, LoneFigure, Size, Table, tables_of};

/// All contenders of a publication, each with its durability level.
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

/// The key that distinguishes contenders of a publication.
fn key(published: &Published, figure: &Figure) -> String {
    let class = store_facts(published, figure).and_then(|facts| facts.durability_in(figure));
    let apart = figure.settings.clone().into_iter().chain(class.map(|class| class.to_string()));
    std::iter::once(store(figure).to_owned()).chain(apart).collect::<Vec<_>>().join(" ")
}

/// The store's name in bakeoff, if it has one.
fn store(figure: &Figure) -> &str {
    figure.store.as_deref().unwrap_or(&figure.store_published)
}

fn store_facts<'a>(published: &'a Published, figure: &Figure) -> Option<&'a StoreFacts> {
    published.facts.stores.get(figure.store.as_ref()?)
}

/// The figures as tables. Each figure counts as one round, so no place is proven. For `records` see [`placed`].
pub fn tables(published: &Published, records: impl Fn(u64) -> u64) -> Vec<Table> {
    tables_of(placed(published, records).map(|(_, figure)| figure), published.facts.only_best)
}

/// The figures that fit into a table, each with its place. `records` changes the number of records of a figure, to
/// compare it with a run of fewer records.
pub fn placed(published: &Published, records: impl Fn(u64) -> u64) -> impl Iterator<Item = (&Figure, LoneFigure)> {
    let lone = move |figure: &Figure| {
        let (value, measure) = (figure.value(&published.facts)?, measure(figure)?);
        let (size, column) = workload(figure, &records);
        let (circumstances, key) = (circumstances_of(figure), key(published, figure));
        Some(LoneFigure { circumstances, place: (measure, size, column), key, value })
    };
    published.figures.iter().filter_map(move |figure| Some((figure, lone(figure)?)))
}

/// The workload of a figure. Unknown parts are empty. For `records` see [`placed`].
pub fn workload(figure: &Figure, records: impl Fn(u64) -> u64) -> (Size, Column) {
    let size = (figure.value_bytes_min.unwrap_or(0), figure.value_bytes_max.unwrap_or(0));
    (size, Column { data: figure.data.clone().unwrap_or_default(), records: figure.records.map_or(0, records) })
}

/// The circumstances of a figure. Other parameters of a publication become part of the variant, except for garbage,
/// where they name the count.
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

/// The number of records in a scaled-down run, rounded as suites do.
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
