//! The top of a report: the measured axes, the number of cells, and whether the run is finished.

use bakeoff_results::cells_measured::{CellsMeasured, Few, FewRounds};
use bakeoff_results::record::known;
use bakeoff_results::run::Run;
use bakeoff_text::{counted, format_count};

use crate::document::{Block, Document, SpanKind, Text, Title};
use crate::measured::measured;
use crate::read_notes;

/// A document of the run without any section.
pub(crate) fn document(run: &Run) -> Document {
    let mut lead = Vec::new();
    let measured = measured(&[run]);
    if !measured.is_empty() {
        lead.push(Block::paragraph(measured));
    }
    let cells = CellsMeasured::of(run);
    lead.push(Block::paragraph(amounts(&cells)));
    lead.extend(few_rounds(&cells).map(|few| Block::Note(few.into())));
    lead.extend(run.notes.first().map(|note| Block::Note(format!("NOTE: {}", read_notes::describe(note)).into())));
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
        None => Text::plain("NOT FINISHED: ")
            .and_span(&format!("{} run --resume", bakeoff_text::program()), SpanKind::Code)
            .and(" goes on"),
    })
}

/// How much was measured and checked.
pub(crate) fn amounts(of: &CellsMeasured) -> String {
    format!(
        "{} · {} checked and right, {} compared after opening again",
        cells(of),
        counted(of.answers_checked, "answer"),
        if of.entries_compared == 1 {
            "1 entry".to_owned()
        } else {
            format!("{} entries", format_count(of.entries_compared))
        }
    )
}

/// `190 cells measured in 3 rounds each, 2 failed, 4 not measured yet`.
fn cells(of: &CellsMeasured) -> String {
    let rounds = match (of.rounds.iter().min(), of.rounds.iter().max()) {
        (Some(least), Some(most)) if least != most => format!(" in {least} to {most} rounds"),
        (Some(all), _) if of.rounds.len() == 1 => format!(" in {}", counted(*all, "round")),
        (Some(all), _) => format!(" in {} each", counted(*all, "round")),
        _ => String::new(),
    };
    let mut cells = format!("{} measured{rounds}", counted(of.rounds.len(), "cell"));
    for (number, what) in [(of.failed, "failed"), (of.left, "not measured")] {
        if number > 0 {
            cells += &format!(", {} {what}", format_count(number as u64));
        }
    }
    cells
}

/// That most cells have too few rounds for anything to be proven; nothing where they have enough.
pub(crate) fn few_rounds(of: &CellsMeasured) -> Option<String> {
    let FewRounds { which, all, asked_for_few } = of.few_rounds()?;
    let all = counted(all, "cell");
    let few = match which {
        Few::Twice(few) => {
            format!("{few} of {all} have only two rounds: differences between their stores are hardly ever proven")
        }
        Few::AllOnce => {
            "Every cell was measured in one round only: figures are shown, and nothing is proven by them".to_owned()
        }
        Few::Once(once) => format!("{once} of {all} have only one round: nothing is proven by them"),
    };
    // A user who asked for enough rounds got fewer because time ran out.
    let more =
        if asked_for_few { ", fewer stores or workloads, or --rounds 3" } else { ", or fewer stores or workloads" };
    Some(format!("{few}. For an answer give it more time (a longer --budget){more}."))
}
