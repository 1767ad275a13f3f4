//! The confidence that each of many statements needs for the whole table to hold.

/// The confidence for statements with these p-values. On average, at most `share` of the statements called proven are wrong. Where nothing
/// differs, at most that share of tables call anything proven.
///
/// This is Benjamini and Hochberg's procedure (1995), in the form for intervals by Benjamini and Yekutieli (2005). Of `m` statements, the
/// largest `k` is chosen such that `k` p-values are at most `share · k / m`. All intervals have a confidence of `1 − share · k / m`. Where
/// much differs, it proves more than Bonferroni's correction. With one proven statement or none, both are equal.
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
        // Their own example (1995, section 3.2): of 15 statements the 4 smallest are proven, at 4 / 15 of the share.
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
