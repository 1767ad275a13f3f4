//! A publication's figures as the page shows them next to ours, and which of them belong to which contest. The rules are those of
//! [`bakeoff_results::winners`], as in every report.

use std::collections::BTreeMap;

use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contests::measures::MEASURES;
use bakeoff_results::contests::{Contests, Event};
use bakeoff_results::figures::{Family, Measure};
use bakeoff_results::published::Published;
use bakeoff_results::published::placed::{contenders, placed, scaled};
use bakeoff_results::verdict::{Column, Position};
use bakeoff_results::winners::{is_same_workload, matching};
use serde::Serialize;

use crate::page::labelled::RankedRun;

/// A publication, as the page has it.
#[derive(Serialize)]
pub(crate) struct PublishedFacts<'a> {
    title: String,
    url: &'a str,
    notes: &'a [String],
    hardware: &'a BTreeMap<String, String>,
    figures: Vec<PublishedFigure<'a>>,
}

/// One figure.
#[derive(Serialize)]
struct PublishedFigure<'a> {
    /// Of our measures; absent for what none of them stands for.
    measure: Option<&'static str>,
    hardware: &'a str,
    /// Our name for the store; absent where we have none.
    store: Option<&'a str>,
    title: String,
    value: f64,
}

/// What the page shows of a publication: every figure that has a place in a table.
pub(crate) fn facts(published: &Published) -> PublishedFacts<'_> {
    let (of, titles) = (&published.facts, contenders(published));
    let figures = placed(published, |records| records).map(|(figure, lone)| PublishedFigure {
        measure: MEASURES.iter().find(|measure| measure.table == Some(lone.place.0.family())).map(|of| of.name),
        hardware: &figure.hardware,
        store: figure.store.as_deref(),
        title: titles.title(&lone.key),
        value: lone.value * figure.keys_counted(of),
    });
    PublishedFacts {
        title: format!("{} ({}, {})", of.title, of.authors, of.year),
        url: &of.url,
        notes: &of.notes,
        hardware: &of.hardware,
        figures: figures.collect(),
    }
}

/// Which figures of a publication belong to which contests.
pub(crate) struct Beside {
    /// For each place of the contests the indices of the figures, by our measure.
    places: Vec<BTreeMap<Measure, Vec<usize>>>,
}

impl Beside {
    /// The figures of a publication that belong to the contests of these runs.
    pub(crate) fn new(published: &Published, contests: &Contests, runs: &[RankedRun]) -> Self {
        let of_runs: Vec<_> = runs.iter().map(|(_, of)| figures(published, of.run.record.suite.scale)).collect();
        let places = contests.places.iter().map(|place| {
            let size = (place.axes.value_bytes_min, place.axes.value_bytes_max);
            let column = Column { data: place.axes.data.clone(), records: place.axes.records };
            let mut found: BTreeMap<Measure, Vec<usize>> = BTreeMap::new();
            for (index, (measure, their_size, theirs)) in
                matching(&Circumstances::of(place.axes), of_runs[place.run].iter()).flatten()
            {
                if is_same_workload((*their_size, theirs), (size, &column)) {
                    found.entry(measure.clone()).or_default().push(*index);
                }
            }
            found
        });
        Self { places: places.collect() }
    }

    /// The indices of the figures that belong to a contest.
    pub(crate) fn of(&self, event: &Event, place: usize) -> Vec<usize> {
        let of = |family| self.places[place].get(&event.measure(family)?);
        Family::ALL.into_iter().filter_map(of).flatten().copied().collect()
    }
}

/// The places of a publication's figures in the tables of a run that was scaled so, by their circumstances; each with the figure's index.
fn figures(published: &Published, scale: Option<f64>) -> BTreeMap<Circumstances, Vec<(usize, Position)>> {
    let mut figures: BTreeMap<Circumstances, Vec<(usize, Position)>> = BTreeMap::new();
    for (index, (_, lone)) in placed(published, |records| scaled(records, scale)).enumerate() {
        figures.entry(lone.circumstances).or_default().push((index, lone.place));
    }
    figures
}
