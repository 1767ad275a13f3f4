//! Flame graphs of runs that were profiled, as the page lists them and links to them.

use std::collections::BTreeMap;
use std::path::Path;

use bakeoff_protocol::{Axes, CellEnd, Profiled};
use bakeoff_text::or_dash;

use crate::contender::Contenders;
use crate::page::html::{store, text};
use crate::page::links::{file_link, link, way};
use crate::profiles::{describe, place, profiled, weight};
use crate::run::Run;

/// The flame graphs of a run, each with a link that leads from `place`, the directory the page is in.
pub(crate) fn html(run: &Run, contenders: &Contenders, page: &Path) -> String {
    let Some(profile) = run.profile() else { return String::new() };
    let prefix = way(page, &run.directory);
    let items: String = profiled(run).map(|(end, profiled)| item(run, (end, profiled), contenders, &prefix)).collect();
    format!(
        "<section class=\"answer\"><h2 class=\"headline\">Profiled, not ranked</h2><p class=\"promise\">{}</p>\
         <p class=\"hint\">The flame graphs lie beside this page, in the run's directory, and open in a browser: send that directory whole.</p>\
         <div class=\"scroll\"><table class=\"stores flame-graphs\"><thead><tr><th scope=\"col\">cell</th><th scope=\"col\">flame graph</th>\
         <th scope=\"col\">samples</th><th scope=\"col\">log</th><th scope=\"col\">version</th><th scope=\"col\">settings in force</th><th scope=\"col\">run it again</th></tr></thead><tbody>{items}</tbody></table></div></section>\n",
        text(&describe(run, profile)),
    )
}

fn item(run: &Run, (end, profiled): (&CellEnd, &Profiled), contenders: &Contenders, prefix: &str) -> String {
    let who = contenders.of(&end.axes).map_or_else(|| text(&end.axes.store), store);
    let file = profiled.flame_graph.as_deref();
    let graph = file.map_or_else(|| "none".to_owned(), |file| file_link(prefix, file));
    let trouble =
        profiled.trouble.as_ref().map_or_else(String::new, |why| format!(" <span class=\"bad\">{}</span>", text(why)));
    let opened = end.opened.as_ref();
    let setting = |(name, value): (&String, &serde_json::Value)| format!("{name}={value}");
    let settings: Vec<String> = opened.iter().flat_map(|opened| opened.settings.iter().map(setting)).collect();
    format!(
        "<tr><th scope=\"row\">{who} · {}</th><td>{graph}{trouble}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
         <td><code>{}</code></td></tr>",
        text(&place(end)),
        or_dash(weight(end, profiled), |weight| text(&weight)),
        file_link(prefix, &end.log),
        or_dash(opened, |opened| text(&opened.version)),
        text(if settings.is_empty() { "none".to_owned() } else { settings.join(", ") }.as_str()),
        text(&run.command_again(&end.cell, &end.axes.store)),
    )
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
