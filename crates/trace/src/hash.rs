//! Maps by keys that are hashes already.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use bakeoff_tape::below;
use xxhash_rust::xxh64::xxh64;

/// Passes on the number that it is given.
#[derive(Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
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

/// The identity of a key: two hashes of it, so that no two keys of a trace are ever confused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    /// XXH64 of the key with seed 0, from which the checksum of a whole scan goes on.
    pub(crate) checksum: u64,
    /// By a secret of this process, since keys with the same XXH64 can be made. Hashed last, so that it is the number that maps go by.
    other: u64,
}

impl Identity {
    pub(crate) fn of(key: &[u8]) -> Self {
        Self { checksum: xxh64(key, 0), other: secret_hash(key) }
    }
}

/// A hash of a key by a secret of this process: nobody can make keys that have the same.
pub(crate) fn secret_hash(key: &[u8]) -> u64 {
    static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    SECRET.hash_one(key)
}

/// One of `parts` equal parts of all keys, by XXH64 of the key.
pub(crate) fn part(key: &[u8], parts: u32) -> u32 {
    below(xxh64(key, 0), parts.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_were_made_to_have_the_same_xxh64_are_told_apart() {
        let key = |first: &[u8; 8], second: &[u8; 8]| [first, &[b'A'; 24][..], second, &[b'B'; 24]].concat();
        let one = key(b"\x9f\xe0\x1f\x4d\xd9\x17\xb3\xc7", b"\xce\x62\xf0\x07\x43\x84\xd5\xd2");
        let other = key(b"\x9f\xe0\x1f\x4d\xd9\x17\xb3\x47", b"\xce\x62\xf0\x47\x15\x84\x8d\x04");
        assert!(one != other && xxh64(&one, 0) == xxh64(&other, 0));
        assert_ne!(Identity::of(&one), Identity::of(&other));
        assert_eq!(Identity::of(&one), Identity::of(&one.clone()));
    }
}
