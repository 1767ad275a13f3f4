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
    Arrival,
    /// The order in which a turnover replaces records.
    Turnover,
    /// How long values are that a turnover will replace.
    OlderBytes,
    /// Their places in the pool.
    OlderPlace,
    /// The sizes of each record's values.
    Part,
}

/// An integer below `bound`, which is not 0, from 64 random bits. The bias is below `bound / 2⁶⁴`.
#[inline]
pub fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
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

    /// An integer below `bound`, as [`below`].
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        below(self.next(), bound)
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
/// The ranks are in bins: one each for the first, then [`BINS_OF_OCTAVE`] for each doubling. A draw finds a place in
/// the bins' area through a table; all ranks of a bin count as likely as its first. It keeps a rank with the
/// probability that makes up for the difference. That takes a power for one draw in a hundred, and powers take longer
/// than all else in an operation.
#[derive(Clone)]
pub(crate) struct Zipf {
    theta: f64,
    n: u64,
    /// The area of the ranks up to `n`.
    area: f64,
    /// The bins of all ranks, and a last bin beyond every area.
    bins: Vec<Bin>,
    /// For equal parts of the area of all bins: the last bin that begins no later than the part.
    guide: Vec<u16>,
    /// Parts of the guide in one unit of area.
    parts: f64,
}

/// Ranks that each count as much as the first.
#[derive(Clone)]
struct Bin {
    first: u64,
    /// `first^-theta`
    weight: f64,
    /// `1 / weight`
    ranks_per_area: f64,
    /// How much less likely than the first, at most, a rank is for each rank beyond it.
    fall: f64,
    /// The area of the bins before.
    before: f64,
}

/// Bins of the ranks from 2ᵏ to 2ᵏ⁺¹ where there are more ranks than that.
const BINS_OF_OCTAVE: u64 = 1 << OCTAVE_BITS;
const OCTAVE_BITS: u32 = 6;
/// Parts of the guide.
const PARTS: usize = 1 << 13;

/// The bin of a rank.
#[inline]
fn bin_of(rank: u64) -> usize {
    let octave = rank.ilog2().max(OCTAVE_BITS);
    ((rank >> (octave - OCTAVE_BITS)) + u64::from(octave - OCTAVE_BITS) * BINS_OF_OCTAVE) as usize - 1
}

impl Zipf {
    /// For `n` ranks and, after [`Zipf::resize`], at most `n_max`.
    pub(crate) fn new(n: u64, n_max: u64, theta: f64) -> Self {
        let (mut bins, mut first, mut before) = (Vec::new(), 1, 0.0);
        while first <= n_max.max(n).max(1) {
            let width = (1 << first.ilog2().saturating_sub(OCTAVE_BITS)).max(1);
            let weight = libm::pow(first as f64, -theta);
            bins.push(Bin { first, weight, ranks_per_area: 1.0 / weight, fall: theta / first as f64, before });
            before += weight * width as f64;
            first += width;
        }
        let parts = PARTS as f64 / before;
        bins.push(Bin { first, weight: 0.0, ranks_per_area: 0.0, fall: 0.0, before: f64::INFINITY });
        let mut bin = 0;
        let guide = (0..PARTS).map(|part| {
            while bins[bin + 1].before <= part as f64 / parts {
                bin += 1;
            }
            bin as u16
        });
        let guide = guide.collect();
        let mut zipf = Self { theta, n: 0, area: 0.0, bins, guide, parts };
        zipf.resize(n);
        zipf
    }

    /// Goes on with `n` ranks.
    #[inline]
    pub(crate) fn resize(&mut self, n: u64) {
        if n != self.n {
            self.n = n.max(1);
            let bin = &self.bins[bin_of(self.n)];
            self.area = bin.before + bin.weight * (self.n + 1 - bin.first) as f64;
        }
    }

    /// A rank, from 1 to `n`.
    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        loop {
            let place = stream.unit() * self.area;
            let part = (place * self.parts) as usize;
            let mut index = usize::from(self.guide[part.min(PARTS - 1)]);
            while self.bins[index + 1].before <= place {
                index += 1;
            }
            let bin = &self.bins[index];
            // Ranks beyond the bin's first. The place within a rank is as random as if it were drawn.
            let along = (place - bin.before) * bin.ranks_per_area;
            let beyond = f64::from(along as u32);
            let chance = along - beyond;
            // How likely the rank is compared with its bin's first; the lower bound, which needs no power, decides
            // nearly every case.
            let kept = || libm::pow(bin.first as f64 / (bin.first as f64 + beyond), self.theta);
            if chance < 1.0 - beyond * bin.fall || chance < kept() {
                return (bin.first + along as u64).min(self.n);
            }
        }
    }
}

/// A random order of 0 … `n`, without memory: steps that can be undone over the next power of two, walked until it is inside.
///
/// For two sizes under the same `n_max` the orders agree except in the few places that changed. So popular records stay
/// popular while a store grows.
#[derive(Clone)]
pub(crate) struct Permutation {
    /// The numbers that each round adds and multiplies with. Factors are odd, so that no two numbers have the same
    /// result.
    rounds: [(u64, u64); ROUNDS],
    mask: u64,
    /// Half the bits.
    shift: u32,
}

const ROUNDS: usize = 5;

impl Permutation {
    pub(crate) fn new(n_max: u64, stream: &mut Stream) -> Self {
        let bits = (u64::BITS - n_max.saturating_sub(1).leading_zeros()).max(2);
        let rounds = std::array::from_fn(|_| (stream.next(), stream.next() | 1));
        Self { rounds, mask: (1 << bits) - 1, shift: bits.div_ceil(2) }
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

    /// One pass over the whole power of two. A product carries low bits upwards, the fold brings high ones down.
    #[inline]
    fn shuffle(&self, value: u64) -> u64 {
        self.rounds.iter().fold(value, |value, (term, factor)| {
            let mixed = value.wrapping_add(*term).wrapping_mul(*factor) & self.mask;
            mixed ^ mixed >> self.shift
        })
    }
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
