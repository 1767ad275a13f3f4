//! Where a series changes its level, and whether it has settled.
//!
//! Pettitt's test needs only ranks: A. N. Pettitt, *A Non-Parametric Approach to the Change-Point Problem*, Applied Statistics 28 (1979).

/// Shorter series are not tested for a change.
const LENGTH_MIN: usize = 8;

/// Shorter series are not judged as settled or not. The test still finds a drift in half as many figures.
const SETTLED_LENGTH_MIN: usize = 32;

/// The significance level of a change.
const LEVEL: f64 = 0.05;

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    /// The number of figures before it.
    before: usize,
    /// An approximate upper bound of the p-value, for independent figures.
    p: f64,
}

/// The likeliest change of level. `None` if there are fewer than eight figures or one is NaN.
fn pettitt(series: &[f64]) -> Option<Change> {
    if series.len() < LENGTH_MIN || series.iter().any(|figure| figure.is_nan()) {
        return None;
    }
    let (mut sum, mut largest, mut before) = (0_i64, 0_i64, 0);
    for (index, figure) in series.iter().enumerate().take(series.len() - 1) {
        let below = series.iter().filter(|other| *other < figure).count() as i64;
        let above = series.iter().filter(|other| *other > figure).count() as i64;
        sum += below - above;
        if sum.abs() > largest {
            (largest, before) = (sum.abs(), index + 1);
        }
    }
    let length = series.len() as f64;
    let p = 2.0 * (-6.0 * (largest as f64).powi(2) / (length.powi(3) + length.powi(2))).exp();
    Some(Change { before, p: p.min(1.0) })
}

/// A series with two levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelChange {
    /// The share of the series before the change.
    pub after_part: f64,
    /// The median after the change divided by the median before it.
    pub factor: f64,
}

/// The largest change of level. `None` if its p-value is 0.05 or more, if there are fewer than eight figures, or if there is no ratio.
pub fn level_change(series: &[f64]) -> Option<LevelChange> {
    let change = pettitt(series).filter(|change| change.p < LEVEL)?;
    let (before, behind) = series.split_at(change.before);
    let factor = crate::median(behind)? / crate::median(before)?;
    let after_part = change.before as f64 / series.len() as f64;
    (factor.is_finite() && factor > 0.0).then_some(LevelChange { after_part, factor })
}

/// The figure from which the level stays the same: after the last change with a p-value below `level`. `None` if too few figures follow.
fn steady_from(series: &[f64], level: f64) -> Option<usize> {
    let mut from = 0;
    loop {
        let change = pettitt(&series[from..])?;
        if change.p >= level {
            return Some(from);
        }
        from += change.before;
    }
}

/// Whether the level stays the same in at least the second half of a series. `None` if there are fewer than 32 figures.
///
/// Of series without a change, at most 5 % count as not settled. Correlated neighbours raise that: to about 5 % at a correlation of 0.3,
/// and 1 in 7 at 0.5. So most errors are on the safe side.
pub fn has_settled(series: &[f64]) -> Option<bool> {
    let enough = series.len() >= SETTLED_LENGTH_MIN;
    enough.then(|| steady_from(series, LEVEL).is_some_and(|from| 2 * from <= series.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Annual flow of the Nile at Aswan, 1871 to 1970, 10⁸ m³.
    const NILE: [u16; 100] = [
        1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140,
        1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969,
        831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759, 781,
        865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890, 744, 749, 838,
        1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740,
    ];

    #[test]
    fn the_nile_changed_after_1898() {
        let nile = NILE.map(f64::from);
        let change = pettitt(&nile).unwrap();
        assert_eq!(change.before, 28);
        assert!(change.p < 1e-6, "{change:?}");
        assert_eq!(steady_from(&nile, 0.01), Some(28));
        assert_eq!(has_settled(&nile), Some(true));
    }

    #[test]
    fn how_much_the_nile_changed() {
        let change = level_change(&NILE.map(f64::from)).unwrap();
        assert_eq!(change.after_part, 0.28);
        // The middle values are 1,110 and 1,120 of the 28 years before, and 846 and 848 of the 72 after.
        let [before, behind] = [&NILE[..28], &NILE[28..]].map(|years| {
            let mut years = years.to_vec();
            years.sort_unstable();
            f64::from(years[years.len() / 2 - 1] + years[years.len() / 2]) / 2.0
        });
        assert!((change.factor - behind / before).abs() < 1e-12 && change.factor < 0.8, "{change:?}");
        assert_eq!(level_change(&[5.0; 64]), None);
        assert_eq!(level_change(&[1.0, 2.0]), None);
    }

    #[test]
    fn a_step_by_hand() {
        // With four figures below four others the statistic is 16 after the fourth: p = 2 exp(-6 · 256 / 576).
        let change = pettitt(&[1.0, 2.0, 3.0, 4.0, 11.0, 12.0, 13.0, 14.0]).unwrap();
        assert_eq!(change.before, 4);
        assert!((change.p - 2.0 * (-1536.0_f64 / 576.0).exp()).abs() < 1e-12, "{change:?}");
    }

    #[test]
    fn what_allows_no_statement_gives_none() {
        assert_eq!(pettitt(&[1.0; 7]), None);
        assert_eq!(pettitt(&[f64::NAN; 20]), None);
        assert_eq!(pettitt(&[1.0; 20]).map(|change| change.p), Some(1.0));
        assert_eq!(has_settled(&[1.0; 31]), None);
        assert_eq!(has_settled(&[1.0; 32]), Some(true));
        let rising: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!(has_settled(&rising), Some(false), "it never becomes steady");
    }

    /// Figures around 1 with a deviation of 0.1 and a correlation of `alike` between neighbours. Those from `begin` to `end` are multiplied
    /// by `times`.
    fn noisy(
        random: &mut Xoshiro256PlusPlus,
        length: usize,
        alike: f64,
        (begin, end): (usize, usize),
        times: f64,
    ) -> Vec<f64> {
        let mut noise = 0.0;
        let fresh = |random: &mut Xoshiro256PlusPlus| (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        (0..length)
            .map(|index| {
                noise = alike * noise + (1.0 - alike * alike).sqrt() * fresh(random);
                (1.0 + 0.1 * noise) * if (begin..end).contains(&index) { times } else { 1.0 }
            })
            .collect()
    }

    /// The number of settled series among 2,000.
    fn settled(seed: u64, length: usize, alike: f64, place: (usize, usize), times: f64) -> usize {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let found = (0..2000).filter(|_| has_settled(&noisy(&mut random, length, alike, place, times)) == Some(true));
        found.count()
    }

    #[test]
    fn where_nothing_changes_a_change_is_as_seldom_seen_as_promised() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for length in [16, 32, 64] {
            let series = (0..2000).map(|_| noisy(&mut random, length, 0.0, (0, 0), 1.0));
            let seen = series.filter(|series| steady_from(series, 0.01) != Some(0)).count();
            assert!(seen <= 30, "{seen} of 2,000 with {length} figures: at most 1 in 100 is allowed");
            assert!(settled(2, 2 * length, 0.0, (0, 0), 1.0) >= 1900);
        }
    }

    #[test]
    fn neighbours_that_are_alike_are_taken_for_changes_more_often() {
        let [independent, little, much] = [0.0, 0.3, 0.5].map(|alike| settled(3, 32, alike, (0, 0), 1.0));
        assert!(independent >= 1960 && little >= 1860 && much >= 1700, "{independent}, {little}, {much} of 2,000");
        assert!(much < little && little < independent, "{independent}, {little}, {much} of 2,000");
    }

    #[test]
    fn a_step_of_a_third_is_found_wherever_it_lies() {
        for times in [1.3, 0.7] {
            assert!(settled(4, 32, 0.0, (0, 24), times) <= 60, "the start lasts too long, {times} times");
            assert!(settled(5, 32, 0.0, (20, 32), times) <= 60, "the end differs, {times} times");
            assert!(settled(6, 32, 0.0, (0, 8), times) >= 1800, "the start is over, {times} times");
        }
    }

    #[test]
    fn a_slow_start_is_found_to_its_end() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let found = (0..500).filter(|_| {
            let from = steady_from(&noisy(&mut random, 64, 0.0, (0, 16), 2.0), 0.01);
            // High figures after the step by chance may count as part of it, since they are nearer to the middle.
            from.is_some_and(|from| (14..=24).contains(&from))
        });
        let found = found.count();
        assert!(found >= 480, "{found} of 500");
    }
}
