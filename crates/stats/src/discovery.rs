//! How sure each of many statements must be, so that what is said of a whole table holds.

/// The confidence at which to make statements with these p-values, of which no more than `share` of those proven may be proven wrongly, on
/// average; where nothing differs, anything is proven in no more than that share of tables.
///
/// Benjamini and Hochberg's procedure (1995), in the form of intervals that Benjamini and Yekutieli gave it (2005): of `m` statements the most
/// `k` are taken as proven whose p-values are at most `share · k / m`, and all intervals have a confidence of `1 − share · k / m`. Where much
/// differs this sees more than Bonferroni's correction, which it comes to where one is proven, or none.
pub fn discovery_confidence(p_values: impl IntoIterator<Item = f64>, share: f64) -> f64 {
    let mut sorted: Vec<f64> = p_values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let all = sorted.len().max(1) as f64;
    let allowed = |rank: usize| share * rank as f64 / all;
    let proven = (1..=sorted.len()).rev().find(|rank| sorted[rank - 1] <= allowed(*rank));
    1.0 - allowed(proven.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::discovery_confidence;

    #[test]
    fn it_is_benjamini_and_hochbergs() {
        // Their own example (1995, section 3.2): of fifteen, the four smallest are proven, at 4 / 15 of the share.
        let example = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0,
        ];
        let confidence = discovery_confidence(example, 0.05);
        assert!((confidence - (1.0 - 0.05 * 4.0 / 15.0)).abs() < 1e-12, "{confidence}");
        assert_eq!(discovery_confidence([0.04; 10], 0.05), 0.95, "all of them together");
        assert_eq!(discovery_confidence([0.2; 10], 0.05), 0.995, "none: as Bonferroni's");
        assert_eq!(discovery_confidence([], 0.05), 0.95);
    }
}
