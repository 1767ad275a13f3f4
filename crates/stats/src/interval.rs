//! An estimate with the interval that it lies in.

/// An estimate and the interval that it lies in with the confidence that was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The best single guess.
    pub estimate: f64,
    /// Lower end, at most the estimate.
    pub low: f64,
    /// Upper end, at least the estimate.
    pub high: f64,
}

/// The widest interval that says by how much: its upper end by its lower one.
const WIDTH_MAX: f64 = 10.0;

impl Interval {
    /// One value, known exactly.
    pub fn point(value: f64) -> Self {
        Self { estimate: value, low: value, high: value }
    }

    /// Whether the value lies in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether its ends lie so far apart, as a ratio, that it says no more than which side of 1 it is on.
    pub fn is_wide(&self) -> bool {
        self.high > WIDTH_MAX * self.low
    }

    /// Whether it says, of a ratio, neither which is better nor by how much.
    pub fn says_nothing(&self) -> bool {
        self.is_wide() && self.contains(1.0)
    }

    /// The interval of the inverse.
    #[must_use]
    pub fn recip(self) -> Self {
        Self { estimate: self.estimate.recip(), low: self.high.recip(), high: self.low.recip() }
    }

    /// The smallest interval that holds both, around this one's estimate.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high), ..self }
    }
}
