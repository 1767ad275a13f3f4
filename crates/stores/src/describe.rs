//! Short ways to write what a store says of itself.

use std::collections::BTreeMap;

use bakeoff_protocol::{Durability, DurabilitySupport, Setting, SettingKind};

/// The classes a store offers: class, how it reaches it, where its documentation says so.
pub(crate) fn classes(offered: &[(Durability, &str, &str)]) -> BTreeMap<Durability, DurabilitySupport> {
    let support = |how: &str, source: &str| DurabilitySupport { how: how.to_owned(), source: source.to_owned() };
    offered.iter().map(|&(class, how, source)| (class, support(how, source))).collect()
}

/// A setting of any kind.
pub(crate) fn setting(
    name: &str,
    kind: SettingKind,
    default: Option<serde_json::Value>,
    help: &str,
    source: &str,
) -> Setting {
    Setting { name: name.to_owned(), kind, default, help: help.to_owned(), source: source.to_owned() }
}

/// The kind of a setting that is one of a few words.
pub(crate) fn choice(words: &[&str]) -> SettingKind {
    SettingKind::Choice { words: words.iter().map(|&word| word.to_owned()).collect() }
}
