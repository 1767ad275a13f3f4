//! The short answer: one run or two for a reader in a hurry, on one screen of a terminal. It is a separate document
//! from the same analysis as the report, and leads to everything else.

mod compared;
mod parts;
pub(crate) mod picked;
mod profiled;
mod ranked;
mod rates;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::brief::Notices;
use bakeoff_results::cells_measured::CellsMeasured;
use bakeoff_text::{counted, format_count, listed_at_most};

use crate::compare::ComparisonReport;
use crate::compare::document::document as comparison;
use crate::detail::Detail;
use crate::document::{Block, Document, Fold, Form, Section, SectionId, Title};
use crate::sections::{failures, heading, power_cuts, report};

pub(crate) use compared::compared;
pub use parts::Further;
use parts::{NAMES_MAX, shown_by_notes};

/// Lines that a short answer has at most on a terminal of 80 columns.
pub(crate) const LINES_MAX: usize = 20;

/// The same with the lines of a program, which fill the screen.
pub(crate) const LINES_MAX_WITH_CODE: usize = 24;

/// How to see the rows that have no room.
const MORE: &str = "--full";

/// What lists of warnings and skips are made of.
const NOTICES: [SectionId; 9] = [
    SectionId::PickLeftOut,
    SectionId::MapLeftOut,
    SectionId::NewlyFailed,
    SectionId::Failures,
    SectionId::Skipped,
    SectionId::GivenUp,
    SectionId::Differences,
    SectionId::Warnings,
    SectionId::Notes,
];

/// Shows at most `rows` rows of each table and list of a short answer.
pub(crate) fn fold(document: &mut Document, rows: usize) {
    for block in document.sections.iter_mut().flat_map(|section| &mut section.blocks) {
        match block {
            Block::Table(table) => table.fold = Fold::after(rows, table.rows().count(), MORE),
            Block::List(list) => list.fold = Fold::after(rows, list.items.len(), MORE),
            _ => {}
        }
    }
}

/// The short answer of a run.
pub(crate) fn answer(of: &Analysis, further: &Further) -> Document {
    let mut document = match (of.pick(), of.run.find_rate(), of.run.profile()) {
        (Some(outcome), ..) => picked::document(outcome),
        (_, Some(facts), _) => rates::document(of.run, facts, further),
        (.., Some(_)) => profiled::document(of),
        _ => cut(of).unwrap_or_else(|| ranked::document(of)),
    };
    let unfinished = heading::unfinished(of.run).map(Block::Note);
    document.lead = unfinished.into_iter().chain(document.lead).collect();
    if let Some(last) = document.sections.last_mut() {
        last.blocks.extend(closing(of, further));
    }
    document
}

/// The answer of a run whose disks lost their power.
fn cut(of: &Analysis) -> Option<Document> {
    let section = power_cuts::section(of.run, &of.contenders)?;
    let rest = Section::new(SectionId::Hint, Title::None, Vec::new());
    Some(Document { sections: vec![section, rest], ..Document::default() })
}

/// The checks, further facts, and where everything else is.
fn closing(of: &Analysis, further: &Further) -> Vec<Block> {
    let cells = CellsMeasured::of(of.run);
    let failed = listed_at_most(&failures::titles(of.run, &of.contenders), NAMES_MAX);
    let failed = (!failed.is_empty()).then(|| format!("Failed somewhere, and not ranked there: {failed}."));
    // A run that reads nothing has its content compared.
    let checked = match cells.answers_checked {
        0 if cells.entries_compared == 0 => String::new(),
        0 => format!("{} entries checked, all right.", format_count(cells.entries_compared)),
        answers => format!("{} checked, all right.", counted(answers, "answer")),
    };
    let notices = describe_notices(&Notices::of(of), further);
    let mut blocks: Vec<Block> = failed.into_iter().map(Block::paragraph).collect();
    blocks.push(Block::paragraph(format!("{checked} {notices}").trim()));
    let own = if of.pick().is_none() { format!(" · Your own needs: {} pick", further.program) } else { String::new() };
    blocks.push(Block::paragraph(format!("All figures: {}{own}", further.full())));
    blocks.extend(further.page_line());
    blocks
}

/// How many warnings and skips there are, and the command that shows them.
fn describe_notices(of: &Notices, further: &Further) -> String {
    let timeless = match of.given_up {
        0 => None,
        number => Some(format!("{} left out for time", format_count(number as u64))),
    };
    let counts = [(of.warnings, "warning"), (of.skips, "skip")];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| counted(number, noun));
    shown_by_notes(counts.chain(timeless).collect(), further)
}

/// The warnings and skips of a run, with what failed.
pub(crate) fn notices(of: &Analysis) -> Document {
    only_notices(report(of, Detail::Full, Form::Terminal))
}

/// The same for a comparison, with the differences between the runs.
pub(crate) fn notices_of_comparison(of: &ComparisonReport) -> Document {
    only_notices(comparison(of, Detail::Full))
}

fn only_notices(mut document: Document) -> Document {
    document.sections.retain(|section| NOTICES.contains(&section.id));
    document.lead.clear();
    if document.sections.is_empty() {
        document.lead.push(Block::paragraph("No warnings, and nothing was skipped."));
    }
    if let Title::Implied(title) = document.title {
        document.title = Title::Shown(title);
    }
    document
}
