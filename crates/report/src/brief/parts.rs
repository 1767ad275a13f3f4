//! What all short answers have: limits, and where they lead.

use bakeoff_text::HARD_SPACE;

use crate::document::Block;

/// Names in a sentence; of more, the rest is counted.
pub(super) const NAMES_MAX: usize = 3;

/// Where a short answer leads.
#[derive(Clone, Copy, Debug)]
pub struct Further<'a> {
    /// The program, as the user calls it.
    pub program: &'a str,
    /// The command that shows the same again, such as `bakeoff report`.
    pub again: &'a str,
    /// The page; `None` if there is none.
    pub page: Option<&'a str>,
}

impl Further<'_> {
    /// The command that shows everything.
    pub(super) fn full(&self) -> String {
        format!("{} --full", self.again)
    }

    /// The path of the page, on a separate line.
    pub(super) fn page_line(&self) -> Option<Block> {
        self.page.map(|page| Block::paragraph(format!("Page:{HARD_SPACE}{page}")))
    }
}

/// Counts, and the command that shows the counted lines.
pub(super) fn shown_by_notes(counts: Vec<String>, further: &Further) -> String {
    match counts.as_slice() {
        [] => "No warnings.".to_owned(),
        counts => format!("{}: {} --notes", counts.join(", "), further.again),
    }
}
