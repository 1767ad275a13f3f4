//! Coloured text, paragraphs and tables within a maximum width.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A space at which paragraphs are not broken.
pub const HARD_SPACE: char = '\u{a0}';

/// Between two columns.
const GAP: &str = "  ";

/// A line of text with coloured parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text(Vec<(String, Style)>);

impl Text {
    /// Text without colour.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::default().and(text, Style::new())
    }

    /// Appends more text.
    pub fn and(mut self, text: impl Into<String>, style: Style) -> Self {
        self.0.push((text.into(), style));
        self
    }

    /// Its width in columns of a terminal.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| text.width()).sum()
    }

    /// The text cut to a width if necessary, with a mark at the cut.
    fn cut(self, width: usize) -> Self {
        if self.width() <= width {
            return self;
        }
        let mut room = width.saturating_sub(1);
        let mut parts = Vec::new();
        for (text, style) in self.0 {
            let kept = prefix(&text, room);
            room -= kept.width().min(room);
            let whole = kept.len() == text.len();
            parts.push((kept.to_owned(), style));
            if !whole {
                break;
            }
        }
        Self(parts).and(if width == 0 { "" } else { "…" }, Style::new())
    }

    fn render(&self, color: bool, out: &mut String) {
        for (text, style) in &self.0 {
            if color && *style != Style::new() {
                out.push_str(&format!("{style}{text}{style:#}"));
            } else {
                out.push_str(text);
            }
        }
    }
}

/// The longest beginning that fits the width.
fn prefix(text: &str, width: usize) -> &str {
    let mut taken = 0;
    for (index, character) in text.char_indices() {
        taken += character.width().unwrap_or(0);
        if taken > width {
            return &text[..index];
        }
    }
    text
}

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table: aligned columns, rows of cells, rules between groups of rows.
#[derive(Clone, Debug)]
pub struct TextTable {
    sides: Vec<Side>,
    rows: Vec<Option<Vec<Text>>>,
}

impl TextTable {
    /// An empty table with these columns.
    pub fn new(sides: Vec<Side>) -> Self {
        Self { sides, rows: Vec::new() }
    }

    /// Adds a row; missing cells stay empty.
    pub fn row(&mut self, cells: Vec<Text>) {
        self.rows.push(Some(cells));
    }

    /// Adds a rule across the table.
    pub fn rule(&mut self) {
        self.rows.push(None);
    }

    /// The width that it needs without cutting.
    pub fn width(&self) -> usize {
        total(&self.widths())
    }

    /// The table as text, at most `width` columns wide and at least as wide as its gaps. Cells are cut where necessary.
    pub fn render(self, width: usize, color: bool) -> String {
        let mut widths = self.widths();
        let gaps = total(&widths) - widths.iter().sum::<usize>();
        lower(&mut widths, width.saturating_sub(gaps));
        let mut out = String::new();
        for row in self.rows {
            match row {
                Some(cells) => render_row(cells, &widths, &self.sides, color, &mut out),
                None => out.push_str(&"─".repeat(total(&widths))),
            }
            out.push('\n');
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.sides.len()];
        for row in self.rows.iter().flatten() {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        widths
    }
}

/// Reduces the widest columns to equal widths until all fit, with a minimum of 1. If equal widths leave columns unused, the first ones get
/// 1 more.
fn lower(widths: &mut [usize], room: usize) {
    let sum = |most: usize| widths.iter().map(|width| *width.min(&most)).sum::<usize>();
    let widest = widths.iter().copied().max().unwrap_or(0);
    if sum(widest) <= room {
        return;
    }
    // The largest width at which all fit, by bisection.
    let (mut fits, mut too_high) = (1, widest);
    while too_high - fits > 1 {
        let middle = fits.midpoint(too_high);
        if sum(middle) <= room { fits = middle } else { too_high = middle }
    }
    let mut left = room.saturating_sub(sum(fits));
    for width in widths.iter_mut().filter(|width| **width > fits) {
        *width = fits + usize::from(left > 0);
        left = left.saturating_sub(1);
    }
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

fn render_row(cells: Vec<Text>, widths: &[usize], sides: &[Side], color: bool, out: &mut String) {
    let mut line = String::new();
    for (index, ((cell, width), side)) in cells.into_iter().zip(widths).zip(sides).enumerate() {
        if index > 0 {
            line.push_str(GAP);
        }
        let cell = cell.cut(*width);
        let padding = " ".repeat(width - cell.width().min(*width));
        if *side == Side::Right {
            line.push_str(&padding);
        }
        cell.render(color, &mut line);
        if *side == Side::Left {
            line.push_str(&padding);
        }
    }
    out.push_str(line.trim_end());
}

/// A paragraph broken into lines of at most `width` columns, with `first` before the first line and `later` before the others.
///
/// Line ends in the text stay. Words wider than a line are broken. Words joined by a no-break space stay on one line.
pub fn paragraph(text: &str, width: usize, first: &str, later: &str) -> String {
    let options = textwrap::Options::new(width)
        .initial_indent(first)
        .subsequent_indent(later)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace);
    let mut out = String::new();
    for line in textwrap::wrap(text, options) {
        out.push_str(&line.trim_end().replace(HARD_SPACE, " "));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_letters() {
        let mut table = TextTable::new(vec![Side::Left, Side::Right]);
        table.row(vec![Text::plain("百"), Text::plain("1")]);
        table.rule();
        table.row(vec![Text::plain("µs"), Text::plain("100")]);
        assert_eq!(table.render(80, false), "百    1\n───────\nµs  100\n");
    }

    #[test]
    fn the_widest_column_gives_way() {
        let mut table = TextTable::new(vec![Side::Left, Side::Left]);
        table.row(vec![Text::plain("a long first cell"), Text::plain("short")]);
        assert_eq!(table.width(), 24);
        assert_eq!(table.render(15, false), "a long …  short\n");
    }

    #[test]
    fn the_widest_columns_are_lowered_together() {
        let lowered = |widths: &[usize], room| {
            let mut widths = widths.to_vec();
            lower(&mut widths, room);
            widths
        };
        assert_eq!(lowered(&[9, 3, 9], 21), [9, 3, 9]);
        assert_eq!(lowered(&[9, 3, 9], 20), [9, 3, 8]);
        assert_eq!(lowered(&[9, 3, 9], 8), [3, 3, 2]);
        assert_eq!(lowered(&[0, 5, 1], 0), [0, 1, 1]);
        assert_eq!(lowered(&[1_000_000_000, 1], 10), [9, 1]);
        assert!(lowered(&[], 0).is_empty());
    }

    #[test]
    fn colour_is_no_width() {
        let red = Style::new().fg_color(Some(anstyle::AnsiColor::Red.into()));
        let text = Text::default().and("ab", red);
        assert_eq!(text.width(), 2);
        let mut out = String::new();
        text.render(true, &mut out);
        assert_eq!(out, "\u{1b}[31mab\u{1b}[0m");
    }

    #[test]
    fn paragraphs_are_broken_and_indented() {
        assert_eq!(paragraph("one two three four", 11, "- ", "  "), "- one two\n  three\n  four\n");
        assert_eq!(paragraph("abcdefghij", 5, "", ""), "abcde\nfghij\n");
        assert_eq!(paragraph("one two\u{a0}3 four", 8, "", ""), "one\ntwo 3\nfour\n");
    }
}
