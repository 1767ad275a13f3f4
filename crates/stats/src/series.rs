//! The error of the centre of a short series of rounds, despite correlated neighbours and disturbed rounds.
//!
//! Neighbouring rounds of one store often correlate, and then the sample variance underestimates the error of the centre. The cosine
//! transform separates a series by speed of change, and slow changes move the centre. So the error is estimated from the slowest components
//! only: U. K. Müller, *HAC corrections for strongly autocorrelated time series* (2014), as recommended by Lazarus, Lewis, Stock and
//! Watson, *HAR Inference: Recommendations for Practice* (2018). For independent rounds this is exact: all components have the same
//! variance, and fewer components only mean fewer degrees of freedom.
//!
//! From eight rounds on, the series is winsorized: a fifth of the values at each end is replaced by the next one inwards. The error is then
//! Tukey and McLaughlin's for a trimmed mean (1963). So disturbed rounds do not hide what the others show.

use std::f64::consts::PI;

/// The share of values that is replaced at each end.
const DRAWN_IN_PART: f64 = 0.2;

/// Shorter series are not winsorized.
const DRAWN_IN_ROUNDS_MIN: usize = 8;

/// A variance with its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Variance {
    pub(crate) variance: f64,
    pub(crate) freedom: f64,
}

/// The number of slowest components that estimate the error of the centre.
pub(crate) fn slow_components(rounds: usize) -> usize {
    let wanted = (0.8 * (rounds as f64).sqrt()).round() as usize;
    wanted.max(2).min(rounds.saturating_sub(1))
}

/// The factor by which the error is widened. With it, 19 of 20 intervals hold for independent rounds, and 18 of 20 at a correlation of 0.5.
///
/// The factors come from simulation, and `tests/simulation.rs` checks them. Five to eleven rounds show too little of their slow changes,
/// and winsorizing hides some.
fn stretch(rounds: usize) -> f64 {
    match rounds {
        5 => 1.08,
        6 => 1.03,
        8 => 1.17,
        9 => 1.10,
        10 => 1.15,
        11 => 1.07,
        _ => 1.0,
    }
}

/// The variance of one round as it affects the centre: divided by the number of rounds, it is the centre's variance. `None` if there are
/// fewer than two values.
pub(crate) fn variance_of_round(values: &[f64]) -> Option<Variance> {
    let count = values.len();
    let components = slow_components(count);
    let variance = variance_of_components(values, components)? * stretch(count).powi(2);
    Some(Variance { variance, freedom: components as f64 })
}

/// The same for rounds whose signs a coin decided: then neighbours do not correlate, and all components count.
pub(crate) fn variance_of_turn(values: &[f64]) -> Option<Variance> {
    let components = values.len().saturating_sub(1);
    let kept = values.len() - 2 * drawn_in(values.len());
    Some(Variance { variance: variance_of_components(values, components)?, freedom: kept as f64 - 1.0 })
}

/// The variance that the slowest components show. `None` if there are none.
fn variance_of_components(values: &[f64], components: usize) -> Option<f64> {
    let count = values.len();
    if components == 0 {
        return None;
    }
    let drawn_in = drawn_in(count);
    let squares: f64 = cosine_components(&winsorized(values, drawn_in)).take(components).map(|each| each * each).sum();
    let kept = (count - 2 * drawn_in) as f64;
    let trimmed = if drawn_in == 0 { 1.0 } else { count as f64 * (count as f64 - 1.0) / (kept * (kept - 1.0)) };
    Some(squares / components as f64 * trimmed)
}

/// How many values are replaced at each end.
fn drawn_in(count: usize) -> usize {
    if count < DRAWN_IN_ROUNDS_MIN { 0 } else { (DRAWN_IN_PART * count as f64) as usize }
}

/// The sample variance. `None` if there are fewer than two values.
pub(crate) fn sample_variance(values: &[f64]) -> Option<Variance> {
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let squares: f64 = cosine_components(values).map(|each| each * each).sum();
    Some(Variance { variance: squares / freedom, freedom })
}

/// The share of the slowest component in a series' variation. `None` if nothing varies or there are fewer than three values.
pub(crate) fn slowest_part(values: &[f64]) -> Option<f64> {
    let squares: Vec<f64> = cosine_components(values).map(|each| each * each).collect();
    let all: f64 = squares.iter().sum();
    (values.len() > 2 && all > 0.0 && all.is_finite()).then(|| squares[0] / all)
}

/// The orthonormal type II cosine transform, slowest component first, without the constant one (the mean).
fn cosine_components(values: &[f64]) -> impl Iterator<Item = f64> {
    (1..values.len()).map(move |component| {
        let weights = cosine_weights(component, values.len());
        // Relative to the first value, so that equal values give exactly zero.
        weights.zip(values).map(|(weight, value)| weight * (value - values[0])).sum()
    })
}

/// The weights of one component for a series of `count` values.
pub(crate) fn cosine_weights(component: usize, count: usize) -> impl Iterator<Item = f64> {
    let scale = (2.0 / count as f64).sqrt();
    let step = PI * component as f64 / count as f64;
    (0..count).map(move |index| scale * (step * (index as f64 + 0.5)).cos())
}

/// The values with `at_each_end` of them at each end replaced by the next one inwards.
fn winsorized(values: &[f64], at_each_end: usize) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[at_each_end], sorted[sorted.len() - 1 - at_each_end]);
    values.iter().map(|value| value.clamp(low, high)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value}, expected {expected}");
    }

    #[test]
    fn all_components_of_three_are_the_sample_variance() {
        let of = variance_of_round(&[9.0, 10.0, 11.0]).unwrap();
        near(of.variance, 1.0);
        near(of.freedom, 2.0);
        assert_eq!(variance_of_round(&[9.0]), None);
        assert_eq!(variance_of_round(&[]), None);
        near(variance_of_round(&[1.0, 3.0]).unwrap().variance, 2.0);
    }

    #[test]
    fn a_slow_drift_counts_and_a_quick_change_does_not() {
        let drift = variance_of_round(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        let turns = variance_of_round(&[1.0, 7.0, 1.0, 7.0, 1.0, 7.0, 1.0]).unwrap();
        // Sample variances of 4.7 and 10.3.
        assert!(drift.variance > 10.0 && turns.variance < 3.0, "{drift:?} {turns:?}");
        assert!(slowest_part(&[1.0, 2.0, 3.0]).unwrap() > 0.99);
        near(slowest_part(&[1.0, 2.0, 1.0]).unwrap(), 0.0);
        assert_eq!(slowest_part(&[1.0; 5]), None);
        assert_eq!(slowest_part(&[1.0, 2.0]), None);
    }

    #[test]
    fn one_round_in_five_that_is_disturbed_counts_little() {
        let calm = [0.0, 0.1, -0.1, 0.05, -0.05, 0.1, -0.1, 0.0, 0.02, -0.02];
        let disturbed = {
            let mut all = calm;
            all[2] = 5.0;
            all[6] = 5.0;
            all
        };
        let [calm, disturbed] = [calm, disturbed].map(|all| variance_of_round(&all).unwrap().variance);
        assert!(disturbed < 20.0 * calm, "{calm} {disturbed}");
    }
}
