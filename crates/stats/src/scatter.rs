//! The scatter of rounds, estimated from all comparisons of a table together.
//!
//! Three rounds estimate their own deviation poorly: Student's quantile for two degrees of freedom hides a difference of 50 %. But all
//! comparisons of a table ran on one machine at the same time, so their scatter is partly alike. Their variances show how much. Each
//! variance moves towards a common one. It gains more degrees of freedom the less the variances differ. This is G. K. Smyth's moderated
//! variance (*Linear Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray Experiments*, 2004, sections 3
//! and 6.2).

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::gamma::digamma;

use crate::autocorrelation::{SlowParts, inflation};
use crate::interval::Interval;
use crate::log_ratio::LogRatio;
use crate::series::Variance;
use crate::signed_rank::SignedRanks;

/// Comparisons with fewer rounds neither contribute to the common scatter nor use it.
const ROUNDS_MIN: usize = 3;

/// Fewer comparisons do not show how alike their scatter is.
const COMPARISONS_MIN: usize = 2;

/// The most degrees of freedom that few comparisons gain. Many gain at most a quarter of their number, since they must also show how alike
/// they are.
const FREEDOM_MAX_OF_FEW: f64 = 6.0;

/// The rounding error allowed in a ratio of equal figures.
const ROUNDING: f64 = 1e-9;

/// The scatter that the comparisons of a table share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommonScatter {
    /// The common variance of the logarithm of a round's ratio, with its degrees of freedom.
    common: Option<Variance>,
    correlation: f64,
}

impl CommonScatter {
    /// The scatter shared by these comparisons. There is none if only one has three rounds that vary.
    pub fn of<'a>(comparisons: impl IntoIterator<Item = &'a LogRatio>) -> Self {
        let (mut known, mut parts) = (Vec::new(), SlowParts::default());
        for each in comparisons.into_iter().filter(|each| each.rounds() >= ROUNDS_MIN) {
            known.extend(Some(each.own()).filter(|own| own.variance > 0.0 && own.variance.is_finite()));
            if let Some(part) = each.slowest_part() {
                parts.add(each.rounds(), part);
            }
        }
        Self { common: common(&known), correlation: parts.correlation() }
    }

    /// The correlation of neighbouring rounds; 0 if chance explains it. Intervals are widened for it.
    pub fn correlation(&self) -> f64 {
        self.correlation
    }

    /// The interval of the ratio at this confidence (between 0 and 1). `None` if an end is not finite.
    pub fn interval(&self, of: &LogRatio, confidence: f64) -> Option<Interval> {
        if !(confidence > 0.0 && confidence < 1.0) {
            return None;
        }
        let Variance { variance, freedom } = self.of_centre(of);
        let quantile = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(f64::midpoint(1.0, confidence));
        let half = quantile * variance.sqrt();
        let ratio = |logarithm: f64| Some(logarithm.exp()).filter(|value| value.is_finite() && *value > 0.0);
        let centre = of.centre();
        let by_signs = of.signed().and_then(|signed| signed.interval(confidence)).unwrap_or((centre, centre));
        let (low, high) = ((centre - half).min(by_signs.0), (centre + half).max(by_signs.1));
        Some(Interval { estimate: ratio(centre)?, low: ratio(low)?, high: ratio(high)? })
    }

    /// The two-sided p-value of a ratio, for equal candidates.
    pub fn p_value(&self, of: &LogRatio) -> f64 {
        let Variance { variance, freedom } = self.of_centre(of);
        if of.centre().abs() <= ROUNDING {
            return 1.0;
        }
        let Ok(student) = StudentsT::new(0.0, 1.0, freedom) else { return 1.0 };
        let by_signs = of.signed().and_then(SignedRanks::p_value).unwrap_or(0.0);
        (2.0 * student.sf(of.centre().abs() / variance.sqrt())).max(by_signs).min(1.0)
    }

    /// The variance of the centre, moderated by the common one.
    fn of_centre(&self, of: &LogRatio) -> Variance {
        let round = self.moderate(of.own(), of.rounds());
        let alike = inflation(of.rounds(), self.correlation);
        Variance { variance: round.variance * alike / of.rounds() as f64, ..round }
    }

    /// A comparison's own variance of a round's logarithm, moved towards the common one. Variances of zero, and of fewer than three rounds,
    /// stay as they are.
    pub(crate) fn moderate(&self, own: Variance, rounds: usize) -> Variance {
        let Some(common) = self.common else { return own };
        if own.variance <= 0.0 || rounds < ROUNDS_MIN {
            return own;
        }
        let freedom = common.freedom + own.freedom;
        Variance { variance: (common.freedom * common.variance + own.freedom * own.variance) / freedom, freedom }
    }
}

/// Smyth's equation 6.2: the spread of the logarithms of the variances, without the part that chance explains.
fn common(known: &[Variance]) -> Option<Variance> {
    if known.len() < COMPARISONS_MIN {
        return None;
    }
    let unbiased = |of: &Variance| of.variance.ln() - digamma(of.freedom / 2.0) + (of.freedom / 2.0).ln();
    let logarithms: Vec<f64> = known.iter().map(unbiased).collect();
    let mean = crate::mean(&logarithms)?;
    let count = known.len() as f64;
    let spread = logarithms.iter().map(|each| (each - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let by_chance = known.iter().map(|each| trigamma(each.freedom / 2.0)).sum::<f64>() / count;
    let most = FREEDOM_MAX_OF_FEW.max(count / 4.0);
    let freedom = 2.0 * trigamma_inverse(spread - by_chance, most / 2.0);
    let variance = (mean + digamma(freedom / 2.0) - (freedom / 2.0).ln()).exp();
    (variance.is_finite() && variance > 0.0 && freedom > 0.0).then_some(Variance { variance, freedom })
}

/// The second derivative of the logarithm of the gamma function: recurrence up to 10, then the asymptotic series.
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    sum + 1.0 / x
        + square / 2.0
        + square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0)))
}

/// The argument at which the decreasing trigamma function has this value, at most `most`.
fn trigamma_inverse(value: f64, most: f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    // A 64-bit number can be halved this often.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if trigamma(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::rounds::Rounds;

    fn near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-9, "{value}, expected {expected}");
    }

    /// Ratios to candidates that never vary.
    fn ratios<const N: usize>(all: [[f64; 3]; N]) -> Vec<LogRatio> {
        all.iter().filter_map(|rounds| LogRatio::of(&Rounds::from(*rounds), &Rounds::from([1.0; 3]))).collect()
    }

    #[test]
    fn trigamma_at_known_places() {
        near(trigamma(1.0), PI * PI / 6.0);
        near(trigamma(0.5), PI * PI / 2.0);
        near(trigamma(2.0), PI * PI / 6.0 - 1.0);
        near(trigamma_inverse(PI * PI / 6.0, 3.0), 1.0);
        near(trigamma_inverse(-1.0, 3.0), 3.0);
    }

    #[test]
    fn rounds_that_scatter_alike_gain_all_there_is_to_gain() {
        let alike = ratios([[0.9, 1.0, 1.1], [9.0, 10.0, 11.0], [90.0, 100.0, 110.0]]);
        let of = CommonScatter::of(&alike);
        let common = of.common.unwrap();
        near(common.freedom, 6.0);
        // All have the same variance with two degrees of freedom: ψ(1) and ψ(3) are 1.5 apart.
        let own = alike[0].own();
        near(common.variance, own.variance * 1.5_f64.exp() / 3.0);
        let moderated = of.moderate(own, 3);
        near(moderated.freedom, 8.0);
        near(moderated.variance, (6.0 * common.variance + 2.0 * own.variance) / 8.0);
    }

    #[test]
    fn rounds_that_scatter_unlike_gain_little() {
        let unlike =
            ratios([[0.999, 1.0, 1.001], [0.5, 1.0, 1.5], [0.99, 1.0, 1.01], [0.9, 1.0, 1.1], [0.9999, 1.0, 1.0001]]);
        let common = CommonScatter::of(&unlike).common.unwrap();
        assert!(common.freedom < 1.0, "{common:?}");
    }

    #[test]
    fn what_never_differs_stays_exact_and_too_little_says_nothing() {
        assert_eq!(CommonScatter::of(&ratios([[2.0; 3], [4.0; 3], [1.0, 2.0, 3.0]])).common, None, "one differs");
        assert_eq!(CommonScatter::of(&[]), CommonScatter::default());
        let of = CommonScatter { common: Some(Variance { variance: 0.01, freedom: 6.0 }), correlation: 0.0 };
        let exact = Variance { variance: 0.0, freedom: 2.0 };
        assert_eq!(of.moderate(exact, 3), exact);
        let of_two = Variance { variance: 0.5, freedom: 1.0 };
        assert_eq!(of.moderate(of_two, 2), of_two);
    }
}
