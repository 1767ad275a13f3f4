//! How long stores took to close and to open again with their data.

use bakeoff_results::reopening::{Ended, Reopening};
use bakeoff_text::time;

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

impl Row for Reopening {
    const ID: SectionId = SectionId::Reopening;
    const TITLE: &str = "Time to reopen";
    const WHAT: &str = "Time to close the store with its data, and to open it again: where its process was killed, to recover what it left. \
        Means of all rounds, with the quickest and the slowest.";
    const COLUMNS: &[&str] = &["close", "reopen", "least", "most"];

    fn label(subject: &Ended) -> &str {
        match subject {
            Ended::Closed => "closed, then opened",
            Ended::Killed => "killed, then recovered",
        }
    }

    fn cells(&self) -> Vec<Option<String>> {
        [self.close_ns(), self.reopen_ns(), self.least_ns(), self.most_ns()].map(|ns| ns.map(time)).to_vec()
    }
}
