//! Sizes and lengths drawn from a range.

use serde::{Deserialize, Serialize};

use crate::random::Stream;

/// A range of sizes in bytes, both ends included; sizes are drawn uniformly from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SizeRange {
    /// Smallest.
    pub min: u64,
    /// Largest.
    pub max: u64,
}

/// The distribution of sizes and lengths in their range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Shape {
    /// Each equally likely.
    #[default]
    Uniform,
    /// A generalised Pareto distribution from 0, cut off above the range. Sizes below the range become its least.
    Pareto {
        /// Its shape, at least 0; 0 is the exponential distribution.
        shape: f64,
        /// Its scale, above 0.
        scale: f64,
    },
}

impl Shape {
    pub(crate) fn is_uniform(&self) -> bool {
        *self == Self::Uniform
    }
}

/// Draws sizes or lengths from a range.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    range: SizeRange,
    shape: Shape,
    /// The part of the distribution in the range or below.
    part: f64,
}

impl Sizes {
    pub(crate) fn new(range: SizeRange, shape: Shape) -> Self {
        let part = match shape {
            Shape::Uniform => 1.0,
            Shape::Pareto { shape, scale } => 1.0 - survival((range.max as f64 + 1.0) / scale, shape),
        };
        Self { range, shape, part }
    }

    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        match self.shape {
            Shape::Uniform => stream.within(self.range.min, self.range.max),
            Shape::Pareto { .. } => self.at(stream.unit()),
        }
    }

    /// The size below which this part of all draws falls.
    pub(crate) fn at(&self, part: f64) -> u64 {
        let SizeRange { min, max } = self.range;
        match self.shape {
            Shape::Uniform => min + ((max - min + 1) as f64 * part) as u64,
            Shape::Pareto { shape, scale } => ((scale * beyond(1.0 - part * self.part, shape)) as u64).clamp(min, max),
        }
    }

    /// The mean of draws, to about a percent where tails are long.
    pub(crate) fn mean(&self) -> f64 {
        const POINTS: u32 = 10_000;
        match self.shape {
            Shape::Uniform => self.range.min as f64 / 2.0 + self.range.max as f64 / 2.0,
            Shape::Pareto { .. } => {
                let sum: f64 =
                    (0..POINTS).map(|point| self.at((f64::from(point) + 0.5) / f64::from(POINTS)) as f64).sum();
                sum / f64::from(POINTS)
            }
        }
    }
}

/// The part of a generalised Pareto distribution of scale 1 above `x`.
fn survival(x: f64, shape: f64) -> f64 {
    if shape == 0.0 { libm::exp(-x) } else { libm::pow(1.0 + shape * x, -1.0 / shape) }
}

/// Where the part above is `survival`: its inverse.
fn beyond(survival: f64, shape: f64) -> f64 {
    if shape == 0.0 { -libm::log(survival) } else { (libm::pow(survival, -shape) - 1.0) / shape }
}
