//! Which map is worth most after a pick: the two quantities on which its answer depends.

use crate::map_axis::MapQuantity;
use crate::pick::PICK_ASKED;
use crate::pick_change::{Outcome, PickChange};
use crate::pick_outcome::PickOutcome;

/// The quantity that a question of a pick changes; `None` of one that is no number.
fn quantity(variant: &str) -> Option<MapQuantity> {
    Some(match variant {
        "values-doubled" | "values-halved" => MapQuantity::ValueSize,
        "records-tenfold" => MapQuantity::Records,
        "more-writes" => MapQuantity::Reads,
        "memory-half" => MapQuantity::Memory,
        _ => return None,
    })
}

/// How much a change of the question does to the answer: 2 where it is another, 1 where others come close, 0 where it stays.
fn weight(change: &PickChange) -> u32 {
    match change {
        PickChange::AnswerLost { .. } => 2,
        PickChange::Ranked { outcome: Outcome::Lost(_) | Outcome::Undecided(_), .. } => 2,
        PickChange::Ranked { outcome: Outcome::Tied(_) | Outcome::Hardly(_) | Outcome::Leads, .. } => 1,
        _ => 0,
    }
}

/// A map that is offered: what lies along its axes, from where to where, in the quantity's unit.
pub type MapOffer = [(MapQuantity, f64, f64); 2];

/// The most that an offered axis of memory begins with, bytes: every store takes so much.
const MEMORY_BYTES: f64 = (16_u64 << 20) as f64;

impl PickOutcome<'_> {
    /// The map that would say most: over the two quantities whose change does most to the answer, else value size and records, around what was
    /// asked. `None` where nothing was answered, or a tape was replayed, which cannot be varied.
    pub fn map_offer(&self) -> Option<MapOffer> {
        let is_of_a_tape = self.facts.need.iter().any(|(key, _)| key == "tape");
        let asked = self.asked().filter(|_| !is_of_a_tape && self.is_answered())?;
        let mut weights =
            [MapQuantity::ValueSize, MapQuantity::Records, MapQuantity::Reads, MapQuantity::Memory].map(|of| (of, 0));
        for question in &self.facts.questions {
            let Some(of) = quantity(&question.variant) else { continue };
            let own = weight(&self.change(asked, question));
            weights.iter_mut().filter(|(known, _)| *known == of).for_each(|(_, weight)| *weight = own.max(*weight));
        }
        // The order above decides among equals.
        weights.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        let [first, second] = [self.around(weights[0].0)?, self.around(weights[1].0)?];
        Some([first, second])
    }

    /// A range of a quantity around what was asked.
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
