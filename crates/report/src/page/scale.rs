//! A logarithmic scale with 1 in its middle, and ratios with their intervals on it.

use maud::{Markup, html};

use crate::page::html::marks;

/// How far a scale may reach on both sides of 1, and the ticks on each side.
const SCALES: [(f64, [f64; 2]); 6] = [
    (1.2, [1.1, 1.2]),
    (2.0, [1.4, 2.0]),
    (4.0, [2.0, 4.0]),
    (16.0, [4.0, 16.0]),
    (100.0, [10.0, 100.0]),
    (10_000.0, [100.0, 10_000.0]),
];

/// A scale that reaches equally far below and above 1.
pub(crate) struct RatioScale {
    end: f64,
    ticks: [f64; 2],
}

impl RatioScale {
    /// The shortest scale on which each of these ratios has its place; ends of intervals may lie beyond it. A ratio is its low end,
    /// estimate and high end, `None` where it is unknown. Without anything to draw there is no scale.
    pub(crate) fn of(mut ratios: impl Iterator<Item = Option<[f64; 3]>>) -> Option<Self> {
        let distance = |ratio: Option<[f64; 3]>| ratio.map_or(1.0, |[_, estimate, _]| estimate.max(estimate.recip()));
        let first = distance(ratios.next()?);
        let furthest = ratios.fold(first, |most, ratio| distance(ratio).max(most));
        let (largest, ticks) = SCALES[SCALES.len() - 1];
        let fitting = SCALES.into_iter().find(|(end, _)| *end >= furthest);
        let (end, ticks) = fitting.unwrap_or((largest.max(furthest), ticks));
        Some(Self { end, ticks })
    }

    /// Where a ratio is, in hundredths from the left.
    fn place(&self, ratio: f64) -> f64 {
        ((ratio.ln() / self.end.ln() + 1.0) * 50.0).clamp(0.0, 100.0)
    }

    /// The numbers above the strips.
    pub(crate) fn ticks(&self) -> Markup {
        let below = self.ticks.iter().rev().map(|times| (times.recip(), format!("1/{times}×")));
        let above = self.ticks.iter().map(|times| (*times, format!("{times}×")));
        html! {
            div.ticks {
                @for (ratio, label) in below.chain([(1.0, "1×".to_owned())]).chain(above) {
                    span style=(format!("left:{:.1}%", self.place(ratio))) { (label) }
                }
            }
        }
    }
}

/// An interval and the ratio in it, in the colour of a slot.
pub(crate) fn strip(scale: &RatioScale, ratio: [f64; 3], slot: usize) -> Markup {
    let [low, middle, high] = ratio.map(|value| scale.place(value));
    let marks = marks(slot);
    html! {
        div class="strip middle" {
            i class={ "range " (marks) } style=(format!("left:{low:.1}%;width:{:.1}%", high - low)) {}
            i class={ "dot " (marks) } style=(format!("left:{middle:.1}%")) {}
        }
    }
}
