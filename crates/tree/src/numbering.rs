//! How the entries of a tree are numbered, and where each lies.

use crate::shape::{Tree, tree_entries};

/// How entries are numbered: in depth, a directory and all that is below it before the next one beside it, as the program of Ozone 2020
/// numbers and inserts them. The entry of index *i* has the id *i* + 1; the root has 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    pub(crate) fanout: u64,
    /// Entries of a branch that begins in the root: a directory and all that is below it.
    pub(crate) branch: u64,
}

/// Where an entry lies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) id: u64,
    /// The directory that the entry lies in.
    pub(crate) parent_id: u64,
    /// Entries of that directory before it.
    pub(crate) number: u64,
    /// Itself, and the entries below it.
    pub(crate) branch: u64,
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
