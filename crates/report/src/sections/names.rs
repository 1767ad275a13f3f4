//! Stores' names in their colours, and shorter names for tables.

use std::collections::BTreeMap;

use bakeoff_results::contender::{Contender, Contenders, short_titles};
use bakeoff_results::verdict::Table;

use crate::document::Text;

/// The name of the store with this key; the key itself if the store is unknown.
pub(crate) fn store(contenders: &Contenders, key: &str) -> Text {
    store_called(contenders, key, &contenders.title(key))
}

/// The same with another name.
pub(crate) fn store_called(contenders: &Contenders, key: &str, name: &str) -> Text {
    contenders.get(key).map_or_else(|| Text::plain(name), |each| Text::store(name, each.slot))
}

/// Names of everyone in a table that are shorter where that tells no two apart, by key; see [`short_titles`].
pub(crate) fn short_names(table: &Table, contenders: &Contenders) -> BTreeMap<String, String> {
    let (known, unknown): (Vec<_>, Vec<_>) = table.present.iter().partition(|key| contenders.get(key).is_some());
    let present: Vec<&Contender> = known.iter().filter_map(|key| contenders.get(key)).collect();
    let short = known.into_iter().cloned().zip(short_titles(&present));
    short.chain(unknown.into_iter().map(|key| (key.clone(), contenders.title(key)))).collect()
}
