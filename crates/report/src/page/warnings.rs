//! Warnings of the runs, what the reader left out, and how many cells failed.

use std::collections::BTreeMap;

use bakeoff_results::contender::{Contender, Contenders};
use bakeoff_results::omission::{Omission, by_reason};
use bakeoff_results::run::Run;
use bakeoff_text::counted;
use maud::{Markup, html};

use crate::page::failures::failures_id;
use crate::page::html::{joined, listed, store};
use crate::page::labelled::RankedRun;
use crate::sections::notes::all_notes;

/// As many that were not measured are named for each reason: all of them are among the provenance.
const NOT_MEASURED_MAX: usize = 3;

/// All warnings of these runs, each an item of a list.
pub(crate) fn items(runs: &[RankedRun], contenders: &Contenders) -> Vec<Markup> {
    let mut items = Vec::new();
    for (place, (label, analysis)) in runs.iter().enumerate() {
        let run = analysis.run;
        let of = html! { @if runs.len() > 1 { b { (label) } " " } };
        items.extend(failures(run, contenders, &of, &failures_id(place)));
        let warnings = run.record.warnings.iter().map(|warning| warning.message.as_str());
        let notes = [not_measured(run), all_notes(analysis)].concat();
        items.extend(warnings.chain(notes.iter().map(String::as_str)).map(|warning| html! { li { (of) (warning) } }));
    }
    items
}

/// The warnings as a part of the page; nothing if there are none.
pub(crate) fn section(items: &[Markup]) -> Markup {
    html! {
        @if !items.is_empty() {
            section.warnings #mind { h2 { "Warnings" } ul { (joined(items, "")) } }
        }
    }
}

/// How many rounds failed, and whose; `None` if none did.
fn failures(run: &Run, contenders: &Contenders, of: &Markup, id: &str) -> Option<Markup> {
    let failed: Vec<_> = run.cells.iter().filter(|cell| !cell.is_ok()).collect();
    let who = failed.iter().filter_map(|cell| contenders.of(&cell.end.axes));
    let who: BTreeMap<&str, &Contender> = who.map(|contender| (contender.title.as_str(), contender)).collect();
    let who: Vec<Markup> = who.into_values().map(store).collect();
    (!failed.is_empty()).then(|| {
        html! {
            li.bad {
                (of) (counted(failed.len(), "round")) " of " (listed(&who)) " failed: "
                a href={ "#" (id) } { "the cells" } " are never ranked and never averaged"
            }
        }
    })
}

/// Skipped and abandoned cells, together where the reason is the same.
fn not_measured(run: &Run) -> Vec<String> {
    let describe = |group: Vec<&Omission>| {
        let what: Vec<&str> = group.iter().map(|omission| omission.what.as_str()).collect();
        let why = &group[0].why;
        match what.split_at_checked(NOT_MEASURED_MAX) {
            Some((first, [_, ..])) => {
                format!("not measured: {} and {} more: {why}", first.join("; "), what.len() - NOT_MEASURED_MAX)
            }
            _ => format!("not measured: {}: {why}", what.join("; ")),
        }
    };
    by_reason(run.record.omissions()).into_iter().map(describe).collect()
}
