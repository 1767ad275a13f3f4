//! What was measured, where and when: facts that the first screen shows next to the answers.

use std::collections::BTreeSet;

use bakeoff_text::{counted, format_count};
use maud::{Markup, html};
use serde_json::Value;

use crate::page::html::joined;
use crate::page::labelled::Labelled;
use crate::run::Run;
use crate::sections::heading::{amounts, answers_checked, few_rounds, is_unfinished};

/// How many answers were checked, on which machine and disk, and how many warnings there are: what a figure is worth at first
/// sight. Of several runs, how many there are.
pub(crate) fn place(runs: &[Labelled], warnings: usize) -> Markup {
    let checked = runs.iter().map(|(_, run)| answers_checked(run)).fold(0, u64::saturating_add);
    let mut parts = vec![html! { (format_count(checked)) " answers checked and right" }];
    if warnings > 0 {
        parts.push(html! { a href="#mind" { (counted(warnings, "thing")) " to mind" } });
    }
    if let [(_, run)] = runs {
        let machine = ["cpu_model", "os"].into_iter().filter_map(|key| run.text(&["machine", key]));
        let file_systems = media(run).filter_map(|(_, medium)| medium.get("file_system")?.as_str());
        let file_systems: BTreeSet<&str> = file_systems.collect();
        parts.extend(machine.chain(file_systems).map(|part| html! { (part) }));
    } else {
        parts.push(html! { (runs.len()) " runs" });
    }
    joined(&parts, " · ")
}

/// The media of a run by name.
fn media(run: &Run) -> impl Iterator<Item = (&String, &Value)> {
    run.info.get("media").and_then(Value::as_object).into_iter().flatten()
}

/// Before all answers: that there are too few rounds for one.
pub(crate) fn few(runs: &[Labelled]) -> Markup {
    let is_ranked = |run: &Run| run.pick().is_none() && run.find_rate().is_none() && run.profile().is_none();
    html! {
        @for (label, run) in runs.iter().filter(|(_, run)| is_ranked(run)) {
            @if let Some(few) = few_rounds(run) {
                p.few { @if runs.len() > 1 { b { (label) } " " } (few) }
            }
        }
    }
}

/// What was measured, where and when.
pub(crate) fn facts(label: &str, run: &Run) -> Markup {
    let machine: Vec<&str> =
        ["cpu_model", "os", "kernel"].into_iter().filter_map(|key| run.text(&["machine", key])).collect();
    let media = media(run).map(|(name, medium)| {
        let fact = |key: &str| medium.get(key).and_then(Value::as_str).unwrap_or_default();
        format!("{name}: {} {} {}", fact("file_system"), fact("device_model"), fact("directory")).trim().to_owned()
    });
    let rows = [
        ("run", label.to_owned()),
        ("measured", amounts(run)),
        ("machine", machine.join(" · ")),
        ("disk", media.collect::<Vec<_>>().join("; ")),
    ];
    let (started, unfinished) = (run.text(&["started"]).unwrap_or_default(), is_unfinished(run));
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
