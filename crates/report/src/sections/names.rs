//! Stores' names in their colours.

use crate::contender::Contenders;
use crate::document::Text;

/// The name of the store with this key; the key itself if the store is unknown.
pub(crate) fn store(contenders: &Contenders, key: &str) -> Text {
    contenders.get(key).map_or_else(|| Text::plain(key), |each| Text::store(&each.title, each.slot))
}
