//! How popular keys are: by Zipf's law, or a popular part of them and a rest, whichever gives the shares of operations that they have.

/// Ranks that a fit looks at, at most: the rest says little and costs much.
const RANKS_MAX: usize = 100_000;

/// The popularity of a key with fewer operations is mostly chance.
const COUNT_MIN: u32 = 5;

/// Fewer ranks than this are no distribution.
const RANKS_MIN: usize = 10;

/// The largest exponent that the search tries.
const THETA_MAX: f64 = 5.0;

/// The exponent of Zipf's law where nobody says another.
const THETA_USUAL: f64 = 0.99;

/// Chance explains differences up to this many standard deviations.
const DEVIATIONS: f64 = 4.0;

/// An exponent below this is as good as none.
const UNIFORM_BELOW: f64 = 0.1;

/// A law whose shares differ by more from the trace's is not taken if another one is nearer.
const DIFFERENCE_MAX: f64 = 0.05;

/// About how many numbers of keys have their shares compared.
const PLACES: u32 = 200;

/// How the popularity of keys falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// All are alike.
    Uniform,
    /// By Zipf's law.
    Zipf {
        /// Its exponent.
        theta: f64,
    },
    /// One part is popular, the other is not; in each, all are alike.
    Hot {
        /// The popular part of the keys.
        records: f64,
        /// The part of the operations that falls on it.
        operations: f64,
    },
}

/// How popular keys are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Popularity {
    /// The law that is nearest to it.
    pub law: Law,
    /// The part of the operations that the most popular keys have, however many of them, differs from that under the law by so much at most.
    pub difference: f64,
    /// The part of all operations that falls on the most popular hundredth of the keys.
    pub top_hundredth: f64,
    /// The same for the most popular tenth.
    pub top_tenth: f64,
}

impl Popularity {
    /// Finds the law that is nearest; `None` where too few keys came often enough to tell.
    pub(crate) fn fit(mut counts: Vec<u32>) -> Option<Self> {
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let often = counts.partition_point(|count| *count >= COUNT_MIN).min(RANKS_MAX);
        let alike = are_alike(&counts);
        // A few frequent keys show something if they stand out among many. That none does shows something only if they
        // would.
        if counts.len() < RANKS_MIN || if alike { !would_tell(&counts) } else { often == 0 } {
            return None;
        }
        let shares = Shares::of(&counts);
        let law = if alike { Law::Uniform } else { shares.law(likeliest(&counts[..often])) };
        let (top_hundredth, top_tenth) = (top(&counts, 100), top(&counts, 10));
        Some(Self { law, difference: shares.difference(law), top_hundredth, top_tenth })
    }
}

/// The exponent of Zipf's law under which the first tenth of `ranks` ranks has this part of the operations.
pub fn exponent_of_tenth(ranks: u64, part: f64) -> f64 {
    let ranks = usize::try_from(ranks).unwrap_or(usize::MAX);
    let (mut low, mut high) = (0.0, THETA_MAX);
    for _ in 0..40 {
        let theta = f64::midpoint(low, high);
        let weights = Weights::new(theta);
        if weights.sum(ranks.div_ceil(10)) / weights.sum(ranks) < part { low = theta } else { high = theta }
    }
    high
}

/// The part of all operations that falls on the most popular keys, one in `of`.
fn top(counts: &[u32], of: usize) -> f64 {
    let sum = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum::<u64>() as f64;
    sum(&counts[..counts.len().div_ceil(of)]) / sum(counts)
}

/// The part of all operations that the most popular keys have, for numbers of keys that grow from one to all, faster and faster.
struct Shares {
    keys: usize,
    of: Vec<(usize, f64)>,
}

impl Shares {
    /// Of counts in falling order.
    fn of(counts: &[u32]) -> Self {
        let keys = counts.len();
        let at = |place: u32| (keys as f64).powf(f64::from(place) / f64::from(PLACES)).round() as usize;
        let mut numbers: Vec<usize> = (0..=PLACES).map(at).collect();
        numbers.dedup();
        let (mut sum, mut before) = (0_u64, 0);
        let mut of = Vec::with_capacity(numbers.len());
        for number in numbers {
            sum += counts[before..number].iter().map(|count| u64::from(*count)).sum::<u64>();
            before = number;
            of.push((number, sum as f64));
        }
        of.iter_mut().for_each(|(_, share)| *share /= sum as f64);
        Self { keys, of }
    }

    /// Zipf's law with the likeliest exponent if it gives these shares; otherwise the nearest law. The exponent is the
    /// frequent keys', and says nothing of how the others compare with them.
    fn law(&self, theta: f64) -> Law {
        let zipf = Law::Zipf { theta };
        if self.difference(zipf) <= DIFFERENCE_MAX {
            return if theta < UNIFORM_BELOW { Law::Uniform } else { zipf };
        }
        let exponents = (0..).map(|step| UNIFORM_BELOW + f64::from(step) * 0.02).take_while(|theta| *theta < THETA_MAX);
        let splits = self.of[..self.of.len() - 1].iter();
        let hot =
            splits.map(|(number, share)| Law::Hot { records: *number as f64 / self.keys as f64, operations: *share });
        let laws = exponents.map(|theta| Law::Zipf { theta }).chain(hot);
        let nearest = laws.min_by(|a, b| self.difference(*a).total_cmp(&self.difference(*b)));
        nearest.unwrap_or(zipf)
    }

    /// The largest difference of these shares from those under a law.
    fn difference(&self, law: Law) -> f64 {
        let part = |number: usize| number as f64 / self.keys as f64;
        let expected: Box<dyn Fn(usize) -> f64> = match law {
            Law::Uniform => Box::new(part),
            Law::Zipf { theta } => {
                let weights = Weights::new(theta);
                let all = weights.sum(self.keys);
                Box::new(move |number| weights.sum(number) / all)
            }
            Law::Hot { records, operations } => Box::new(move |number| {
                let hot = (part(number) / records).min(1.0);
                let cold = (part(number) - records).max(0.0) / (1.0 - records);
                operations * hot + (1.0 - operations) * cold
            }),
        };
        self.of.iter().map(|(number, share)| (share - expected(*number)).abs()).fold(0.0, f64::max)
    }
}

/// Sums of what Zipf's law gives to the first ranks.
struct Weights {
    theta: f64,
    /// By how many ranks; further ones are added as an integral.
    first: Vec<f64>,
}

impl Weights {
    /// From here on the integral is right to five digits.
    const FIRST: usize = 100;

    fn new(theta: f64) -> Self {
        let weights = (1..=Self::FIRST).map(|rank| (rank as f64).powf(-theta));
        let sums = weights.scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        Self { theta, first: std::iter::once(0.0).chain(sums).collect() }
    }

    fn sum(&self, ranks: usize) -> f64 {
        if let Some(sum) = self.first.get(ranks) {
            return *sum;
        }
        let (from, to) = (Self::FIRST as f64 + 0.5, ranks as f64 + 0.5);
        let power = 1.0 - self.theta;
        let rest = if power.abs() < 1e-9 { (to / from).ln() } else { (to.powf(power) - from.powf(power)) / power };
        self.first[Self::FIRST] + rest
    }
}

/// Whether the counts differ by no more than chance, as for equally popular keys. Ranked by their own counts, even such
/// keys look as if some were more popular.
///
/// Counts are then Poisson's, without zeros, since a key that never came is not known. Their dispersion (the sum of
/// squared distances from the mean over the variance) is about their number. Chance explains some of its standard
/// deviations.
fn are_alike(counts: &[u32]) -> bool {
    let number = counts.len() as f64;
    let mean = counts.iter().map(|count| f64::from(*count)).sum::<f64>() / number;
    let squares: f64 = counts.iter().map(|count| (f64::from(*count) - mean).powi(2)).sum();
    if squares == 0.0 {
        return true;
    }
    // The rate whose counts have this mean when zeros are left out; it is 0 if each came once.
    let (mut low, mut high) = (0.0, mean);
    for _ in 0..60 {
        let rate = f64::midpoint(low, high);
        if rate / -(-rate).exp_m1() < mean { low = rate } else { high = rate }
    }
    let rate = high;
    let variance = mean * (1.0 + rate - mean);
    variance > 0.0 && squares / variance < number + DEVIATIONS * (number * (2.0 + 1.0 / rate)).sqrt()
}

/// Whether keys under Zipf's law with its usual exponent would look different with these numbers of operations and
/// keys. They do if the expected growth of their counts' dispersion exceeds chance.
fn would_tell(counts: &[u32]) -> bool {
    let (number, operations) = (counts.len() as f64, counts.iter().map(|count| f64::from(*count)).sum::<f64>());
    let [sum, squares] = [THETA_USUAL, 2.0 * THETA_USUAL].map(|theta| Weights::new(theta).sum(counts.len()));
    operations * (number * squares / (sum * sum) - 1.0) > DEVIATIONS * (2.0 * number).sqrt()
}

/// The exponent that makes these counts, in falling order, likeliest: under it the logarithm of a rank has the mean that it has in them.
fn likeliest(counts: &[u32]) -> f64 {
    let logarithms: Vec<f64> = (1..=counts.len()).map(|rank| (rank as f64).ln()).collect();
    let (mut sum, mut weight) = (0.0, 0.0);
    for (count, logarithm) in counts.iter().zip(&logarithms) {
        sum += f64::from(*count) * logarithm;
        weight += f64::from(*count);
    }
    solve(sum / weight, &logarithms)
}

/// The exponent under which the logarithm of a rank has this mean: it falls as the exponent grows.
fn solve(mean: f64, logarithms: &[f64]) -> f64 {
    let (mut low, mut high) = (0.0, THETA_MAX);
    for _ in 0..40 {
        let theta = f64::midpoint(low, high);
        let (mut sum, mut weight) = (0.0, 0.0);
        for logarithm in logarithms {
            let likely = (-theta * logarithm).exp();
            sum += likely * logarithm;
            weight += likely;
        }
        if sum / weight > mean { low = theta } else { high = theta }
    }
    f64::midpoint(low, high)
}
