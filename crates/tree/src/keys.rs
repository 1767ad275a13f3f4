//! The keys of a tree's entries: the id of the parent directory, then the entry's name.

use crate::numbering::{Numbering, Place};
use crate::shape::Tree;

/// Length of an id in a key.
pub const ID_BYTES: usize = 8;

/// The longest name, bytes.
pub const NAME_BYTES_MAX: usize = 120;

/// Length of the prefix of a name.
const NAME_PREFIX_BYTES: usize = 3;

/// The prefix of names of entries.
const DIRECTORY: &[u8; NAME_PREFIX_BYTES] = b"dir";

/// The prefix of names that no entry has.
const MISSING: &[u8; NAME_PREFIX_BYTES] = b"not";

/// The allowed lengths of names in a tree, bytes.
pub fn name_lengths(tree: Tree) -> (u32, u32) {
    let shortest = EntryKeys::new(Tree { name_bytes: 0, ..tree }).name_bytes();
    (shortest as u32, NAME_BYTES_MAX as u32)
}

/// Makes the keys of a tree's entries. All keys have the same length.
#[derive(Clone, Copy, Debug)]
pub struct EntryKeys {
    numbering: Numbering,
    name_digits: usize,
}

impl EntryKeys {
    /// The keys of this tree.
    pub fn new(tree: Tree) -> Self {
        let shortest = (tree.fanout.max(1) - 1).checked_ilog10().unwrap_or(0) as usize + 1;
        let given = (tree.name_bytes as usize).min(NAME_BYTES_MAX).saturating_sub(NAME_PREFIX_BYTES);
        Self { numbering: Numbering::new(tree), name_digits: shortest.max(given) }
    }

    /// Length of every key, bytes.
    pub fn bytes(&self) -> usize {
        ID_BYTES + self.name_bytes()
    }

    /// Length of the name of an entry, bytes.
    pub fn name_bytes(&self) -> usize {
        NAME_PREFIX_BYTES + self.name_digits
    }

    /// Writes the key of the entry with this index.
    #[inline]
    pub fn make(&self, index: u64, key: &mut [u8]) {
        self.write(self.numbering.place(index), DIRECTORY, key);
    }

    /// Writes a key that no entry has, adjacent to the key of the entry with this index.
    #[inline]
    pub fn make_missing(&self, index: u64, key: &mut [u8]) {
        self.write(self.numbering.place(index), MISSING, key);
    }

    /// A number that sorts like the keys of entries.
    pub fn order_prefix(&self, index: u64) -> u64 {
        self.numbering.rank(index) << self.numbering.entries().leading_zeros()
    }

    #[inline]
    fn write(&self, place: Place, prefix: &[u8; NAME_PREFIX_BYTES], key: &mut [u8]) {
        key[..ID_BYTES].copy_from_slice(&place.parent_id.to_be_bytes());
        self.write_name(place.number, prefix, &mut key[ID_BYTES..]);
    }

    /// Writes the name of the entry with this number in its directory.
    #[inline]
    pub(crate) fn name(&self, number: u64, out: &mut [u8]) {
        self.write_name(number, DIRECTORY, out);
    }

    /// Writes a unique name within the directory: `prefix`, then the entry's number there, zero-padded.
    #[inline]
    fn write_name(&self, mut number: u64, prefix: &[u8; NAME_PREFIX_BYTES], out: &mut [u8]) {
        out[..NAME_PREFIX_BYTES].copy_from_slice(prefix);
        for digit in out[NAME_PREFIX_BYTES..self.name_bytes()].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_directory_and_the_name_in_it() {
        let key = |tree, index| {
            let keys = EntryKeys::new(tree);
            let mut key = vec![0; keys.bytes()];
            keys.make(index, &mut key);
            key
        };
        let tree = Tree { fanout: 12, levels: 2, ..Tree::default() };
        assert_eq!(key(tree, 12), b"\0\0\0\0\0\0\0\x01dir11");
        assert_eq!(key(tree, 13), b"\0\0\0\0\0\0\0\0dir01");
        assert_eq!(key(Tree { name_bytes: 9, ..tree }, 14), b"\0\0\0\0\0\0\0\x0edir000000");
        assert_eq!(name_lengths(tree), (5, 120));
    }
}
