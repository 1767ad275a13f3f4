//! The most useful map after a pick: over the two quantities on which its answer depends most.

use crate::map_axis::MapQuantity;
use crate::pick::PICK_ASKED;
use crate::pick_change::{Outcome, PickChange};
use crate::pick_outcome::PickOutcome;

/// The effect of the question on the answer: 2 if the answer changes, 1 if other stores come close, 0 if it stays.
fn weight(change: &PickChange) -> u32 {
    match change {
        PickChange::AnswerLost { .. } => 2,
        PickChange::Ranked { outcome: Outcome::Lost(_) | Outcome::Undecided(_), .. } => 2,
        PickChange::Ranked { outcome: Outcome::Tied(_) | Outcome::Hardly(_) | Outcome::Leads, .. } => 1,
        _ => 0,
    }
}

/// A suggested map: for each axis the quantity, the first and the last value, in the quantity's unit.
pub type MapOffer = [(MapQuantity, f64, f64); 2];

/// The maximum for the lower end of a suggested memory axis, bytes: every store accepts this much.
const MEMORY_BYTES: f64 = (16_u64 << 20) as f64;

impl PickOutcome<'_> {
    /// The most useful map: over the two quantities with the largest effect on the answer, otherwise value size and
    /// records. It surrounds the pick's need. `None` without an answer, and with a tape, since a tape cannot be varied.
    pub fn map_offer(&self) -> Option<MapOffer> {
        let asked = self.asked().filter(|_| !self.facts.of_tape && self.is_answered())?;
        let mut weights =
            [MapQuantity::ValueSize, MapQuantity::Records, MapQuantity::Reads, MapQuantity::Memory].map(|of| (of, 0));
        for question in &self.facts.questions {
            let Some(of) = question.varies else { continue };
            let own = weight(&self.change(asked, question));
            weights.iter_mut().filter(|(known, _)| *known == of).for_each(|(_, weight)| *weight = own.max(*weight));
        }
        // A stable sort: equal weights keep the order above.
        weights.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        let [first, second] = [self.around(weights[0].0)?, self.around(weights[1].0)?];
        Some([first, second])
    }

    /// A range of a quantity around the value of the need.
    fn around(&self, quantity: MapQuantity) -> Option<(MapQuantity, f64, f64)> {
        let axes = &self.cells(PICK_ASKED).next()?.end.axes;
        let value_bytes = axes.value_bytes_min.midpoint(axes.value_bytes_max).max(1) as f64;
        let records = axes.records as f64;
        let (from, to) = match quantity {
            MapQuantity::ValueSize => ((value_bytes / 16.0).ceil(), value_bytes * 16.0),
            MapQuantity::Records => ((records / 30.0).max(100.0).min(records).ceil(), records * 10.0),
            MapQuantity::Memory => (MEMORY_BYTES, (value_bytes * records * 4.0).max(MEMORY_BYTES * 16.0).ceil()),
            MapQuantity::Reads | MapQuantity::Threads | MapQuantity::Skew => (0.0, 100.0),
        };
        Some((quantity, from, to))
    }
}
