//! The commits of batched phases: how many there were, and how long each took.

use bakeoff_results::commits::Commits;
use bakeoff_results::figures::TOO_FEW;
use bakeoff_results::store_figures::Percentile;
use bakeoff_text::{format_count, time};

use crate::document::SectionId;
use crate::sections::phase_tables::Row;

impl Row for Commits {
    const ID: SectionId = SectionId::Commits;
    const TITLE: &str = "Commits";
    const WHAT: &str = "Commits of a round and how long each took. Percentiles are medians over rounds, max is the largest of all. Only of phases that \
        time each operation.";
    const COLUMNS: &[&str] = &["commits", "mean", "p50", "p99", "p99.9", "max"];

    fn label(subject: &String) -> &str {
        subject
    }

    fn cells(&self) -> Vec<Option<String>> {
        let percentile = |of: Percentile| match of {
            Percentile::Ns(ns) => Some(time(ns)),
            Percentile::TooFew => Some(TOO_FEW.to_owned()),
            Percentile::Unknown => None,
        };
        let [p50, p99, p999] = self.percentiles().map(percentile);
        let count = self.count().map(|count| format_count(count.round() as u64));
        vec![count, self.mean_ns().map(time), p50, p99, p999, self.max_ns().map(|ns| time(ns as f64))]
    }
}
