//! Counters that stores report about themselves at closing, by their own names.

use std::collections::BTreeMap;

use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::gathered::Gathered;

/// The counters of each round of one store's cells.
#[derive(Default)]
pub struct StoreCounters(BTreeMap<String, Vec<f64>>);

impl StoreCounters {
    /// Each counter's name and its mean over all rounds that have it. Counters that are 0 in all rounds are left out.
    pub fn means(&self) -> impl Iterator<Item = (&str, f64)> {
        let means = self.0.iter().filter_map(|(name, rounds)| Some((name.as_str(), mean(rounds)?)));
        means.filter(|(_, mean)| *mean > 0.0)
    }
}

impl Gathered for StoreCounters {
    type Part = BTreeMap<String, u64>;
    type Subject = ();

    fn parts(cell: &CellRound) -> Vec<((), &Self::Part)> {
        let counted = cell.end.finished.iter().map(|finished| &finished.store_properties);
        counted.filter(|counts| !counts.is_empty()).map(|counts| ((), counts)).collect()
    }

    fn add(&mut self, counts: &Self::Part) {
        for (name, number) in counts {
            self.0.entry(name.clone()).or_default().push(*number as f64);
        }
    }
}
