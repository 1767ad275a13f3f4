//! Unreadable keys of the same length as before. Keys with a common beginning still have a common one, as long as
//! before.
//!
//! A printable key is divided at its signs, such as `:` and `/`, which stay. Each run of letters and digits becomes
//! another of its length, digits from digits, by a permutation that depends on a secret and on the key up to the run.
//! So different keys stay different. A key with other bytes is one run of any bytes. The permutations are Feistel
//! networks over SHA-1.

use sha1::{Digest, Sha1};

const ROUNDS: u8 = 8;

/// What a run is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Digits,
    LettersAndDigits,
    Bytes,
}

impl Alphabet {
    fn of(run: &[u8]) -> Self {
        if run.iter().all(u8::is_ascii_digit) {
            Self::Digits
        } else if run.iter().all(u8::is_ascii_alphanumeric) {
            Self::LettersAndDigits
        } else {
            Self::Bytes
        }
    }

    fn size(self) -> u16 {
        match self {
            Self::Digits => 10,
            Self::LettersAndDigits => 62,
            Self::Bytes => 256,
        }
    }

    fn number(self, byte: u8) -> u16 {
        u16::from(match (self, byte) {
            (Self::Bytes, byte) => byte,
            (_, b'0'..=b'9') => byte - b'0',
            (_, b'A'..=b'Z') => byte - b'A' + 10,
            (_, byte) => byte.wrapping_sub(b'a') % 26 + 36,
        })
    }

    fn byte(self, number: u16) -> u8 {
        let number = (number % self.size()) as u8;
        match (self, number) {
            (Self::Bytes, byte) => byte,
            (_, 0..=9) => b'0' + number,
            (_, 10..=35) => b'A' + number - 10,
            _ => b'a' + number - 36,
        }
    }

    /// Whether a run of this alphabet would be taken for one of it again.
    fn keeps(self, run: &[u8]) -> bool {
        match self {
            Self::Bytes => !is_printable(run),
            other => Self::of(run) == other,
        }
    }
}

fn is_printable(key: &[u8]) -> bool {
    key.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Masks keys with a secret.
pub(crate) struct Mask {
    secret: Sha1,
}

impl Mask {
    pub(crate) fn new(secret: &[u8]) -> Self {
        let length = (secret.len() as u64).to_le_bytes();
        Self { secret: Sha1::new().chain_update(length).chain_update(secret) }
    }

    /// Masks a key where it is.
    pub(crate) fn mask(&self, key: &mut [u8]) {
        if !is_printable(key) {
            permute(&self.secret, key, Alphabet::Bytes);
            return;
        }
        // Hashes what the key was up to each run.
        let (mut before, mut hashed, mut at) = (self.secret.clone(), 0, 0);
        while at < key.len() {
            let run = key[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            if run == 0 {
                at += 1;
                continue;
            }
            before.update(&key[hashed..at]);
            let (plain, masked) = (before.clone(), &mut key[at..at + run]);
            before.update(&*masked);
            permute(&plain, masked, Alphabet::of(masked));
            at += run;
            hashed = at;
        }
    }
}

/// Makes a run another of its alphabet and length, so that no two become the same.
fn permute(secret: &Sha1, run: &mut [u8], alphabet: Alphabet) {
    // A permutation of all that is restricted to some: what left them is permuted again, until it is among them.
    loop {
        permute_once(secret, run, alphabet);
        if alphabet.keeps(run) {
            return;
        }
    }
}

fn permute_once(secret: &Sha1, run: &mut [u8], alphabet: Alphabet) {
    if let [byte] = run {
        let shift = u16::from(secret.clone().chain_update([alphabet.size() as u8, 1]).finalize()[0]);
        *byte = alphabet.byte(alphabet.number(*byte) + shift % (alphabet.size() - 1) + 1);
        return;
    }
    let (left, right) = run.split_at_mut(run.len() / 2);
    for round in 0..ROUNDS {
        let (from, to) = if round % 2 == 0 { (&*right, &mut *left) } else { (&*left, &mut *right) };
        let begin = secret.clone().chain_update([alphabet.size() as u8, 2, round]).chain_update(from);
        for (number, part) in to.chunks_mut(20).enumerate() {
            let mask = begin.clone().chain_update((number as u32).to_le_bytes()).finalize();
            for (byte, mask) in part.iter_mut().zip(mask) {
                *byte = alphabet.byte(alphabet.number(*byte) + u16::from(mask));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn masked(secret: &str, key: impl AsRef<[u8]>) -> Vec<u8> {
        let mut key = key.as_ref().to_vec();
        Mask::new(secret.as_bytes()).mask(&mut key);
        key
    }

    #[test]
    fn all_short_keys_stay_different_and_of_their_kind() {
        for secret in ["a", "b"] {
            let (mut numbers, mut words) = (HashSet::new(), HashSet::new());
            for number in 0..1000 {
                let key = masked(secret, format!("{number:03}"));
                assert!(key.iter().all(u8::is_ascii_digit));
                numbers.insert(key);
            }
            let letters: Vec<char> = ('0'..='9').chain('A'..='Z').chain('a'..='z').collect();
            for one in &letters {
                words.insert(masked(secret, one.to_string()));
                words.extend(letters.iter().map(|other| masked(secret, format!("{one}{other}"))));
            }
            assert_eq!((numbers.len(), words.len()), (1000, 62 * 63));
            let bytes: HashSet<_> = (0..=u16::MAX).map(|key| masked(secret, key.to_be_bytes())).collect();
            let single: HashSet<_> = (0..=u8::MAX).map(|key| masked(secret, [key])).collect();
            assert_eq!((bytes.len(), single.len()), (65_536, 256));
        }
    }

    #[test]
    fn common_beginnings_stay_as_long() {
        let (one, other, third) =
            (masked("s", "user:17/a.png"), masked("s", "user:17/b.png"), masked("s", "group:17/a.png"));
        assert_eq!((one.len(), one[4], one[7], one[9]), (13, b':', b'/', b'.'));
        assert_eq!(one[..8], other[..8]);
        assert_ne!(one[8..9], other[8..9]);
        assert_ne!(one[5..7], third[6..8], "what comes before a run matters");
        assert_ne!(one, masked("t", "user:17/a.png"), "and so does the secret");
        let long = masked("s", "x".repeat(200));
        assert!(long.iter().all(u8::is_ascii_alphanumeric) && long.iter().collect::<HashSet<_>>().len() > 20);
    }
}
