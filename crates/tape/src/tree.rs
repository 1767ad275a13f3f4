//! A directory tree: how many entries it has, and the values that they hold, one after the other in the pool.

use bakeoff_codec::{Codec, Directory, Encoder};

use crate::key::KeyMaker;
use crate::source::Source;
use crate::{KEY_BYTES_MAX, SizeRange, TapeError, Tree, ValueForm};

/// Entries of a tree: directories on all levels below the root. `None` if they exceed 64 bits.
pub fn tree_entries(tree: Tree) -> Option<u64> {
    let mut level = 1_u64;
    let mut entries = 0_u64;
    for _ in 0..tree.levels {
        level = level.checked_mul(u64::from(tree.fanout))?;
        entries = entries.checked_add(level)?;
    }
    Some(entries)
}

/// The lengths that names in a tree can be given, bytes.
pub fn name_lengths(tree: Tree) -> (u32, u32) {
    let shortest = KeyMaker::new(crate::KeyForm::Directory, Some(Tree { name_bytes: 0, ..tree })).name_bytes();
    (shortest as u32, (KEY_BYTES_MAX - ID_BYTES) as u32)
}

/// Length of an id in a key.
pub(crate) const ID_BYTES: usize = 8;

/// The values of a tree: where in the pool each of them lies, and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct TreeValues {
    tree: Tree,
    /// Length of a value that has the least ids: of the first entry.
    first_bytes: u64,
    /// Length of a value that lies in another directory than the root, ids of more than 7 bits left out of account.
    other_bytes: u64,
}

impl TreeValues {
    /// The values of a tree.
    pub fn new(tree: Tree) -> Self {
        let mut values = Self { tree, first_bytes: 0, other_bytes: 0 };
        let (mut encoder, mut value) = (Encoder::default(), Vec::new());
        let mut bytes_in = |parent_id| {
            encoder.encode(tree.values.written_by(), &Directory { object_id: 1, parent_id }, &mut value);
            value.len() as u64 + u64::from(tree.padding_bytes)
        };
        (values.first_bytes, values.other_bytes) = (bytes_in(0), bytes_in(1));
        values
    }

    /// Where the value of the entry with this index begins: the sum of the lengths of those before it.
    pub fn offset(&self, index: u64) -> u64 {
        let fanout = u64::from(self.tree.fanout);
        let in_root = index.min(fanout).saturating_mul(self.first_bytes);
        let fixed = (index - index.min(fanout)).saturating_mul(self.other_bytes).saturating_add(in_root);
        match self.tree.values.written_by() {
            Codec::Long | Codec::FlatBuffers => fixed,
            // An id takes a byte more from each power of 128 on. The entry of index i has the id i + 1 and the parent i / fanout.
            Codec::Protobuf => (1..9).fold(fixed, |sum, power| {
                let from = 1_u64 << (7 * power);
                let parents = index.saturating_sub(fanout.saturating_mul(from));
                sum.saturating_add((index + 1).saturating_sub(from)).saturating_add(parents)
            }),
        }
    }

    /// Length of the value of the entry with this index.
    pub fn bytes(&self, index: u64) -> u64 {
        self.offset(index + 1) - self.offset(index)
    }

    /// The shortest and the longest value of a tree of so many entries.
    pub fn range(&self, entries: u64) -> SizeRange {
        SizeRange { min: self.bytes(0), max: self.bytes(entries.saturating_sub(1)).max(self.bytes(0)) }
    }

    /// Puts the value of the entry with this index in place of what `value` holds.
    pub(crate) fn write(
        &self,
        index: u64,
        encoder: &mut Encoder,
        source: &mut Source,
        value: &mut Vec<u8>,
    ) -> Result<(), TapeError> {
        let object_id = KeyMaker::object_id(index);
        let directory = Directory { object_id, parent_id: index / u64::from(self.tree.fanout) };
        encoder.encode(self.tree.values.written_by(), &directory, value);
        let begin = value.len();
        value.resize(begin + self.tree.padding_bytes as usize, 0);
        source.fill(&mut value[begin..])?;
        if self.tree.values.is_overwritten() {
            value[..ID_BYTES].copy_from_slice(&object_id.to_le_bytes());
        }
        Ok(())
    }
}

impl ValueForm {
    /// What serialises values of this form.
    pub(crate) fn written_by(self) -> Codec {
        match self {
            Self::Long => Codec::Long,
            Self::FlatBuffers | Self::FlatBuffersLong => Codec::FlatBuffers,
            Self::Protobuf | Self::ProtobufLong => Codec::Protobuf,
        }
    }

    /// What a walk reads ids by.
    pub(crate) fn read_by(self) -> Codec {
        if self.is_overwritten() { Codec::Long } else { self.written_by() }
    }

    /// Whether the id lies over the first bytes of what was serialised.
    fn is_overwritten(self) -> bool {
        matches!(self, Self::FlatBuffersLong | Self::ProtobufLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Data;

    #[test]
    fn tree_sizes() {
        let entries = |fanout, levels| tree_entries(Tree { fanout, levels, ..Tree::default() });
        assert_eq!(entries(3, 3), Some(39));
        assert_eq!(entries(1000, 30), None);
    }

    #[test]
    fn offsets_are_the_sums_of_the_lengths_that_values_have() {
        for (fanout, values) in ValueForm::ALL.into_iter().flat_map(|values| [(1, values), (5, values), (300, values)])
        {
            let padding_bytes = if values == ValueForm::Long { 42 } else { 0 };
            let tree = TreeValues::new(Tree { fanout, levels: 9, padding_bytes, values, name_bytes: 0 });
            let mut source = Source::new(Data::Random, 1, None).unwrap();
            let (mut encoder, mut value, mut sum) = (Encoder::default(), Vec::new(), 0);
            for index in 0..40_000 {
                tree.write(index, &mut encoder, &mut source, &mut value).unwrap();
                assert_eq!(tree.offset(index), sum, "{fanout} {values:?} {index}");
                assert_eq!(tree.bytes(index), value.len() as u64, "{fanout} {values:?} {index}");
                sum += value.len() as u64;
            }
            // Far behind, where ids take more bytes.
            for index in [2_097_150, 2_097_151, 2_097_152, 10_485_759, 10_485_760, 268_435_455, 629_145_600] {
                tree.write(index, &mut encoder, &mut source, &mut value).unwrap();
                assert_eq!(tree.bytes(index), value.len() as u64, "{fanout} {values:?} {index}");
            }
        }
    }
}
