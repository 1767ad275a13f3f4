//! Warnings of a run, notes on its figures, and what its suite's author says about it.

use bakeoff_results::analysis::Analysis;
use bakeoff_results::caveats::{Caveat, caveats};
use bakeoff_results::record::{WarningRecord, known};
use bakeoff_results::run::Run;
use bakeoff_text::{digits, listed};

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

/// The suite author's text; `None` if there is none. An empty line separates paragraphs, which are wrapped again.
pub(crate) fn about_suite(run: &Run) -> Option<Section> {
    let lines: Vec<_> = run.record.suite.analysis.lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    let paragraphs = paragraphs.map(|lines| Block::paragraph_at(1, lines.join(" ")));
    let blocks = paragraphs.flat_map(|paragraph| [Block::Gap, paragraph]).skip(1);
    Section::titled(SectionId::AboutSuite, "About this suite", blocks.collect())
}

/// What the reader of the results left out, and what else the user must know.
pub(crate) fn all_notes(of: &Analysis) -> Vec<String> {
    let read = of.run.notes.iter().map(read_notes::describe);
    read.chain(caveats(of).iter().map(describe)).collect()
}

/// What a reader must know, as a sentence.
pub(crate) fn describe(caveat: &Caveat) -> String {
    match caveat {
        Caveat::Correlated(most) => format!(
            "neighbouring rounds are alike (correlation {most:.2}): something slowed this machine for longer than a round; intervals are \
             widened for it"
        ),
        Caveat::SeveralThreads => {
            "with several threads, times are those of an operation in its thread, rates those of all threads together; CPU time, bytes and \
             memory are the whole process's"
                .to_owned()
        }
        Caveat::WritesTakeTurns(stores) => {
            format!("with several threads, writing threads take turns in {}", listed(stores))
        }
        Caveat::OpenLoop(phases) => format!(
            "open loop: times of {} count from when operations were due, the wait for others included",
            listed(phases)
        ),
        Caveat::PlainFiles(stores) => format!(
            "{}: plain files are as fast as the file system is at that time; for minutes after many were removed it can be several times \
             slower, which no number of rounds in one run shows",
            listed(stores)
        ),
        Caveat::ScaledDown { times, has_walks } => {
            let walks = match has_walks {
                true => " A walk is of fewer lookups than theirs, so its factors are of different work.",
                false => "",
            };
            let times = digits(*times);
            format!(
                "This run was scaled down: fields are next to those of the publication that had {times} times its records.{walks}"
            )
        }
    }
}
