//! What stores take on disk: open, closed and as a compacted copy, against a flat array of the same data.

use bakeoff_results::disk_usage::StoredBytes;
use bakeoff_text::{bytes, or_dash, ratio};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

impl Row for StoredBytes {
    const ID: SectionId = SectionId::DiskUsage;
    const TITLE: &str = "Storage";
    const WHAT: &str = "Bytes allocated on disk: while the store is open, after it was closed, and those of a copy without free space that it made of itself; \
        beside a flat array of the same keys and values, of which what is closed, and what is copied, is so many times. Means of all rounds; – where a store makes no such copy.";
    const COLUMNS: &[&str] = &["before close", "after close", "copy", "flat array", "closed/flat", "copy/flat"];

    fn label((): &()) -> &str {
        "at the end"
    }

    fn cells(&self) -> Vec<String> {
        let (after, copy) = (self.after_close(), self.copy());
        let sizes = [self.before_close(), after, copy, self.flat()].map(|size| or_dash(size, bytes));
        let times = [after, copy].map(|size| or_dash(self.times_flat(size), ratio));
        sizes.into_iter().chain(times).collect()
    }
}
