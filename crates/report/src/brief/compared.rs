//! The short answer of a comparison: what got worse and better most, a row for each store, and whether that is conclusive.

use bakeoff_results::comparison::{Change, Comparison, Line, Verdict};
use bakeoff_results::figures::Measure;
use bakeoff_text::{counted, listed_at_most, percent, ratio};

use crate::brief::parts::{Further, NAMES_MAX, shown_by_notes};
use crate::compare::ComparisonReport;
use crate::compare::document::{figures, kind};
use crate::document::{Block, Cell, Column, Document, Section, SectionId, Table, Text, Title};
use crate::labels::change_label;

/// Changes that are named in the first sentence, of each direction.
const NAMED: usize = 1;

/// The answer, its table, and what else there is. `part` is the part by which figures may be worse.
pub(crate) fn compared(of: &ComparisonReport, part: Option<f64>, further: &Further) -> Document {
    let [a, b] = &of.labels;
    let lead = [
        failed(of),
        Some(of.headline(NAMED)),
        Some(format!("A: {a} · B: {b} · {}", counted(of.found.stores.len(), "store"))),
    ];
    let mut sections = Vec::new();
    let table = table(of);
    if table.rows().count() > 0 {
        sections.push(Section::new(SectionId::OverEverything, Title::None, vec![Block::Table(table)]));
    }
    let notices = [(of.warnings.len(), "warning"), (of.notes.len(), "note"), (of.differences.len(), "difference")];
    let notices = notices.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| counted(number, noun));
    let mut last = vec![Block::paragraph(of.count_changes())];
    last.extend(inconclusive(of, part, further).map(Block::paragraph));
    last.push(Block::paragraph(shown_by_notes(notices.collect(), further)));
    last.push(Block::paragraph(format!("All figures: {}", further.full())));
    last.extend(further.page_line());
    sections.push(Section::new(SectionId::Summary, Title::None, last));
    Document { lead: lead.into_iter().flatten().map(Block::paragraph).collect(), sections, ..Document::default() }
}

/// How many cells failed since.
fn failed(of: &ComparisonReport) -> Option<String> {
    let number = of.newly_failed.len();
    (number > 0).then(|| format!("Failed in B, not in A: {}.", counted(number, "cell")))
}

/// Why the comparison says nothing that is sure; `None` where it does.
fn inconclusive(of: &ComparisonReport, part: Option<f64>, further: &Further) -> Option<String> {
    let found: &Comparison = &of.found;
    if found.verdict(part) != Verdict::Inconclusive {
        return None;
    }
    let (missing, untold) = (found.missing(), found.untold());
    let titles: Vec<String> = found.leaning(part).iter().map(|line| of.labels_of(line).store).collect();
    let by = percent(part.unwrap_or_else(|| found.unproven_part()));
    let reasons = [
        (missing > 0).then(|| format!("B lacks {} of A", counted(missing, "figure"))),
        (untold > 0).then(|| format!("{} with too few rounds", counted(untold, "figure"))),
        (!titles.is_empty()).then(|| format!("{} may be slower by more than {by}", listed_at_most(&titles, NAMES_MAX))),
    ];
    let reasons: Vec<String> = reasons.into_iter().flatten().collect();
    let remedy = match found.session_deviation {
        Some(_) => format!("{} compare --run measures both in turn", further.program),
        None => "more --rounds narrow it down".to_owned(),
    };
    Some(format!("Inconclusive: {}; {remedy}.", reasons.join("; ")))
}

/// A row for each store, the largest change first: its time over everything, and each measure over all workloads.
fn table(of: &ComparisonReport) -> Table {
    let found = &of.found;
    let mut measures: Vec<&Measure> = Vec::new();
    // Under several conditions a measure has several lines.
    if let [_] = found.circumstances.as_slice() {
        for measure in found.overall.iter().filter_map(|line| line.subject.measure()) {
            if !measures.contains(&measure) {
                measures.push(measure);
            }
        }
    }
    let fixed = [Column::left("store"), Column::right("time B / A"), Column::left("interval"), Column::left("")];
    let heads = measures.iter().map(|measure| Column::right(of.measure_label(measure)));
    let mut table = Table::new(0, fixed.into_iter().chain(heads).collect());
    table.columns_fixed = Some(4);
    for line in found.stores_by_change() {
        let labels = of.labels_of(line);
        let [estimate, interval] = figures(line);
        let change = Text::default().and_span(change_label(line.change), kind(line.change));
        let mut row = vec![
            Cell::from(Text::store(&labels.store, labels.slot)),
            Cell::from(estimate),
            Cell::from(interval),
            Cell::from(change),
        ];
        let of_measure = |measure: &&Measure| {
            let mut lines = found.overall.iter().filter(|other| other.key == line.key);
            lines.find(|other| other.subject.measure() == Some(*measure)).map_or_else(|| "–".into(), changed)
        };
        row.extend(measures.iter().map(of_measure).map(Cell::from));
        table.row(row);
    }
    table
}

/// A ratio that is proven with its judgement, and else with a sign: `=` for the same, `?` where it cannot be told.
fn changed(line: &Line) -> Text {
    let estimate = line.ratio.map_or_else(|| "–".to_owned(), |of| ratio(of.estimate));
    let mark = match line.change {
        Change::Same => "=",
        Change::CannotTell => "?",
        Change::Better | Change::Worse => change_label(line.change),
    };
    Text::plain(&format!("{estimate} ")).and_span(mark, kind(line.change))
}
