//! Failed rounds, by store and reason, each with its log and the command that repeats it.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::CellEnd;
use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, listed, printable};

use crate::document::{Block, Fold, Item, List, Part, Section, SectionId};
use crate::format::describe_round;

/// The section; `None` if nothing failed.
pub(crate) fn section(run: &Run, contenders: &Contenders) -> Option<Section> {
    let mut groups: BTreeMap<(String, &str), Vec<&CellEnd>> = BTreeMap::new();
    for end in run.cells.iter().filter(|cell| !cell.is_ok()).map(|cell| &cell.end) {
        let title = contenders.of(&end.axes).map_or_else(String::new, |contender| contender.title.clone());
        groups.entry((title, end.failure.map_or("no reason given", |kind| kind.label()))).or_default().push(end);
    }
    let mut blocks = Vec::new();
    for ((title, kind), ends) in &groups {
        blocks.push(Block::heading(0, format!("{title}: {kind}, {}", counted(ends.len(), "time"))));
        let items = ends.iter().map(|end| failure(run, end)).collect();
        blocks.push(Block::List(List { items, fold: Fold::after(1, ends.len(), "`--full` lists all") }));
    }
    Section::titled(SectionId::Failures, "Failed (never ranked, never averaged)", blocks)
}

fn failure(run: &Run, end: &CellEnd) -> Item {
    let phase = end.failure_phase.as_ref().map_or_else(String::new, |phase| format!(", in {phase}"));
    let place = describe_round(end) + &phase;
    let (message, again) = run.failure(end);
    let lines = [place, message, format!("log: {}/{}", run.directory.display(), end.log)];
    let shown = lines.iter().filter(|line| !line.is_empty()).map(|line| Part::Text(line.as_str().into()));
    Item { parts: shown.chain([Part::Command("again", printable(&again))]).collect() }
}

/// The titles of the stores that failed somewhere.
pub(crate) fn titles(run: &Run, contenders: &Contenders) -> Vec<String> {
    let failed = run.cells.iter().filter(|cell| !cell.is_ok()).filter_map(|cell| contenders.of(&cell.end.axes));
    let failed: BTreeSet<String> = failed.map(|contender| contender.title.clone()).collect();
    failed.into_iter().collect()
}

/// Which stores failed, in a line; `None` if none did.
pub(crate) fn in_short(run: &Run, contenders: &Contenders) -> Option<Section> {
    let names = listed(&titles(run, contenders));
    let line = format!("FAILED somewhere, and not ranked there: {names}. See below.");
    let blocks = if names.is_empty() { Vec::new() } else { vec![Block::paragraph(line)] };
    Section::untitled(SectionId::FailedInShort, blocks)
}
