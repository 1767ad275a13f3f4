//! The figures of one candidate, one per round.

use std::collections::BTreeMap;

use crate::centre::centre;
use crate::series::sample_variance;

/// Figures by the number of their round.
///
/// Rounds are randomised blocks: a disturbance of the machine affects all candidates of a round alike. So figures of two candidates are
/// compared round by round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rounds(BTreeMap<u32, f64>);

impl Rounds {
    /// A single figure, as round 1.
    pub fn only(figure: f64) -> Self {
        Self(BTreeMap::from([(1, figure)]))
    }

    /// Adds a round's figure.
    pub fn add(&mut self, round: u32, figure: f64) {
        self.0.insert(round, figure);
    }

    /// The figure of a round.
    pub fn get(&self, round: u32) -> Option<f64> {
        self.0.get(&round).copied()
    }

    /// Rounds with their figures, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        self.0.iter().map(|(round, figure)| (*round, *figure))
    }

    /// The figures, in the order of their rounds.
    pub fn figures(&self) -> Vec<f64> {
        self.0.values().copied().collect()
    }

    /// The centre of the rounds, which a few disturbed ones do not move: Hodges and Lehmann's centre of the logarithms, or the median if a
    /// figure is zero.
    ///
    /// `None` if there are no rounds, or a figure is negative or not finite.
    pub fn centre(&self) -> Option<f64> {
        centre(&self.figures())
    }

    /// The lowest and the highest figure; `None` if there are no rounds.
    pub fn range(&self) -> Option<(f64, f64)> {
        let figures = || self.0.values().copied();
        figures().reduce(f64::min).zip(figures().reduce(f64::max))
    }

    /// The standard deviation of their logarithms. `None` if there are fewer than three, or one is not positive.
    pub fn deviation(&self) -> Option<f64> {
        let logarithms: Vec<f64> = self.0.values().map(|figure| figure.ln()).collect();
        let is_usable = logarithms.len() > 2 && logarithms.iter().all(|each| each.is_finite());
        is_usable.then(|| sample_variance(&logarithms).map(|of| of.variance.sqrt()))?
    }

    /// The number of rounds.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no rounds.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rounds with each figure changed.
    #[must_use]
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        Self(self.0.iter().map(|(round, figure)| (*round, change(*figure))).collect())
    }
}

impl FromIterator<(u32, f64)> for Rounds {
    fn from_iter<I: IntoIterator<Item = (u32, f64)>>(figures: I) -> Self {
        Self(figures.into_iter().collect())
    }
}

impl<const N: usize> From<[f64; N]> for Rounds {
    /// Figures of rounds 1, 2, 3 and so on.
    fn from(figures: [f64; N]) -> Self {
        (1..).zip(figures).collect()
    }
}
