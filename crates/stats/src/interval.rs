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

impl Interval {
    /// One value, known exactly.
    pub fn point(value: f64) -> Self {
        Self { estimate: value, low: value, high: value }
    }

    /// Whether the value lies in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
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
