//! Sizes of keys and values, and the range of sizes that is nearest to the records'.

use std::cmp::Reverse;

use bakeoff_measure::Histogram;
use bakeoff_tape::{Popular, SizePart, SizeRange, ValueSizes};

/// Beyond this part of the mean of records, the mean of operations is another one.
const MEANS_DIFFER: f64 = 0.25;

/// If the mean over operations is off by more than this part, two sizes do not represent records that differ in
/// popularity.
const MEAN_DIFFERS: f64 = 0.1;

/// Sizes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Mean.
    pub mean: f64,
    /// A twentieth is no larger.
    pub p5: u64,
    /// Half are no larger.
    pub p50: u64,
    /// A twentieth is larger.
    pub p95: u64,
    /// Largest.
    pub max: u64,
}

impl Sizes {
    /// Whether all are the same.
    pub fn is_one(&self) -> bool {
        self.mean == self.max as f64
    }

    /// The range from their lowest twentieth on that has their mean if every size in it is equally likely.
    pub fn even_range(&self) -> SizeRange {
        let middle = self.mean.round() as u64;
        match self.p5 {
            min if min < middle => SizeRange { min, max: (2.0 * self.mean).round() as u64 - min },
            _ => SizeRange { min: middle, max: middle },
        }
    }

    /// Three digits of each are enough to ask for records of such sizes.
    pub(crate) fn of(histogram: &Histogram) -> Option<Self> {
        let at = |part| histogram.quantile_ns(part);
        let mean = histogram.sum_ns() as f64 / histogram.count().max(1) as f64;
        Some(Self { mean, p5: at(0.05)?, p50: at(0.5)?, p95: at(0.95)?, max: histogram.max_ns()? })
    }
}

/// Sizes of the values of records, each record counted once, regardless of its popularity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordSizes {
    /// The sizes.
    pub sizes: Sizes,
    /// From their lowest twentieth on, with their mean if every size is equally likely.
    pub range: SizeRange,
    /// How far they are from that range, as a part of all data: 0 where they fill it evenly.
    pub differs: f64,
}

impl RecordSizes {
    pub(crate) fn of(mut bytes: Vec<u32>) -> Option<Self> {
        bytes.sort_unstable();
        let max = u64::from(*bytes.last()?);
        let sum: u64 = bytes.iter().map(|bytes| u64::from(*bytes)).sum();
        let mean = sum as f64 / bytes.len() as f64;
        let at = |part: f64| u64::from(bytes[(bytes.len() as f64 * part) as usize]);
        let sizes = Sizes { mean, p5: at(0.05), p50: at(0.5), p95: at(0.95), max };
        let range = sizes.even_range();
        // Where all are empty none differs.
        Some(Self { sizes, range, differs: distance(&bytes, range) / sum.max(1) as f64 })
    }
}

/// Two sizes with weights, of the most popular records and of the rest, so that the mean over operations is about
/// right. `records` has for each record its operations and the length of its value.
pub(crate) fn by_popularity(mut records: Vec<(u32, u32)>) -> Option<ValueSizes> {
    records.sort_unstable_by_key(|(count, _)| Reverse(*count));
    let sums = |of: &[(u32, u32)]| {
        of.iter().fold((0, 0), |(counts, bytes), of| (counts + u64::from(of.0), bytes + u64::from(of.1)))
    };
    let (counts, bytes) = sums(&records);
    let of_operations: f64 = records.iter().map(|(count, bytes)| f64::from(*count) * f64::from(*bytes)).sum();
    let mut popular = (0, 0);
    let mut best: Option<(f64, usize)> = None;
    for number in 1..records.len() {
        let (count, length) = records[number - 1];
        popular = (popular.0 + u64::from(count), popular.1 + u64::from(length));
        // Of equally popular records none is more popular than the others.
        if records[number].0 == count {
            continue;
        }
        let rest = (counts - popular.0, bytes - popular.1);
        let mean = |bytes: u64, records: usize| bytes as f64 / records as f64;
        let (first, second) = (mean(popular.1, number), mean(rest.1, records.len() - number));
        let expected = popular.0 as f64 * first + rest.0 as f64 * second;
        let off = (expected / of_operations - 1.0).abs();
        if off <= MEAN_DIFFERS && best.is_none_or(|(least, _)| off < least) {
            best = Some((off, number));
        }
    }
    let (popular, rest) = records.split_at(best?.1);
    let range = |of: &[(u32, u32)]| Some(RecordSizes::of(of.iter().map(|(_, bytes)| *bytes).collect())?.range);
    let [first, second] = [range(popular)?, range(rest)?];
    let part = |of: &[(u32, u32)], range| SizePart { weight: of.len() as u64, range };
    let which = if (first.min, first.max) < (second.min, second.max) { Popular::Small } else { Popular::Large };
    let sizes = ValueSizes::mixture(vec![part(popular, first), part(rest, second)])?.with_popular(Some(which));
    sizes.popular().is_some().then_some(sizes)
}

/// By how many bytes records of these sizes, in rising order, differ from the same number that fill the range evenly.
fn distance(bytes: &[u32], range: SizeRange) -> f64 {
    let step = (range.max - range.min) as f64 / bytes.len() as f64;
    let even = |rank: usize| range.min as f64 + step * (rank as f64 + 0.5);
    bytes.iter().enumerate().map(|(rank, bytes)| (f64::from(*bytes) - even(rank)).abs()).sum()
}

/// Whether operations prefer other sizes of values than the records have.
pub(crate) fn means_differ(operations: Option<Sizes>, records: Option<RecordSizes>) -> bool {
    let (Some(operations), Some(records)) = (operations, records) else { return false };
    (operations.mean / records.sizes.mean - 1.0).abs() > MEANS_DIFFER
}
