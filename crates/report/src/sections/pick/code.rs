//! The package of the best store for the user's language, and the lines that open the store as it was measured.

use bakeoff_results::bindings::Binding;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::pick::PICK_ASKED;

use crate::document::{Block, SpanKind, Text};
use crate::sections::pick::picked::Picked;

/// The last round of a store in the race.
pub(crate) fn measured<'a>(picked: &'a Picked<'_>, store: &str) -> Option<&'a CellRound> {
    picked.outcome.cells(PICK_ASKED).filter(|cell| cell.end.axes.store == store && cell.is_ok()).last()
}

/// The package and the lines, the first at a depth; nothing where none is known.
pub(crate) fn blocks(picked: &Picked<'_>, store: &str, depth: usize) -> Vec<Block> {
    let found = measured(picked, store).and_then(|cell| {
        let level = cell.end.axes.durability;
        let binding = Binding::find(store, &picked.facts().languages, level)?;
        Some((binding, binding.code(store, level, &cell.end.opened.as_ref()?.settings)?))
    });
    let Some((binding, lines)) = found else { return Vec::new() };
    let of = format!("{}, with {}", binding.language.title(), binding.package);
    let lead = match (binding.install.as_str(), binding.link.as_str()) {
        ("", _) => Text::plain(&of).and(":"),
        (install, "") => Text::plain(&of).and(": ").and_span(install, SpanKind::Code),
        (install, link) => {
            Text::plain(&of).and(": ").and_span(install, SpanKind::Code).and(", link ").and_span(link, SpanKind::Code)
        }
    };
    vec![Block::paragraph_at(depth, lead), Block::code(lines)]
}
