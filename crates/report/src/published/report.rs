//! A publication's own figures through our matrix.

use bakeoff_results::published::placed::{contenders, tables};
use bakeoff_results::published::{Kind, Published, StoreFacts};
use bakeoff_text::counted;

use crate::document::{Block, Document, Section, SectionId, Text, Title};
use crate::sections::matrix;

/// What the measures are; how its authors took them is in its notes.
const MEASURES: &str =
    "times are means per operation (scans: per entry) · space efficiency: bytes of records per byte on disk";

/// The publication: its origin, its matrices, how its stores were set, its notes.
pub(crate) fn report(published: &Published) -> Document {
    let facts = &published.facts;
    let contenders = contenders(published);
    let tables = tables(published, |records| records);
    let line = "As published. There are no rounds and no intervals, so no first place is proven (?).";
    let mut sections = Vec::from_iter(Section::untitled(SectionId::Notes, vec![Block::paragraph(line)]));
    sections.extend(tables.iter().map(|table| matrix::section(table, &tables, &contenders, MEASURES)));
    sections.extend(list(SectionId::PublishedSettings, "How the stores were set", settings(published)));
    sections.extend(list(SectionId::PublishedNotes, "To be known", notes(published)));
    let hardware = facts.hardware.iter().map(|(name, machine)| format!("{name}: {machine}"));
    sections.extend(list(SectionId::PublishedHardware, "Hardware", hardware.collect()));
    Document {
        title: Title::Shown(Text::plain(&format!("{} ({}, {})", facts.title, facts.authors, facts.year))),
        lead: vec![Block::paragraph(format!("{} {}", facts.origin, facts.url))],
        sections,
        ..Document::default()
    }
}

/// A section with a list; `None` if the list is empty.
pub(crate) fn list(id: SectionId, title: &str, lines: Vec<String>) -> Option<Section> {
    let list = (!lines.is_empty()).then(|| Block::list(lines));
    Section::titled(id, title, list.into_iter().collect())
}

/// How each store was set.
pub(crate) fn settings(published: &Published) -> Vec<String> {
    let line = |facts: &StoreFacts| format!("{} ({}): {}", facts.title, facts.durability, facts.how);
    published.facts.stores.values().map(line).collect()
}

/// What a reader of the figures must know.
pub(crate) fn notes(published: &Published) -> Vec<String> {
    let mut notes = published.facts.notes.clone();
    let elsewhere = published
        .figures
        .iter()
        .filter(|figure| figure.measure == Kind::Size && figure.value(&published.facts).is_none())
        .count();
    if elsewhere > 0 {
        notes.push(format!(
            "{} are not in a matrix: see published/{}.csv.",
            counted(elsewhere, "size"),
            published.name
        ));
    }
    notes
}
