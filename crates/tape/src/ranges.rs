//! Ranges of neighbouring records, some far more popular than others.

use xxhash_rust::xxh64::xxh64;

use crate::random::{Permutation, Stream};

/// The weight of the range of this rank, from 1, for [`Access::Ranges`].
pub(crate) fn range_weight([a, b, c, d]: [f64; 4], rank: u32) -> f64 {
    let rank = f64::from(rank);
    a * libm::exp(b * rank) + c * libm::exp(d * rank)
}

/// Draws slots by [`Access::Ranges`].
pub(crate) struct Ranges {
    /// The sum of the weights up to and with the range of each rank.
    sums: Vec<f64>,
    /// Which range has which rank.
    scatter: Permutation,
    /// The part `a·x^b` of a range's operations falls on its first `x` records.
    key: [f64; 2],
    /// Determines the places of ranks in a range.
    salt: u64,
}

impl Ranges {
    pub(crate) fn new(ranges: u32, weights: [f64; 4], key: [f64; 2], stream: &mut Stream) -> Self {
        let mut sum = 0.0;
        let sums = (1..=ranges).map(|rank| {
            sum += range_weight(weights, rank);
            sum
        });
        let sums = sums.collect();
        Self { sums, scatter: Permutation::new(u64::from(ranges), stream), key, salt: stream.next() }
    }

    /// A slot below `count`: its range by `part`, its rank there by `key`.
    pub(crate) fn draw(&self, count: u64, part: &mut Stream, key: &mut Stream) -> u64 {
        let ranges = self.sums.len() as u64;
        if count < ranges {
            return key.below(count);
        }
        let at = part.unit() * self.sums[self.sums.len() - 1];
        let rank = self.sums.partition_point(|sum| *sum <= at).min(self.sums.len() - 1);
        let range = self.scatter.apply(rank as u64, ranges);
        let (begin, end) = (range * count / ranges, (range + 1) * count / ranges);
        begin + xxh64(&self.rank(key.unit()).to_le_bytes(), self.salt) % (end - begin)
    }

    /// The rank from 1 of a record in its range, up to which this part of the operations falls.
    fn rank(&self, part: f64) -> u64 {
        let [a, b] = self.key;
        libm::ceil(libm::pow(part / a, 1.0 / b)).max(1.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn ranks_in_a_range_follow_the_power_law() {
        let mut stream = Stream::new(1, "", 0, Purpose::Key);
        let ranges = Ranges::new(30, [1.0, -1.0, 0.0, 0.0], [0.002_312, 0.346_7], &mut stream);
        let mut ranks: Vec<u64> = (0..100_000).map(|_| ranges.rank(stream.unit())).collect();
        ranks.sort_unstable();
        // Kolmogorov and Smirnov: the greatest distance of the drawn ranks from the law.
        let law = |rank: u64| (0.002_312 * (rank as f64).powf(0.346_7)).min(1.0);
        let distance = (0..ranks.len()).map(|place| {
            let (below, upto) = (
                ranks.partition_point(|rank| *rank < ranks[place]),
                ranks.partition_point(|rank| *rank <= ranks[place]),
            );
            let gap = |count: usize, rank: u64| (count as f64 / 1e5 - law(rank)).abs();
            gap(upto, ranks[place]).max(gap(below, ranks[place] - 1))
        });
        // 0.1 % of fair samples are further away than 1.95 / √n.
        assert!(distance.fold(0.0, f64::max) < 1.95 / 1e5_f64.sqrt());
    }
}
