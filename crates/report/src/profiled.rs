//! Runs that were profiled: what they show in place of an answer. Sampling slows each store down in its own way, so nobody is ranked,
//! and such a run's figures are compared with nothing.

use std::collections::BTreeMap;
use std::path::Path;

use bakeoff_protocol::{Axes, CellEnd, Profile, Profiled};
use bakeoff_text::{bytes, counted, or_dash, paragraph, printable};

use crate::contender::Contenders;
use crate::format::workload_of;
use crate::links::{file_link, link, way};
use crate::page::html::{store, text};
use crate::run::Run;
use crate::sections::section;

/// Flame graphs that are listed unless everything is asked for.
const SHOWN: usize = 12;

/// Why there is no answer.
pub(crate) fn words(run: &Run, profile: Profile) -> String {
    let what = match profile {
        Profile::Cpu => "where CPU time goes",
        Profile::Alloc => "where memory is allocated",
    };
    let unseen = run.info["profile"]["kernel_frames"] == false;
    let unseen = if unseen { " What the kernel does is not seen: as root of the machine it would be." } else { "" };
    format!(
        "PROFILED ({profile}), NOT RANKED: this run shows {what}. Sampling slows each store down in its own way, so its figures are no \
         measurement: run it without --profile to know who is best.{unseen}"
    )
}

/// The flame graphs, and what is known of those that are missing.
pub(crate) fn render(run: &Run, contenders: &Contenders, width: usize, full: bool) -> String {
    let all: Vec<(&CellEnd, &Profiled)> = of(run).collect();
    let shown = if full { usize::MAX } else { SHOWN };
    let mut out = String::new();
    for (end, profiled) in all.iter().take(shown) {
        let title = contenders.of(&end.axes).map_or_else(|| end.axes.store.clone(), |each| each.title.clone());
        let graph = profiled.flame_graph.as_ref();
        let graph =
            graph.map_or_else(|| "no flame graph".to_owned(), |file| run.directory.join(file).display().to_string());
        let words =
            [Some(format!("{title} · {}", place(end))), weight(end, profiled), Some(graph), profiled.trouble.clone()];
        let words: Vec<String> = words.into_iter().flatten().collect();
        out.push_str(&paragraph(&printable(&words.join(": ")), width, "  ", "    "));
    }
    if all.len() > SHOWN && !full {
        out.push_str(&format!("  and {} more: `--full` lists all, and so does the page\n", all.len() - SHOWN));
    }
    section("Flame graphs (open them in a browser)", &out)
}

/// The same for the page, each with a link that leads from `place`, the directory the page is in.
pub(crate) fn html(run: &Run, contenders: &Contenders, page: &Path) -> String {
    let Some(profile) = run.profile() else { return String::new() };
    let prefix = way(page, &run.directory);
    let items: String = of(run).map(|(end, profiled)| item(run, (end, profiled), contenders, &prefix)).collect();
    format!(
        "<section class=\"answer\"><h2 class=\"headline\">Profiled, not ranked</h2><p class=\"promise\">{}</p>\
         <p class=\"hint\">The flame graphs lie beside this page, in the run's directory, and open in a browser: send that directory whole.</p>\
         <div class=\"scroll\"><table class=\"stores flame-graphs\"><thead><tr><th scope=\"col\">cell</th><th scope=\"col\">flame graph</th>\
         <th scope=\"col\">samples</th><th scope=\"col\">log</th><th scope=\"col\">version</th><th scope=\"col\">settings in force</th><th scope=\"col\">run it again</th></tr></thead><tbody>{items}</tbody></table></div></section>\n",
        text(&words(run, profile)),
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
        for (end, profiled) in of(run) {
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

/// Every round of a cell that was profiled.
fn of(run: &Run) -> impl Iterator<Item = (&CellEnd, &Profiled)> {
    run.cells.iter().filter_map(|cell| Some((&cell.end, cell.end.profiled.as_ref()?)))
}

/// The cell's workload and round in words.
fn place(end: &CellEnd) -> String {
    let axes = &end.axes;
    let parts = [
        Some(workload_of(axes)),
        axes.variant.clone(),
        Some(format!("durability {}", axes.durability)),
        (axes.medium != "default").then(|| format!("medium {}", axes.medium)),
        (axes.threads > 1).then(|| counted(axes.threads, "thread")),
        Some(format!("round {}", end.round)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How much the flame graph is made of.
fn weight(end: &CellEnd, profiled: &Profiled) -> Option<String> {
    let samples = profiled.samples?;
    Some(match end.axes.profile {
        Some(Profile::Alloc) => bytes(samples as f64),
        _ => counted(samples, "sample"),
    })
}
