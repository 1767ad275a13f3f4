//! Warnings of a run, notes on its figures, and what its suite's author says about it.

use std::collections::BTreeSet;

use bakeoff_protocol::StoreDescription;
use bakeoff_results::analysis::Analysis;
use bakeoff_results::record::{WarningRecord, known};
use bakeoff_results::run::Run;
use bakeoff_text::listed;

use crate::document::{Block, Section, SectionId};
use crate::read_notes;

/// Warnings, each with its advice; `None` if there are none.
pub(crate) fn warnings(run: &Run) -> Option<Section> {
    let line = |warning: &WarningRecord| {
        let parts = [known(&warning.message), warning.advice.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    let lines = run.record.warnings.iter().map(line).filter(|line| !line.is_empty());
    list(SectionId::Warnings, "Warnings", lines.collect())
}

/// What a reader of the figures must know; `None` if there is nothing.
pub(crate) fn section(of: &Analysis) -> Option<Section> {
    list(SectionId::Notes, "Notes", all_notes(of))
}

fn list(id: SectionId, title: &str, lines: Vec<String>) -> Option<Section> {
    Section::titled(id, title, if lines.is_empty() { Vec::new() } else { vec![Block::list(lines)] })
}

/// What the suite's author says about it; `None` if nothing. An empty line separates paragraphs, which are wrapped anew.
pub(crate) fn about_suite(run: &Run) -> Option<Section> {
    let lines: Vec<_> = run.record.suite.analysis.lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    let paragraphs = paragraphs.map(|lines| Block::paragraph_at(1, lines.join(" ")));
    let blocks = paragraphs.flat_map(|paragraph| [Block::Gap, paragraph]).skip(1);
    Section::titled(SectionId::AboutSuite, "About this suite", blocks.collect())
}

/// That rounds are alike, in the table where they are most; `None` if they are not.
fn correlated(of: &Analysis) -> Option<String> {
    let most = of.correlation()?;
    Some(format!(
        "neighbouring rounds are alike (correlation {most:.2}): something slowed this machine for longer than a round; intervals are \
         widened for it"
    ))
}

/// What was left out while the results were read, and what several threads mean for figures, and for stores that one thread at a time
/// writes.
pub(crate) fn all_notes(of: &Analysis) -> Vec<String> {
    let run = of.run;
    let mut notes: Vec<String> = run.notes.iter().map(read_notes::describe).chain(correlated(of)).collect();
    let threads = run.cells.iter().any(|cell| cell.end.axes.threads > 1);
    if threads {
        notes.push(
            "with several threads, times are those of an operation in its thread, rates those of all threads together; CPU time, bytes and \
             memory are the whole process's"
                .to_owned(),
        );
    }
    let takes_turns = |store: &&StoreDescription| {
        let mut cells = run.cells.iter().map(|cell| &cell.end.axes).filter(|axes| axes.store == store.name);
        store.capabilities.keeps_data && cells.any(|axes| !store.writes_in_parallel(axes.durability))
    };
    let turns: Vec<String> = run.stores().iter().filter(takes_turns).map(|store| store.title.clone()).collect();
    if !turns.is_empty() && threads {
        notes.push(format!("with several threads, those that write take turns in {}", listed(&turns)));
    }
    let lines = run.cells.iter().flat_map(|cell| &cell.phases);
    let open: BTreeSet<&str> =
        lines.filter(|line| line.result.open_loop.is_some()).map(|line| line.result.phase.as_str()).collect();
    if !open.is_empty() {
        let open = listed(&open.into_iter().map(str::to_owned).collect::<Vec<_>>());
        notes.push(format!(
            "open loop: times of {open} count from when operations were due, the wait for others included"
        ));
    }
    notes
}
