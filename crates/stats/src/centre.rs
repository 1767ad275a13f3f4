//! The centre of a candidate's rounds.

use crate::summary::median;

/// The centre of figures that are not negative, on the logarithmic scale because figures are compared by ratios.
///
/// A disturbed round among five hardly moves it. Zero has no logarithm, so with a zero the centre is the median. `None` if there are no
/// figures, or one is negative or not finite.
pub(crate) fn centre(figures: &[f64]) -> Option<f64> {
    let first = *figures.first()?;
    if figures.iter().any(|figure| !figure.is_finite() || *figure < 0.0) {
        return None;
    }
    // Equal figures stay exact.
    if figures.iter().all(|figure| *figure == first) {
        return Some(first);
    }
    if figures.contains(&0.0) {
        return median(figures);
    }
    let logarithms: Vec<f64> = figures.iter().map(|figure| figure.ln()).collect();
    Some(hodges_lehmann(&logarithms)?.exp())
}

/// The median of the means of all pairs, each value paired with itself too: J. L. Hodges and E. L. Lehmann, *Estimates of Location Based on
/// Rank Tests*, Annals of Mathematical Statistics 34 (1963). For normal values its scatter is only 2.3 % above the mean's. It withstands up
/// to 29 % of disturbed values.
pub(crate) fn hodges_lehmann(values: &[f64]) -> Option<f64> {
    let pairs =
        values.iter().enumerate().flat_map(|(index, a)| values[index..].iter().map(move |b| f64::midpoint(*a, *b)));
    median(&pairs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_by_hand() {
        // Pairs of 1, 2, 9: 1, 1.5, 2, 5, 5.5, 9.
        assert_eq!(hodges_lehmann(&[9.0, 1.0, 2.0]), Some(3.5));
        assert_eq!(centre(&[4096.0; 3]), Some(4096.0));
        assert_eq!(centre(&[0.0, 0.0, 12.0]), Some(0.0));
        let doubled = centre(&[100.0, 100.0, 100.0, 100.0, 200.0]).unwrap();
        assert!((doubled - 100.0).abs() < 1e-9, "{doubled}");
        // The pairs of the logarithms of 1, 2, 4 in units of ln 2: 0, 0.5, 1, 1, 1.5, 2.
        let geometric = centre(&[1.0, 2.0, 4.0]).unwrap();
        assert!((geometric - 2.0).abs() < 1e-12, "{geometric}");
    }

    #[test]
    fn what_has_no_centre() {
        assert_eq!(centre(&[]), None);
        assert_eq!(centre(&[1.0, -1.0]), None);
        assert_eq!(centre(&[1.0, f64::NAN]), None);
        assert_eq!(centre(&[f64::INFINITY]), None);
    }
}
