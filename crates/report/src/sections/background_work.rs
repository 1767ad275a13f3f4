//! Background work: for every phase that waited for it, the cost when operations were acknowledged and when all work
//! was done.

use bakeoff_results::background_work::BackgroundWork;
use bakeoff_text::{bytes, ratio, time};

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

    fn cells(&self) -> Vec<Option<String>> {
        let [settled, times, after] = match self.settled() {
            Some(of) => [of.each_ns.map(time), of.times.map(ratio), of.after_ns.map(time)],
            None => [Some("not settled".to_owned()), None, None],
        };
        vec![self.acknowledged_ns().map(time), settled, times, after, self.written_bytes().map(bytes)]
    }
}
