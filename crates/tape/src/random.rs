//! Seeded randomness: independent streams, a permutation without memory, and the Zipfian distribution.
//!
//! Everything here is integer arithmetic or `libm`, so the same seed gives the same bytes on every machine and with
//! every C library.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use xxhash_rust::xxh64::xxh64;

/// What a stream of random numbers is for. Each purpose has its own, so that one choice says nothing about another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Kind,
    Key,
    KeyPart,
    ValueBytes,
    ValuePlace,
    ScanEntries,
    Missing,
    MissingKey,
    Walk,
    Popularity,
    InsertOrder,
    Pool,
}

/// A stream of random numbers.
#[derive(Clone)]
pub(crate) struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream for one purpose in one lane of one phase.
    pub(crate) fn new(seed: u64, phase: &str, lane: u32, purpose: Purpose) -> Self {
        let mut place = Vec::with_capacity(phase.len() + 5);
        place.extend_from_slice(&lane.to_le_bytes());
        place.push(purpose as u8);
        place.extend_from_slice(phase.as_bytes());
        Self(Xoshiro256PlusPlus::seed_from_u64(xxh64(&place, seed)))
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// An integer below `bound`, which is not 0. The bias is below `bound / 2⁶⁴`.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// An integer from `min` to `max`, both included.
    #[inline]
    pub(crate) fn within(&mut self, min: u64, max: u64) -> u64 {
        min + self.below(max - min + 1)
    }

    /// A number in [0, 1).
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

/// Draws ranks from 1 to `n` with probabilities in proportion to `rank^-theta`.
///
/// A rank is found under a hat (1 up to 1, then `x^-theta`) whose integral can be inverted, and kept with the probability
/// that makes up for the difference. The first ranks, where most of the area lies, are found in a table of fixed size, since a power
/// takes longer than everything else that an operation of a tape needs.
#[derive(Clone)]
pub(crate) struct Zipf {
    theta: f64,
    n: u64,
    /// The hat's integral from 0 to `n`.
    area: f64,
    /// `1 - theta`, and its inverse.
    power: f64,
    inverse: f64,
    /// The hat's integral from 0 to each of the first ranks.
    heads: Vec<f64>,
    /// For equal parts of the area of all `heads`: the index of the first head that does not end before the part begins.
    guide: Vec<u32>,
}

/// Ranks in the table of [`Zipf`].
const HEADS: usize = 1 << 15;

impl Zipf {
    pub(crate) fn new(n: u64, theta: f64) -> Self {
        let power = 1.0 - theta;
        let (heads, guide) = (Vec::new(), Vec::new());
        let mut zipf = Self { theta, n: 0, area: 0.0, power, inverse: 1.0 / power, heads, guide };
        zipf.heads = (1..=HEADS).map(|rank| zipf.integral(rank as f64)).collect();
        let part = zipf.heads[HEADS - 1] / HEADS as f64;
        let mut index = 0;
        for number in 0..HEADS {
            while zipf.heads[index] < number as f64 * part {
                index += 1;
            }
            zipf.guide.push(index as u32);
        }
        zipf.resize(n);
        zipf
    }

    /// The hat's integral from 0 to `end`, which is at least 1.
    fn integral(&self, end: f64) -> f64 {
        if self.power == 0.0 { 1.0 + libm::log(end) } else { 1.0 + (libm::pow(end, self.power) - 1.0) * self.inverse }
    }

    /// Goes on with `n` ranks.
    #[inline]
    pub(crate) fn resize(&mut self, n: u64) {
        if n != self.n {
            self.n = n;
            self.area = self.integral(n.max(1) as f64);
        }
    }

    /// Where the hat's integral from 0 reaches `area`.
    #[inline]
    fn invert(&self, area: f64) -> f64 {
        if area <= 1.0 {
            area
        } else if self.power == 0.0 {
            libm::exp(area - 1.0)
        } else {
            libm::pow(1.0 + (area - 1.0) * self.power, self.inverse)
        }
    }

    /// The rank whose part of the hat reaches `area`.
    #[inline]
    fn rank_at(&self, area: f64) -> u64 {
        let last = self.heads[HEADS - 1];
        if area >= last {
            return self.invert(area) as u64 + 1;
        }
        let part = (area / last * HEADS as f64) as usize;
        let mut index = self.guide[part.min(HEADS - 1)] as usize;
        while self.heads[index] <= area {
            index += 1;
        }
        index as u64 + 1
    }

    /// A rank, from 1 to `n`.
    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        loop {
            let area = stream.unit() * self.area;
            let rank = self.rank_at(area).min(self.n.max(1));
            if rank == 1 {
                return 1;
            }
            // The share of the hat that belongs to the rank is (x / rank)^theta, where x is the place in the hat; its lower
            // bound, which needs no power, settles nearly every case.
            let (chance, rank_f64) = (stream.unit(), rank as f64);
            if chance < 1.0 - self.theta.max(1.0) / rank_f64
                || chance < libm::pow(self.invert(area) / rank_f64, self.theta)
            {
                return rank;
            }
        }
    }
}

/// A random order of 0 … `n`, without memory: a Feistel network over the next power of two, walked until it is inside.
///
/// For two sizes under the same `n_max` the orders agree but for the few places that changed, so what is popular stays
/// popular while a store grows.
#[derive(Clone)]
pub(crate) struct Permutation {
    keys: [u64; ROUNDS],
    left_bits: u32,
    right_bits: u32,
}

const ROUNDS: usize = 6;

impl Permutation {
    pub(crate) fn new(n_max: u64, stream: &mut Stream) -> Self {
        let bits = (u64::BITS - n_max.saturating_sub(1).leading_zeros()).max(2);
        Self { keys: std::array::from_fn(|_| stream.next()), left_bits: bits / 2, right_bits: bits - bits / 2 }
    }

    /// Where `place` (below `n`) goes. `n` is at most `n_max`.
    #[inline]
    pub(crate) fn apply(&self, place: u64, n: u64) -> u64 {
        let mut at = place;
        loop {
            at = self.shuffle(at);
            if at < n {
                return at;
            }
        }
    }

    /// One pass over the whole power of two. Halves swap their widths each round; an even number of rounds restores them.
    #[inline]
    fn shuffle(&self, value: u64) -> u64 {
        let (mut high, mut low) = (value >> self.right_bits, value & mask(self.right_bits));
        let (mut high_bits, mut low_bits) = (self.left_bits, self.right_bits);
        for key in self.keys {
            let mixed = (high ^ scramble(low ^ key)) & mask(high_bits);
            (high, low) = (low, mixed);
            (high_bits, low_bits) = (low_bits, high_bits);
        }
        high << low_bits | low
    }
}

#[inline]
fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// Mixes all bits (the finalizer of SplitMix64).
#[inline]
fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_has_each_place_once() {
        for n in (1..70).chain([127, 128, 129, 1000]) {
            for n_max in [n, n + 1, 3 * n] {
                let order = Permutation::new(n_max, &mut Stream::new(n, "", 0, Purpose::Popularity));
                let mut places: Vec<u64> = (0..n).map(|place| order.apply(place, n)).collect();
                places.sort_unstable();
                assert!(places.iter().copied().eq(0..n), "{n} of {n_max}");
            }
        }
    }

    #[test]
    fn what_is_popular_stays_so_while_a_store_grows() {
        let order = Permutation::new(2000, &mut Stream::new(1, "", 0, Purpose::Popularity));
        let moved = |n| (0..n).filter(|place| order.apply(*place, n) != order.apply(*place, n + 1)).count();
        assert!((1000..2000).all(|n| moved(n) <= 1));
    }

    #[test]
    fn permutations_are_spread_evenly() {
        let mut counts = [[0_u32; 10]; 10];
        for seed in 0..10_000 {
            let order = Permutation::new(10, &mut Stream::new(seed, "", 0, Purpose::Popularity));
            (0..10).for_each(|place| counts[place as usize][order.apply(place, 10) as usize] += 1);
        }
        let square: f64 = counts.as_flattened().iter().map(|count| (f64::from(*count) - 1000.0).powi(2) / 1000.0).sum();
        // 81 degrees of freedom; their standard deviation is under 13.
        assert!((square - 81.0).abs() < 65.0, "{square}: {counts:?}");
    }

    #[test]
    fn bounds_are_kept_and_reached() {
        let mut stream = Stream::new(1, "", 0, Purpose::Key);
        let drawn: std::collections::BTreeSet<u64> = (0..1000).map(|_| stream.within(5, 14)).collect();
        assert!(drawn.into_iter().eq(5..=14));
        assert_eq!(stream.within(0, u64::from(u32::MAX)) >> 32, 0);
    }

    #[test]
    fn streams_differ_in_everything_that_names_them() {
        let first = |seed, phase, lane, purpose| Stream::new(seed, phase, lane, purpose).next();
        let numbers = [
            first(1, "a", 0, Purpose::Key),
            first(2, "a", 0, Purpose::Key),
            first(1, "b", 0, Purpose::Key),
            first(1, "a", 1, Purpose::Key),
            first(1, "a", 0, Purpose::Kind),
        ];
        assert_eq!(std::collections::BTreeSet::from(numbers).len(), numbers.len());
    }
}
