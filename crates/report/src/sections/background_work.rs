//! What stores put off: for every phase that waited for it, the cost as it was acknowledged and as it was when all was done.

use bakeoff_protocol::PhaseResult;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::figures::{acknowledged_ns_mean, settled_ns_mean};
use bakeoff_stats::mean;
use bakeoff_text::{bytes, or_dash, ratio, time};

use crate::document::SectionId;
use crate::sections::phase_tables::{Row, phases_that};

/// One store's rounds of one phase.
#[derive(Default)]
pub(crate) struct BackgroundWorkRow {
    acknowledged_ns: Vec<f64>,
    settled_ns: Vec<f64>,
    after_ns: Vec<f64>,
    written_bytes: Vec<f64>,
    unfinished: usize,
}

impl Row for BackgroundWorkRow {
    type Part = PhaseResult;
    const ID: SectionId = SectionId::BackgroundWork;
    const TITLE: &str = "Settled cost";
    const WHAT: &str =
        "Time of an operation as acknowledged, and with the work that the store did in the background afterwards.";
    const COLUMNS: &[&str] = &["acknowledged", "settled", "times", "after", "written after"];

    fn parts(cell: &CellRound) -> Vec<(&str, &PhaseResult)> {
        phases_that(cell, |phase| phase.background_work.is_some())
    }

    fn add(&mut self, phase: &PhaseResult) {
        let Some(settled) = phase.background_work else { return };
        self.acknowledged_ns.extend(acknowledged_ns_mean(phase));
        self.written_bytes.push(settled.process_write_bytes as f64);
        match settled.done_ns {
            Some(after_ns) => {
                self.after_ns.push(after_ns as f64);
                self.settled_ns.extend(settled_ns_mean(phase));
            }
            None => self.unfinished += 1,
        }
    }

    fn cells(&self) -> Vec<String> {
        let mean_of = |figures: &[f64], show: fn(f64) -> String| or_dash(mean(figures), show);
        let times = mean(&self.settled_ns).zip(mean(&self.acknowledged_ns)).map(|(all, first)| all / first);
        // A mean of those rounds that ended would hide the others.
        let ended = self.unfinished == 0;
        vec![
            mean_of(&self.acknowledged_ns, time),
            if ended { mean_of(&self.settled_ns, time) } else { "not settled".to_owned() },
            times.filter(|_| ended).map_or_else(String::new, ratio),
            if ended { mean_of(&self.after_ns, time) } else { String::new() },
            mean_of(&self.written_bytes, bytes),
        ]
    }
}
