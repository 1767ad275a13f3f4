//! Several runs on one page: in what they differ, and which of them is faster.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_results::comparison::{Change, Comparison, Line};
use bakeoff_results::contender::Contenders;
use bakeoff_results::record::known;
use bakeoff_results::run::Run;
use bakeoff_text::{listed, ratio};
use maud::{Markup, html};

use crate::labels::{TOO_FEW_ROUNDS, change_label, interval};
use crate::page::axes::{Workload, axes_of, indices, workload};
use crate::page::html::{scrolled, store_called, table_head};
use crate::page::labelled::Labelled;

/// One fact about every run; `None` for a run that lacks it.
type Fact = Vec<Option<String>>;

/// What may tell whole runs apart.
const OF_WHOLE: [fn(&Run) -> Option<String>; 4] = [
    |run| run.record.machine.as_ref()?.cpu_model.clone(),
    |run| known(&run.record.suite.title).map(str::to_owned),
    |run| known(&run.record.bakeoff_version).map(|version| format!("bakeoff {version}")),
    |run| known(&run.record.started).map(|started| started.replace('T', " ").trim_end_matches('Z').to_owned()),
];

/// Words longer than this are no label.
const LABEL_MAX: usize = 40;

/// In what whole runs differ.
fn of_whole(runs: &[Labelled]) -> Vec<Fact> {
    let facts = OF_WHOLE.iter().map(|fact| runs.iter().map(|(_, run)| fact(run)).collect());
    different(std::iter::once(versions(runs)).chain(facts).collect())
}

/// In what runs differ that were measured: who takes part, with which settings, and what else suites vary.
fn of_measured(runs: &[Labelled]) -> Vec<Fact> {
    let mut facts = vec![stores(runs), settings(runs)];
    let places: Vec<Vec<Workload>> =
        runs.iter().map(|(_, run)| run.cells.iter().map(|cell| workload(&cell.end.axes, (0, ""))).collect()).collect();
    let axes = axes_of(&places.iter().flatten().cloned().collect());
    let at: Vec<Vec<Vec<usize>>> =
        places.iter().map(|of| of.iter().map(|workload| indices(workload, &axes)).collect()).collect();
    for (index, axis) in axes.iter().enumerate() {
        let describe = |of: &Vec<Vec<usize>>| {
            let values: BTreeSet<usize> = of.iter().map(|places| places[index]).collect();
            let labels: Vec<String> = values.iter().map(|value| axis.values[*value].label.clone()).collect();
            (!labels.is_empty()).then(|| format!("{} {}", axis.title, listed(&labels)))
        };
        facts.push(at.iter().map(describe).collect());
    }
    different(facts)
}

/// The facts that do not say the same of all runs.
fn different(mut facts: Vec<Fact>) -> Vec<Fact> {
    facts.retain(|fact| fact.iter().any(|of| *of != fact[0]));
    facts
}

/// The versions of those stores that several runs have in different ones.
fn versions(runs: &[Labelled]) -> Fact {
    let all: Vec<BTreeMap<&str, &str>> = runs
        .iter()
        .map(|(_, run)| {
            let present = present(run);
            let there = run.stores().iter().filter(|store| present.contains(store.name.as_str()));
            there.map(|store| (store.title.as_str(), store.version.as_str())).collect()
        })
        .collect();
    let describe = |of: &BTreeMap<&str, &str>| {
        let differs =
            |title: &str, version: &str| all.iter().any(|run| run.get(title).is_some_and(|it| *it != version));
        let own = of.iter().filter(|(title, version)| differs(title, version));
        joined("", &own.map(|(title, version)| format!("{title} {version}")).collect::<Vec<_>>())
    };
    all.iter().map(describe).collect()
}

/// The names of the stores that a run measured.
fn present(run: &Run) -> BTreeSet<&str> {
    run.cells.iter().map(|cell| cell.end.axes.store.as_str()).collect()
}

/// Which stores each run has that not all of them have; of a run without any of these, which it lacks.
fn stores(runs: &[Labelled]) -> Fact {
    let titled = |run: &Run| -> BTreeSet<String> {
        let title = |name: &str| run.stores().iter().find(|store| store.name == name).map(|store| store.title.clone());
        present(run).into_iter().map(|name| title(name).unwrap_or_else(|| name.to_owned())).collect()
    };
    let all: Vec<BTreeSet<String>> = runs.iter().map(|(_, run)| titled(run)).collect();
    let some = not_in_all(&all);
    let describe = |of: &BTreeSet<String>| {
        let among =
            |wanted: bool| some.iter().filter(|title| of.contains(*title) == wanted).cloned().collect::<Vec<_>>();
        joined("with ", &among(true)).or_else(|| joined("without ", &among(false)))
    };
    all.iter().map(describe).collect()
}

/// The settings that suites gave to stores in some runs and not in all.
fn settings(runs: &[Labelled]) -> Fact {
    let given = |run: &Run| -> BTreeSet<String> {
        let axes = run.cells.iter().map(|cell| &cell.end.axes);
        axes.flat_map(|of| of.settings.iter().map(|(name, value)| format!("{} {name}={value}", of.store))).collect()
    };
    let all: Vec<BTreeSet<String>> = runs.iter().map(|(_, run)| given(run)).collect();
    let some = not_in_all(&all);
    all.iter().map(|of| joined("settings ", &some.intersection(of).cloned().collect::<Vec<_>>())).collect()
}

/// What is in some of these sets, but not in all.
fn not_in_all(all: &[BTreeSet<String>]) -> BTreeSet<String> {
    all.iter().flatten().filter(|each| !all.iter().all(|of| of.contains(*each))).cloned().collect()
}

/// Words and a list; nothing if the list is empty.
fn joined(before: &str, all: &[String]) -> Option<String> {
    (!all.is_empty()).then(|| format!("{before}{}", listed(all)))
}

/// A label for each run that says in what it differs: its directory, and what is short enough. What was measured the page's other choosers tell.
pub(crate) fn telling_labels(runs: &[Labelled]) -> Vec<String> {
    let facts = of_whole(runs);
    let label = |(at, (label, _)): (usize, &Labelled)| {
        let short = facts.iter().filter_map(|fact| fact[at].clone()).filter(|fact| fact.chars().count() <= LABEL_MAX);
        match short.collect::<Vec<_>>().as_slice() {
            [] => (*label).to_owned(),
            facts => format!("{label} ({})", facts.join(", ")),
        }
    };
    runs.iter().enumerate().map(label).collect()
}

/// A table of the runs: in what each differs, and how much faster or slower each store is in it than in the first one. Nothing for one run.
pub(crate) fn section(runs: &[Labelled]) -> Markup {
    let [(first_label, first), others @ ..] = runs else { return html! {} };
    if others.is_empty() {
        return html! {};
    }
    let facts = [of_measured(runs), of_whole(runs)].concat();
    let differs_in = |at: usize| facts.iter().filter_map(|fact| fact[at].clone()).collect::<Vec<_>>().join(" · ");
    html! {
        section.answer #beside {
            h2.headline { (runs.len()) " runs: the others against " (first_label) }
            (scrolled(html! {
                table class="standings ranks runs" {
                    (table_head(&["run", "differs in", "each store\u{2019}s time, over all that both timed"]))
                    tbody {
                        tr { th scope="row" { (first_label) } td { (differs_in(0)) } td { "1×" } }
                        @for (at, (label, run)) in others.iter().enumerate() {
                            tr { th scope="row" { (label) } td { (differs_in(at + 1)) } td { (changes(first, run)) } }
                        }
                    }
                }
            }))
            p.hint {
                "Geometric means; in brackets where the true ratio lies. " code { "bakeoff compare" } " says more of two runs."
            }
        }
    }
}

/// Each store in a run against the first one.
fn changes(first: &Run, run: &Run) -> Markup {
    let Ok(comparison) = Comparison::new(first, run) else { return html! { "nothing in common with the first" } };
    html! { @for (at, line) in comparison.stores.iter().enumerate() { @if at > 0 { br; } (change(line, &comparison.contenders)) } }
}

/// A store in a run against the first one: `LMDB 1.20× slower (1.15–1.26×)`.
fn change(line: &Line, contenders: &Contenders) -> Markup {
    let name = store_called(&contenders.title(&line.key), contenders.slot(&line.key));
    let Some(of) = line.ratio else { return html! { (name) " " (TOO_FEW_ROUNDS) } };
    let from_one = if of.estimate < 1.0 { of.recip() } else { of };
    let times = ratio(from_one.estimate);
    let interval = |of| html! { span.interval { "(" (interval(of, TOO_FEW_ROUNDS)) ")" } };
    html! {
        (name) " "
        @match line.change {
            Change::Worse => { b class="figure bad" { (times) " slower" } " " (interval(from_one)) }
            Change::Better => { b class="figure good" { (times) " faster" } " " (interval(from_one)) }
            change => { (change_label(change)) " " (interval(of)) }
        }
    }
}
