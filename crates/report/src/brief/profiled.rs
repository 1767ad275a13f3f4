//! The short answer of a run that was profiled: nobody is ranked, and the flame graphs are there.

use bakeoff_results::analysis::Analysis;

use crate::brief::parts::MORE;
use crate::document::{Block, Document, Fold, Section, SectionId, Title};
use crate::sections::flame_graphs::{not_ranked, section};

/// Why there is no answer, and where the flame graphs are.
pub(super) fn document(of: &Analysis, rows: usize) -> Document {
    let lead = not_ranked(of.run).map(|section| section.blocks).unwrap_or_default();
    let mut sections = Vec::from_iter(section(of.run, &of.contenders));
    for block in sections.iter_mut().flat_map(|section| &mut section.blocks) {
        if let Block::List(list) = block {
            list.fold = Fold::after(rows, list.items.len(), MORE);
        }
    }
    sections.push(Section::new(SectionId::Hint, Title::None, Vec::new()));
    Document { lead, sections, ..Document::default() }
}
