//! Labels of measures, figures and places, the same in every form of a report.

use bakeoff_results::figures::Measure;
use bakeoff_stats::Verdict;
use bakeoff_text::{bytes, percent, time};

/// A figure in the unit of its measure.
pub(crate) fn figure(measure: &Measure, value: f64) -> String {
    match measure {
        Measure::Time { .. } => time(value),
        Measure::Space => percent(value),
        Measure::Memory => bytes(value),
    }
}

/// What stands behind the name of a first place that is not simply won.
pub(crate) fn doubt(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unproven => "?",
        Verdict::Alone => " alone",
        Verdict::Winner | Verdict::Tie => "",
    }
}
