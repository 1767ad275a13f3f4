//! Records that some lanes read while others replace their values: which values they may hold in that time.
//!
//! A value is replaced by one of its length, from one of a few places in the pool that follow from its own. So a read
//! has few correct answers, which a driver finds without knowing the order of writes. A scan always has the same keys
//! and lengths.

use crate::{Pool, Record};

/// The places of a length are divided into this many parts. A value may be at one place of each.
const PARTS: u64 = 4;

/// The possible places of a record's value in a pool, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedPlaces {
    first: u64,
    step: u64,
    pub(crate) count: u64,
}

impl SharedPlaces {
    /// The places for a value at `offset` in a pool of `pool_bytes` bytes.
    pub(crate) fn of(offset: u64, bytes: u32, pool_bytes: u64) -> Self {
        let places = pool_bytes.saturating_sub(bytes.into()) + 1;
        let step = (places / PARTS).max(1);
        let first = offset % step;
        Self { first, step, count: places.saturating_sub(first).div_ceil(step) }
    }

    /// One of them, by its number below `count`.
    pub(crate) fn place(self, number: u64) -> u64 {
        self.first + number * self.step
    }
}

/// Whether a `get` with the flag `SHARED` may have given this value.
pub fn may_hold(record: &Record<'_>, value: &[u8], pool: &Pool) -> bool {
    let places = SharedPlaces::of(record.value_offset, record.value_bytes, pool.bytes());
    record.shared()
        && value.len() == record.value_bytes as usize
        && (0..places.count).any(|number| pool.slice(places.place(number), record.value_bytes) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_each_of_its_places_a_value_has_the_same() {
        for (bytes, pool_bytes) in [(100, 1 << 20), (1, 16), (0, 1), (7, 10), (13, 200), (64, 64), (3, 7)] {
            for offset in (0..=pool_bytes - u64::from(bytes)).step_by(1 + pool_bytes as usize / 50) {
                let places = SharedPlaces::of(offset, bytes, pool_bytes);
                let all: Vec<_> = (0..places.count).map(|number| places.place(number)).collect();
                assert!(all.contains(&offset) && all.is_sorted(), "{offset} of {bytes} in {pool_bytes}: {all:?}");
                assert!(all.iter().all(|place| place + u64::from(bytes) <= pool_bytes));
                assert!(all.iter().all(|place| SharedPlaces::of(*place, bytes, pool_bytes) == places));
                assert!(all.len() <= 7 && (all.len() >= 4 || pool_bytes - u64::from(bytes) < 4), "{all:?}");
            }
        }
    }
}
