//! Tables of a document as tables of text, with stores in their colours.

use anstyle::{AnsiColor, Style};
use bakeoff_text::{HARD_SPACE, Side, Text, TextTable};

use crate::colours::style;
use crate::document::{self, Cell, Row, RowGroup, SpanKind, Table};

/// Columns of the longest bar.
const BAR: usize = 30;

/// The first so many rows of a table. Columns that only a picture can show are left out.
pub(crate) fn text_table(of: &Table, shown: usize) -> TextTable {
    let is_drawn = |at: &usize| of.rows().any(|row| matches!(row.cells.get(*at), Some(Cell::Strip { .. })));
    let kept: Vec<usize> = (0..of.columns.len()).filter(|at| !is_drawn(at)).collect();
    let side = |at: &usize| match of.columns[*at].side {
        document::Side::Left => Side::Left,
        document::Side::Right => Side::Right,
    };
    let mut table = TextTable::new(kept.iter().map(side).collect());
    let indent = "  ".repeat(of.depth);
    let has_head = of.columns.iter().any(|column| !column.title.is_empty());
    if has_head {
        table.row(kept.iter().map(|at| text_after(first_only(*at, &indent), &of.columns[*at].title)).collect());
    }
    let mut left = shown;
    for RowGroup { heading, rows } in &of.groups {
        if let Some(heading) = heading.as_ref().filter(|_| left > 0) {
            table.rule();
            table.row(vec![text(heading)]);
        }
        for Row { level, cells } in rows.iter().take(left) {
            let indent = "  ".repeat(of.depth + level);
            let shown = kept.iter().filter_map(|at| Some(cell(first_only(*at, &indent), cells.get(*at)?)));
            table.row(shown.collect());
        }
        left = left.saturating_sub(rows.len());
    }
    table
}

/// Only the first column is indented.
fn first_only(column: usize, indent: &str) -> &str {
    if column == 0 { indent } else { "" }
}

fn cell(indent: &str, of: &Cell) -> Text {
    match of {
        Cell::Text(of) => text_after(indent, of),
        Cell::Bar(part) => Text::plain(format!("{indent}{}", bar(*part))),
        Cell::Strip { .. } => Text::default(),
    }
}

/// A bar and the room behind it.
fn bar(part: f64) -> String {
    let length = (part * BAR as f64).round() as usize;
    // Too little for a block is still something.
    let bar = if length == 0 { "▏".to_owned() } else { "█".repeat(length) };
    format!("{bar}{}", " ".repeat(BAR.saturating_sub(length.max(1))))
}

/// A text with its colours. In a table no space needs to be hard, as nothing is broken there.
pub(crate) fn text(of: &document::Text) -> Text {
    text_after("", of)
}

fn text_after(indent: &str, of: &document::Text) -> Text {
    of.spans.iter().fold(Text::plain(indent), |text, span| {
        let style = match span.kind {
            SpanKind::Plain | SpanKind::Strong | SpanKind::Code => Style::new(),
            SpanKind::Store(slot) => style(slot),
            SpanKind::Good => AnsiColor::Green.on_default(),
            SpanKind::Bad => AnsiColor::Red.on_default().bold(),
        };
        text.and(span.text.replace(HARD_SPACE, " "), style)
    })
}
