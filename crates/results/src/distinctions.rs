//! Differences between several runs on one page. [`crate::differences`] has every fact in which two runs differ.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axis, AxisValue, shown_axes};

use crate::record::known;
use crate::run::Run;

/// Something that a run has, where not all runs have the same.
#[derive(Clone, Debug)]
pub enum Distinction<'a> {
    /// Titles and versions of stores that some run has in another version.
    Versions(Vec<(&'a str, &'a str)>),
    /// The processor's model.
    Processor(&'a str),
    /// The suite's title.
    Suite(&'a str),
    /// The version of bakeoff.
    BakeoffVersion(&'a str),
    /// When it was started, as in `run.json`.
    Started(&'a str),
    /// Titles of stores that it measured, and some run did not.
    With(Vec<String>),
    /// Titles of the stores that some runs measured and others did not: it measured none of them.
    Without(Vec<String>),
    /// Settings that its suite gave to stores, and some suite did not: the store's name, the setting, and its value as JSON.
    Settings(Vec<(&'a str, &'a str, String)>),
    /// Its values on an axis, ascending.
    Values(&'static Axis, Vec<AxisValue>),
}

/// A fact of each run; `None` where a run lacks it.
type OfEach<T> = Vec<Option<T>>;

/// What tells each of these runs apart from the others as a whole.
pub fn of_whole<'a>(runs: &[&'a Run]) -> Vec<Vec<Distinction<'a>>> {
    let each = |fact: fn(&'a Run) -> Option<&'a str>| -> OfEach<&'a str> { runs.iter().copied().map(fact).collect() };
    of_each_run(&[
        told(versions(runs), Distinction::Versions),
        told(each(|run| run.record.machine.as_ref()?.cpu_model.as_deref()), Distinction::Processor),
        told(each(|run| known(&run.record.suite.title)), Distinction::Suite),
        told(each(|run| known(&run.record.bakeoff_version)), Distinction::BakeoffVersion),
        told(each(|run| known(&run.record.started)), Distinction::Started),
    ])
}

/// What tells each of these runs apart in what was measured: who takes part, with which settings, and what else suites vary.
pub fn of_measured<'a>(runs: &[&'a Run]) -> Vec<Vec<Distinction<'a>>> {
    let with = |(is_with, titles)| if is_with { Distinction::With(titles) } else { Distinction::Without(titles) };
    let mut measured = vec![told(stores(runs), with), told(settings(runs), Distinction::Settings)];
    let of_axis = |axis: &'static Axis| told(values(runs, axis), |values| Distinction::Values(axis, values));
    measured.extend(shown_axes().iter().copied().map(of_axis));
    of_each_run(&measured)
}

/// Facts about each run as the facts of each run.
fn of_each_run<'a>(facts: &[OfEach<Distinction<'a>>]) -> Vec<Vec<Distinction<'a>>> {
    let runs = facts.first().map_or(0, Vec::len);
    (0..runs).map(|run| facts.iter().filter_map(|of| of[run].clone()).collect()).collect()
}

/// A fact as distinctions: none where it is the same of all runs.
fn told<'a, T: PartialEq>(facts: OfEach<T>, distinction: impl Fn(T) -> Distinction<'a>) -> OfEach<Distinction<'a>> {
    let is_same = facts.iter().all(|of| *of == facts[0]);
    facts.into_iter().map(|of| of.filter(|_| !is_same).map(&distinction)).collect()
}

/// The names of the stores that a run measured.
fn present(run: &Run) -> BTreeSet<&str> {
    run.cells.iter().map(|cell| cell.end.axes.store.as_str()).collect()
}

/// The versions of those stores that several runs have in different ones, by title.
fn versions<'a>(runs: &[&'a Run]) -> OfEach<Vec<(&'a str, &'a str)>> {
    let of_run = |run: &'a Run| -> BTreeMap<&'a str, &'a str> {
        let present = present(run);
        let there = run.stores().iter().filter(|store| present.contains(store.name.as_str()));
        there.map(|store| (store.title.as_str(), store.version.as_str())).collect()
    };
    let all: Vec<BTreeMap<&str, &str>> = runs.iter().copied().map(of_run).collect();
    let differs =
        |title: &str, version: &str| all.iter().any(|of| of.get(title).is_some_and(|other| *other != version));
    let own = |of: &BTreeMap<&'a str, &'a str>| {
        some(of.iter().map(|(title, version)| (*title, *version)).filter(|(title, version)| differs(title, version)))
    };
    all.iter().map(own).collect()
}

/// The titles of the stores that a run measured and some run did not. For a run without such stores, the titles of the stores it lacks.
fn stores(runs: &[&Run]) -> OfEach<(bool, Vec<String>)> {
    let titled = |run: &&Run| -> BTreeSet<String> {
        present(run).into_iter().map(|name| run.store_title(name).to_owned()).collect()
    };
    let all: Vec<BTreeSet<String>> = runs.iter().map(titled).collect();
    let not_in_all = not_in_all(&all);
    let own = |of: &BTreeSet<String>| {
        let with = some(not_in_all.intersection(of).cloned()).map(|titles| (true, titles));
        with.or_else(|| Some((false, some(not_in_all.iter().cloned())?)))
    };
    all.iter().map(own).collect()
}

/// The settings that suites gave to stores in some runs and not in all.
fn settings<'a>(runs: &[&'a Run]) -> OfEach<Vec<(&'a str, &'a str, String)>> {
    let given = |run: &'a Run| -> BTreeSet<(&'a str, &'a str, String)> {
        let axes = run.cells.iter().map(|cell| &cell.end.axes);
        let of_store =
            axes.flat_map(|of| of.settings.iter().map(move |(name, value)| (of.store.as_str(), name, value)));
        of_store.map(|(store, name, value)| (store, name.as_str(), value.to_string())).collect()
    };
    let all: Vec<BTreeSet<_>> = runs.iter().copied().map(given).collect();
    let not_in_all = not_in_all(&all);
    all.iter().map(|of| some(not_in_all.intersection(of).cloned())).collect()
}

/// The values that runs have on an axis.
fn values(runs: &[&Run], axis: &Axis) -> OfEach<Vec<AxisValue>> {
    let own = |run: &&Run| run.cells.iter().map(|cell| axis.shared(&cell.end.axes)).collect::<BTreeSet<_>>();
    runs.iter().map(|run| some(own(run).into_iter())).collect()
}

/// What is in some of these sets, but not in all.
fn not_in_all<T: Ord + Clone>(all: &[BTreeSet<T>]) -> BTreeSet<T> {
    all.iter().flatten().filter(|each| !all.iter().all(|of| of.contains(*each))).cloned().collect()
}

/// A list; `None` if it is empty.
fn some<T>(all: impl Iterator<Item = T>) -> Option<Vec<T>> {
    Some(all.collect::<Vec<T>>()).filter(|all| !all.is_empty())
}
