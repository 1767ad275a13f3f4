//! The table of stores: one line a store. Everything else finds a store through it.

use crate::Entry;

macro_rules! entry {
    ($store:ident) => {
        Entry { describe: crate::$store::describe, open: crate::$store::open }
    };
}

static NATIVE: &[Entry] = &[
    #[cfg(feature = "sqlite")]
    entry!(sqlite),
    #[cfg(feature = "lmdb")]
    entry!(lmdb),
    #[cfg(feature = "redb")]
    entry!(redb),
    #[cfg(feature = "leveldb")]
    entry!(leveldb),
    #[cfg(feature = "fjall")]
    entry!(fjall),
    #[cfg(feature = "berkeley-db")]
    entry!(berkeley_btree),
    #[cfg(feature = "berkeley-db")]
    entry!(berkeley_hash),
    #[cfg(feature = "kyoto-cabinet")]
    entry!(kyoto_tree),
    #[cfg(feature = "kyoto-cabinet")]
    entry!(kyoto_hash),
    #[cfg(feature = "wiredtiger")]
    entry!(wiredtiger),
    entry!(flat_folder),
    entry!(nested_folder),
    entry!(null),
    entry!(faulty),
];

static HEAVY: &[Entry] = &[
    #[cfg(feature = "rocksdb")]
    entry!(rocksdb),
    #[cfg(feature = "libmdbx")]
    entry!(libmdbx),
];

/// The stores that build in minutes, plain files among them, in the order in which they are listed.
pub fn native() -> &'static [Entry] {
    NATIVE
}

/// The stores that take long to build, or need tools to build that most machines lack.
pub fn heavy() -> &'static [Entry] {
    HEAVY
}

/// Every store that is compiled in.
pub fn all() -> impl Iterator<Item = Entry> {
    NATIVE.iter().chain(HEAVY).copied()
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

    #[test]
    fn every_store_says_where_each_promise_and_default_comes_from() {
        for description in all().map(|entry| (entry.describe)()) {
            assert!(!description.durability.is_empty(), "{}", description.name);
            let promises = description.durability.values().map(|support| &support.source);
            let settings = description.settings.iter().map(|setting| &setting.source);
            let official = |source: &String| source.starts_with("http") || description.test_only;
            assert!(promises.chain(settings).all(official), "{}", description.name);
        }
    }

    #[test]
    fn a_setting_without_a_fixed_default_says_what_it_is_by_default() {
        for description in all().map(|entry| (entry.describe)()).filter(|description| !description.test_only) {
            for setting in description.settings.iter().filter(|setting| setting.default.is_none()) {
                assert!(
                    setting.help.contains("by default"),
                    "{} of {}: {}",
                    setting.name,
                    description.name,
                    setting.help
                );
            }
        }
    }

    #[test]
    fn every_store_says_how_it_divides_memory_among_its_settings() {
        for description in all().map(|entry| (entry.describe)()) {
            let memory = description.memory.expect("memory is divided");
            assert!(memory.source.starts_with("http") || description.test_only, "{}", description.name);
            let is_of_bytes = |share: &bakeoff_protocol::MemoryShare| {
                let of_this_name = |setting: &&bakeoff_protocol::Setting| setting.name == share.setting;
                let setting = description.settings.iter().find(of_this_name);
                setting.is_some_and(|setting| matches!(setting.kind, bakeoff_protocol::SettingKind::Bytes { .. }))
            };
            assert!(memory.shares.iter().all(is_of_bytes), "{}", description.name);
            let percent: u32 = memory.shares.iter().map(|share| share.percent).sum();
            assert!(memory.shares.is_empty() || (80..=100).contains(&percent), "{}", description.name);
        }
    }
}
