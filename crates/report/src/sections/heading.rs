//! What stands above a report: what was measured, how much of it, and whether the run is finished.

use std::collections::BTreeMap;

use bakeoff_results::record::known;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, format_count};

use crate::document::{Block, Document, SpanKind, Text, Title};
use crate::measured::measured;

/// A document of the run without any section.
pub(crate) fn document(run: &Run) -> Document {
    let mut lead = Vec::new();
    let measured = measured(&[run]);
    if !measured.is_empty() {
        lead.push(Block::paragraph(measured));
    }
    lead.push(Block::paragraph(amounts(run)));
    let is_ranked = run.pick().is_none() && run.find_rate().is_none() && run.profile().is_none();
    lead.extend(few_rounds(run).filter(|_| is_ranked).map(|few| Block::Note(few.into())));
    lead.extend(run.notes.first().map(|note| Block::Note(format!("NOTE: {note}").into())));
    Document {
        title: Title::Shown(Text::plain(run.title())),
        started: Text::plain(known(&run.record.started).unwrap_or("at an unknown time")),
        state: unfinished(run).unwrap_or_default(),
        lead,
        sections: Vec::new(),
    }
}

/// Why a run is incomplete; `None` if it is finished, or if nothing is known of it.
pub(crate) fn unfinished(run: &Run) -> Option<Text> {
    run.is_unfinished().then(|| match run.pick() {
        Some(_) => Text::plain("STOPPED before it was done"),
        None => Text::plain("NOT FINISHED: ").and_span("bakeoff run --resume", SpanKind::Code).and(" goes on"),
    })
}

/// How much was measured and checked.
pub(crate) fn amounts(run: &Run) -> String {
    let entries = run.cells.iter().filter_map(|cell| cell.end.verified.as_ref());
    let entries = entries.fold(0_u64, |sum, verified| sum.saturating_add(verified.entries));
    format!(
        "{} · {} checked and right, {} compared after opening again",
        cells_measured(run),
        counted(answers_checked(run), "answer"),
        if entries == 1 { "1 entry".to_owned() } else { format!("{} entries", format_count(entries)) }
    )
}

/// Answers that were checked in rounds that did not fail: all of them were right.
pub(crate) fn answers_checked(run: &Run) -> u64 {
    let phases = run.cells.iter().filter(|cell| cell.is_ok()).flat_map(|cell| &cell.phases);
    phases.fold(0, |sum, phase| sum.saturating_add(phase.result.answers_checked))
}

/// `190 cells measured in 3 rounds each, 2 failed, 4 not measured yet`.
fn cells_measured(run: &Run) -> String {
    let (good, failed) = rounds_of_cells(run);
    let rounds = match (good.iter().min(), good.iter().max()) {
        (Some(least), Some(most)) if least != most => format!(" in {least} to {most} rounds"),
        (Some(all), _) if good.len() == 1 => format!(" in {}", counted(*all, "round")),
        (Some(all), _) => format!(" in {} each", counted(*all, "round")),
        _ => String::new(),
    };
    let mut cells = format!("{} measured{rounds}", counted(good.len(), "cell"));
    if failed > 0 {
        cells += &format!(", {} failed", format_count(failed as u64));
    }
    match run.record.cells.len().saturating_sub(good.len() + failed) {
        0 => {}
        left => cells += &format!(", {} not measured", format_count(left as u64)),
    }
    cells
}

/// That most cells have too few rounds for anything to be proven; nothing where they have enough.
pub(crate) fn few_rounds(run: &Run) -> Option<String> {
    let (rounds, _) = rounds_of_cells(run);
    let number = |most| rounds.iter().filter(|rounds| **rounds <= most).count();
    let (once, few, all) = (number(1), number(2), rounds.len());
    let few = match (once, few) {
        (_, 0) => return None,
        (0, few) => format!(
            "{few} of {} have only two rounds: differences between their stores are hardly ever proven",
            counted(all, "cell")
        ),
        (once, _) if once == all => {
            "Every cell was measured in one round only: figures are shown, and nothing is proven by them".to_owned()
        }
        (once, _) => format!("{once} of {} have only one round: nothing is proven by them", counted(all, "cell")),
    };
    // Whoever asked for three rounds got fewer for want of time.
    let asked = run.record.rounds.unwrap_or_default();
    let more = if asked < 3 { ", fewer stores or workloads, or --rounds 3" } else { ", or fewer stores or workloads" };
    Some(format!("{few}. For an answer give it more time (a longer --budget){more}."))
}

/// For every cell that never failed its rounds; and the number of cells that did.
fn rounds_of_cells(run: &Run) -> (Vec<u32>, usize) {
    let mut rounds = BTreeMap::new();
    for cell in &run.cells {
        let entry = rounds.entry(cell.end.cell.as_str()).or_insert((0_u32, false));
        *entry = (entry.0 + 1, entry.1 || !cell.is_ok());
    }
    let failed = rounds.values().filter(|(_, failed)| *failed).count();
    (rounds.into_values().filter(|(_, failed)| !failed).map(|(rounds, _)| rounds).collect(), failed)
}
