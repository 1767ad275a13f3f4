//! What stands behind the figures, as plain HTML: failures with their logs, machine, stores and versions, the suite, what was
//! skipped, how figures are made and where they may be unfair.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use bakeoff_protocol::{CellEnd, StoreDescription};
use bakeoff_text::{counted, format_count, listed};
use serde_json::Value;

use crate::contender::Contenders;
use crate::format::workload_of;
use crate::page::Labelled;
use crate::page::head::failures_id;
use crate::page::html::{lines, store, text};
use crate::page::links::{file_link, way};
use crate::run::Run;
use crate::sections::provenance::command_line;

/// How much of a failed cell's log is shown, from its end.
const LOG_BYTES_MAX: u64 = 4096;

/// Failed rounds whose logs are shown; more would make the page large and say little.
const FAILURES_MAX: usize = 50;

/// Everything behind the figures of these runs; `page` is the directory from which links lead to their logs.
pub(crate) fn behind(runs: &[Labelled], contenders: &Contenders, page: &Path) -> String {
    let mut out = String::new();
    for (place, (label, run)) in runs.iter().enumerate() {
        let of = if runs.len() > 1 { format!(" · {}", text(label)) } else { String::new() };
        out.push_str(&failures(run, contenders, (&of, &failures_id(place)), page));
        out.push_str(&folded(&format!("Machine and disk{of}"), &machine(run)));
        out.push_str(&folded(&format!("Stores, versions and promises{of}"), &stores(run)));
        out.push_str(&folded(&format!("Suite and command line{of}"), &suite(run)));
        out.push_str(&folded(&format!("Skipped and given up{of}"), &left_out(run)));
    }
    out
}

/// A section that opens on demand; nothing if it is empty.
pub(crate) fn folded(title: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("<details><summary>{title}</summary>{body}</details>\n") }
}

fn failures(run: &Run, contenders: &Contenders, (of, id): (&str, &str), page: &Path) -> String {
    let failed: Vec<&CellEnd> = run.cells.iter().filter(|cell| !cell.is_ok()).map(|cell| &cell.end).collect();
    if failed.is_empty() {
        return String::new();
    }
    let prefix = way(page, &run.directory);
    let items: String = failed.iter().take(FAILURES_MAX).map(|end| failure(run, end, contenders, &prefix)).collect();
    let more = failed.len().saturating_sub(FAILURES_MAX);
    let more = if more == 0 {
        String::new()
    } else {
        format!("<p>And {}: see <code>results.jsonl</code>.</p>", counted(more, "more failed round"))
    };
    format!(
        "<details id=\"{id}\" class=\"failures\" open><summary>Failed: never ranked, never averaged ({}{of})</summary>{items}{more}</details>\n",
        format_count(failed.len() as u64)
    )
}

fn failure(run: &Run, end: &CellEnd, contenders: &Contenders, prefix: &str) -> String {
    let axes = &end.axes;
    let who = contenders.of(axes).map_or_else(|| text(&axes.store), store);
    let (message, again) = run.failure(end);
    let kind = end.failure.map_or("no reason given", |kind| kind.words());
    let phase = end.failure_phase.as_ref().map_or_else(String::new, |phase| format!(" in {}", text(phase)));
    let place = format!("{}, durability {}, round {}", workload_of(axes), axes.durability, end.round);
    let log = log_end(&run.directory, &end.log)
        .map_or_else(String::new, |log| format!("<pre class=\"log\" tabindex=\"0\">{}</pre>", lines(&log)));
    format!(
        "<article class=\"failure\"><h4>{who}: {kind}{phase}</h4><p>{}</p><p>{}</p>\
         <p>log {} · again <code>{}</code></p>{log}</article>",
        text(&place),
        text(&message),
        file_link(prefix, &end.log),
        text(&again),
    )
}

/// The end of a log inside the run's directory; `None` if there is none, or if its name leads elsewhere.
fn log_end(directory: &Path, log: &str) -> Option<String> {
    let inside = Path::new(log).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let path = directory.join(log);
    let regular = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let mut file = std::fs::File::open(path).ok().filter(|_| inside && regular)?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES_MAX))).ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|text| !text.trim().is_empty())
}

fn machine(run: &Run) -> String {
    let mut out = run.info.get("machine").map_or_else(String::new, |machine| pairs(machine, "machine"));
    for (name, medium) in run.info.get("media").and_then(Value::as_object).into_iter().flatten() {
        let mut medium = medium.clone();
        let image_on = medium.as_object_mut().and_then(|medium| medium.remove("image_on"));
        out.push_str(&pairs(&medium, &format!("medium {name}")));
        out.push_str(&image_on.map_or_else(String::new, |on| pairs(&on, &format!("where the image of {name} lies"))));
    }
    for pool in run.list("pools") {
        out.push_str(&pairs(pool, "values"));
    }
    out
}

/// A table of what an object holds, by its own names.
fn pairs(of: &Value, caption: &str) -> String {
    let value = |value: &Value| match value {
        Value::String(words) => text(words),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), format_count),
        other => text(&other.to_string()),
    };
    let fields = of.as_object().into_iter().flatten();
    let rows: String = fields
        .map(|(name, field)| {
            format!("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td></tr>", text(name), value(field))
        })
        .collect();
    format!("<table class=\"pairs\"><caption>{}</caption>{rows}</table>", text(caption))
}

fn stores(run: &Run) -> String {
    let rows: String = run.stores.iter().map(store_row).collect();
    if rows.is_empty() {
        return rows;
    }
    let ran = |(runtime, stores): (&str, BTreeSet<&str>)| {
        format!(
            "<p>{} ran with {}</p>",
            text(&listed(&stores.into_iter().map(str::to_owned).collect::<Vec<_>>())),
            text(runtime)
        )
    };
    let runtimes: String = run.runtimes().into_iter().map(ran).collect();
    format!(
        "<div class=\"scroll\"><table class=\"stores\"><thead><tr><th>store</th><th>version</th><th>structure</th>\
         <th>licence</th><th>how each promise is kept</th></tr></thead><tbody>{rows}</tbody></table></div>{runtimes}"
    )
}

fn store_row(of: &StoreDescription) -> String {
    let promises: String =
        of.durability.iter().map(|(class, promise)| format!("<p><b>{class}</b> {}</p>", text(&promise.how))).collect();
    let structure = serde_json::to_value(of.structure).ok();
    let structure = structure.as_ref().and_then(Value::as_str).unwrap_or_default();
    format!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{promises}</td></tr>",
        text(&of.title),
        text(&of.version),
        text(structure),
        text(&of.license)
    )
}

fn suite(run: &Run) -> String {
    let mut out = String::new();
    let mut block = |title: &str, body: &str, class: &str| {
        if !body.is_empty() {
            out.push_str(&format!("<h4>{title}</h4><pre class=\"{class}\" tabindex=\"0\">{}</pre>", lines(body)));
        }
    };
    block("In short", run.text(&["suite", "summary"]).unwrap_or_default(), "prose");
    block("About it", run.text(&["suite", "analysis"]).unwrap_or_default(), "prose");
    block("Command line", &command_line(run), "code");
    block("The suite as it was read", run.text(&["suite", "text"]).unwrap_or_default(), "code");
    out
}

fn left_out(run: &Run) -> String {
    let word = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(text).unwrap_or_default();
    let entries = run.list("skipped").iter().chain(run.list("given_up"));
    let items: String =
        entries.map(|entry| format!("<li><b>{}</b>: {}</li>", word(entry, "what"), word(entry, "why"))).collect();
    if items.is_empty() { items } else { format!("<ul>{items}</ul>") }
}
