//! The stores of bakeoff: one file each, and one line each in the tables below.
//!
//! The crate `bakeoff-store` has the trait that they implement, and describes what an adapter must do. A store outside bakeoff is a crate
//! that also uses `bakeoff-store`, without this crate.

use bakeoff_store::Entry;

/// Makes a module and an entry of a table from each line. A build without the feature after `if` omits the store.
///
/// `cargo fmt` does not see these modules: `rustfmt crates/stores/src/*.rs` formats them.
macro_rules! stores {
    ($(#[$documentation:meta])* $table:ident: $($store:ident $(if $feature:literal)?,)+) => {
        $($(#[cfg(feature = $feature)])? mod $store;)+

        $(#[$documentation])*
        pub fn $table() -> &'static [Entry] {
            &[$($(#[cfg(feature = $feature)])? Entry { describe: $store::describe, open: $store::open },)+]
        }
    };
}

stores! {
    /// The stores that build in minutes, including plain files, in the order of lists.
    native:
    sqlite if "sqlite",
    lmdb if "lmdb",
    redb if "redb",
    leveldb if "leveldb",
    fjall if "fjall",
    berkeley_btree if "berkeley-db",
    berkeley_hash if "berkeley-db",
    kyoto_tree if "kyoto-cabinet",
    kyoto_hash if "kyoto-cabinet",
    wiredtiger if "wiredtiger",
    flat_folder,
    nested_folder,
    null,
    faulty,
}

stores! {
    /// The stores that take long to build, or need tools that most machines lack.
    heavy:
    rocksdb if "rocksdb",
    libmdbx if "libmdbx",
}

// Shared by several of these stores.
#[cfg(feature = "berkeley-db")]
mod berkeley_db;
mod files;
#[cfg(feature = "kyoto-cabinet")]
mod kyoto_cabinet;

/// All compiled stores.
pub fn all() -> impl Iterator<Item = Entry> {
    native().iter().chain(heavy()).copied()
}

/// The store of this name, exactly as in its description.
pub fn find(name: &str) -> Option<Entry> {
    all().find(|entry| (entry.describe)().name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_store_is_found_by_its_name_and_no_other() {
        let names: Vec<String> = all().map(|entry| (entry.describe)().name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "a name is taken twice");
        for name in &names {
            assert_eq!((find(name).unwrap().describe)().name, *name);
        }
        assert!(find("SQLite").is_none() && find("").is_none());
    }
}
