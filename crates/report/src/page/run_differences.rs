//! Several runs on one page: in what they differ, and which of them is faster.

use bakeoff_results::comparison::{Change, Comparison, Line};
use bakeoff_results::contender::Contenders;
use bakeoff_results::distinctions::{Distinction, of_measured, of_whole};
use bakeoff_results::run::Run;
use bakeoff_text::{listed, ratio};
use maud::{Markup, html};

use crate::labels::{TOO_FEW_ROUNDS, change_label, interval};
use crate::page::axes::Place;
use crate::page::html::{scrolled, store_called, table_head};
use crate::page::labelled::Labelled;

/// Words longer than this are no label.
const LABEL_MAX: usize = 40;

fn describe(of: &Distinction<'_>) -> String {
    match of {
        Distinction::Versions(all) => {
            listed(&all.iter().map(|(title, version)| format!("{title} {version}")).collect::<Vec<_>>())
        }
        Distinction::Processor(text) | Distinction::Suite(text) => (*text).to_owned(),
        Distinction::BakeoffVersion(version) => format!("bakeoff {version}"),
        Distinction::Started(at) => at.replace('T', " ").trim_end_matches('Z').to_owned(),
        Distinction::With(titles) => format!("with {}", listed(titles)),
        Distinction::Without(titles) => format!("without {}", listed(titles)),
        Distinction::Settings(all) => {
            let all: Vec<_> = all.iter().map(|(store, name, value)| format!("{store} {name}={value}")).collect();
            format!("settings {}", listed(&all))
        }
        Distinction::Values(axis, values) => {
            let labels: Vec<_> = values.iter().map(|value| Place::of(axis, value).label).collect();
            format!("{} {}", axis.title(), listed(&labels))
        }
    }
}

/// The runs without their labels.
fn unlabelled<'a>(runs: &[Labelled<'a>]) -> Vec<&'a Run> {
    runs.iter().map(|(_, run)| *run).collect()
}

/// A label for each run that says in what it differs: its directory, and what is short enough. What was measured the page's other choosers tell.
pub(crate) fn telling_labels(runs: &[Labelled]) -> Vec<String> {
    let label = |((label, _), of): (&Labelled, Vec<Distinction<'_>>)| {
        let short = of.iter().map(describe).filter(|fact| fact.chars().count() <= LABEL_MAX);
        match short.collect::<Vec<_>>().as_slice() {
            [] => (*label).to_owned(),
            facts => format!("{label} ({})", facts.join(", ")),
        }
    };
    runs.iter().zip(of_whole(&unlabelled(runs))).map(label).collect()
}

/// A table of the runs: in what each differs, and how much faster or slower each store is in it than in the first one. Nothing for one run.
pub(crate) fn section(runs: &[Labelled]) -> Markup {
    let [(first_label, first), others @ ..] = runs else { return html! {} };
    if others.is_empty() {
        return html! {};
    }
    let all = unlabelled(runs);
    let (measured, whole) = (of_measured(&all), of_whole(&all));
    let differs_in = |at: usize| measured[at].iter().chain(&whole[at]).map(describe).collect::<Vec<_>>().join(" · ");
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
