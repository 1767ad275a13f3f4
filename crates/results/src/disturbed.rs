//! Disturbed cells compared with the same cells undisturbed: the tables that belong together, and each store's
//! slowdown.

use std::collections::BTreeMap;

use bakeoff_protocol::DISTURBANCE;
use bakeoff_stats::{Rounds, geometric_mean};

use crate::contender::Contenders;
use crate::verdict::Table;
use crate::winners::{Pair, pairs};

/// A table of disturbed cells, and the table of the same cells undisturbed.
#[derive(Clone, Copy)]
pub struct Disturbed<'a> {
    /// Without background load.
    pub undisturbed: &'a Table,
    /// With background load.
    pub disturbed: &'a Table,
}

/// Every table of disturbed cells with an undisturbed counterpart, in the order of `tables`.
pub fn disturbed(tables: &[Table]) -> impl Iterator<Item = Disturbed<'_>> {
    let all = tables.iter().filter(|table| table.circumstances.disturbance().is_some());
    all.filter_map(|disturbed| {
        let calm = disturbed.circumstances.clone().without(&DISTURBANCE);
        let undisturbed = tables.iter().find(|table| table.circumstances == calm)?;
        Some(Disturbed { undisturbed, disturbed })
    })
}

impl<'a> Disturbed<'a> {
    /// The fields in which both tables rank somebody.
    pub fn pairs(&self, contenders: &'a Contenders) -> Vec<Pair<'a>> {
        pairs((self.undisturbed, contenders), (self.disturbed, contenders))
    }

    /// Each store's slowdown by its key: the ratio of disturbed to undisturbed time, as geometric mean over all timed
    /// fields with both. Stores without such a field are missing.
    pub fn slowdowns(&self) -> BTreeMap<&'a str, f64> {
        let mut ratios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (place, field) in self.undisturbed.fields.iter().filter(|((measure, ..), _)| measure.is_time()) {
            let Some(other) = self.disturbed.fields.get(place) else { continue };
            for (key, rounds) in &field.rounds {
                let centres = (rounds.centre(), other.rounds.get(key).and_then(Rounds::centre));
                if let (Some(before), Some(after)) = centres
                    && before > 0.0
                {
                    ratios.entry(key).or_default().push(after / before);
                }
            }
        }
        ratios.into_iter().filter_map(|(key, ratios)| Some((key, geometric_mean(&ratios)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_protocol::Axes;

    use super::*;
    use crate::circumstances::Circumstances;
    use crate::figures::Measure;
    use crate::verdict::{Column, LoneFigure, tables_of};

    fn figure(disturbance: Option<&str>, measure: Measure, records: u64, key: &str, value: f64) -> LoneFigure {
        let axes = Axes { disturbance: disturbance.map(str::to_owned), ..Axes::default() };
        let place = (measure, (10, 10), Column { data: "random".to_owned(), records });
        LoneFigure { circumstances: Circumstances::of(&axes), place, key: key.to_owned(), value }
    }

    #[test]
    fn slowdowns_are_means_over_the_times_that_both_sides_have() {
        let get = || Measure::Time { phase: "get".to_owned(), operation: None };
        let tables = tables_of(
            vec![
                figure(None, get(), 1, "a", 1.0),
                figure(None, get(), 2, "a", 1.0),
                figure(None, get(), 3, "a", 1.0),
                figure(None, Measure::Memory, 1, "a", 1.0),
                figure(None, get(), 1, "b", 1.0),
                figure(Some("video"), get(), 1, "a", 2.0),
                figure(Some("video"), get(), 2, "a", 8.0),
                figure(Some("video"), Measure::Memory, 1, "a", 100.0),
            ],
            false,
        );
        let all: Vec<Disturbed> = disturbed(&tables).collect();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].slowdowns(), BTreeMap::from([("a", 4.0)]));
        let alone: Vec<Table> =
            tables.iter().filter(|table| table.circumstances.disturbance().is_some()).cloned().collect();
        assert_eq!(disturbed(&alone).count(), 0, "nothing undisturbed was measured");
    }
}
