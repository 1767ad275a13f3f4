//! Stores' names in their colours, and shorter names for tables.

use std::collections::BTreeMap;

use bakeoff_protocol::Durability;
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

/// Names of everyone in a table that are shorter where that tells no two apart, by key; see [`short_titles`].
pub(crate) fn short_names(table: &Table, contenders: &Contenders) -> BTreeMap<String, String> {
    let titles: Vec<String> = table.present.iter().map(|key| contenders.title(key)).collect();
    let classes = table.present.iter().map(|key| contenders.get(key).and_then(|each| each.class));
    let titled: Vec<_> = titles.iter().map(String::as_str).zip(classes).collect();
    table.present.iter().cloned().zip(short_titles(&titled)).collect()
}

/// The first words of titles where they are no other's, with the durability class that is a part of the title; else the whole title.
pub(crate) fn short_titles(titles: &[(&str, Option<Durability>)]) -> Vec<String> {
    let first_word = |title: &str| title.split(' ').next().unwrap_or(title).to_owned();
    let is_shared = |word: &str| titles.iter().filter(|(title, _)| first_word(title) == word).count() > 1;
    let short = |(title, class): &(&str, Option<Durability>)| {
        let word = first_word(title);
        // A class behind the name, as in `Berkeley DB (none)`, must not get lost: its first letters stay.
        let class = class.map_or_else(String::new, |class| format!("({})", &class.name()[..2]));
        if is_shared(&word) { (*title).to_owned() } else { word + &class }
    };
    titles.iter().map(short).collect()
}
