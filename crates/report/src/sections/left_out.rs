//! What the plan skipped, and what there was no time for.

use serde_json::Value;

use crate::document::{Block, Fold, Item, List, Section, SectionId};
use crate::run::Run;

/// Entries that are shown unasked.
const SHOWN: usize = 5;

/// The sections that have something to say.
pub(crate) fn sections(run: &Run) -> Vec<Section> {
    let of = |id, title, key| {
        let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
        let item = |entry: &Value| Item::text(format!("{}: {}", text(entry, "what"), text(entry, "why")));
        let items: Vec<Item> = run.list(key).iter().map(item).collect();
        let fold = Fold::after(SHOWN, items.len(), "`--full` lists all");
        let blocks = if items.is_empty() { Vec::new() } else { vec![Block::List(List { items, fold })] };
        Section::titled(id, title, blocks)
    };
    let skipped = of(SectionId::Skipped, "Skipped", "skipped");
    skipped.into_iter().chain(of(SectionId::GivenUp, "Given up", "given_up")).collect()
}
