//! Which records have values of which sizes, where a workload has several ranges of sizes with weights.

use crate::places::Cut;
use crate::random::{Permutation, Purpose, Stream};
use crate::sizes::Sizes;
use crate::{Popular, ValueSizes, Workload};

/// The parts of a workload's value sizes, and the records that have each.
///
/// Each part has its weight's share of the loaded records, in random order. A record's index determines its part, so a
/// value is replaced by one of the same part: an application's thumbnails stay thumbnails. Records inserted later
/// repeat the order of the loaded ones. Where records at one end of the sizes are popular, ranks of popularity go
/// through the parts.
pub(crate) struct Parts {
    parts: Vec<Part>,
    /// Records until the order begins again.
    records: u64,
    order: Permutation,
    popular: Option<Popular>,
}

/// Values of one range of sizes.
pub(crate) struct Part {
    pub(crate) sizes: Sizes,
    /// How the pool is cut into such values, if it is.
    pub(crate) cut: Option<Cut>,
    /// The place in the order of records where the next part begins.
    end: u64,
}

impl Parts {
    pub(crate) fn of(workload: &Workload) -> Self {
        let (sizes, records) = (&workload.value_bytes, workload.records.max(1));
        let part = |((number, part), end): ((u32, &crate::SizePart), u64)| {
            let sizes = Sizes::new(part.range, workload.value_shape);
            Part { sizes, cut: Cut::of(workload, &sizes, number), end }
        };
        let mut stream = Stream::new(workload.seed, "", 0, Purpose::Part);
        Self {
            parts: (0..).zip(sizes.parts()).zip(ends(sizes, records)).map(part).collect(),
            records,
            order: Permutation::new(records, &mut stream),
            popular: sizes.popular(),
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.parts.len()
    }

    /// Groups of records that differ in how popular they are: the parts, if their sizes say that.
    pub(crate) fn groups(&self) -> usize {
        if self.popular.is_some() { self.count() } else { 1 }
    }

    /// The group that the record with this index is in, the most popular one first.
    pub(crate) fn group_of(&self, index: u64) -> usize {
        let (number, _) = self.of_record(index);
        if self.popular == Some(Popular::Large) { self.count() - 1 - number } else { number }
    }

    /// The number of the part that the record with this index has, and the part.
    #[inline]
    pub(crate) fn of_record(&self, index: u64) -> (usize, &Part) {
        if let [only] = self.parts.as_slice() {
            return (0, only);
        }
        let place = self.order.apply(index % self.records, self.records);
        let number = self.parts.partition_point(|part| part.end <= place).min(self.parts.len() - 1);
        (number, &self.parts[number])
    }
}

/// How many of `records` records the first part has, the first two parts have, and so on: the nearest whole numbers to
/// the weights.
fn ends(sizes: &ValueSizes, records: u64) -> Vec<u64> {
    let (total, mut before) = (u128::from(sizes.weight()), 0_u128);
    let mut end = |weight: u64| {
        before += u128::from(weight);
        ((before * u128::from(records) + total / 2) / total) as u64
    };
    sizes.parts().iter().map(|part| end(part.weight)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_shared_out_as_the_weights_say() {
        let of = |text, records| ends(&ValueSizes::parse(text).unwrap(), records);
        assert_eq!(of("70% 200B, 30% 20KiB", 10), [7, 10]);
        assert_eq!(of("70% 200B, 30% 20KiB", 1), [1, 1]);
        assert_eq!(of("1 1B, 1 2B, 1 3B", 10), [3, 7, 10]);
        assert_eq!(of("99.999% 1B, 0.001% 2B", 4_000_000_000), [3_999_960_000, 4_000_000_000]);
        assert_eq!(of("99.999% 1B, 0.001% 2B", 1_000), [1_000, 1_000]);
        assert_eq!(of("7B", 3), [3]);
    }
}
