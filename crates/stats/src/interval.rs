//! Bootstrap confidence intervals that hold for a handful of rounds.
//!
//! The percentile bootstrap is too narrow when rounds are few: resampling `n` rounds spreads as `√((n−1)/n)` of their
//! sample deviation, and normal quantiles take no account of how badly `n` rounds tell that deviation. Hesterberg ("What
//! Teachers Should Know about the Bootstrap", 2015, sections 3 and 5) puts both right. For a level of `1 − α` and `ν`
//! degrees of freedom, with `s*` the deviation of the bootstrap distribution of the statistic `θ`:
//!
//! ```text
//! θ ± t(1 − α/2, ν) · √(n/(n−1)) · s*
//! ```
//!
//! which for a mean is Student's interval on its scale. The percentile interval, both of whose halves are stretched by
//! `t(1 − α/2, ν) / z(1 − α/2) · √(n/(n−1))`, shows skewness that the former cannot; the interval given is the wider of the
//! two on each side. Few rounds can only be drawn in few ways: then each is weighed by how likely it is instead of drawing.
//! All of it is done on the logarithmic scale: no figure is negative, and ratios are what is compared. Ratios have Welch's degrees of
//! freedom, since the rounds of two stores need not scatter alike. Where both are two of many, what all have in common counts too
//! ([`CommonScatter`]).

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::scatter::{CommonScatter, Variance};

/// Resamples drawn for an interval; if there are no more ways to draw, each of them is taken once, with its probability.
const RESAMPLES: usize = 2_000;

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
    /// Whether the value lies in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The same interval with every figure replaced by its exponential.
    fn exp(self) -> Option<Self> {
        let Self { estimate, low, high } = self;
        Self { estimate: estimate.exp(), low: low.exp(), high: high.exp() }.finite()
    }

    /// `None` if some figure is not finite.
    fn finite(self) -> Option<Self> {
        (self.estimate.is_finite() && self.low.is_finite() && self.high.is_finite()).then_some(self)
    }
}

/// The interval of the mean of these rounds at this confidence (between 0 and 1), in their unit.
///
/// It is made on the logarithmic scale, since no figure is negative: its ends are positive however much the rounds scatter, and the
/// interval of a rate is the reciprocal of that of the time.
///
/// `None` if there are fewer than two rounds, a round is negative or not finite, or the confidence is out of range.
pub fn bootstrap_mean_interval(rounds: &[f64], confidence: f64, seed: u64) -> Option<Interval> {
    let sample = Sample::not_negative(rounds)?;
    let mut draws = sample.all_means().unwrap_or_else(|| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..RESAMPLES).map(|_| Draw::equal(sample.resampled_mean(&mut random))).collect()
    });
    // Relative to the mean, so that rounds which never differ give exactly their figure. All zeros are no ratio, and never differ.
    let logarithm = |value: f64| if sample.mean > 0.0 { (value / sample.mean).ln() } else { 0.0 };
    draws.iter_mut().for_each(|draw| draw.value = logarithm(draw.value));
    draws.retain(|draw| draw.value.is_finite());
    let bootstrap = Bootstrap { estimate: 0.0, draws, freedom: sample.freedom(), correction: sample.correction() };
    let relative = interval(bootstrap, confidence)?.exp()?;
    Interval { estimate: sample.mean, low: relative.low * sample.mean, high: relative.high * sample.mean }.finite()
}

/// The interval of the ratio of two means, `a` to `b`, at this confidence (between 0 and 1).
///
/// `None` if either side has fewer than two rounds, a round is negative or not finite, or a mean is zero.
pub fn compare(a: &[f64], b: &[f64], confidence: f64, seed: u64) -> Option<Interval> {
    compare_among(None, a, b, confidence, seed)
}

/// As [`compare`], of two that are among others with which they have this scatter in common.
///
/// `None` as there.
pub fn compare_among(
    common: Option<&CommonScatter>,
    a: &[f64],
    b: &[f64],
    confidence: f64,
    seed: u64,
) -> Option<Interval> {
    let (a, b) = (Sample::positive(a)?.among(common), Sample::positive(b)?.among(common));
    let mut draws = all_log_ratios(&a, &b).unwrap_or_else(|| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut draw = || (a.resampled_mean(&mut random) / b.resampled_mean(&mut random)).ln();
        (0..RESAMPLES).map(|_| Draw::equal(draw())).collect()
    });
    draws.retain(|draw| draw.value.is_finite());
    let estimate = (a.mean / b.mean).ln();
    let bootstrap = Bootstrap { estimate, draws, freedom: welch(&a, &b), correction: ratio_correction(&a, &b) };
    interval(bootstrap, confidence)?.exp()
}

/// A value of a resampled statistic, and how likely it is compared with the others.
#[derive(Clone, Copy)]
struct Draw {
    value: f64,
    weight: f64,
}

impl Draw {
    fn equal(value: f64) -> Self {
        Self { value, weight: 1.0 }
    }
}

/// The logarithm of the ratio for all pairs of ways to draw; `None` if there are too many.
fn all_log_ratios(a: &Sample, b: &Sample) -> Option<Vec<Draw>> {
    let (a, b) = (a.all_means()?, b.all_means()?);
    if a.len() * b.len() > RESAMPLES {
        return None;
    }
    let logarithms: Vec<Draw> = b.iter().map(|draw| Draw { value: draw.value.ln(), ..*draw }).collect();
    let pair = |a: &Draw, ln_a: f64, b: &Draw| Draw { value: ln_a - b.value, weight: a.weight * b.weight };
    Some(
        a.iter()
            .flat_map(|a| {
                let ln_a = a.value.ln();
                logarithms.iter().map(move |b| pair(a, ln_a, b))
            })
            .collect(),
    )
}

/// At least two finite rounds, and what is needed of them.
struct Sample<'a> {
    rounds: &'a [f64],
    mean: f64,
    /// Estimated variance of the rounds, divided by the mean squared: the variance of a round's logarithm.
    own: Variance,
    /// The same with what is known of others.
    moderated: Variance,
}

impl<'a> Sample<'a> {
    fn new(rounds: &'a [f64]) -> Option<Self> {
        let mean = crate::mean(rounds)?;
        if rounds.len() < 2 {
            return None;
        }
        let own = Variance::of_round(rounds, mean);
        Some(Self { rounds, mean, own, moderated: own })
    }

    fn not_negative(rounds: &'a [f64]) -> Option<Self> {
        Self::new(rounds).filter(|_| rounds.iter().all(|round| *round >= 0.0))
    }

    fn positive(rounds: &'a [f64]) -> Option<Self> {
        Self::not_negative(rounds).filter(|sample| sample.mean > 0.0)
    }

    fn among(self, common: Option<&CommonScatter>) -> Self {
        Self { moderated: common.map_or(self.own, |common| common.moderate(self.own)), ..self }
    }

    fn freedom(&self) -> f64 {
        self.own.freedom
    }

    /// The variance of the mean's logarithm, and its degrees of freedom.
    fn of_mean(&self) -> (f64, f64) {
        (self.moderated.variance / self.rounds.len() as f64, self.moderated.freedom)
    }

    fn correction(&self) -> f64 {
        (self.rounds.len() as f64 / self.freedom()).sqrt()
    }

    fn resampled_mean(&self, random: &mut Xoshiro256PlusPlus) -> f64 {
        let count = self.rounds.len();
        let sum: f64 = (0..count).map(|_| self.rounds[random.random_range(0..count)]).sum();
        sum / count as f64
    }

    /// The means of all ways to draw as many rounds as there are, whatever their order, each with its probability; `None` if
    /// there are too many.
    fn all_means(&self) -> Option<Vec<Draw>> {
        let count = self.rounds.len();
        if ways(count) > RESAMPLES {
            return None;
        }
        // How often the rounds so far were drawn: their sum, how many draws are left, and the weight, which for `k` draws of one
        // round is 1/k! (the multinomial coefficient up to a factor that all share).
        let mut partial = vec![(0.0, count, 1.0)];
        for (index, round) in self.rounds.iter().enumerate() {
            let last = index + 1 == count;
            partial = partial
                .iter()
                .flat_map(|&(sum, left, weight)| {
                    let least = if last { left } else { 0 };
                    (least..=left).map(move |times| {
                        let factorial: f64 = (1..=times).map(|factor| factor as f64).product();
                        (sum + round * times as f64, left - times, weight / factorial)
                    })
                })
                .collect();
        }
        Some(partial.into_iter().map(|(sum, _, weight)| Draw { value: sum / count as f64, weight }).collect())
    }
}

/// How many ways there are to draw `count` of `count` rounds with replacement, whatever their order: `(2n−1 choose n)`.
fn ways(count: usize) -> usize {
    (1..count).fold(1, |ways: usize, step| ways.saturating_mul(count + step) / step)
}

/// Welch–Satterthwaite degrees of freedom of a difference of two logarithms of means.
fn welch(a: &Sample, b: &Sample) -> f64 {
    let ((u, of_u), (v, of_v)) = (a.of_mean(), b.of_mean());
    let freedom = (u + v).powi(2) / (u * u / of_u + v * v / of_v);
    let least = of_u.min(of_v);
    if freedom.is_finite() { freedom.max(least) } else { least }
}

/// What puts right the deviation of a resampled log-ratio: each side's variance by its own `n/(n−1)`, and both by what others tell.
fn ratio_correction(a: &Sample, b: &Sample) -> f64 {
    let shrunk = |of: &Sample| of.own.variance / of.rounds.len() as f64 / of.correction().powi(2);
    let factor = ((a.of_mean().0 + b.of_mean().0) / (shrunk(a) + shrunk(b))).sqrt();
    if factor.is_finite() { factor } else { a.correction().max(b.correction()) }
}

/// A bootstrap distribution and what stretches it.
struct Bootstrap {
    estimate: f64,
    draws: Vec<Draw>,
    freedom: f64,
    correction: f64,
}

/// The wider, on each side, of the stretched percentile interval and Student's with the bootstrap's deviation.
fn interval(bootstrap: Bootstrap, confidence: f64) -> Option<Interval> {
    let Bootstrap { estimate, mut draws, freedom, correction } = bootstrap;
    if draws.is_empty() || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let tail = (1.0 - confidence) / 2.0;
    let student = -StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(tail) * correction;
    let normal = -Normal::standard().inverse_cdf(tail);
    let weight: f64 = draws.iter().map(|draw| draw.weight).sum();
    let squares: f64 = draws.iter().map(|draw| draw.weight * (draw.value - estimate).powi(2)).sum();
    let deviation = (squares / weight).sqrt();
    draws.sort_unstable_by(|a, b| a.value.total_cmp(&b.value));
    let stretch = student / normal;
    let below = (estimate - quantile(&draws, tail * weight)) * stretch;
    let above = (quantile(&draws, (1.0 - tail) * weight) - estimate) * stretch;
    let symmetric = deviation * student;
    let (low, high) = (estimate - below.max(symmetric), estimate + above.max(symmetric));
    Interval { estimate, low, high }.finite()
}

/// The first of the sorted draws up to which there is this much weight.
fn quantile(sorted: &[Draw], wanted: f64) -> f64 {
    let mut below = 0.0;
    let mut reached = sorted.iter().filter(|draw| {
        below += draw.weight;
        below >= wanted
    });
    reached.next().or(sorted.last()).map_or(f64::NAN, |draw| draw.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value / expected - 1.0).abs() < tolerance, "{value}, expected {expected}");
    }

    #[test]
    fn mean_interval_is_students_for_a_symmetric_sample() {
        // 9, 10, 11: mean 10, sample deviation 1, t(0.975, 2) = 4.3027; half width 4.3027/√3 = 2.4842, a share of 0.24842 of the mean.
        // Drawing 9 (or 11) three times is likelier than 2.5 %: ln(10/9) = 0.10536 and ln(11/10) = 0.09531, both stretched by
        // 4.3027/1.9600 · √(3/2) = 2.6887, give 0.28328 and 0.25626, which are wider.
        let interval = bootstrap_mean_interval(&[9.0, 10.0, 11.0], 0.95, 1).unwrap();
        assert_eq!(interval.estimate, 10.0);
        near((10.0 / interval.low).ln(), 0.28328, 1e-4);
        near((interval.high / 10.0).ln(), 0.25626, 1e-4);
    }

    #[test]
    fn mean_interval_of_students_sleep_data() {
        // Student 1908, extra hours of sleep: mean of the differences 1.58, deviation 1.2300, t interval 1.58 ± 0.8799. As a share of the
        // mean that is 0.5569: on the logarithmic scale 0.9053 to 2.7574.
        let differences = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let interval = bootstrap_mean_interval(&differences, 0.95, 1).unwrap();
        near(interval.estimate, 1.58, 1e-12);
        near(interval.low, 0.9053, 0.08);
        near(interval.high, 2.7574, 0.08);
        assert!(interval.high - 1.58 > 1.58 - interval.low, "{interval:?}");
    }

    #[test]
    fn rounds_that_scatter_much_never_have_an_end_at_zero_or_below() {
        // Mean 92, deviation 116.1: Student's interval would begin at -196.
        let times = [20.0, 30.0, 226.0];
        let interval = bootstrap_mean_interval(&times, 0.95, 1).unwrap();
        assert!(interval.low > 0.0 && interval.low < 20.0 && interval.high > 226.0, "{interval:?}");
        assert!(interval.low.recip().is_finite());
        // Some rounds without any, as of bytes that are written now and then.
        let interval = bootstrap_mean_interval(&[0.0, 0.0, 12.0], 0.95, 1).unwrap();
        assert!(interval.low > 0.0 && interval.high > 12.0, "{interval:?}");
        let nothing = Interval { estimate: 0.0, low: 0.0, high: 0.0 };
        assert_eq!(bootstrap_mean_interval(&[0.0; 3], 0.95, 1), Some(nothing));
        assert_eq!(bootstrap_mean_interval(&[-1.0, 1.0, 3.0], 0.95, 1), None);
    }

    #[test]
    fn few_rounds_are_drawn_in_every_way() {
        // Of 1 and 4: both 1 in a quarter of the draws, one of each in half, both 4 in a quarter.
        let draws = Sample::new(&[1.0, 4.0]).unwrap().all_means().unwrap();
        let values: Vec<(f64, f64)> = draws.iter().map(|draw| (draw.value, draw.weight)).collect();
        assert_eq!(values, [(4.0, 0.5), (2.5, 1.0), (1.0, 0.5)]);
        assert_eq!((ways(2), ways(3), ways(4), ways(7)), (3, 10, 35, 1716));
        for count in 2..=7 {
            let rounds: Vec<f64> = (0..count).map(|round| f64::from(1 << round)).collect();
            assert_eq!(Sample::new(&rounds).unwrap().all_means().unwrap().len(), ways(rounds.len()));
        }
        assert!(Sample::new(&[1.0; 8]).unwrap().all_means().is_none());
    }

    #[test]
    fn all_ways_and_some_ways_give_the_same_interval() {
        // Seven rounds are weighed, and the same seven twice over are drawn, which halves the variance of the mean.
        let few = [9.0, 10.0, 11.0, 10.5, 9.2, 10.9, 9.7];
        let many: Vec<f64> = few.iter().chain(&few).copied().collect();
        let (few, many) =
            (bootstrap_mean_interval(&few, 0.95, 1).unwrap(), bootstrap_mean_interval(&many, 0.95, 1).unwrap());
        // t(0.975, 6)/√6 and t(0.975, 13)/√13 times the same deviation: 0.99896 and 0.59917.
        near((few.high - few.low) / (many.high - many.low), 0.99896 / 0.59917, 0.1);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let rounds = [3.0, 4.0, 3.5, 3.7, 3.1, 3.9, 3.3, 3.6];
        assert_eq!(bootstrap_mean_interval(&rounds, 0.95, 9), bootstrap_mean_interval(&rounds, 0.95, 9));
        assert_ne!(bootstrap_mean_interval(&rounds, 0.95, 9), bootstrap_mean_interval(&rounds, 0.95, 10));
    }

    #[test]
    fn more_confidence_is_wider() {
        let rounds = [3.0, 4.0, 3.5, 3.7];
        let narrow = bootstrap_mean_interval(&rounds, 0.8, 1).unwrap();
        let wide = bootstrap_mean_interval(&rounds, 0.99, 1).unwrap();
        assert!(wide.low < narrow.low && narrow.high < wide.high, "{narrow:?} {wide:?}");
    }

    #[test]
    fn figures_that_never_differ_give_a_point() {
        let point = bootstrap_mean_interval(&[4096.0; 3], 0.95, 1).unwrap();
        assert_eq!(point, Interval { estimate: 4096.0, low: 4096.0, high: 4096.0 });
        let ratio = compare(&[6.0; 3], &[3.0; 5], 0.95, 1).unwrap();
        near(ratio.low, 2.0, 1e-12);
        near(ratio.high, 2.0, 1e-12);
    }

    #[test]
    fn ratio_of_small_samples() {
        // Means 20 and 10, both with a relative standard error of 0.05/√3 = 0.028868. The logarithm of the ratio, 0.693147,
        // therefore has 0.040825, and Welch gives 4 degrees of freedom: t(0.975, 4) = 2.7764, half width 0.11335.
        let ratio = compare(&[19.0, 20.0, 21.0], &[9.5, 10.0, 10.5], 0.95, 1).unwrap();
        near(ratio.estimate, 2.0, 1e-12);
        near((ratio.high / 2.0).ln(), 0.11335, 0.1);
        near((2.0 / ratio.low).ln(), 0.11335, 0.1);
    }

    #[test]
    fn what_allows_no_statement_gives_none() {
        assert_eq!(bootstrap_mean_interval(&[], 0.95, 1), None);
        assert_eq!(bootstrap_mean_interval(&[5.0], 0.95, 1), None);
        assert_eq!(bootstrap_mean_interval(&[5.0, f64::NAN], 0.95, 1), None);
        assert_eq!(bootstrap_mean_interval(&[5.0, f64::INFINITY], 0.95, 1), None);
        assert_eq!(bootstrap_mean_interval(&[f64::MAX, f64::MAX], 0.95, 1), None);
        for confidence in [0.0, 1.0, -1.0, f64::NAN] {
            assert_eq!(bootstrap_mean_interval(&[5.0, 6.0], confidence, 1), None);
        }
        assert_eq!(compare(&[1.0, 2.0], &[3.0], 0.95, 1), None);
        assert_eq!(compare(&[1.0, 2.0], &[0.0, 0.0], 0.95, 1), None);
        assert_eq!(compare(&[1.0, 2.0], &[-1.0, 4.0], 0.95, 1), None);
    }
}
