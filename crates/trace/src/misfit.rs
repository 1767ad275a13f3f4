//! What a workload drawn from the figures of a trace does not have, where that decides how fast stores are.

use bakeoff_tape::Operation;

use crate::popularity::Law;
use crate::sizes::means_differ;
use crate::summary::Summary;

/// From this part on, operations go through neighbouring keys. If keys are drawn one by one, half are above the one
/// before.
const IN_ORDER_MIN: f64 = 0.6;

/// A law of popularity that differs by more from the trace is another one.
const POPULARITY_DIFFERS: f64 = 0.15;

/// From this part of the operations on, removals of nothing matter. A drawn workload removes only existing records.
const REMOVES_NOTHING_MIN: f64 = 0.05;

/// Of fewer operations, a part of them says little.
const OPERATIONS_MIN: u64 = 1_000;

/// Something of a trace that a workload drawn from its figures does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Misfit {
    /// Operations go through neighbouring keys, which a cache of pages holds together.
    InOrder {
        /// The part of them that goes to a key on the same side of the one before.
        part: f64,
    },
    /// Popular records have other sizes than the rest, and two sizes with weights do not represent them.
    PopularSizes {
        /// The mean length of values over operations, bytes.
        operations: f64,
        /// The same over records.
        records: f64,
    },
    /// Operations remove records that are not there.
    RemovesNothing {
        /// The part of all operations that does.
        part: f64,
    },
    /// No law of popularity comes near.
    Popularity {
        /// By which part of all operations the nearest one differs.
        difference: f64,
    },
}

impl Summary {
    /// What a workload drawn from these figures does not have.
    pub fn misfits(&self) -> Vec<Misfit> {
        let in_order = self.ascending_steps.map(|part| part.max(1.0 - part));
        let in_order = in_order.filter(|part| *part >= IN_ORDER_MIN).map(|part| Misfit::InOrder { part });
        // Of keys that are alike only chance makes a difference.
        let law = self.popularity.filter(|popularity| popularity.law != Law::Uniform);
        let difference = law.map_or(0.0, |popularity| popularity.difference);
        let popularity = (difference > POPULARITY_DIFFERS).then_some(Misfit::Popularity { difference });
        in_order.into_iter().chain(self.popular_sizes()).chain(self.removes_nothing()).chain(popularity).collect()
    }

    /// Whether removals often find no record.
    fn removes_nothing(&self) -> Option<Misfit> {
        let deletes = self.mix.get(&Operation::Delete).copied().unwrap_or(0);
        let part = deletes.saturating_sub(self.turnover.deleted) as f64 / self.operations as f64;
        (part >= REMOVES_NOTHING_MIN && self.operations >= OPERATIONS_MIN).then_some(Misfit::RemovesNothing { part })
    }

    /// Whether operations prefer sizes of values in a way that no two sizes represent.
    fn popular_sizes(&self) -> Option<Misfit> {
        let (operations, records) = (self.value_bytes?.mean, self.record_value_bytes?.sizes.mean);
        let differ = means_differ(self.value_bytes, self.record_value_bytes) && self.sizes_by_popularity.is_none();
        differ.then_some(Misfit::PopularSizes { operations, records })
    }
}
