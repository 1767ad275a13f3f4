//! How much neighbouring rounds correlate, estimated from many short series together.

use std::collections::BTreeMap;

use crate::series::{cosine_weights, slow_components};

/// Fewer series than this allow no estimate.
const SERIES_MIN: usize = 8;

/// The slowest component must exceed its share by chance by this many of its standard errors.
const ERRORS_MIN: f64 = 1.0;

/// The largest correlation that is estimated.
const CORRELATION_MAX: f64 = 0.95;

/// Steps of the numerical integral in [`expected_part`].
const STEPS: usize = 200;

/// The share of the slowest component in the variation of each series, by the length of the series.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlowParts(BTreeMap<usize, Vec<f64>>);

impl SlowParts {
    pub(crate) fn add(&mut self, count: usize, part: f64) {
        self.0.entry(count).or_default().push(part);
    }

    /// The correlation of neighbouring rounds in these series; 0 if chance explains it.
    ///
    /// Without correlation, each component has the same share of a series' variation on average. With it, the slowest one has more.
    pub(crate) fn correlation(&self) -> f64 {
        let series: usize = self.0.values().map(Vec::len).sum();
        let by_chance = |count: usize| 1.0 / (count as f64 - 1.0);
        let squares =
            self.0.iter().flat_map(|(count, parts)| parts.iter().map(move |part| (part - by_chance(*count)).powi(2)));
        let error = squares.sum::<f64>().sqrt();
        if series < SERIES_MIN || self.excess(by_chance) <= ERRORS_MIN * error {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, CORRELATION_MAX);
        for _ in 0..20 {
            let middle = f64::midpoint(low, high);
            if self.excess(|count| expected_part(count, middle)) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }

    /// The sum of the differences between measured and expected shares.
    fn excess(&self, expected: impl Fn(usize) -> f64) -> f64 {
        let of =
            |(count, parts): (&usize, &Vec<f64>)| parts.iter().sum::<f64>() - parts.len() as f64 * expected(*count);
        self.0.iter().map(of).sum()
    }
}

/// The factor by which the slow components underestimate the variance of a centre at this correlation.
pub(crate) fn inflation(count: usize, correlation: f64) -> f64 {
    let components = slow_components(count);
    let told = (1..=components).map(|component| component_variance(component, count, correlation)).sum::<f64>();
    let of_mean = quadratic(&vec![(count as f64).sqrt().recip(); count], correlation);
    (of_mean * components as f64 / told).max(1.0)
}

/// The expected share of the slowest component of a first-order autoregressive normal series. For independent normal components with
/// variances `v` it is `∫ v₁ / (1 + 2 v₁ t) · ∏ (1 + 2 vₖ t)^(−1/2) dt` from 0 to infinity.
fn expected_part(count: usize, correlation: f64) -> f64 {
    let variances: Vec<f64> = (1..count).map(|component| component_variance(component, count, correlation)).collect();
    let integrand = |step: usize| {
        let s = (step as f64 + 0.5) / STEPS as f64;
        let t = s / (1.0 - s);
        let product: f64 = variances.iter().map(|variance| 1.0 + 2.0 * variance * t).product();
        variances[0] / (1.0 + 2.0 * variances[0] * t) / product.sqrt() / (1.0 - s).powi(2)
    };
    (0..STEPS).map(integrand).sum::<f64>() / STEPS as f64
}

fn component_variance(component: usize, count: usize, correlation: f64) -> f64 {
    quadratic(&cosine_weights(component, count).collect::<Vec<_>>(), correlation)
}

/// The variance of a weighted sum of a first-order autoregressive series whose values have variance 1.
fn quadratic(weights: &[f64], correlation: f64) -> f64 {
    // Sum of all earlier weights, each times the correlation to the power of its distance.
    let mut earlier = 0.0;
    let mut variance = 0.0;
    for weight in weights {
        variance += weight * (weight + 2.0 * earlier);
        earlier = correlation * (earlier + weight);
    }
    variance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() < tolerance, "{value}, expected {expected}");
    }

    #[test]
    fn variances_of_sums_by_hand() {
        near(quadratic(&[1.0, 1.0], 0.5), 3.0, 1e-12);
        // 3 + 2 · (0.5 + 0.5 + 0.25).
        near(quadratic(&[1.0, 1.0, 1.0], 0.5), 5.5, 1e-12);
        near(quadratic(&[1.0, -1.0], 0.5), 1.0, 1e-12);
        near(inflation(10, 0.0), 1.0, 1e-12);
        assert!(inflation(3, 0.5) > 2.0 && inflation(10, 0.5) > 1.0);
    }

    #[test]
    fn the_expected_part_of_two_components_has_a_closed_form() {
        for correlation in [0.0, 0.5, 0.9] {
            let [slow, quick] = [1, 2].map(|component| component_variance(component, 3, correlation).sqrt());
            near(expected_part(3, correlation), slow / (slow + quick), 2e-3);
        }
        near(expected_part(10, 0.0), 1.0 / 9.0, 1e-3);
    }

    #[test]
    fn parts_as_chance_gives_them_show_no_correlation() {
        let mut parts = SlowParts::default();
        for index in 0..40 {
            parts.add(3, if index % 2 == 0 { 0.1 } else { 0.9 });
        }
        assert_eq!(parts.correlation(), 0.0);
        let mut alike = SlowParts::default();
        (0..40).for_each(|_| alike.add(3, expected_part(3, 0.5)));
        near(alike.correlation(), 0.5, 1e-3);
        let mut few = SlowParts::default();
        (0..4).for_each(|_| few.add(3, 0.9));
        assert_eq!(few.correlation(), 0.0);
    }
}
