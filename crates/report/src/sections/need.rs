//! The need of a pick or a map.

use crate::document::Block;
use crate::labels::kept_together;

/// The need, as it was understood: keys and values. A key stays on a line with its value.
pub(crate) fn block(need: &[(String, String)]) -> Block {
    let each = |(key, value): &(String, String)| kept_together(&format!("{key} {value}"));
    Block::paragraph_at(1, need.iter().map(each).collect::<Vec<_>>().join(" · "))
}
