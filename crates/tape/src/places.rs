//! The places of values in the pool, and how long it is for them.

use crate::model::Value;
use crate::random::{Permutation, Purpose, Stream};
use crate::sizes::Sizes;
use crate::{POOL_BYTES_MAX, SizeRange, ValueSizes, Workload};

/// A pool is at least this long, so that values with bytes in common are seldom compressed together. In a block of
/// values from anywhere in it, half the block's length over the pool's is there twice (0.2 % of 4 KiB, 1.6 % of 32
/// KiB). It is no longer for short values, so that they come from the processor's caches, as values that a program has
/// just made do. LevelDB's and RocksDB's own benchmarks take 1 MiB.
const POOL_BYTES_MIN: u64 = 1 << 20;

/// A pool is this many times the longest value, and values are slices of a cut only if there are this many. A wrong
/// answer that is another record's value is then the right slice in only one case in this many.
const SLICES_MIN: u64 = 16;

/// A pool has room for this many values from the middle of the range, as long as that is no more than
/// [`SLICES_BYTES_MAX`].
const SLICES: u64 = 64;
const SLICES_BYTES_MAX: u64 = 8 << 20;

/// Cutting a pool into more slices would keep more places in memory.
const SLICES_MAX: u64 = 1 << 20;

/// How long the pool is for values of these lengths, unless a suite says otherwise: as long as the part that needs most of it.
pub fn pool_bytes(values: &ValueSizes) -> u64 {
    values.parts().iter().map(|part| pool_bytes_of(part.range)).max().unwrap_or(POOL_BYTES_MIN)
}

fn pool_bytes_of(values: SizeRange) -> u64 {
    let slices = values.min.saturating_add(values.max).saturating_mul(SLICES / 2);
    let slices = if slices <= SLICES_BYTES_MAX { slices } else { 0 };
    values.max.saturating_mul(SLICES_MIN).max(slices).clamp(POOL_BYTES_MIN, POOL_BYTES_MAX)
}

/// A pool cut once into slices, which are the values of all phases and lanes. For each of equally likely parts of the
/// distribution a slice has a length from that part, in random order. So lanes that take the slices in turn draw from
/// the distribution.
///
/// A driver that has to hand over objects can make one for each slice beforehand, where it would copy each value into one.
pub(crate) struct Cut {
    slices: Vec<Value>,
}

impl Cut {
    /// `None` where values follow from a tree, or the pool has room for too few of them or for very many: see [`Places`].
    ///
    /// Values of several parts, each of which has `sizes`, are slices of a cut of each part: of the same bytes, but at
    /// other places.
    pub(crate) fn of(workload: &Workload, sizes: &Sizes, part: u32) -> Option<Self> {
        let number = (workload.pool_bytes as f64 / sizes.mean().max(1.0)) as u64;
        if workload.directory_tree().is_some() || !(SLICES_MIN..=SLICES_MAX).contains(&number) {
            return None;
        }
        let mut stream = Stream::new(workload.seed, "", part, Purpose::ValueBytes);
        let order = Permutation::new(number, &mut stream);
        let mut end = 0;
        // Each from anywhere in its part of the distribution.
        let lengths =
            (0..number).map(|slice| sizes.at((order.apply(slice, number) as f64 + stream.unit()) / number as f64));
        let slices = lengths.map_while(|bytes| {
            let begin = end;
            end += bytes;
            // A value of no bytes may be at the very end, out of reach of 32 bits.
            let offset = u32::try_from(begin).unwrap_or(u32::MAX);
            (end <= workload.pool_bytes).then_some(Value { offset, bytes: bytes as u32 })
        });
        Some(Self { slices: slices.collect() })
    }
}

/// The slices of a [`Cut`] that a lane takes: all of them in order from a random place in the pool on, then all again
/// from another one. So values that are near each other in order of insertion or of keys are seldom the same.
#[derive(Clone, Default)]
pub(crate) struct Turn {
    next: usize,
    left: usize,
}

impl Turn {
    /// The next value of a cut.
    #[inline]
    pub(crate) fn take(&mut self, cut: &Cut, stream: &mut Stream) -> Value {
        if self.left == 0 {
            self.left = cut.slices.len();
            self.next = stream.below(self.left as u64) as usize;
        }
        let value = cut.slices[self.next];
        self.left -= 1;
        self.next += 1;
        if self.next == cut.slices.len() {
            self.next = 0;
        }
        value
    }
}

/// The places of values of any length, in the order in which they are written. Values follow each other from a random
/// place in the pool to its end, then again from another one. So values that are near each other in order of
/// insertion or of keys are seldom the same slices.
///
/// A program writes what it has just made, and that is in the processor's caches. The processor prefetches values that
/// follow each other. bakeoff or the store would have to wait for values from anywhere.
///
/// Where the pool is many times a value's length, they begin again at a multiple of that length. So values of one
/// length are few slices, as in a pool that was cut.
#[derive(Clone, Default)]
pub struct Places {
    next: Option<u64>,
}

impl Places {
    /// The place of a value of `bytes` bytes in a pool of `pool_bytes`, which is no shorter. `below` draws a number below the one it is given.
    #[inline]
    pub fn place(&mut self, bytes: u32, pool_bytes: u64, below: impl FnOnce(u64) -> u64) -> u32 {
        if bytes == 0 {
            // At the very end it could be out of reach of 32 bits.
            return 0;
        }
        let bytes = u64::from(bytes);
        let place = self.next.filter(|next| next + bytes <= pool_bytes);
        let place = place.unwrap_or_else(|| match pool_bytes / bytes {
            slices if slices >= SLICES_MIN => below(slices) * bytes,
            _ => below(pool_bytes - bytes + 1),
        });
        self.next = Some(place + bytes);
        place as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_each_other_to_the_end_of_the_pool_and_begin_again_where_is_drawn() {
        let mut places = Places::default();
        let mut drawn = Vec::new();
        let mut draw = |bytes, from| {
            places.place(bytes, 1000, |bound| {
                drawn.push(bound);
                from
            })
        };
        let got =
            [draw(300, 250), draw(0, 1), draw(450, 2), draw(1, 3), draw(1000, 0), draw(7, 141), draw(7, 5), draw(7, 0)];
        assert_eq!(got, [250, 0, 550, 3, 0, 987, 35, 42]);
        assert_eq!(
            drawn,
            [701, 1000, 1, 142, 142],
            "bounds within which a value has room, or how many slices there are"
        );
    }

    #[test]
    fn a_pool_has_room_for_many_of_the_longest_values() {
        let of = |min, max| pool_bytes(&SizeRange { min, max }.into());
        assert_eq!([of(1, 1), of(1, 32 << 10), of(1, 1 << 20)], [1 << 20, (1 << 20) + 32, 16 << 20]);
        assert_eq!([of(64 << 10, 64 << 10), of(128 << 10, 128 << 10)], [4 << 20, 8 << 20]);
        assert_eq!([of(10 << 10, 100 << 10), of(0, 256 << 10)], [(110 << 10) * 32, 8 << 20]);
        assert_eq!([of(129 << 10, 129 << 10), of(1 << 20, 1 << 20)], [(129 << 10) * 16, 16 << 20]);
        assert_eq!(of(u64::MAX, u64::MAX), POOL_BYTES_MAX);
    }
}
