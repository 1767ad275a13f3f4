//! How sure each of many comparisons must be, so that what is called different really is.

/// The confidence at which to make the intervals of so many comparisons, of which no more than `share` of those proven may be proven
/// wrongly, on average; where nothing differs, anything is proven in no more than that share of cases.
///
/// Benjamini and Hochberg's procedure (1995), in the form of intervals that Benjamini and Yekutieli gave it (2005): of `m` comparisons the most
/// `k` are taken as proven that are so at a confidence of `1 − share · k / m`. `proven` says how many that are at a confidence; the more
/// is asked, the fewer it may say. Where all of many figures change a little this sees much more than Bonferroni's correction, which is what it
/// comes to where one is proven, or none.
pub fn discovery_confidence(comparisons: usize, share: f64, proven: impl Fn(f64) -> usize) -> f64 {
    let all = comparisons.max(1);
    let mut rank = all;
    loop {
        let confidence = 1.0 - share * rank as f64 / all as f64;
        let found = proven(confidence);
        if found >= rank || rank == 1 {
            return confidence;
        }
        rank = found.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::discovery_confidence;

    /// The confidence for comparisons that are proven up to these levels of error.
    fn of(errors: &[f64]) -> f64 {
        discovery_confidence(errors.len(), 0.05, |confidence| {
            errors.iter().filter(|error| **error <= 1.0 - confidence + 1e-12).count()
        })
    }

    #[test]
    fn it_is_benjamini_and_hochbergs() {
        // Their own example (1995, section 3.2): of fifteen, the four smallest are proven, at 4 / 15 of the share.
        let example = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0,
        ];
        assert!((of(&example) - (1.0 - 0.05 * 4.0 / 15.0)).abs() < 1e-12, "{}", of(&example));
        assert_eq!(of(&[0.04; 10]), 0.95, "all of them together");
        assert_eq!(of(&[0.2; 10]), 0.995, "none: as Bonferroni's");
        assert_eq!(of(&[]), 0.95);
    }
}
