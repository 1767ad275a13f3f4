//! How each entry of a scan is consumed. The recorder and a driver do the same arithmetic (`docs/TAPE.md`).

use std::hint::black_box;

use xxhash_rust::xxh64::Xxh64;

use crate::{Consumer, Scan};

/// XXH64 with seed 0.
#[inline]
pub fn xxh64(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh64::xxh64(bytes, 0)
}

/// The next state of `consumer` after an entry; the first state is 0.
///
/// `count` and `copy` leave the state as it is. A `copy` is judged outside the clock, by [`xxh64`] of the copied bytes.
#[inline]
pub fn step(consumer: Consumer, state: u64, key: &[u8], value: &[u8]) -> u64 {
    match consumer {
        Consumer::Count | Consumer::Copy => state,
        Consumer::Touch => (state.rotate_left(5) ^ touch(key, value)).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        Consumer::Keys => (state.rotate_left(5) ^ touch_keys(key, value)).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        Consumer::Crc32 => crc32(state, key, value),
        Consumer::Xxh64 => xxhash_rust::xxh64::xxh64(value, xxhash_rust::xxh64::xxh64(key, state)),
    }
}

/// The first and last 8 bytes of key and value and their lengths, in one number.
#[inline]
fn touch(key: &[u8], value: &[u8]) -> u64 {
    let of_value = head(value).wrapping_add(tail(value).wrapping_mul(5)).rotate_left(32);
    of_key_and_lengths(key, value).wrapping_add(of_value)
}

/// The same, for which the ends of the value are read but do not count.
#[inline]
fn touch_keys(key: &[u8], value: &[u8]) -> u64 {
    black_box(head(value).wrapping_add(tail(value)));
    of_key_and_lengths(key, value)
}

#[inline]
fn of_key_and_lengths(key: &[u8], value: &[u8]) -> u64 {
    let of_key = head(key).wrapping_add(tail(key).wrapping_mul(3));
    of_key.wrapping_add(key.len() as u64).wrapping_add((value.len() as u64) << 20)
}

#[inline]
fn head(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or_else(|| short(bytes), |chunk| u64::from_le_bytes(*chunk))
}

#[inline]
fn tail(bytes: &[u8]) -> u64 {
    bytes.last_chunk().map_or_else(|| short(bytes), |chunk| u64::from_le_bytes(*chunk))
}

/// Fewer than 8 bytes as an integer.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[inline]
fn crc32(state: u64, key: &[u8], value: &[u8]) -> u64 {
    let mut hasher = crc32fast::Hasher::new_with_initial(state as u32);
    hasher.update(key);
    hasher.update(value);
    u64::from(hasher.finalize())
}

/// Folds the entries of one scan into what the tape expects of it.
pub struct Fold {
    consumer: Consumer,
    any_order: bool,
    entries: u64,
    bytes: u64,
    state: u64,
    copied: Xxh64,
}

impl Fold {
    /// A fold of no entries yet. `any_order` makes the checksum independent of their order.
    pub fn new(consumer: Consumer, any_order: bool) -> Self {
        Self { consumer, any_order, entries: 0, bytes: 0, state: 0, copied: Xxh64::new(0) }
    }

    /// Adds an entry.
    #[inline]
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        self.entries += 1;
        self.bytes += (key.len() + value.len()) as u64;
        if self.consumer == Consumer::Copy {
            self.copied.update(key);
            self.copied.update(value);
        } else if self.any_order {
            self.state = self.state.wrapping_add(step(self.consumer, 0, key, value));
        } else {
            self.state = step(self.consumer, self.state, key, value);
        }
    }

    /// What a correct store delivers for these entries; `limit` is the limit of the scan.
    pub fn finish(&self, limit: u64) -> Scan {
        let checksum = if self.consumer == Consumer::Copy { self.copied.digest() } else { self.state };
        Scan { limit, entries: self.entries, bytes: self.bytes, checksum, consumer: self.consumer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        assert_eq!(step(Consumer::Crc32, 0, b"1234", b"56789"), 0xCBF4_3926);
        assert_eq!(step(Consumer::Xxh64, 0, b"", b""), xxhash_rust::xxh64::xxh64(b"", 0xEF46_DB37_51D8_E999));
        assert_eq!(step(Consumer::Count, 7, b"key", b"value"), 7);
        let entry = 0x0061_u64 + 3 * 0x61 + (0x62_u64 + 5 * 0x62).rotate_left(32) + 1 + (1 << 20);
        assert_eq!(step(Consumer::Touch, 0, b"a", b"b"), entry.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let of_key = 0x0061_u64 + 3 * 0x61 + 1 + (1 << 20);
        assert_eq!(step(Consumer::Keys, 0, b"a", b"b"), of_key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        assert_eq!(step(Consumer::Keys, 7, b"a", b"b"), step(Consumer::Keys, 7, b"a", b"c"), "whatever it holds");
        assert_ne!(step(Consumer::Keys, 7, b"a", b"b"), step(Consumer::Keys, 7, b"a", b"bb"), "and not how long");
    }

    #[test]
    fn crc32_runs_on_over_entries() {
        let state = step(Consumer::Crc32, 0, b"12", b"34");
        assert_eq!(step(Consumer::Crc32, state, b"567", b"89"), 0xCBF4_3926);
    }

    #[test]
    fn order_matters_unless_any_order() {
        for consumer in Consumer::ALL.into_iter().filter(|consumer| *consumer != Consumer::Count) {
            let fold = |any_order, entries: [(&[u8], &[u8]); 2]| {
                let mut fold = Fold::new(consumer, any_order);
                entries.iter().for_each(|(key, value)| fold.add(key, value));
                fold.finish(0).checksum
            };
            let a: (&[u8], &[u8]) = (b"key a", b"value 1");
            let b: (&[u8], &[u8]) = (b"key b", b"value 2");
            assert_ne!(fold(false, [a, b]), fold(false, [b, a]), "{consumer:?}");
            if consumer != Consumer::Copy {
                assert_eq!(fold(true, [a, b]), fold(true, [b, a]), "{consumer:?}");
            }
        }
    }

    #[test]
    fn copy_is_the_hash_of_what_was_copied() {
        let mut fold = Fold::new(Consumer::Copy, false);
        fold.add(b"k1", b"v1");
        fold.add(b"k2", b"v2");
        assert_eq!(
            fold.finish(5),
            Scan { limit: 5, entries: 2, bytes: 8, checksum: xxh64(b"k1v1k2v2"), consumer: Consumer::Copy }
        );
    }
}
