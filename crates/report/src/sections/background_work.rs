//! What stores put off: for every phase that waited for it, the cost as it was acknowledged and as it was when all was done.

use bakeoff_results::background_work::BackgroundWork;
use bakeoff_text::{bytes, or_dash, ratio, time};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

impl Row for BackgroundWork {
    const ID: SectionId = SectionId::BackgroundWork;
    const TITLE: &str = "Settled cost";
    const WHAT: &str =
        "Time of an operation as acknowledged, and with the work that the store did in the background afterwards.";
    const COLUMNS: &[&str] = &["acknowledged", "settled", "times", "after", "written after"];

    fn label(subject: &String) -> &str {
        subject
    }

    fn cells(&self) -> Vec<String> {
        let [settled, times, after] = match self.settled() {
            Some(of) => {
                [or_dash(of.each_ns, time), of.times.map_or_else(String::new, ratio), or_dash(of.after_ns, time)]
            }
            None => ["not settled".to_owned(), String::new(), String::new()],
        };
        vec![or_dash(self.acknowledged_ns(), time), settled, times, after, or_dash(self.written_bytes(), bytes)]
    }
}
