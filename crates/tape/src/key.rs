//! From a record's index to its key.

use bakeoff_tree::{EntryKeys, ID_BYTES, NAME_BYTES_MAX, Tree};
use sha1::{Digest, Sha1};

use crate::{KeyForm, SizeRange, Workload};

/// The longest key of any form, bytes.
pub const KEY_BYTES_MAX: usize = 128;

const _: () = assert!(ID_BYTES + NAME_BYTES_MAX <= KEY_BYTES_MAX);

/// The possible lengths of keys of a form, bytes: shorter hashes might collide. `None` for forms with fixed lengths.
pub fn key_lengths(form: KeyForm) -> Option<(u32, u32)> {
    match form {
        KeyForm::Sha1 => Some((20, KEY_BYTES_MAX as u32)),
        KeyForm::Decimal | KeyForm::Integer => Some((1, KEY_BYTES_MAX as u32)),
        KeyForm::Directory | KeyForm::Raw => None,
    }
}

/// How many different records the keys of a form can name if the shortest key has `bytes` bytes: 256 for integers of
/// one byte.
pub fn key_count(form: KeyForm, bytes: u32) -> u64 {
    match form {
        KeyForm::Integer => 256_u64.checked_pow(bytes),
        KeyForm::Decimal => 10_u64.checked_pow(bytes),
        KeyForm::Sha1 | KeyForm::Directory | KeyForm::Raw => None,
    }
    .unwrap_or(u64::MAX)
}

/// How many bytes the keys of a form need at least to name `records` records.
pub fn key_bytes_needed(form: KeyForm, records: u64) -> u32 {
    let (least, most) = key_lengths(form).unwrap_or_default();
    (least..=most).find(|bytes| key_count(form, *bytes) >= records).unwrap_or(most)
}

/// The length of keys whose form has this name in a suite or a result, bytes: `sha1`, or `sha1:48`
/// ([`Workload::key_name`] writes it). `None` where they have many lengths, or where no form has that name.
pub fn key_bytes_of(name: &str) -> Option<u64> {
    let (form, given) = name.split_once(':').map_or((name, None), |(form, given)| (form, Some(given)));
    let form = KeyForm::ALL.into_iter().find(|known| known.name() == form)?;
    match (given, form) {
        (Some(given), _) => given.parse().ok(),
        (None, KeyForm::Directory | KeyForm::Raw) => None,
        (None, form) => Some(KeyMaker::new(form, None).lengths().max),
    }
}

/// Indexes from here on are never inserted: they make missing keys, in forms whose keys are hashes.
const NEVER_INSERTED: u64 = 1 << 63;

/// Makes keys of one form.
#[derive(Clone, Copy, Debug)]
pub struct KeyMaker {
    form: KeyForm,
    /// Length of the shortest key.
    least: usize,
    /// Length of the longest.
    most: usize,
    /// The keys of the tree, if there is one.
    entries: EntryKeys,
}

impl KeyMaker {
    /// A maker of keys of this form; `tree` is needed for [`KeyForm::Directory`] and ignored otherwise.
    pub fn new(form: KeyForm, tree: Option<Tree>) -> Self {
        let entries = EntryKeys::new(tree.unwrap_or_default());
        let bytes = match form {
            KeyForm::Sha1 => 32,
            KeyForm::Decimal => 16,
            KeyForm::Integer => 4,
            KeyForm::Directory => entries.bytes(),
            // Nobody makes such keys: they come with the operations.
            KeyForm::Raw => 0,
        };
        Self { form, least: bytes, most: bytes, entries }
    }

    /// The maker of a workload's keys.
    pub fn of(workload: &Workload) -> Self {
        let maker = Self::new(workload.key, workload.tree);
        let Some(bytes) = workload.key_bytes.filter(|_| key_lengths(workload.key).is_some()) else { return maker };
        let least = (bytes as usize).min(KEY_BYTES_MAX);
        let most = workload.key_bytes_max.map_or(least, |most| (most as usize).clamp(least, KEY_BYTES_MAX));
        Self { least, most, ..maker }
    }

    /// Lengths of keys, bytes; each is equally likely.
    pub fn lengths(&self) -> SizeRange {
        SizeRange { min: self.least as u64, max: self.most as u64 }
    }

    /// Length of the key of the record with this index, bytes.
    #[inline]
    pub(crate) fn bytes_of(&self, index: u64) -> usize {
        if self.least == self.most {
            return self.least;
        }
        self.least + (mixed(index) % (self.most - self.least + 1) as u64) as usize
    }

    /// How many different records its keys can name.
    pub(crate) fn count(&self) -> u64 {
        key_count(self.form, self.least as u32)
    }

    /// Whether ascending indexes give ascending keys, byte by byte, in any tree.
    pub fn ascending(&self) -> bool {
        !matches!(self.form, KeyForm::Sha1 | KeyForm::Directory)
    }

    /// The key of the record with this index, which must be below the number of records that the keys can name.
    #[inline]
    pub fn make<'a>(&self, index: u64, buffer: &'a mut [u8; KEY_BYTES_MAX]) -> &'a [u8] {
        let bytes = self.bytes_of(index);
        let (number, rest) = buffer[..bytes].split_at_mut(self.least);
        match self.form {
            KeyForm::Sha1 => sha1_hex(index, &mut buffer[..bytes]),
            KeyForm::Decimal => {
                decimal(index, number);
                fill(index, rest, |byte| b'0' + byte % 10);
            }
            KeyForm::Integer => {
                big_endian(index, number);
                fill(index, rest, |byte| byte);
            }
            KeyForm::Directory => self.entries.make(index, buffer),
            KeyForm::Raw => {}
        }
        &buffer[..bytes]
    }

    /// A number that sorts as the keys do, or as their first 8 bytes do: cheaper to sort by than the key itself.
    pub(crate) fn order_prefix(&self, index: u64) -> u64 {
        match self.form {
            KeyForm::Sha1 => hash_prefix(index),
            KeyForm::Directory => self.entries.order_prefix(index),
            _ => index,
        }
    }

    /// A key that no record ever has, by `draw`; as long as the others, and among them except for integers.
    ///
    /// `inserted` is how many records the workload inserts over all its phases.
    pub(crate) fn missing<'a>(&self, draw: u64, inserted: u64, buffer: &'a mut [u8; KEY_BYTES_MAX]) -> &'a [u8] {
        let near = draw % inserted.max(1);
        match self.form {
            KeyForm::Sha1 => self.make(NEVER_INSERTED | draw, buffer),
            KeyForm::Decimal => {
                // A letter in place of the number's last digit: after that digit's neighbours, before the next ten.
                let bytes = self.make(near, buffer).len();
                buffer[self.least - 1] += b'a' - b'0';
                &buffer[..bytes]
            }
            // Integers from 0 are dense: a missing one can only be above them.
            KeyForm::Integer => {
                let above = self.count() - inserted;
                self.make(inserted + draw % inserted.clamp(1, above.max(1)), buffer)
            }
            KeyForm::Directory => {
                self.entries.make_missing(near, buffer);
                &buffer[..self.least]
            }
            KeyForm::Raw => &[],
        }
    }
}

/// A number that looks like chance and follows from the index alone: the finaliser of SplitMix64.
#[inline]
fn mixed(index: u64) -> u64 {
    let mut z = index.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Bytes that follow from the index, for the part of a key behind its number.
#[inline]
fn fill(index: u64, out: &mut [u8], of: impl Fn(u8) -> u8) {
    for (number, part) in (1..).zip(out.chunks_mut(8)) {
        let bytes = mixed(index ^ mixed(number)).to_le_bytes();
        part.iter_mut().zip(bytes).for_each(|(byte, made)| *byte = of(made));
    }
}

/// The index as a big-endian number as long as `out`.
#[inline]
fn big_endian(index: u64, out: &mut [u8]) {
    let bytes = index.to_be_bytes();
    let zeros = out.len().saturating_sub(bytes.len());
    out[..zeros].fill(0);
    let number = &mut out[zeros..];
    number.copy_from_slice(&bytes[bytes.len() - number.len()..]);
}

/// The first 8 bytes of SHA-1 of the index as a number that sorts as they do.
#[inline]
fn hash_prefix(index: u64) -> u64 {
    Sha1::digest(index.to_le_bytes()).first_chunk().map_or(0, |chunk| u64::from_be_bytes(*chunk))
}

/// Hexadecimal digits of SHA-1 of the index, over again where `out` is longer than they are.
#[inline]
fn sha1_hex(index: u64, out: &mut [u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digest = Sha1::digest(index.to_le_bytes());
    for (pair, byte) in out.chunks_mut(2).zip(digest.iter().cycle()) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        if let Some(second) = pair.get_mut(1) {
            *second = DIGITS[usize::from(byte & 15)];
        }
    }
}

/// Digits that are made at once.
const DIGITS: usize = 8;

/// The index in decimal, zero-padded to the length of `out`.
#[inline]
fn decimal(index: u64, out: &mut [u8]) {
    let mut rest = index;
    for part in out.rchunks_mut(DIGITS) {
        let digits = eight_digits(rest % 100_000_000);
        rest /= 100_000_000;
        match part.first_chunk_mut() {
            Some(whole) => *whole = digits,
            None => part.copy_from_slice(&digits[DIGITS - part.len()..]),
        }
    }
}

/// The decimal digits of a number below 10⁸. It splits off halves, quarters and single digits in parallel in one
/// register. Digit after digit, each would wait for the division before it. Keys are made for every operation of a
/// tape.
#[inline]
fn eight_digits(number: u64) -> [u8; DIGITS] {
    let halves = (number / 10_000) | ((number % 10_000) << 32);
    // x / 100 = x · 10,486 / 2²⁰ for x below 10⁴, and x / 10 = x · 103 / 2¹⁰ for x below 100.
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds | ((halves - hundreds * 100) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    let digits = tens | ((pairs - tens * 10) << 8);
    (digits + u64::from_ne_bytes([b'0'; DIGITS])).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(form: KeyForm, tree: Option<Tree>, index: u64) -> Vec<u8> {
        KeyMaker::new(form, tree).make(index, &mut [0; KEY_BYTES_MAX]).to_vec()
    }

    fn keys(form: KeyForm, lengths: std::ops::RangeInclusive<usize>, index: u64) -> Vec<u8> {
        let maker = KeyMaker { least: *lengths.start(), most: *lengths.end(), ..KeyMaker::new(form, None) };
        // What an earlier key left must not show.
        maker.make(index, &mut [0xAA; KEY_BYTES_MAX]).to_vec()
    }

    #[test]
    fn a_name_tells_how_long_keys_are_unless_they_are_of_many_lengths() {
        let names = [
            "sha1",
            "sha1:48",
            "decimal",
            "decimal:20",
            "integer",
            "integer:8",
            "directory",
            "raw",
            "sha2",
            "sha1:20..24",
        ];
        let bytes = [Some(32), Some(48), Some(16), Some(20), Some(4), Some(8), None, None, None, None];
        assert_eq!(names.map(key_bytes_of), bytes);
    }

    #[test]
    fn known_keys() {
        // printf '\x01\0\0\0\0\0\0\0' | sha1sum
        assert_eq!(key(KeyForm::Sha1, None, 1), b"3da89ee273be13437e7ecf760f3fbd4d");
        assert_eq!(key(KeyForm::Decimal, None, 1234), b"0000000000001234");
        assert_eq!(key(KeyForm::Integer, None, 0x0102_0304), [1, 2, 3, 4]);
    }

    #[test]
    fn keys_of_other_lengths_go_on_and_keep_their_order() {
        let keys = |form, bytes, index| keys(form, bytes..=bytes, index);
        assert_eq!(keys(KeyForm::Sha1, 23, 1), b"3da89ee273be13437e7ecf7");
        let long = keys(KeyForm::Sha1, 96, 1);
        assert_eq!((&long[..32], &long[..40]), (&b"3da89ee273be13437e7ecf760f3fbd4d"[..], &long[40..80]));
        assert_eq!(keys(KeyForm::Decimal, 11, 1234), b"00000001234");
        assert_eq!(keys(KeyForm::Decimal, 48, 1234), format!("{:048}", 1234).as_bytes());
        for index in (0..100_000_000).step_by(9_973).chain([9_999, 10_000, 99_999_999, 100_000_000, 9_999_999_999]) {
            assert_eq!(keys(KeyForm::Decimal, 19, index), format!("{index:019}").as_bytes());
        }
        let sorted = (0..5000).map(|index| keys(KeyForm::Decimal, 11, index * 1_000_003));
        assert!(sorted.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn keys_of_any_length_name_as_many_records_as_fit() {
        assert_eq!(keys(KeyForm::Integer, 1..=1, 255), [255]);
        assert_eq!(keys(KeyForm::Integer, 8..=8, 0x0102_0304), [0, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(keys(KeyForm::Integer, 12..=12, 7), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!(keys(KeyForm::Decimal, 2..=2, 99), b"99");
        let counts = [(KeyForm::Integer, 1), (KeyForm::Integer, 8), (KeyForm::Decimal, 3), (KeyForm::Sha1, 20)];
        assert_eq!(counts.map(|(form, bytes)| key_count(form, bytes)), [256, u64::MAX, 1000, u64::MAX]);
        let needed = [(KeyForm::Integer, 257), (KeyForm::Decimal, 1000), (KeyForm::Decimal, 1001), (KeyForm::Sha1, 1)];
        assert_eq!(needed.map(|(form, records)| key_bytes_needed(form, records)), [2, 3, 4, 20]);
    }

    #[test]
    fn keys_of_many_lengths_keep_their_order_and_differ() {
        for (form, lengths) in [
            (KeyForm::Sha1, 20..=64),
            (KeyForm::Decimal, 5..=40),
            (KeyForm::Integer, 2..=20),
            (KeyForm::Integer, 8..=9),
        ] {
            let made: Vec<_> = (0..5000).map(|index| keys(form, lengths.clone(), index)).collect();
            let different: std::collections::BTreeSet<_> = made.iter().collect();
            assert_eq!(different.len(), made.len(), "{form:?}");
            let mean = made.iter().map(Vec::len).sum::<usize>() as f64 / made.len() as f64;
            let middle = (lengths.start() + lengths.end()) as f64 / 2.0;
            assert!((mean - middle).abs() < 0.6, "{form:?} {mean}");
            assert!(made.iter().all(|key| lengths.contains(&key.len())));
            assert_eq!(made.is_sorted(), form != KeyForm::Sha1, "{form:?}");
        }
    }

    #[test]
    fn ascending_indexes_give_ascending_keys() {
        for form in [KeyForm::Decimal, KeyForm::Integer] {
            assert!(KeyMaker::new(form, None).ascending());
            let keys: Vec<_> = (0..70_000).map(|index| key(form, None, index)).collect();
            assert!(keys.is_sorted_by(|a, b| a < b), "{form:?}");
        }
    }

    #[test]
    fn keys_sort_by_their_prefix() {
        let tree = Tree { fanout: 11, levels: 4, ..Tree::default() };
        for (form, tree) in [(KeyForm::Sha1, None), (KeyForm::Directory, Some(tree))] {
            let maker = KeyMaker::new(form, tree);
            let mut indexes: Vec<u64> = (0..10_000).rev().collect();
            indexes.sort_by_key(|index| maker.order_prefix(*index));
            assert!(indexes.is_sorted_by_key(|index| key(form, tree, *index)), "{form:?}");
        }
    }

    #[test]
    fn missing_keys_are_as_long_and_never_inserted() {
        let tree = Some(Tree { fanout: 3, levels: 5, ..Tree::default() });
        for form in KeyForm::ALL {
            let maker = KeyMaker::new(form, tree);
            let is_given = key_lengths(form).is_some();
            for maker in [maker, KeyMaker { most: maker.most + if is_given { 9 } else { 0 }, ..maker }] {
                let key = |index| maker.make(index, &mut [0; KEY_BYTES_MAX]).to_vec();
                let keys: std::collections::BTreeSet<_> = (0..363).map(key).collect();
                assert_eq!(keys.len(), 363, "{form:?}: keys are distinct");
                for draw in (0..2000).map(|draw: u64| draw.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
                    let missing = maker.missing(draw, 363, &mut [0; KEY_BYTES_MAX]).to_vec();
                    assert!((maker.least..=maker.most).contains(&missing.len()), "{form:?}");
                    assert!(!keys.contains(&missing), "{form:?}: {missing:?}");
                }
            }
        }
    }
}
