//! A document as text: paragraphs that fit the width, tables and lists, indented by their depth.

use std::fmt::Write;

use bakeoff_text::{command_lines, paragraph};

use crate::document::{Block, Document, Fact, Fold, List, Part, Section, Text, Title};
use crate::map_text;
use crate::terminal::matrix;
use crate::terminal::options::TerminalOptions;
use crate::terminal::tables;

/// Columns by which each level is indented.
const INDENT: usize = 2;

/// The narrowest column of names of facts. Most facts then line up from one section to the next.
const NAMES_MIN: usize = 8;

/// The document as text that ends with a line break.
pub(crate) fn document(of: &Document, options: TerminalOptions) -> String {
    let options = &options.wide_enough();
    let mut out = String::new();
    if let Title::Shown(title) = &of.title {
        let parts = [title, &of.started, &of.state].map(Text::to_plain);
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        out.push_str(&hanging(&parts.join(" · "), 0, options));
    }
    blocks(&of.lead, options, &mut out);
    of.sections.iter().filter(|each| each.forms.terminal).for_each(|each| section(each, options, &mut out));
    out
}

/// A section, set apart by an empty line.
fn section(of: &Section, options: &TerminalOptions, out: &mut String) {
    out.push('\n');
    if let Title::Shown(title) = &of.title {
        out.push_str(&hanging(&title.to_plain(), 0, options));
    }
    blocks(&of.blocks, options, out);
}

fn blocks(all: &[Block], options: &TerminalOptions, out: &mut String) {
    all.iter().for_each(|each| block(each, options, out));
}

fn block(of: &Block, options: &TerminalOptions, out: &mut String) {
    match of {
        Block::Heading { depth, text } => out.push_str(&hanging(&text.to_plain(), *depth, options)),
        Block::Paragraph { depth, text } => {
            let indent = indent(*depth);
            out.push_str(&paragraph(&text.to_plain(), options.width, &indent, &indent));
        }
        Block::Note(text) => out.push_str(&hanging(&text.to_plain(), 0, options)),
        Block::Fact(name, value) => {
            let later = " ".repeat(name.len() + 2);
            out.push_str(&paragraph(&value.to_plain(), options.width, &format!("{name}: "), &later));
        }
        Block::List(list) => items(list, options, out),
        Block::Facts(all) => facts(all, options, out),
        Block::Table(table) => {
            let (shown, rest) = shown(table.rows().count(), table.fold.as_ref(), options);
            out.push_str(&tables::render(table, shown, options));
            out.push_str(&rest);
        }
        Block::Matrix(of) => out.push_str(&matrix::render(of, options.width, options.color)),
        Block::Map(of) => out.push_str(&map_text::render(of, options.width, options.color)),
        Block::Code(lines) => {
            out.push('\n');
            lines.iter().for_each(|line| writeln!(out, "{}{line}", indent(1)).unwrap_or_default());
        }
        Block::Hint(text) => out.push_str(&paragraph(&text.to_plain(), options.width, "", "")),
        Block::Gap => out.push('\n'),
    }
}

fn indent(depth: usize) -> String {
    " ".repeat(depth * INDENT)
}

/// A line with a continuation one level deeper.
fn hanging(text: &str, depth: usize, options: &TerminalOptions) -> String {
    paragraph(text, options.width, &indent(depth), &indent(depth + 1))
}

/// How many of `all` entries are shown, and the line for the others.
fn shown(all: usize, fold: Option<&Fold>, options: &TerminalOptions) -> (usize, String) {
    match fold.filter(|_| !options.full) {
        Some(Fold { shown, rest, hint }) => (*shown, hanging(&format!("and {rest}: {hint}"), 1, options)),
        None => (all, String::new()),
    }
}

fn items(list: &List, options: &TerminalOptions, out: &mut String) {
    let (shown, rest) = shown(list.items.len(), list.fold.as_ref(), options);
    for part in list.items.iter().take(shown).flat_map(|item| &item.parts) {
        out.push_str(&match part {
            Part::Text(text) => hanging(&text.to_plain(), 1, options),
            Part::Command(name, command) => {
                command_lines(command, options.width, &format!("{}{name}: ", indent(1)), &indent(2))
            }
        });
    }
    out.push_str(&rest);
}

fn facts(all: &[Fact], options: &TerminalOptions, out: &mut String) {
    let column = all.iter().map(|fact| fact.name.chars().count()).max().unwrap_or(0).max(NAMES_MIN);
    let later = " ".repeat(column + 2 * INDENT);
    for Fact { name, value } in all {
        let first = format!("{}{name:<column$}{}", indent(1), indent(1));
        out.push_str(&match value {
            Part::Text(text) => paragraph(&text.to_plain(), options.width, &first, &later),
            Part::Command(_, command) => command_lines(command, options.width, &first, &later),
        });
    }
}
