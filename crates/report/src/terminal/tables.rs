//! Tables of a document as tables of text, with stores in their colours.

use anstyle::{AnsiColor, Style};
use bakeoff_text::{HARD_SPACE, Side, Text, TextTable};

use crate::colours::style;
use crate::document::{self, Cell, Row, RowGroup, SpanKind, Table};
use crate::terminal::options::TerminalOptions;

/// Columns of the longest bar.
const BAR: usize = 30;

/// The first `shown` rows of a table. Columns that only a picture can show are left out. Where the others have no room
/// next to each other, optional ones are counted. The rest are in several tables below each other, each with the names
/// of the rows.
pub(crate) fn render(of: &Table, shown: usize, options: &TerminalOptions) -> String {
    let is_drawn = |at: &usize| of.rows().any(|row| matches!(row.cells.get(*at), Some(Cell::Strip { .. })));
    let kept: Vec<usize> = (0..of.columns.len()).filter(|at| !is_drawn(at)).collect();
    let whole = text_table(of, &kept, shown, None);
    if let Some(fixed) = of.columns_fixed.filter(|_| whole.width() > options.width) {
        return with_room(of, &kept, fixed, shown, options);
    }
    let names = kept.iter().take_while(|at| of.columns[**at].side == document::Side::Left).count();
    if whole.width_min() <= options.width || names == kept.len() {
        return whole.render(options.width, options.color);
    }
    let (names, figures) = kept.split_at(names);
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for at in figures {
        let wider = parts.last().map(|part| [&part[..], &[*at]].concat());
        match wider.filter(|part| text_table(of, part, shown, None).width_min() <= options.width) {
            Some(wider) => {
                parts.pop();
                parts.push(wider);
            }
            None => parts.push([names, &[*at]].concat()),
        }
    }
    let parts = parts.iter().map(|part| text_table(of, part, shown, None).render(options.width, options.color));
    parts.collect::<Vec<_>>().join("\n")
}

/// The table with the required columns, and with the optional ones that fit.
fn with_room(of: &Table, kept: &[usize], fixed: usize, shown: usize, options: &TerminalOptions) -> String {
    let part = |columns: usize| text_table(of, &kept[..columns], shown, Some(kept.len() - columns));
    let columns = (fixed.min(kept.len())..kept.len()).rev().find(|columns| part(*columns).width() <= options.width);
    part(columns.unwrap_or(fixed.min(kept.len()))).render(options.width, options.color)
}

/// The first `shown` rows with these columns, and with the number of omitted ones.
fn text_table(of: &Table, kept: &[usize], shown: usize, left_out: Option<usize>) -> TextTable {
    let side = |at: &usize| match of.columns[*at].side {
        document::Side::Left => Side::Left,
        document::Side::Right => Side::Right,
    };
    let mut table = TextTable::new(kept.iter().map(side).chain(left_out.map(|_| Side::Left)).collect());
    let indent = "  ".repeat(of.depth);
    let has_head = of.columns.iter().any(|column| !column.title.is_empty());
    if has_head {
        let heads = kept.iter().map(|at| text_after(first_only(*at, &indent), &of.columns[*at].title));
        let rest = left_out.map(|columns| Text::plain(format!("…{columns}{HARD_SPACE}more")));
        table.row(heads.chain(rest).collect());
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

/// A text with its colours. In a cell no space needs to be hard: words go below each other only where there is no other room.
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
