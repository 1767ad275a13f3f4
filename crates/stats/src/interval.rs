//! An estimate with its confidence interval.

/// An estimate and its interval at the confidence asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The best single estimate.
    pub estimate: f64,
    /// Lower end, at most the estimate.
    pub low: f64,
    /// Upper end, at least the estimate.
    pub high: f64,
}

/// The largest ratio of upper to lower end at which an interval still shows by how much.
pub const WIDTH_MAX: f64 = 10.0;

impl Interval {
    /// One value, known exactly.
    pub fn point(value: f64) -> Self {
        Self { estimate: value, low: value, high: value }
    }

    /// Whether the value lies in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether it is so wide that it shows at most which side of 1 the ratio is on.
    pub fn is_wide(&self) -> bool {
        self.high > WIDTH_MAX * self.low
    }

    /// Whether it shows neither which candidate is better nor by how much.
    pub fn says_nothing(&self) -> bool {
        self.is_wide() && self.contains(1.0)
    }

    /// The interval of the inverse.
    #[must_use]
    pub fn recip(self) -> Self {
        Self { estimate: self.estimate.recip(), low: self.high.recip(), high: self.low.recip() }
    }

    /// The smallest interval that contains both, with this one's estimate.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high), ..self }
    }
}
