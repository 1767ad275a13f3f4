//! What stores counted about themselves up to closing, by their own names.

use std::collections::BTreeMap;

use bakeoff_stats::mean;

use crate::cell_rounds::CellRound;
use crate::gathered::Gathered;

/// What each round of one store's cells counted.
#[derive(Default)]
pub struct StoreCounters(BTreeMap<String, Vec<f64>>);

impl StoreCounters {
    /// Each count's name and its mean over all rounds that have it. What is 0 in all of them is left out.
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
