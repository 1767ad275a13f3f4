//! A directory tree: how many entries it has, how they are numbered, and the values that they hold, one after the other in the pool.

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

/// How entries are numbered: in depth, a directory and all that is below it before the next one beside it, as the program of Ozone 2020
/// numbers and inserts them. The entry of index *i* has the id *i* + 1; the root has 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    fanout: u64,
    /// Entries of a branch that begins in the root: a directory and all that is below it.
    branch: u64,
}

/// Where an entry lies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    id: u64,
    /// The directory that the entry lies in.
    pub(crate) parent_id: u64,
    /// Entries of that directory before it.
    pub(crate) number: u64,
    /// Itself, and the entries below it.
    branch: u64,
}

impl Numbering {
    pub(crate) fn new(tree: Tree) -> Self {
        let fanout = u64::from(tree.fanout).max(1);
        Self { fanout, branch: (tree_entries(tree).unwrap_or(u64::MAX) / fanout).max(1) }
    }

    /// How many entries there are.
    #[inline]
    pub(crate) fn entries(&self) -> u64 {
        self.fanout.saturating_mul(self.branch)
    }

    /// The id of an entry.
    #[inline]
    pub(crate) fn object_id(index: u64) -> u64 {
        index + 1
    }

    /// Where the entry with this index lies.
    #[inline]
    pub(crate) fn place(&self, index: u64) -> Place {
        self.path(index).fold(Place::default(), |_, place| place)
    }

    /// The directories above an entry, from the root on, and the entry.
    #[inline]
    fn path(&self, index: u64) -> impl Iterator<Item = Place> {
        let fanout = self.fanout;
        let (mut parent_id, mut branch, mut within) = (0, self.branch, Some(index));
        std::iter::from_fn(move || {
            let (number, below) = (within? / branch, within? % branch);
            let place = Place { id: Self::object_id(index - below), parent_id, number, branch };
            (parent_id, branch, within) = (place.id, ((branch - 1) / fanout).max(1), below.checked_sub(1));
            Some(place)
        })
    }

    /// How many entries have a key before that of the entry with this index: those of directories with lesser ids, and those of its own before it.
    pub(crate) fn rank(&self, index: u64) -> u64 {
        let mut before = 0;
        let mut above: Option<Place> = None;
        for place in self.path(index) {
            before += above.map_or(0, |above| self.fanout + above.number * (above.branch - 1));
            above = Some(place);
        }
        before + above.map_or(0, |entry| entry.number)
    }

    /// Entries of a branch on each level from the root down: entry `number` of the directory with the id `parent` has the index
    /// `parent + number · branch`.
    pub(crate) fn branches(&self) -> impl Iterator<Item = u64> {
        let fanout = self.fanout;
        std::iter::successors(Some(self.branch), move |branch| Some(branch.saturating_sub(1) / fanout))
    }
}

/// The values of a tree: where in the pool each of them lies, and its bytes.
#[derive(Clone, Debug)]
pub struct TreeValues {
    tree: Tree,
    numbering: Numbering,
    /// Length of a value that has the least ids: of the first entry.
    first_bytes: u64,
    /// Length of a value that lies in another directory than the root, ids of more than 7 bits left out of account.
    other_bytes: u64,
    late: Vec<Late>,
}

/// Entries whose id has a byte more than their parent's. Where ids get longer, they are those that follow in each of the directories that
/// one is in at that moment: one in `every` so many entries after `after`, at `most` so many.
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

    /// Where the value of the entry with this index begins: the sum of the lengths of those before it.
    pub fn offset(&self, index: u64) -> u64 {
        let in_root = index.div_ceil(self.numbering.branch);
        let others = (index - in_root).saturating_mul(self.other_bytes);
        let fixed = in_root.saturating_mul(self.first_bytes).saturating_add(others);
        match self.tree.values.written_by() {
            Codec::Long | Codec::FlatBuffers => fixed,
            // An id takes a byte more from each power of 128 on, and the parent's does from the next entry on, but in the late ones.
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
        let object_id = Numbering::object_id(index);
        let directory = Directory { object_id, parent_id: self.numbering.place(index).parent_id };
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

/// The ids from which on one takes a byte more in a message of Protocol Buffers.
fn longer_ids() -> impl Iterator<Item = u64> {
    (1..9).map(|power| 1 << (7 * power))
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
        let trees = [(1, 200), (5, 12), (300, 3)];
        for ((fanout, levels), values) in trees.into_iter().flat_map(|tree| ValueForm::ALL.map(|values| (tree, values)))
        {
            let padding_bytes = if values == ValueForm::Long { 42 } else { 0 };
            let tree = Tree { fanout, levels, padding_bytes, values, name_bytes: 0 };
            let (entries, tree) = (tree_entries(tree).unwrap(), TreeValues::new(tree));
            let mut source = Source::new(Data::Random, 1, None).unwrap();
            let (mut encoder, mut value, mut sum) = (Encoder::default(), Vec::new(), 0);
            let mut longest = 0;
            for index in 0..entries.min(100_000) {
                tree.write(index, &mut encoder, &mut source, &mut value).unwrap();
                assert_eq!(tree.offset(index), sum, "{fanout} {values:?} {index}");
                assert_eq!(tree.bytes(index), value.len() as u64, "{fanout} {values:?} {index}");
                sum += value.len() as u64;
                longest = longest.max(value.len() as u64);
            }
            // Far behind, where ids take more bytes, and beside directories with shorter ones.
            let far = [2_097_152, 268_435_456].into_iter().flat_map(|id| (id - 50_000..id + 50_000).step_by(7));
            let beside = [2_097_152, 268_435_456].into_iter().filter(|id| *id <= entries).flat_map(|id| {
                tree.numbering
                    .path(id - 1)
                    .flat_map(|place| (1..5).map(move |number| place.id - 1 + number * place.branch))
            });
            for index in far.chain(beside).chain([entries - 1]).filter(|index| *index < entries) {
                tree.write(index, &mut encoder, &mut source, &mut value).unwrap();
                assert_eq!(tree.bytes(index), value.len() as u64, "{fanout} {values:?} {index}");
                longest = longest.max(value.len() as u64);
            }
            assert_eq!(tree.range(entries).max, longest, "{fanout} {values:?}");
        }
    }

    #[test]
    fn entries_are_numbered_in_depth() {
        fn descend(id: u64, levels: u32, next: &mut u64, found: &mut Vec<(u64, u64)>) {
            for number in (0..3).filter(|_| levels > 0) {
                found.push((id, number));
                *next += 1;
                descend(*next, levels - 1, next, found);
            }
        }
        let (mut next, mut found) = (0, Vec::new());
        descend(0, 4, &mut next, &mut found);
        let numbering = Numbering::new(Tree { fanout: 3, levels: 4, ..Tree::default() });
        assert_eq!((found.len(), next), (120, 120));
        for (index, expected) in (0..).zip(&found) {
            let place = numbering.place(index);
            assert_eq!((place.parent_id, place.number), *expected, "{index}");
            let branch = numbering.branches().nth(numbering.path(index).count() - 1).unwrap();
            assert_eq!(place.parent_id + place.number * branch, index);
            assert_eq!(numbering.rank(index), found.iter().filter(|other| *other < expected).count() as u64);
        }
    }
}
