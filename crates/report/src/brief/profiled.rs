//! The short answer of a run that was profiled: nobody is ranked, and the flame graphs are there.

use bakeoff_results::analysis::Analysis;

use crate::document::{Document, Section, SectionId, Title};
use crate::sections::flame_graphs::{not_ranked, section};

/// Why there is no answer, and where the flame graphs are.
pub(super) fn document(of: &Analysis) -> Document {
    let lead = not_ranked(of.run).map(|section| section.blocks).unwrap_or_default();
    let mut sections = Vec::from_iter(section(of.run, &of.contenders));
    sections.push(Section::new(SectionId::Hint, Title::None, Vec::new()));
    Document { lead, sections, ..Document::default() }
}
