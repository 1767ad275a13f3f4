//! How popular keys are: Zipf's exponent, fitted to how often each was asked for.

/// Ranks that a fit looks at, at most: the rest says little and costs much.
const RANKS_MAX: usize = 100_000;

/// A key that was asked for less often says nothing of its popularity but its luck.
const COUNT_MIN: u32 = 5;

/// Fewer ranks than this are no distribution.
const RANKS_MIN: usize = 10;

/// The largest exponent that is looked for.
const THETA_MAX: f64 = 5.0;

/// How popular keys are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Popularity {
    /// Zipf's exponent: 0 where all are alike.
    pub theta: f64,
    /// How many of the most popular keys it was fitted to.
    pub keys: usize,
    /// The part of all operations that falls on the most popular hundredth of the keys.
    pub top_percent: f64,
}

impl Popularity {
    /// Fits the exponent that makes the counts likeliest; `None` where too few keys came often enough to tell.
    pub(crate) fn fit(mut counts: Vec<u32>) -> Option<Self> {
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let all: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        let top: u64 = counts[..counts.len().div_ceil(100)].iter().map(|count| u64::from(*count)).sum();
        let often = counts.partition_point(|count| *count >= COUNT_MIN).min(RANKS_MAX);
        if often < RANKS_MIN {
            return None;
        }
        let theta = if are_alike(&counts) { 0.0 } else { likeliest(&counts[..often]) };
        Some(Self { theta, keys: often, top_percent: top as f64 / all.max(1) as f64 })
    }
}

/// Whether the counts differ by no more than chance makes those of equally popular keys differ. Ranked by their own counts, even such keys
/// look as if some were more popular.
///
/// Counts are then Poisson's, without those that are 0, since a key that never came is not known. Their dispersion (the sum of squared
/// distances from the mean over the variance) is about their number; four of its standard deviations are taken for chance.
fn are_alike(counts: &[u32]) -> bool {
    let number = counts.len() as f64;
    let mean = counts.iter().map(|count| f64::from(*count)).sum::<f64>() / number;
    let squares: f64 = counts.iter().map(|count| (f64::from(*count) - mean).powi(2)).sum();
    // The rate whose counts have this mean when zeros are left out.
    let mut rate = mean;
    for _ in 0..40 {
        rate = mean * (1.0 - (-rate).exp());
    }
    let variance = mean * (1.0 + rate - mean);
    variance > 0.0 && squares / variance < number + 4.0 * (number * (2.0 + 1.0 / rate)).sqrt()
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
