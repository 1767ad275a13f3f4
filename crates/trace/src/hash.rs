//! Maps by keys that are hashes already.

use std::hash::Hasher;

use xxhash_rust::xxh64::xxh64;

/// Passes on the number that it is given.
#[derive(Default)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh64(bytes, self.0);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// What stands for a key: two hashes of it, so that no two keys of a trace are ever taken for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    /// XXH64 of the key with seed 0, from which the checksum of a whole scan goes on.
    pub(crate) checksum: u64,
    /// Hashed last, so that it is the number that maps go by.
    other: u64,
}

impl Identity {
    pub(crate) fn of(key: &[u8]) -> Self {
        const OTHER_SEED: u64 = 0x9E37_79B9_7F4A_7C15;
        Self { checksum: xxh64(key, 0), other: xxh64(key, OTHER_SEED) }
    }
}

/// One of `parts` equal parts of all keys, by XXH64 of the key.
pub(crate) fn part(key: &[u8], parts: u32) -> u32 {
    ((u128::from(xxh64(key, 0)) * u128::from(parts)) >> 64) as u32
}
