//! Stores' names in their colours, and shorter names for tables.

use std::collections::BTreeMap;

use bakeoff_results::contender::Contenders;
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

/// Names of everyone in a table that are shorter where that tells no two apart: first words, with the durability class where the title has
/// it.
pub(crate) fn short_names(table: &Table, contenders: &Contenders) -> BTreeMap<String, String> {
    let first_word = |title: &str| title.split(' ').next().unwrap_or(title).to_owned();
    let titles: Vec<(&String, String)> = table.present.iter().map(|key| (key, contenders.title(key))).collect();
    let is_shared = |word: &str| titles.iter().filter(|(_, title)| first_word(title) == word).count() > 1;
    let short = |(key, title): &(&String, String)| {
        let word = first_word(title);
        // A class behind the name, as in `Berkeley DB (none)`, must not get lost: its first letters stay.
        let class = contenders.get(key).and_then(|each| each.class);
        let class = class.map_or_else(String::new, |class| format!("({})", &class.name()[..2]));
        ((*key).clone(), if is_shared(&word) { title.clone() } else { word + &class })
    };
    titles.iter().map(short).collect()
}
