//! Reports as Markdown, for a pull request or a note.

use std::io::Write;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::published::Published;
use bakeoff_text::{HARD_SPACE, printable};

use crate::compare::ComparisonReport;
use crate::compare::document::document as comparison;
use crate::detail::Detail;
use crate::document::{
    Block, Cell, Document, Fact, Form, List, Matrix, MatrixField, Part, Section, Side, SpanKind, Table, Text, Title,
};
use crate::error::ReportError;
use crate::labels::doubt;
use crate::map_text;
use crate::published::against::against;
use crate::sections::report;

/// Blocks of the longest bar.
const BAR: usize = 30;

/// What signs in a matrix mean.
const SIGNS: &str = "A = B: tied, within 1.25×. ?: first by its figure, not proven. alone: no other was measured.";

/// Columns of a map, which is text in Markdown too.
const MAP_COLUMNS: usize = 80;

/// Writes the run's report as Markdown. With a publication, it also compares the run with that.
///
/// # Errors
/// `out` takes no more; or the run cannot be set next to the publication.
pub fn write_markdown(of: &Analysis, published: Option<&Published>, out: &mut dyn Write) -> Result<(), ReportError> {
    let beside = published.map(|published| against(of, published, Detail::Usual)).transpose()?;
    let mut text = String::new();
    document(&report(of, Detail::Usual, Form::Markdown), 1, &mut text);
    beside.iter().for_each(|beside| document(beside, 2, &mut text));
    Ok(out.write_all(text.as_bytes())?)
}

/// Writes the comparison as Markdown.
///
/// # Errors
/// `out` takes no more.
pub fn write_comparison_markdown(of: &ComparisonReport, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut text = String::new();
    document(&comparison(of, Detail::Usual), 1, &mut text);
    Ok(out.write_all(text.as_bytes())?)
}

/// A document with its title as a heading of this level.
fn document(of: &Document, level: usize, out: &mut String) {
    title(&of.title, level, out);
    if !of.state.is_empty() {
        paragraph(&format!("**{}**", inline(&of.state)), out);
    }
    blocks(&of.lead, level + 1, out);
    for Section { title: name, blocks: all, .. } in of.sections.iter().filter(|section| section.forms.markdown) {
        title(name, level + 1, out);
        blocks(all, level + 2, out);
    }
}

fn title(of: &Title, level: usize, out: &mut String) {
    if let Some(text) = of.text() {
        paragraph(&format!("{} {}", "#".repeat(level), inline(text)), out);
    }
}

/// A block with an empty line before it.
fn paragraph(text: &str, out: &mut String) {
    if !text.is_empty() {
        let gap = if out.is_empty() { "" } else { "\n" };
        out.push_str(&format!("{gap}{text}\n"));
    }
}

fn blocks(all: &[Block], level: usize, out: &mut String) {
    for block in all {
        match block {
            Block::Heading { depth, text } => {
                paragraph(&format!("{} {}", "#".repeat(level + depth), inline(text)), out);
            }
            Block::Paragraph { text, .. } => paragraph(&inline(text), out),
            Block::Note(text) => paragraph(&format!("**{}**", inline(text)), out),
            Block::Fact(name, value) => paragraph(&format!("**{name}:** {}", inline(value)), out),
            Block::List(of) => paragraph(&list(of), out),
            Block::Facts(all) => paragraph(&facts(all), out),
            Block::Table(of) => paragraph(&table(of), out),
            Block::Matrix(of) => {
                paragraph(&matrix(of), out);
                paragraph(&escape(SIGNS), out);
            }
            Block::Map(of) => paragraph(&code(&map_text::render(of, MAP_COLUMNS, false)), out),
            Block::Code(lines) => paragraph(&code(&lines.join("\n")), out),
            Block::Hint(_) | Block::Gap => {}
        }
    }
}

/// A text in a line.
fn inline(of: &Text) -> String {
    let span = |text: &str, kind| match kind {
        SpanKind::Strong | SpanKind::Bad => format!("**{}**", escape(text)),
        SpanKind::Code => quoted(text),
        SpanKind::Plain | SpanKind::Store(_) | SpanKind::Good => escape(text),
    };
    of.spans.iter().map(|each| span(&each.text, each.kind)).collect()
}

/// All entries of a list, its commands as code.
fn list(of: &List) -> String {
    let items = of.items.iter().map(|item| {
        let parts: Vec<String> = item.parts.iter().map(part).collect();
        format!("- {}", parts.join("<br>"))
    });
    items.collect::<Vec<_>>().join("\n")
}

fn part(of: &Part) -> String {
    match of {
        Part::Text(text) => inline(text),
        Part::Command("", command) => quoted(command),
        Part::Command(name, command) => format!("{}: {}", escape(name), quoted(command)),
    }
}

fn facts(all: &[Fact]) -> String {
    let lines = all.iter().map(|fact| format!("- **{}:** {}", escape(&fact.name), part(&fact.value)));
    lines.collect::<Vec<_>>().join("\n")
}

/// A table with all its rows. A heading of a group is a separate row; columns that only a picture can show are left
/// out.
fn table(of: &Table) -> String {
    let is_drawn = |at: &usize| of.rows().any(|row| matches!(row.cells.get(*at), Some(Cell::Strip { .. })));
    let kept: Vec<usize> = (0..of.columns.len()).filter(|at| !is_drawn(at)).collect();
    let heads: Vec<String> = kept.iter().map(|at| inline(&of.columns[*at].title)).collect();
    let rule = kept.iter().map(|at| if of.columns[*at].side == Side::Right { "--:|" } else { "---|" });
    let mut lines = vec![row(&heads), format!("|{}", rule.collect::<String>())];
    for group in &of.groups {
        lines.extend(group.heading.as_ref().map(|heading| row(&[format!("**{}**", inline(heading))])));
        lines.extend(group.rows.iter().map(|each| {
            let cells: Vec<String> = kept.iter().map(|at| each.cells.get(*at).map_or_else(String::new, cell)).collect();
            row(&cells)
        }));
    }
    lines.join("\n")
}

fn cell(of: &Cell) -> String {
    match of {
        Cell::Text(text) => inline(text),
        // Too little for a block is still something.
        Cell::Bar(part) if part * (BAR as f64) < 0.5 => "▏".to_owned(),
        Cell::Bar(part) => "█".repeat((part * BAR as f64).round() as usize),
        Cell::Strip { .. } => String::new(),
    }
}

/// Who is best in each workload: a row a measure and size, a column a data type and number of records.
fn matrix(of: &Matrix) -> String {
    let columns = of.columns.iter().map(|column| escape(format!("{} {}", column.data, column.records).trim()));
    let heads: Vec<String> = ["measure", "values"].map(str::to_owned).into_iter().chain(columns).collect();
    let mut lines = vec![row(&heads), format!("|{}", "---|".repeat(heads.len()))];
    for measure in &of.measures {
        lines.extend(measure.rows.iter().map(|each| {
            let names = [measure.name.as_str(), each.sizes.as_str()].map(escape);
            let fields =
                each.fields.iter().map(|field| field.as_ref().map_or_else(String::new, |of_it| best(of, of_it)));
            row(&names.into_iter().chain(fields).collect::<Vec<_>>())
        }));
    }
    lines.join("\n")
}

fn best(of: &Matrix, field: &MatrixField) -> String {
    let text = match field {
        MatrixField::Ranked { first, verdict, figure, .. } => {
            let names: Vec<&str> = first.iter().map(|place| of.stores[*place].title.as_str()).collect();
            let doubt = doubt(*verdict);
            format!("{}{doubt} {figure}", names.join(" = "))
        }
        MatrixField::Failed => "failed".to_owned(),
        MatrixField::NotRanked => "not ranked".to_owned(),
        MatrixField::NotOffered => "n/a".to_owned(),
    };
    escape(&text)
}

/// A row of cells that are Markdown already.
fn row(cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!(" {cell} |")).collect();
    format!("|{cells}")
}

/// Lines as they are.
fn code(text: &str) -> String {
    // Names in it may be foreign.
    format!("```text\n{}\n```", text.replace("```", "`\u{200b}`\u{200b}`"))
}

/// A command as code within a line: between more backticks than it has in a row.
fn quoted(command: &str) -> String {
    let longest = command.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    // In a table it would end a cell, but no table contains lists.
    format!("{ticks}{pad}{command}{pad}{ticks}")
}

/// A text that Markdown, and HTML inside it, take for a text.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' | '$' => safe.extend(['\\', character]),
            HARD_SPACE => safe.push(' '),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        let evil = "<img src=x> [a](javascript:b) `c` *d* | e \u{1b}[1m\n# f";
        assert_eq!(escape(evil), "&lt;img src=x> \\[a\\](javascript:b) \\`c\\` \\*d\\* \\| e \\\\u{1b}\\[1m\\\\n\\# f");
        assert_eq!(row(&["a|b", "c"].map(escape)), "| a\\|b | c |");
        assert_eq!(quoted("a `b`"), "`` a `b` ``");
    }
}
