//! Phases that were measured only once their rate was steady: how long that took, and whether it ever was.

use bakeoff_results::warm_ups::{Settled, WarmUps};
use bakeoff_text::{format_count, time};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

impl Row for WarmUps {
    const ID: SectionId = SectionId::WarmUp;
    const TITLE: &str = "Warm-up until steady";
    const WHAT: &str = "Operations that were replayed before measuring began, how long they took, and an operation's time in the first and in \
        the last part of them; and whether its level had settled by then.";
    const COLUMNS: &[&str] = &["operations", "took", "at first", "at the end", "settled"];

    fn label(subject: &String) -> &str {
        subject
    }

    fn cells(&self) -> Vec<Option<String>> {
        vec![
            self.operations().map(|mean| format_count(mean.round() as u64)),
            self.wall_ns().map(time),
            self.first_ns().map(time),
            self.last_ns().map(time),
            Some(describe(self.settled())),
        ]
    }
}

fn describe(settled: Settled) -> String {
    match settled {
        Settled::Unknown => "too short to tell".to_owned(),
        Settled::Always => "yes".to_owned(),
        Settled::Never => "NO".to_owned(),
        Settled::In { rounds, all } => format!("in {rounds} of {all}"),
    }
}
