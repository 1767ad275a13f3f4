//! Plain summaries of a few numbers.

/// The arithmetic mean; `None` if there are no values or one is not finite.
pub fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    let mean = sum / values.len() as f64;
    (!values.is_empty() && mean.is_finite()).then_some(mean)
}

/// The middle value, or the mean of the two middle ones; `None` if there are no values or one is not finite.
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted[sorted.len() / 2];
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower / 2.0 + upper / 2.0)
}

/// The geometric mean; `None` if there are no values or one is not positive and finite.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.iter().any(|value| !value.is_finite() || *value <= 0.0) {
        return None;
    }
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    mean(&logarithms).map(f64::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_means() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[9.0, 1.0, 5.0, 7.0]), Some(6.0));
        let geometric = geometric_mean(&[1.0, 10.0, 100.0]).unwrap();
        assert!((geometric - 10.0).abs() < 1e-12, "{geometric}");
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(mean(&[]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(mean(&[1.0, f64::INFINITY]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }
}
