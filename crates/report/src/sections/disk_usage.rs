//! What every store takes of disk and memory, against the keys and values alone.

use bakeoff_results::disk_usage::StoredBytes;
use bakeoff_text::{bytes, ratio};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

impl Row for StoredBytes {
    const ID: SectionId = SectionId::DiskUsage;
    const TITLE: &str = "Space and memory";
    const WHAT: &str = "Bytes allocated on disk: the most at one time (peak), after background work (settled, where a phase waits for it), just before \
        closing (open), after closing, and in a compacted copy. Data is the keys and values alone. Memory is the peak above the empty store. \
        Means of all rounds, and the highest of the peaks.";
    const COLUMNS: &[&str] =
        &["peak disk", "settled", "open", "closed", "copy", "data", "closed/data", "copy/data", "memory"];

    fn label((): &()) -> &str {
        "at the end"
    }

    fn cells(&self) -> Vec<Option<String>> {
        let (closed, copy) = (self.after_close(), self.copy());
        let sizes = [self.peak(), self.settled(), self.before_close(), closed, copy, self.data()];
        let times = [closed, copy].map(|size| self.times_data(size).map(ratio));
        sizes.map(|size| size.map(bytes)).into_iter().chain(times).chain([self.memory().map(bytes)]).collect()
    }
}
