//! How much rounds scatter, learnt from all candidates that are compared together.
//!
//! Three rounds tell their own deviation so badly that Student's quantile for two degrees of freedom hides a difference of half as much
//! again. But the candidates ran side by side on one machine, and their scatter is alike up to a point. How far it is alike is itself seen in
//! their variances: each is moved towards a common one, and gains the more degrees of freedom the less they differ. This is G. K. Smyth's
//! moderated variance (*Linear Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray Experiments*, 2004,
//! sections 3 and 6.2), with at most [`FREEDOM_MAX`] degrees of freedom gained, since a dozen candidates do not tell how alike they are well.

use statrs::function::gamma::digamma;

/// Candidates with fewer rounds than this neither add to what is known of the scatter nor gain from it.
const ROUNDS_MIN: usize = 3;

/// Fewer candidates than this say nothing of how alike their scatter is.
const CANDIDATES_MIN: usize = 3;

/// Degrees of freedom gained, at most.
const FREEDOM_MAX: f64 = 6.0;

/// The scatter of rounds that candidates have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonScatter {
    /// Variance of the logarithm of a round's figure.
    variance: f64,
    /// What it counts for, in degrees of freedom.
    freedom: f64,
}

/// A variance, and the degrees of freedom it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Variance {
    pub(crate) variance: f64,
    pub(crate) freedom: f64,
}

impl Variance {
    /// That of one round's logarithm, by rounds with this mean: their variance divided by the mean squared.
    pub(crate) fn of_round(rounds: &[f64], mean: f64) -> Self {
        let freedom = rounds.len() as f64 - 1.0;
        let variance = rounds.iter().map(|round| (round - mean).powi(2)).sum::<f64>() / freedom;
        Self { variance: variance / (mean * mean), freedom }
    }
}

impl CommonScatter {
    /// What the rounds of these candidates have in common. `None` if fewer than three have three rounds that differ.
    pub fn of<'a>(candidates: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let known: Vec<Variance> = candidates.into_iter().filter_map(known).collect();
        if known.len() < CANDIDATES_MIN {
            return None;
        }
        // Smyth's equation 6.2: what the logarithms of variances would be if only chance made them differ is taken away.
        let logarithms: Vec<f64> = known
            .iter()
            .map(|each| each.variance.ln() - digamma(each.freedom / 2.0) + (each.freedom / 2.0).ln())
            .collect();
        let mean = crate::mean(&logarithms)?;
        let count = known.len() as f64;
        let spread = logarithms.iter().map(|each| (each - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let by_chance = known.iter().map(|each| trigamma(each.freedom / 2.0)).sum::<f64>() / count;
        let freedom = 2.0 * trigamma_inverse(spread - by_chance, FREEDOM_MAX / 2.0);
        let variance = (mean + digamma(freedom / 2.0) - (freedom / 2.0).ln()).exp();
        (variance.is_finite() && variance > 0.0 && freedom > 0.0).then_some(Self { variance, freedom })
    }

    /// A candidate's own variance of a round's logarithm, moved towards the common one. Rounds that never differ, and fewer than three, are
    /// left alone.
    pub(crate) fn moderate(&self, own: Variance) -> Variance {
        if own.variance <= 0.0 || own.freedom + 1.0 < ROUNDS_MIN as f64 {
            return own;
        }
        let freedom = self.freedom + own.freedom;
        Variance { variance: (self.freedom * self.variance + own.freedom * own.variance) / freedom, freedom }
    }
}

/// How much these rounds scatter; `None` if they are too few, never differ or have no variance.
fn known(rounds: &[f64]) -> Option<Variance> {
    let of = Variance::of_round(rounds, crate::mean(rounds)?);
    (rounds.len() >= ROUNDS_MIN && of.variance.is_finite() && of.variance > 0.0).then_some(of)
}

/// The second derivative of the logarithm of the gamma function: by recurrence up to 10, then by its asymptotic series.
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

/// Where the trigamma function, which falls, has this value; `most` where that lies beyond it.
fn trigamma_inverse(value: f64, most: f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    // As often as a number of 64 bits can be halved.
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

    fn near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-9, "{value}, expected {expected}");
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
        let rounds = [[9.0, 10.0, 11.0], [90.0, 100.0, 110.0], [0.9, 1.0, 1.1]];
        let common = CommonScatter::of(rounds.iter().map(<[f64; 3]>::as_slice)).unwrap();
        near(common.freedom, 6.0);
        // All have a relative variance of 0.01 with two degrees of freedom: ψ(1) and ψ(3) are 1.5 apart.
        near(common.variance, 0.01 * (1.5_f64).exp() / 3.0);
        let own = Variance { variance: 0.01, freedom: 2.0 };
        let moderated = common.moderate(own);
        near(moderated.freedom, 8.0);
        near(moderated.variance, (6.0 * common.variance + 2.0 * 0.01) / 8.0);
    }

    #[test]
    fn rounds_that_scatter_unlike_gain_little() {
        let rounds =
            [[9.99, 10.0, 10.01], [5.0, 10.0, 15.0], [9.9, 10.0, 10.1], [9.0, 10.0, 11.0], [9.999, 10.0, 10.001]];
        let common = CommonScatter::of(rounds.iter().map(<[f64; 3]>::as_slice)).unwrap();
        assert!(common.freedom < 1.0, "{common:?}");
    }

    #[test]
    fn what_never_differs_stays_exact_and_too_little_says_nothing() {
        let same: [&[f64]; 3] = [&[4096.0; 3], &[8192.0; 3], &[1.0, 2.0, 3.0]];
        assert_eq!(CommonScatter::of(same), None);
        let short: [&[f64]; 3] = [&[1.0, 2.0], &[1.0, 3.0], &[1.0, 2.0, 3.0]];
        assert_eq!(CommonScatter::of(short), None);
        assert_eq!(CommonScatter::of([&[0.0; 3][..], &[0.0; 3], &[0.0; 3]]), None);
        assert_eq!(CommonScatter::of([&[f64::MAX; 3][..], &[f64::INFINITY; 3], &[f64::NAN; 3]]), None);
        let common = CommonScatter { variance: 0.01, freedom: 6.0 };
        for own in [Variance { variance: 0.0, freedom: 9.0 }, Variance { variance: 0.5, freedom: 1.0 }] {
            assert_eq!(common.moderate(own), own);
        }
    }
}
