//! Failed rounds on the page: what failed, where, the end of its log, and how to run it again.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use bakeoff_files::open_regular;
use bakeoff_protocol::CellEnd;
use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, format_count};
use maud::{Markup, html};

use crate::format::describe_round;
use crate::page::html::{lines, store};
use crate::page::links::{file_link, way};

/// How much of a failed cell's log is shown, from its end.
const LOG_BYTES_MAX: u64 = 4096;

/// Failed rounds whose logs are shown; more would make the page large and say little.
const FAILURES_MAX: usize = 50;

/// The id of the failures of the run with this place.
pub(crate) fn failures_id(run: usize) -> String {
    if run == 0 { "failures".to_owned() } else { format!("failures-{run}") }
}

/// The failures of a run, of which `of` tells the label where there are several; nothing if no round failed.
pub(crate) fn failures(run: &Run, contenders: &Contenders, place: usize, of: &str, page: &Path) -> Markup {
    let failed: Vec<&CellEnd> = run.cells.iter().filter(|cell| !cell.is_ok()).map(|cell| &cell.end).collect();
    let prefix = way(page, &run.directory);
    let more = failed.len().saturating_sub(FAILURES_MAX);
    html! {
        @if !failed.is_empty() {
            details.failures id=(failures_id(place)) open {
                summary { "Failed: never ranked, never averaged (" (format_count(failed.len() as u64)) (of) ")" }
                @for end in failed.iter().take(FAILURES_MAX) { (failure(run, end, contenders, &prefix)) }
                @if more > 0 { p { "And " (counted(more, "more failed round")) ": see " code { "results.jsonl" } "." } }
            }
        }
    }
}

fn failure(run: &Run, end: &CellEnd, contenders: &Contenders, prefix: &str) -> Markup {
    let axes = &end.axes;
    let (message, again) = run.failure(end);
    html! {
        article.failure {
            h4 {
                @match contenders.of(axes) { Some(contender) => (store(contender)), None => (axes.store) }
                ": " (end.failure.map_or("no reason given", |kind| kind.label()))
                @if let Some(phase) = &end.failure_phase { " in " (phase) }
            }
            p { (describe_round(end)) }
            p { (message) }
            p { "log " (file_link(prefix, &end.log)) " · again " code { (again) } }
            @if let Some(log) = log_end(&run.directory, &end.log) { (lines("log", &log)) }
        }
    }
}

/// The end of a log inside the run's directory. `None` if there is no log, or if its name or a link leads elsewhere. A
/// run may come from somebody else, and pages are shared.
fn log_end(directory: &Path, log: &str) -> Option<String> {
    let (directory, path) = (directory.canonicalize().ok()?, directory.join(log).canonicalize().ok()?);
    if !path.starts_with(&directory) {
        return None;
    }
    let mut file = open_regular(&path, File::options().read(true)).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES_MAX))).ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|text| !text.trim().is_empty())
}
