//! What the signs of differences prove, however the differences are distributed.
//!
//! Two candidates are measured one after the other in each round, and a coin decides which comes first. If they are equal, a round's
//! difference is that of its first and second place, and the coin gave it its sign. So every assignment of signs was equally likely,
//! regardless of other work of the machine: R. A. Fisher's randomization test (*The Design of Experiments*, 1935). The statistic is that of
//! F. Wilcoxon (*Individual Comparisons by Ranking Methods*, 1945), which goes with Hodges and Lehmann's centre.

/// The differences of the rounds, as logarithms of ratios.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SignedRanks {
    /// The p-value for equal candidates, on both sides.
    p_value: f64,
    /// The means of all pairs of differences in ascending order, each difference paired with itself too.
    means: Vec<f64>,
    rounds: usize,
}

impl SignedRanks {
    pub(crate) fn of(differences: &[f64]) -> Self {
        let pairs = differences.iter().enumerate();
        let pairs = pairs.flat_map(|(index, a)| differences[index..].iter().map(move |b| f64::midpoint(*a, *b)));
        let mut means: Vec<f64> = pairs.collect();
        means.sort_by(f64::total_cmp);
        Self { p_value: p_value(differences), means, rounds: differences.len() }
    }

    /// The two-sided p-value for equal candidates. Where all signs agree it is `None`: this number of rounds cannot prove more.
    pub(crate) fn p_value(&self) -> Option<f64> {
        let agree =
            self.means.first().is_some_and(|least| *least > 0.0) || self.means.last().is_some_and(|most| *most < 0.0);
        (!agree).then_some(self.p_value)
    }

    /// The ends of the centre's interval at this confidence, as logarithms: the widest that these rounds give where they are too few for it.
    pub(crate) fn interval(&self, confidence: f64) -> Option<(f64, f64)> {
        let allowed = (1.0 - confidence) / 2.0;
        // The number of means that may be left out at each end.
        let left_out =
            chances_up_to(self.rounds).iter().take_while(|chance| **chance <= allowed).count().saturating_sub(1);
        let left_out = left_out.min(self.means.len().saturating_sub(1) / 2);
        Some((*self.means.get(left_out)?, *self.means.get(self.means.len() - 1 - left_out)?))
    }
}

/// The p-value of the signed ranks: the share of all assignments of signs whose sum of ranks is as far from its mean. Differences of zero have
/// no sign and are left out. Equal ones share their ranks.
fn p_value(differences: &[f64]) -> f64 {
    let mut signed: Vec<f64> = differences.iter().copied().filter(|each| *each != 0.0).collect();
    signed.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let twice_ranks = twice_ranks(&signed);
    let all: usize = twice_ranks.iter().sum();
    let positive: usize = signed.iter().zip(&twice_ranks).filter(|(each, _)| **each > 0.0).map(|(_, rank)| rank).sum();
    let farther = positive.min(all - positive);
    let tail: f64 = distribution(&twice_ranks)[..=farther].iter().sum();
    (2.0 * tail).min(1.0)
}

/// Twice the ranks of values in order of their size, so that shared ranks are whole numbers.
fn twice_ranks(ordered: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(ordered.len());
    for equal in ordered.chunk_by(|a, b| a.abs() == b.abs()) {
        let first = ranks.len() + 1;
        let last = ranks.len() + equal.len();
        ranks.extend(equal.iter().map(|_| first + last));
    }
    ranks
}

/// The probability of each sum of the ranks with a positive sign, where a coin gives each its sign.
fn distribution(ranks: &[usize]) -> Vec<f64> {
    let mut chances = vec![1.0];
    for rank in ranks {
        let mut next = vec![0.0; chances.len() + rank];
        for (sum, chance) in chances.iter().enumerate() {
            next[sum] += chance / 2.0;
            next[sum + rank] += chance / 2.0;
        }
        chances = next;
    }
    chances
}

/// For this number of rounds, the probability that the sum of positive ranks is at most 0, 1, 2 and so on.
fn chances_up_to(rounds: usize) -> Vec<f64> {
    let ranks: Vec<usize> = (1..=rounds).collect();
    let up_to = |sum: &mut f64, chance: f64| {
        *sum += chance;
        Some(*sum)
    };
    distribution(&ranks).into_iter().scan(0.0, up_to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value}, expected {expected}");
    }

    #[test]
    fn p_values_by_hand() {
        // Of the 8 assignments of signs to 1, 2, 3, one has the sum 0 and one has 1.
        near(p_value(&[0.1, 0.2, 0.3]), 0.25);
        near(p_value(&[-0.1, 0.2, 0.3]), 0.5);
        // Ranks 1.5, 1.5, 3: sums 0, 1.5 (twice), 3 (twice), 4.5 (twice), 6.
        near(p_value(&[-0.1, 0.1, 0.3]), 0.75);
        near(p_value(&[0.0, 0.0]), 1.0);
        near(p_value(&[]), 1.0);
        // Wilcoxon's own table: of 10 pairs, a sum of 8 has the probability 0.0244 and a sum of 5 has 0.0098.
        let with_lower_sum = |negative: &[usize]| -> Vec<f64> {
            (1..=10).map(|rank| if negative.contains(&rank) { -1.0 } else { 1.0 } * rank as f64).collect()
        };
        assert!((p_value(&with_lower_sum(&[8])) - 0.0488).abs() < 5e-4);
        assert!((p_value(&with_lower_sum(&[5])) - 0.0195).abs() < 5e-4);
    }

    #[test]
    fn intervals_leave_out_as_many_means_as_tables_say() {
        // Of 10 pairs the 95 % interval ends at the 9th mean from either end (Hollander and Wolfe, table A.4: 97.3 % on one side).
        let differences: Vec<f64> = (1..=10).map(|each| 2.0_f64.powi(each)).collect();
        let ranks = SignedRanks::of(&differences);
        let (low, high) = ranks.interval(0.95).unwrap();
        assert_eq!((low, high), (ranks.means[8], ranks.means[55 - 9]));
        // Too few rounds for 99.99 %: everything that was seen.
        assert_eq!(ranks.interval(0.9999), Some((2.0, 1024.0)));
        assert_eq!(SignedRanks::of(&[0.5; 4]).interval(0.5), Some((0.5, 0.5)));
        assert_eq!(SignedRanks::of(&[]).interval(0.95), None);
    }

    #[test]
    fn where_all_signs_agree_no_more_can_be_proven() {
        assert_eq!(SignedRanks::of(&[0.1, 0.2, 0.3]).p_value(), None);
        assert_eq!(SignedRanks::of(&[-0.1, 0.2, 0.3]).p_value(), Some(0.5));
    }
}
