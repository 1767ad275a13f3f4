//! Phases that began after the store's files were dropped from the page cache.

use bakeoff_results::cold_starts::ColdStarts;
use bakeoff_text::{bytes, time};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

impl Row for ColdStarts {
    const ID: SectionId = SectionId::ColdStarts;
    const TITLE: &str = "Cold caches";
    const WHAT: &str = "Before these phases the store was closed, its files were dropped from the page cache, and it was opened again. How long opening \
        took (mean of all rounds, and the slowest); what was cached of the files, and what stayed (the most of all rounds); what the phase then read from \
        the device (mean).";
    const COLUMNS: &[&str] = &["open", "slowest", "cached", "stayed", "then read"];

    fn label(subject: &String) -> &str {
        subject
    }

    fn cells(&self) -> Vec<Option<String>> {
        let times = [self.open_ns(), self.most_ns()].map(|ns| ns.map(time));
        let cached = [self.before_bytes(), self.after_bytes()].map(|size| size.map(|size| size as f64));
        let sizes = cached.into_iter().chain([self.block_read_bytes()]).map(|size| size.map(bytes));
        times.into_iter().chain(sizes).collect()
    }
}
