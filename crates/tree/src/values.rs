//! The values of a tree: their lengths and bytes.

use crate::codec::{Codec, Directory, Encoder};
use crate::keys::ID_BYTES;
use crate::numbering::Numbering;
use crate::shape::Tree;

/// The values of a tree: the position of each in the pool, its length, its bytes.
#[derive(Clone, Debug)]
pub struct TreeValues {
    tree: Tree,
    numbering: Numbering,
    /// Length of the first entry's value, which has the smallest ids.
    first_bytes: u64,
    /// Length of a value whose parent is not the root, if no id exceeds 7 bits.
    other_bytes: u64,
    late: Vec<Late>,
}

/// Entries whose id takes a byte more than their parent's.
///
/// Where ids get longer, the entries that follow in each open directory are affected: one of every `every` entries after `after`, at most
/// `most` of them.
#[derive(Clone, Copy, Debug)]
struct Late {
    after: u64,
    every: u64,
    most: u64,
}

impl TreeValues {
    /// The values of a tree.
    pub fn new(tree: Tree) -> Self {
        let numbering = Numbering::new(tree);
        let longer = longer_ids().take_while(|id| *id <= numbering.entries());
        let late = longer.flat_map(|id| numbering.path(id - 1)).map(|place| Late {
            after: place.id,
            every: place.branch,
            most: numbering.fanout - 1 - place.number,
        });
        let late = late.filter(|late| late.most > 0).collect();
        let mut values = Self { tree, numbering, first_bytes: 0, other_bytes: 0, late };
        let (mut encoder, mut value) = (Encoder::default(), Vec::new());
        let mut bytes_in = |parent_id| {
            encoder.encode(tree.values.written_by(), &Directory { object_id: 1, parent_id }, &mut value);
            value.len() as u64 + u64::from(tree.padding_bytes)
        };
        (values.first_bytes, values.other_bytes) = (bytes_in(0), bytes_in(1));
        values
    }

    /// The position of the value of the entry with this index: the total length of the values before it.
    pub fn offset(&self, index: u64) -> u64 {
        let in_root = index.div_ceil(self.numbering.branch);
        let others = (index - in_root).saturating_mul(self.other_bytes);
        let fixed = in_root.saturating_mul(self.first_bytes).saturating_add(others);
        match self.tree.values.written_by() {
            Codec::Long | Codec::FlatBuffers => fixed,
            // From each power of 128 on, an id takes one more byte. The parent's id follows from the next entry on, except in late entries.
            Codec::Protobuf => {
                let more = longer_ids()
                    .take_while(|id| *id <= index)
                    .fold(fixed, |sum, id| sum.saturating_add(index - (id - 1)).saturating_add(index - id));
                let late = |late: &Late| (index.saturating_sub(late.after) / late.every).min(late.most);
                more - self.late.iter().map(late).sum::<u64>()
            }
        }
    }

    /// Length of the value of the entry with this index.
    pub fn bytes(&self, index: u64) -> u64 {
        self.offset(index + 1) - self.offset(index)
    }

    /// Lengths of the shortest and the longest value in a tree of this many entries.
    pub fn range(&self, entries: u64) -> (u64, u64) {
        (self.bytes(0), self.bytes(entries.saturating_sub(1)).max(self.bytes(0)))
    }

    /// Replaces the content of `value` by the value of the entry with this index. `pad` fills its padding.
    ///
    /// # Errors
    /// Those of `pad`.
    pub fn write<E>(
        &self,
        index: u64,
        encoder: &mut Encoder,
        value: &mut Vec<u8>,
        pad: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let object_id = Numbering::object_id(index);
        let directory = Directory { object_id, parent_id: self.numbering.place(index).parent_id };
        encoder.encode(self.tree.values.written_by(), &directory, value);
        let begin = value.len();
        value.resize(begin + self.tree.padding_bytes as usize, 0);
        pad(&mut value[begin..])?;
        if self.tree.values.is_overwritten() {
            value[..ID_BYTES].copy_from_slice(&object_id.to_le_bytes());
        }
        Ok(())
    }
}

/// The ids from which on an id takes one more byte in a Protocol Buffers message.
fn longer_ids() -> impl Iterator<Item = u64> {
    (1..9).map(|power| 1 << (7 * power))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{ValueForm, tree_entries};

    fn no_padding(_: &mut [u8]) -> Result<(), std::convert::Infallible> {
        Ok(())
    }

    #[test]
    fn offsets_are_the_sums_of_the_lengths_that_values_have() {
        let trees = [(1, 200), (5, 12), (300, 3)];
        for ((fanout, levels), values) in trees.into_iter().flat_map(|tree| ValueForm::ALL.map(|values| (tree, values)))
        {
            let padding_bytes = if values == ValueForm::Long { 42 } else { 0 };
            let tree = Tree { fanout, levels, padding_bytes, values, name_bytes: 0 };
            let (entries, tree) = (tree_entries(tree).unwrap(), TreeValues::new(tree));
            let (mut encoder, mut value, mut sum) = (Encoder::default(), Vec::new(), 0);
            let mut longest = 0;
            for index in 0..entries.min(100_000) {
                tree.write(index, &mut encoder, &mut value, no_padding).unwrap();
                assert_eq!(tree.offset(index), sum, "{fanout} {values:?} {index}");
                assert_eq!(tree.bytes(index), value.len() as u64, "{fanout} {values:?} {index}");
                sum += value.len() as u64;
                longest = longest.max(value.len() as u64);
            }
            // Entries far from the start, where ids take more bytes, next to directories with shorter ids.
            let far = [2_097_152, 268_435_456].into_iter().flat_map(|id| (id - 50_000..id + 50_000).step_by(7));
            let beside = [2_097_152, 268_435_456].into_iter().filter(|id| *id <= entries).flat_map(|id| {
                tree.numbering
                    .path(id - 1)
                    .flat_map(|place| (1..5).map(move |number| place.id - 1 + number * place.branch))
            });
            for index in far.chain(beside).chain([entries - 1]).filter(|index| *index < entries) {
                tree.write(index, &mut encoder, &mut value, no_padding).unwrap();
                assert_eq!(tree.bytes(index), value.len() as u64, "{fanout} {values:?} {index}");
                longest = longest.max(value.len() as u64);
            }
            assert_eq!(tree.range(entries).1, longest, "{fanout} {values:?}");
        }
    }
}
