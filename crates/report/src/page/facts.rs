//! What was measured, where and when: facts that the first screen shows next to the answers.

use std::collections::BTreeSet;

use bakeoff_results::cells_measured::CellsMeasured;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, format_count};
use maud::{Markup, html};

use crate::page::html::joined;
use crate::page::labelled::Labelled;
use crate::sections::heading::{amounts, few_rounds};

/// How many answers were checked, on which machine and disk, and how many warnings there are: what a figure is worth at first
/// sight. Of several runs, how many there are.
pub(crate) fn place(runs: &[Labelled], warnings: usize) -> Markup {
    let checked = runs.iter().map(|(_, run)| CellsMeasured::of(run).answers_checked).fold(0, u64::saturating_add);
    let mut parts = vec![html! { (format_count(checked)) " answers checked and right" }];
    if warnings > 0 {
        parts.push(html! { a href="#mind" { (counted(warnings, "warning")) } });
    }
    if let [(_, run)] = runs {
        let machine = run
            .record
            .machine
            .iter()
            .flat_map(|machine| [machine.cpu_model.as_deref(), machine.os.as_deref()])
            .flatten();
        let file_systems = run.record.media.values().filter_map(|medium| medium.file_system.as_deref());
        let file_systems: BTreeSet<&str> = file_systems.collect();
        parts.extend(machine.chain(file_systems).map(|part| html! { (part) }));
    } else {
        parts.push(html! { (runs.len()) " runs" });
    }
    joined(&parts, " · ")
}

/// Before all answers: that there are too few rounds for one.
pub(crate) fn few(runs: &[Labelled]) -> Markup {
    html! {
        @for (label, run) in runs {
            @if let Some(few) = few_rounds(&CellsMeasured::of(run)) {
                p.few { @if runs.len() > 1 { b { (label) } " " } (few) }
            }
        }
    }
}

/// What was measured, where and when.
pub(crate) fn facts(label: &str, run: &Run) -> Markup {
    let machine = run.record.machine.iter();
    let machine: Vec<&str> =
        machine.flat_map(|of| [&of.cpu_model, &of.os, &of.kernel]).filter_map(|fact| fact.as_deref()).collect();
    let media = run.record.media.iter().map(|(name, medium)| {
        let fact = |fact: &Option<String>| fact.clone().unwrap_or_default();
        let (file_system, model) = (fact(&medium.file_system), fact(&medium.device_model));
        format!("{name}: {file_system} {model} {}", medium.directory.display()).trim().to_owned()
    });
    let rows = [
        ("run", label.to_owned()),
        ("measured", amounts(&CellsMeasured::of(run))),
        ("machine", machine.join(" · ")),
        ("disk", media.collect::<Vec<_>>().join("; ")),
    ];
    let (started, unfinished) = (&run.record.started, run.is_unfinished());
    html! {
        dl.facts {
            @for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) { dt { (name) } dd { (value) } }
            @if !started.is_empty() || unfinished {
                dt { "started" }
                dd { (started) @if unfinished { " " b.bad { "not finished" } } }
            }
        }
    }
}
