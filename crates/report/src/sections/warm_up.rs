//! Phases that were measured only once their rate had settled: how long that took, and whether it did.

use bakeoff_protocol::{PhaseResult, WarmUpOutcome};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_stats::mean;
use bakeoff_text::{format_count, or_dash, time};

use crate::document::SectionId;
use crate::sections::phase_tables::{Row, phases_that};

/// The warm-ups of one store's rounds of one phase.
#[derive(Default)]
pub(crate) struct WarmUpRow(Vec<WarmUpOutcome>);

impl Row for WarmUpRow {
    type Part = PhaseResult;
    const ID: SectionId = SectionId::WarmUp;
    const TITLE: &str = "Warm-up until steady";
    const WHAT: &str = "Operations that were replayed before measuring began, how long they took, and an operation's time in the first and in \
        the last part of them; and whether its level had settled by then.";
    const COLUMNS: &[&str] = &["operations", "took", "at first", "at the end", "settled"];

    fn parts(cell: &CellRound) -> Vec<(&str, &PhaseResult)> {
        phases_that(cell, |phase| phase.warm_up.is_some())
    }

    fn add(&mut self, phase: &PhaseResult) {
        self.0.extend(phase.warm_up.clone());
    }

    fn cells(&self) -> Vec<String> {
        let mean_of = |figures: Vec<f64>, show: fn(f64) -> String| or_dash(mean(&figures), show);
        let of = |figure: fn(&WarmUpOutcome) -> Option<f64>| self.0.iter().filter_map(figure).collect::<Vec<_>>();
        vec![
            mean_of(of(|one| Some(one.operations as f64)), |mean| format_count(mean.round() as u64)),
            mean_of(of(|one| Some(one.wall_ns as f64)), time),
            mean_of(of(|one| Some(*one.interval_ns_means.first()? as f64)), time),
            mean_of(of(|one| Some(*one.interval_ns_means.last()? as f64)), time),
            self.settled(),
        ]
    }
}

impl WarmUpRow {
    /// In how many rounds; or that it could not be told.
    fn settled(&self) -> String {
        let [yes, no] = [true, false].map(|told| self.0.iter().filter(|one| one.steady == Some(told)).count());
        match (yes, no) {
            (0, 0) => "too short to tell".to_owned(),
            (yes, 0) if yes == self.0.len() => "yes".to_owned(),
            (0, no) if no == self.0.len() => "NO".to_owned(),
            (yes, _) => format!("in {yes} of {}", self.0.len()),
        }
    }
}
