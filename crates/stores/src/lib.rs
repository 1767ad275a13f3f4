//! The stores that bakeoff comes with: one file each, and one line each in the tables below.
//!
//! The crate `bakeoff-store` has the trait that they implement and says what an adapter owes. A store that is no part of bakeoff
//! is a crate over that one too, without this.

use bakeoff_store::Entry;

/// Makes a module and an entry of a table from each line. A build without the feature after `if` leaves the store out.
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
    /// The stores that build in minutes, plain files among them, in the order in which they are listed.
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
    /// The stores that take long to build, or need tools to build that most machines lack.
    heavy:
    rocksdb if "rocksdb",
    libmdbx if "libmdbx",
}

// What several of these stores share.
#[cfg(feature = "berkeley-db")]
mod berkeley_db;
mod files;
#[cfg(feature = "kyoto-cabinet")]
mod kyoto_cabinet;

/// Every store that is compiled in.
pub fn all() -> impl Iterator<Item = Entry> {
    native().iter().chain(heavy()).copied()
}

/// The store of this name, exactly as its description gives it.
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
