//! Flame graphs of runs that were profiled, as the page lists them and links to them.

use std::collections::BTreeMap;
use std::path::Path;

use bakeoff_protocol::{Axes, CellEnd, ProfileOutcome};
use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;
use maud::{Markup, html};

use crate::format::describe_round;
use crate::page::html::{scrolled, store, table_head};
use crate::page::links::{file_link, link, way};
use crate::profiles::{describe, profiled, weight};

/// The flame graphs of a run that was profiled, each with a link that leads from `page`, the directory the page is in.
pub(crate) fn section(run: &Run, contenders: &Contenders, page: &Path) -> Markup {
    let prefix = way(page, &run.directory);
    html! {
        @if let Some(profile) = run.profile() {
            section.answer {
                h2.headline { "Profiled, not ranked" }
                p.promise { (describe(run, profile)) }
                p.hint {
                    "The flame graphs lie beside this page, in the run's directory, and open in a browser: send that directory whole."
                }
                (scrolled(html! {
                    table class="stores flame-graphs" {
                        (table_head(&["cell", "flame graph", "samples", "log", "version", "settings in force", "run it again"]))
                        tbody { @for (end, profiled) in profiled(run) { (row(run, (end, profiled), contenders, &prefix)) } }
                    }
                }))
            }
        }
    }
}

fn row(run: &Run, (end, profiled): (&CellEnd, &ProfileOutcome), contenders: &Contenders, prefix: &str) -> Markup {
    let opened = end.opened.as_ref();
    let setting = |(name, value): (&String, &serde_json::Value)| format!("{name}={value}");
    let settings: Vec<String> = opened.iter().flat_map(|opened| opened.settings.iter().map(setting)).collect();
    html! {
        tr {
            th scope="row" {
                @match contenders.of(&end.axes) { Some(contender) => (store(contender)), None => (end.axes.store) }
                " · " (describe_round(end))
            }
            td {
                @match &profiled.flame_graph { Some(file) => (file_link(prefix, file)), None => "none" }
                @if let Some(trouble) = &profiled.trouble { " " span.bad { (trouble) } }
            }
            td { (weight(end, profiled).as_deref().unwrap_or("–")) }
            td { (file_link(prefix, &end.log)) }
            td { (opened.map_or("–", |opened| opened.version.as_str())) }
            td { @if settings.is_empty() { "none" } @else { (settings.join(", ")) } }
            td { code { (run.command_again(&end.cell, &end.axes.store)) } }
        }
    }
}

/// Flame graphs of a cell: what each is called, and the link to it.
pub(crate) type Graphs = Vec<(String, String)>;

/// The flame graphs of these runs, each with a link that leads from `page`, by what was measured under the profiler.
pub(crate) fn graphs<'a>(runs: impl Iterator<Item = &'a Run>, page: &Path) -> BTreeMap<String, Graphs> {
    let mut all: BTreeMap<String, Graphs> = BTreeMap::new();
    for run in runs {
        let prefix = way(page, &run.directory);
        for (end, profiled) in profiled(run) {
            let Some(link) = profiled.flame_graph.as_deref().and_then(|file| link(&prefix, file)) else { continue };
            let kind = end.axes.profile.map_or_else(String::new, |profile| format!("{profile}, "));
            all.entry(unprofiled(&end.axes)).or_default().push((format!("{kind}round {}", end.round), link));
        }
    }
    all
}

/// A cell's place on all axes, whether it was profiled or not.
pub(crate) fn unprofiled(axes: &Axes) -> String {
    serde_json::to_string(&Axes { profile: None, ..axes.clone() }).unwrap_or_default()
}
