//! A document as HTML: headings, paragraphs, lists, tables. Only here do blocks become markup.

use maud::{Markup, Render, html};

use crate::document::{
    Block, Cell, Column, Fact, Fold, Item, List, Matrix, MatrixField, MatrixMeasure, MatrixRow, MatrixStore, Part, Row,
    RowGroup, Section, Side, SpanKind, Table, Text,
};
use crate::labels::doubt;
use crate::page::html::{joined, scrolled, store_called};
use crate::page::map;
use crate::page::scale::{RatioScale, strip};

/// A table of more columns is cut into blocks where there is little room.
const COLUMNS_NARROW: usize = 5;

impl Render for Text {
    fn render_to(&self, buffer: &mut String) {
        for span in &self.spans {
            let text = &span.text;
            let markup = match span.kind {
                SpanKind::Plain => html! { (text) },
                SpanKind::Store(slot) => store_called(text, slot),
                SpanKind::Strong => html! { b { (text) } },
                SpanKind::Code => html! { code { (text) } },
                SpanKind::Good => html! { span.good { (text) } },
                SpanKind::Bad => html! { span.bad { (text) } },
            };
            buffer.push_str(&markup.0);
        }
    }
}

/// Sections below each other, each with its title as a heading of the third level.
pub(crate) fn sections<'a>(all: impl IntoIterator<Item = &'a Section>) -> Markup {
    html! {
        @for section in all {
            @if let Some(title) = section.title.text() { h3 { (title) } }
            (blocks(&section.blocks))
        }
    }
}

/// Blocks below each other.
pub(crate) fn blocks(all: &[Block]) -> Markup {
    html! { @for of in all { (block(of)) } }
}

/// What a section's paragraphs say, to stand inside a heading or a hint, in which nothing stands out.
pub(crate) fn prose(of: &Section) -> String {
    let text = |block: &Block| match block {
        Block::Paragraph { text, .. } => Some(text.to_plain()),
        _ => None,
    };
    of.blocks.iter().filter_map(text).collect()
}

fn block(of: &Block) -> Markup {
    match of {
        Block::Heading { text, .. } => html! { h4 { (text) } },
        Block::Paragraph { text, .. } => html! { p { (text) } },
        Block::Note(text) => html! { p.few { (text) } },
        Block::Fact(name, value) => html! { p { b { (name) ": " } (value) } },
        Block::List(list) => items(list),
        Block::Facts(all) => facts(all),
        Block::Table(of) => folded_table(of),
        Block::Matrix(of) => matrix(of),
        Block::Map(of) => map::map(of),
        Block::Code(lines) => html! { pre.code.whole tabindex="0" { (lines.join("\n")) } },
        Block::Hint(_) | Block::Gap => html! {},
    }
}

fn items(of: &List) -> Markup {
    let shown = of.fold.as_ref().map_or(of.items.len(), |fold| fold.shown.min(of.items.len()));
    let list = |items: &[Item]| {
        let item = |item: &Item| {
            let parts: Vec<Markup> = item.parts.iter().map(part).collect();
            html! { li { (joined(&parts, " · ")) } }
        };
        html! { ul { @for each in items { (item(each)) } } }
    };
    html! { (list(&of.items[..shown])) (folded(of.fold.as_ref(), list(&of.items[shown..]))) }
}

/// What a fold leaves out at first; nothing without one.
fn folded(fold: Option<&Fold>, rest: Markup) -> Markup {
    html! { @if let Some(fold) = fold { details.more { summary { (fold.rest) } (rest) } } }
}

fn part(of: &Part) -> Markup {
    match of {
        Part::Text(text) => html! { (text) },
        Part::Command("", command) => html! { code { (command) } },
        Part::Command(name, command) => html! { (name) " " code { (command) } },
    }
}

fn facts(all: &[Fact]) -> Markup {
    html! { dl.facts { @for Fact { name, value } in all { dt { (name) } dd { (part(value)) } } } }
}

/// A table, and a second table that opens on demand for the rows beyond its fold.
fn folded_table(of: &Table) -> Markup {
    let shown = of.fold.as_ref().map_or(usize::MAX, |fold| fold.shown);
    let (mut first, mut rest, mut left) = (Vec::new(), Vec::new(), shown);
    for group in &of.groups {
        let (shown, folded) = group.rows.split_at(group.rows.len().min(left));
        left -= shown.len();
        first.extend((!shown.is_empty()).then_some((group, shown)));
        rest.extend((!folded.is_empty()).then_some((group, folded)));
    }
    html! { (table(of, &first)) (folded(of.fold.as_ref(), table(of, &rest))) }
}

/// Some rows of a table, by group.
fn table(of: &Table, groups: &[(&RowGroup, &[Row])]) -> Markup {
    let rows = || groups.iter().flat_map(|(_, rows)| *rows);
    let scales: Vec<Option<RatioScale>> = (0..of.columns.len())
        .map(|at| {
            let ratios = rows().filter_map(|row| match row.cells.get(at) {
                Some(Cell::Strip { ratio, .. }) => Some(*ratio),
                _ => None,
            });
            RatioScale::of(ratios)
        })
        .collect();
    let has_head = of.columns.iter().any(|column| !column.title.is_empty());
    let class = match scales.iter().any(Option::is_some) {
        true => "standings changes",
        false if is_wide(of) => "block wide",
        false => "block",
    };
    scrolled(html! {
        table class=(class) {
            @if has_head {
                thead { tr { @for (column, scale) in of.columns.iter().zip(&scales) { (head(column, scale.as_ref())) } } }
            }
            @for (group, rows) in groups {
                tbody {
                    @if let Some(heading) = &group.heading {
                        tr.group { th scope="rowgroup" colspan=(of.columns.len()) { (heading) } }
                    }
                    @for row in *rows { (table_row(of, row, &scales)) }
                }
            }
        }
    })
}

/// Whether each figure of a table has its column's title with it, for screens on which a row is a block.
fn is_wide(of: &Table) -> bool {
    of.columns.len() > COLUMNS_NARROW
}

fn head(of: &Column, scale: Option<&RatioScale>) -> Markup {
    match scale {
        Some(scale) => html! { th.scale scope="col" { (scale.ticks()) } },
        None => html! { th.number[of.side == Side::Right] scope="col" { (of.title) } },
    }
}

fn table_row(of: &Table, row: &Row, scales: &[Option<RatioScale>]) -> Markup {
    let missing = Cell::Text(Text::default());
    html! {
        tr {
            @for (at, (column, scale)) in of.columns.iter().zip(scales).enumerate() {
                @let cell = cell(row.cells.get(at).unwrap_or(&missing), scale.as_ref());
                @if at == 0 {
                    th class=[level(row.level)] scope="row" { (cell) }
                } @else if scale.is_some() {
                    td.scale { (cell) }
                } @else {
                    td.number[column.side == Side::Right] data-label=[is_wide(of).then(|| column.title.to_plain())] { (cell) }
                }
            }
        }
    }
}

/// The class of a name that stands below the level of its group.
fn level(of: usize) -> Option<&'static str> {
    match of {
        0 => None,
        1 => Some("part"),
        _ => Some("part of-part"),
    }
}

fn cell(of: &Cell, scale: Option<&RatioScale>) -> Markup {
    match of {
        Cell::Text(text) => html! { (text) },
        Cell::Bar(part) => html! { i.bar style=(format!("width:{:.1}%", part * 100.0)) {} },
        Cell::Strip { ratio: Some(ratio), slot } => {
            html! { @if let Some(scale) = scale { (strip(scale, *ratio, *slot)) } }
        }
        Cell::Strip { ratio: None, .. } => html! {},
    }
}

/// A matrix as a table whose fields name stores by their titles.
fn matrix(of: &Matrix) -> Markup {
    html! {
        (scrolled(html! {
            table.block {
                thead { tr {
                    th scope="col" {}
                    th scope="col" {}
                    @for column in &of.columns { th scope="col" { (column.data) " " (column.records) } }
                } }
                @for measure in &of.measures { tbody { (matrix_rows(of, measure)) } }
            }
        }))
        p.hint { (of.meaning) }
    }
}

fn matrix_rows(of: &Matrix, measure: &MatrixMeasure) -> Markup {
    html! {
        @for (at, MatrixRow { sizes, fields, .. }) in measure.rows.iter().enumerate() {
            tr {
                @if at == 0 { th scope="rowgroup" rowspan=(measure.rows.len()) { (measure.name) } }
                th scope="row" { (sizes) }
                @for field in fields { td { (matrix_field(of, field.as_ref())) } }
            }
        }
    }
}

fn matrix_field(of: &Matrix, field: Option<&MatrixField>) -> Markup {
    match field {
        None => html! {},
        Some(MatrixField::Failed) => html! { span.failed { "failed" } },
        Some(MatrixField::NotRanked) => html! { "not ranked" },
        Some(MatrixField::NotOffered) => html! { "n/a" },
        Some(MatrixField::Ranked { first, verdict, figure, .. }) => {
            let name = |store: &MatrixStore| match store.slot {
                Some(slot) => store_called(&store.title, slot),
                None => html! { (store.title) },
            };
            let first: Vec<Markup> = first.iter().filter_map(|at| of.stores.get(*at)).map(name).collect();
            html! { (joined(&first, " = ")) (doubt(*verdict)) " " (figure) }
        }
    }
}
