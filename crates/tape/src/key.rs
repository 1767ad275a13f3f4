//! From a record's index to its key.

use bakeoff_tree::{EntryKeys, ID_BYTES, NAME_BYTES_MAX, Tree};
use sha1::{Digest, Sha1};

use crate::{KeyForm, Workload};

/// The longest key of any form, bytes.
pub const KEY_BYTES_MAX: usize = 128;

const _: () = assert!(ID_BYTES + NAME_BYTES_MAX <= KEY_BYTES_MAX);

/// The lengths that keys of a form can be given, bytes: shorter hashes might meet, shorter numbers would not hold every index, of which
/// there are fewer than 2³².
/// `None` for forms whose keys have one length.
pub fn key_lengths(form: KeyForm) -> Option<(u32, u32)> {
    match form {
        KeyForm::Sha1 => Some((20, KEY_BYTES_MAX as u32)),
        KeyForm::Decimal => Some((10, KEY_BYTES_MAX as u32)),
        KeyForm::Integer | KeyForm::Directory | KeyForm::Raw => None,
    }
}

/// How long keys are whose form a suite or a result names so, bytes: `sha1`, or `sha1:48` ([`Workload::key_name`] writes it). `None` where they are
/// of many lengths, or where no form has that name.
pub fn key_bytes_of(name: &str) -> Option<u64> {
    let (form, given) = name.split_once(':').map_or((name, None), |(form, given)| (form, Some(given)));
    let form = KeyForm::ALL.into_iter().find(|known| known.name() == form)?;
    match (given, form) {
        (Some(given), _) => given.parse().ok(),
        (None, KeyForm::Directory | KeyForm::Raw) => None,
        (None, form) => Some(KeyMaker::new(form, None).key_bytes() as u64),
    }
}

/// Indexes from here on are never inserted: they make keys that are not there, in forms whose keys are hashes.
const NEVER_INSERTED: u64 = 1 << 63;

/// Makes keys of one form. All keys of a maker have the same length.
#[derive(Clone, Copy, Debug)]
pub struct KeyMaker {
    form: KeyForm,
    /// Length of every key.
    bytes: usize,
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
        Self { form, bytes, entries }
    }

    /// The maker of a workload's keys.
    pub fn of(workload: &Workload) -> Self {
        let maker = Self::new(workload.key, workload.tree);
        let given = workload.key_bytes.filter(|_| key_lengths(workload.key).is_some());
        Self { bytes: given.map_or(maker.bytes, |bytes| (bytes as usize).min(KEY_BYTES_MAX)), ..maker }
    }

    /// Length of every key, bytes.
    pub fn key_bytes(&self) -> usize {
        self.bytes
    }

    /// Whether ascending indexes give ascending keys, byte by byte, in any tree.
    pub fn ascending(&self) -> bool {
        !matches!(self.form, KeyForm::Sha1 | KeyForm::Directory)
    }

    /// The key of the record with this index: below 2³² for integer keys; for decimal ones of at most as many digits as the key has bytes.
    #[inline]
    pub fn make<'a>(&self, index: u64, buffer: &'a mut [u8; KEY_BYTES_MAX]) -> &'a [u8] {
        match self.form {
            KeyForm::Sha1 => sha1_hex(index, &mut buffer[..self.bytes]),
            KeyForm::Decimal => decimal(index, &mut buffer[..self.bytes]),
            KeyForm::Integer => buffer[..4].copy_from_slice(&(index as u32).to_be_bytes()),
            KeyForm::Directory => self.entries.make(index, buffer),
            KeyForm::Raw => {}
        }
        &buffer[..self.key_bytes()]
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
            KeyForm::Sha1 => return self.make(NEVER_INSERTED | draw, buffer),
            KeyForm::Decimal => {
                // A letter in place of the last digit: after that digit's neighbours, before the next ten.
                decimal(near, &mut buffer[..self.bytes]);
                buffer[self.bytes - 1] += b'a' - b'0';
            }
            // Integers from 0 are dense: what is missing can only lie above them.
            KeyForm::Integer => {
                let above = u64::from(u32::MAX) + 1 - inserted;
                return self.make(inserted + draw % inserted.clamp(1, above.max(1)), buffer);
            }
            KeyForm::Directory => self.entries.make_missing(near, buffer),
            KeyForm::Raw => {}
        }
        &buffer[..self.key_bytes()]
    }
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

/// The decimal digits of a number below 10⁸. Halves, quarters and single digits are split off side by side in one register: a digit
/// after the other would wait for each division before it, and keys are made for every operation of a tape.
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

    #[test]
    fn a_name_tells_how_long_keys_are_unless_they_are_of_many_lengths() {
        let names = ["sha1", "sha1:48", "decimal", "decimal:20", "integer", "directory", "raw", "sha2", "sha1:x"];
        let bytes = [Some(32), Some(48), Some(16), Some(20), Some(4), None, None, None, None];
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
        let keys = |form, bytes, index| {
            let maker = KeyMaker { bytes, ..KeyMaker::new(form, None) };
            maker.make(index, &mut [0; KEY_BYTES_MAX]).to_vec()
        };
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
    fn the_shortest_keys_hold_every_index() {
        let bytes = key_lengths(KeyForm::Decimal).unwrap().0 as usize;
        let maker = KeyMaker { bytes, ..KeyMaker::new(KeyForm::Decimal, None) };
        let last = crate::model::RECORDS_MAX;
        assert_eq!(maker.make(last, &mut [0; KEY_BYTES_MAX]), last.to_string().as_bytes());
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
            let keys: std::collections::BTreeSet<_> = (0..363).map(|index| key(form, tree, index)).collect();
            assert_eq!(keys.len(), 363, "{form:?}: keys are distinct");
            for draw in (0..2000).map(|draw: u64| draw.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
                let missing = maker.missing(draw, 363, &mut [0; KEY_BYTES_MAX]).to_vec();
                assert_eq!(missing.len(), maker.key_bytes(), "{form:?}");
                assert!(!keys.contains(&missing), "{form:?}: {missing:?}");
            }
        }
    }
}
