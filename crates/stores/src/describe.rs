//! Short ways to write what a store says of itself.

use std::collections::BTreeMap;

#[cfg(any(feature = "kyoto-cabinet", feature = "leveldb", feature = "redb"))]
use bakeoff_protocol::NotOffered;
use bakeoff_protocol::{Durability, DurabilitySupport, MemoryShare, MemorySplit, Setting, SettingKind};

/// The classes a store offers: class, how it reaches it, where its documentation says so.
pub(crate) fn classes(offered: &[(Durability, &str, &str)]) -> BTreeMap<Durability, DurabilitySupport> {
    let support = |how: &str, source: &str| DurabilitySupport {
        how: how.to_owned(),
        source: source.to_owned(),
        atomic_batch: None,
        parallel_readers: None,
        parallel_writers: None,
    };
    offered.iter().map(|&(class, how, source)| (class, support(how, source))).collect()
}

/// The classes a store does not offer: class, why, where its documentation says so or what shows it.
#[cfg(any(feature = "kyoto-cabinet", feature = "leveldb", feature = "redb"))]
pub(crate) fn not_offered(classes: &[(Durability, &str, &str)]) -> BTreeMap<Durability, NotOffered> {
    let reason = |why: &str, source: &str| NotOffered { why: why.to_owned(), source: source.to_owned() };
    classes.iter().map(|&(class, why, source)| (class, reason(why, source))).collect()
}

/// A setting of any kind.
pub(crate) fn setting(
    name: &str,
    kind: SettingKind,
    default: Option<serde_json::Value>,
    help: &str,
    source: &str,
) -> Setting {
    let (name, help, source) = (name.to_owned(), help.to_owned(), source.to_owned());
    Setting {
        name,
        kind,
        step: None,
        memory: false,
        default,
        room: None,
        flushing: Vec::new(),
        promises: BTreeMap::new(),
        alone: Vec::new(),
        help,
        source,
    }
}

/// The kind of a setting that is one of a few words.
pub(crate) fn choice(words: &[&str]) -> SettingKind {
    SettingKind::Choice { words: words.iter().map(|&word| word.to_owned()).collect() }
}

/// How a store divides memory: the shares, in words, and where its documentation says so.
pub(crate) fn memory(shares: &[MemoryShare], how: &str, source: &str) -> Option<MemorySplit> {
    Some(MemorySplit { how: how.to_owned(), source: source.to_owned(), shares: shares.to_vec() })
}

/// A part of the memory, in percent, for a setting of which there may be so many pieces.
#[cfg(any(
    feature = "berkeley-db",
    feature = "fjall",
    feature = "kyoto-cabinet",
    feature = "leveldb",
    feature = "redb",
    feature = "rocksdb",
    feature = "sqlite",
    feature = "wiredtiger"
))]
pub(crate) fn share(setting: &str, percent: u32, pieces: u32) -> MemoryShare {
    MemoryShare { setting: setting.to_owned(), percent, pieces, per_thread: false, mapped: false, overhead: None }
}
