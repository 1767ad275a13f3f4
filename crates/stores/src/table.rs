//! The table of stores: one line a store. Everything else finds a store through it.

use crate::{Entry, faulty, flat_folder, lmdb, nested_folder, null, sqlite};

static NATIVE: &[Entry] = &[
    Entry { describe: sqlite::describe, open: sqlite::open },
    Entry { describe: lmdb::describe, open: lmdb::open },
    Entry { describe: flat_folder::describe, open: flat_folder::open },
    Entry { describe: nested_folder::describe, open: nested_folder::open },
    Entry { describe: null::describe, open: null::open },
    Entry { describe: faulty::describe, open: faulty::open },
];

/// The stores that build in minutes, plain files among them, in the order in which they are listed.
pub fn native() -> &'static [Entry] {
    NATIVE
}

/// The store of this name, exactly as its description gives it.
pub fn find(name: &str) -> Option<Entry> {
    NATIVE.iter().copied().find(|entry| (entry.describe)().name == name)
}
