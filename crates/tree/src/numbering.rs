//! The numbers of a tree's entries, and the position of each.

use crate::shape::{Tree, tree_entries};

/// Numbers entries depth first: a directory, everything below it, then its next sibling. The program of Ozone 2020 numbers and inserts them
/// in this order. The entry with index *i* has the id *i* + 1; the root has 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    pub(crate) fanout: u64,
    /// Entries in a branch of the root: a directory and everything below it.
    pub(crate) branch: u64,
}

/// The position of an entry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) id: u64,
    /// The id of its parent directory.
    pub(crate) parent_id: u64,
    /// The number of entries before it in its directory.
    pub(crate) number: u64,
    /// The number of entries in its branch: itself and everything below it.
    pub(crate) branch: u64,
}

impl Numbering {
    pub(crate) fn new(tree: Tree) -> Self {
        let fanout = u64::from(tree.fanout).max(1);
        Self { fanout, branch: (tree_entries(tree).unwrap_or(u64::MAX) / fanout).max(1) }
    }

    /// The number of entries.
    #[inline]
    pub(crate) fn entries(&self) -> u64 {
        self.fanout.saturating_mul(self.branch)
    }

    /// The id of an entry.
    #[inline]
    pub(crate) fn object_id(index: u64) -> u64 {
        index + 1
    }

    /// The position of the entry with this index.
    #[inline]
    pub(crate) fn place(&self, index: u64) -> Place {
        self.path(index).fold(Place::default(), |_, place| place)
    }

    /// The path to an entry: the directories above it, from the root down, then the entry.
    #[inline]
    pub(crate) fn path(&self, index: u64) -> impl Iterator<Item = Place> {
        let fanout = self.fanout;
        let (mut parent_id, mut branch, mut within) = (0, self.branch, Some(index));
        std::iter::from_fn(move || {
            let (number, below) = (within? / branch, within? % branch);
            let place = Place { id: Self::object_id(index - below), parent_id, number, branch };
            (parent_id, branch, within) = (place.id, ((branch - 1) / fanout).max(1), below.checked_sub(1));
            Some(place)
        })
    }

    /// The number of keys before the key of the entry with this index: those of directories with smaller ids, and those before it in its
    /// own.
    pub(crate) fn rank(&self, index: u64) -> u64 {
        let mut before = 0;
        let mut above: Option<Place> = None;
        for place in self.path(index) {
            before += above.map_or(0, |above| self.fanout + above.number * (above.branch - 1));
            above = Some(place);
        }
        before + above.map_or(0, |entry| entry.number)
    }

    /// The sizes of branches on each level, from the root down. The index of entry `number` of a directory is
    /// `parent + number · branch`, where `parent` is the directory's id.
    pub(crate) fn branches(&self) -> impl Iterator<Item = u64> {
        let fanout = self.fanout;
        std::iter::successors(Some(self.branch), move |branch| Some(branch.saturating_sub(1) / fanout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
