//! A store's colour: the same on every page, terminal and workbook, independent of other stores, since it follows from
//! the store's name.
//!
//! No store is special here: the colour is a hash of the name. `SEED` was chosen so that the best-known of today's
//! stores have distinct colours, and no colour has more stores than there are marks. Stores with the same colour on a
//! page differ in their marks: circles, squares, diamonds, triangles.

/// The number of distinguishable colours. The page's style defines as many.
pub const COLOURS: usize = 8;

/// Marks per colour.
pub const MARKS: usize = 4;

/// The initial value of the hash.
const SEED: u32 = 234_946_256;

/// The colour of a name.
fn colour(name: &str) -> usize {
    let mixed = name.bytes().fold(SEED, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    let mixed = (mixed ^ mixed >> 16).wrapping_mul(0x7feb_352d);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x846c_a68b);
    (mixed ^ mixed >> 16) as usize % COLOURS
}

/// How often each colour is already on a page.
#[derive(Default)]
pub struct Slots([usize; COLOURS]);

impl Slots {
    /// A colour and a mark in one number: the name's colour, and the first unused mark of that colour. After the last
    /// mark, marks repeat.
    pub fn take(&mut self, name: &str) -> usize {
        let colour = colour(name);
        let mark = self.0[colour] % MARKS;
        self.0[colour] += 1;
        colour + mark * COLOURS
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The described stores. The first ones are in nearly every run.
    const STORES: [&str; 27] = [
        "sqlite",
        "lmdb",
        "redb",
        "leveldb",
        "fjall",
        "rocksdb",
        "flat-folder",
        "libmdbx",
        "wiredtiger",
        "nested-folder",
        "berkeley-db",
        "berkeley-db-hash",
        "kyoto-cabinet",
        "kyoto-cabinet-hash",
        "chronicle-map",
        "lmdbjava",
        "lmdbjava-safe",
        "lmdbjava-agrona",
        "lmdbjni",
        "lwjgl-lmdb",
        "leveldb-jni",
        "mapdb",
        "mvstore",
        "rocksdb-jni",
        "xodus",
        "sqlite-jdbc",
        "berkeley-db-je",
    ];

    #[test]
    fn the_best_known_stores_have_a_colour_each_and_all_can_be_told_apart() {
        let colours: BTreeSet<usize> = STORES[..COLOURS].iter().map(|name| colour(name)).collect();
        assert_eq!(colours.len(), COLOURS);
        let mut slots = Slots::default();
        let all: BTreeSet<usize> = STORES.iter().map(|name| slots.take(name)).collect();
        assert_eq!(all.len(), STORES.len());
    }

    #[test]
    fn whoever_else_takes_part_changes_no_colour() {
        let mut slots = Slots::default();
        let colour_of = |slot: usize| slot % COLOURS;
        let (first, second) = (slots.take("lmdb"), slots.take("lmdb"));
        assert_eq!((colour_of(first), colour_of(second)), (colour("lmdb"), colour("lmdb")));
        assert_eq!((first / COLOURS, second / COLOURS), (0, 1), "another mark");
        assert!((0..100).all(|number| slots.take(&number.to_string()) < COLOURS * MARKS));
    }
}
