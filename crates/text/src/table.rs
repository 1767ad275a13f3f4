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

    /// The text in lines of at most `width` columns, broken between words. A wider word has a line of its own.
    fn lines(self, width: usize) -> Vec<Self> {
        if self.width() <= width {
            return vec![self];
        }
        let mut words = vec![Self::default()];
        for (text, style) in self.0 {
            for (at, piece) in text.split(' ').enumerate() {
                if at > 0 {
                    words.push(Self::default());
                }
                if let Some(word) = words.last_mut().filter(|_| !piece.is_empty()) {
                    word.0.push((piece.to_owned(), style));
                }
            }
        }
        words.truncate(words.iter().rposition(|word| word.width() > 0).map_or(1, |last| last + 1));
        let mut lines: Vec<Self> = Vec::new();
        for word in words {
            match lines.last_mut().filter(|line| line.width() + 1 + word.width() <= width) {
                Some(line) => line.0.extend([(" ".to_owned(), Style::new())].into_iter().chain(word.0)),
                None => lines.push(word),
            }
        }
        lines
    }

    /// The width of the widest word. That of the first word includes the indentation.
    fn width_min(&self) -> usize {
        let whole: String = self.0.iter().map(|(text, _)| text.as_str()).collect();
        let indent = whole.len() - whole.trim_start_matches(' ').len();
        let words = whole.trim_matches(' ').split(' ').enumerate();
        words.map(|(at, word)| word.width() + if at == 0 { indent } else { 0 }).max().unwrap_or(0)
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
            let text = text.replace(HARD_SPACE, " ");
            if color && *style != Style::new() {
                out.push_str(&format!("{style}{text}{style:#}"));
            } else {
                out.push_str(&text);
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

    /// The smallest width at which no figure is broken and no word is cut.
    pub fn width_min(&self) -> usize {
        total(&self.widths_min())
    }

    /// The table as text, at most `width` columns wide and at least as wide as its gaps. Cells on the left are broken between words where
    /// necessary. Figures, and words that are too wide, are cut.
    pub fn render(self, width: usize, color: bool) -> String {
        let mut widths = self.widths();
        let gaps = total(&widths) - widths.iter().sum::<usize>();
        let room = width.saturating_sub(gaps);
        lower(&mut widths, &self.widths_min(), room);
        lower(&mut widths, &vec![1; self.sides.len()], room);
        let mut out = String::new();
        for row in self.rows {
            match row {
                Some(cells) => render_row(cells, &widths, &self.sides, color, &mut out),
                None => {
                    out.push_str(&"─".repeat(total(&widths)));
                    out.push('\n');
                }
            }
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        self.widths_by(|_, cell| cell.width())
    }

    fn widths_min(&self) -> Vec<usize> {
        self.widths_by(|side, cell| if side == Side::Left { cell.width_min() } else { cell.width() })
    }

    fn widths_by(&self, width_of: impl Fn(Side, &Text) -> usize) -> Vec<usize> {
        let mut widths = vec![0; self.sides.len()];
        for row in self.rows.iter().flatten() {
            for ((width, side), cell) in widths.iter_mut().zip(&self.sides).zip(row) {
                *width = (*width).max(width_of(*side, cell));
            }
        }
        widths
    }
}

/// Reduces the widest columns to equal widths until all fit, each to its minimum in `least`. If equal widths leave columns unused, the first
/// ones get 1 more.
fn lower(widths: &mut [usize], least: &[usize], room: usize) {
    let sum = |widths: &[usize], most: usize| -> usize {
        widths.iter().zip(least).map(|(width, least)| *width.min(&most.max(*least))).sum()
    };
    let widest = widths.iter().copied().max().unwrap_or(0);
    if sum(widths, widest) <= room {
        return;
    }
    // The largest width at which all fit, by bisection.
    let (mut fits, mut too_high) = (1, widest);
    while too_high - fits > 1 {
        let middle = fits.midpoint(too_high);
        if sum(widths, middle) <= room { fits = middle } else { too_high = middle }
    }
    let mut left = room.saturating_sub(sum(widths, fits));
    for (width, least) in widths.iter_mut().zip(least).filter(|(width, _)| **width > fits) {
        let more = usize::from(left > 0 && *least <= fits);
        *width = (*width).min(fits.max(*least)) + more;
        left -= more;
    }
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

fn render_row(cells: Vec<Text>, widths: &[usize], sides: &[Side], color: bool, out: &mut String) {
    let cells: Vec<Vec<Text>> = cells.into_iter().zip(widths).map(|(cell, width)| cell.lines(*width)).collect();
    for at in 0..cells.iter().map(Vec::len).max().unwrap_or(1) {
        let mut line = String::new();
        for (index, ((cell, width), side)) in cells.iter().zip(widths).zip(sides).enumerate() {
            if index > 0 {
                line.push_str(GAP);
            }
            let cell = cell.get(at).cloned().unwrap_or_default().cut(*width);
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
        out.push('\n');
    }
}

/// A paragraph broken into lines of at most `width` columns, with `first` before the first line and `later` before the others.
///
/// Line ends in the text stay. No word is broken: a wider one, such as a path, exceeds its line. Words joined by a no-break space stay on
/// one line if it is wide enough.
pub fn paragraph(text: &str, width: usize, first: &str, later: &str) -> String {
    let options = textwrap::Options::new(width)
        .initial_indent(first)
        .subsequent_indent(later)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .word_separator(textwrap::WordSeparator::AsciiSpace);
    let room = width.saturating_sub(first.width().max(later.width()));
    let parted = |word: &str| if word.width() > room { word.replace(HARD_SPACE, " ") } else { word.to_owned() };
    let text = text.split(' ').map(parted).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for line in textwrap::wrap(&text, options) {
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
        assert_eq!((table.width(), table.width_min()), (24, 12));
        assert_eq!(table.clone().render(15, false), "a long    short\nfirst\ncell\n");
        assert_eq!(table.render(8, false), "a    sh…\nlo…\nfi…\nce…\n");
    }

    #[test]
    fn a_figure_is_not_broken_and_what_is_indented_stays_so() {
        let mut table = TextTable::new(vec![Side::Left, Side::Right]);
        table.row(vec![Text::plain("  Berkeley DB").and(" hash", Style::new()), Text::plain("1.15 ms")]);
        assert_eq!(table.width_min(), 19);
        assert_eq!(table.render(19, false), "  Berkeley  1.15 ms\nDB hash\n");
    }

    #[test]
    fn the_widest_columns_are_lowered_together() {
        let lowered = |widths: &[usize], room| {
            let mut widths = widths.to_vec();
            let least = vec![1; widths.len()];
            lower(&mut widths, &least, room);
            widths
        };
        assert_eq!(lowered(&[9, 3, 9], 21), [9, 3, 9]);
        assert_eq!(lowered(&[9, 3, 9], 20), [9, 3, 8]);
        assert_eq!(lowered(&[9, 3, 9], 8), [3, 3, 2]);
        assert_eq!(lowered(&[0, 5, 1], 0), [0, 1, 1]);
        assert_eq!(lowered(&[1_000_000_000, 1], 10), [9, 1]);
        assert!(lowered(&[], 0).is_empty());
        let mut widths = [16, 7, 7, 9];
        lower(&mut widths, &[8, 7, 7, 2], 30);
        assert_eq!(widths, [8, 7, 7, 8]);
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
        assert_eq!(paragraph("ab abcdefghij cd", 5, "", ""), "ab\nabcdefghij\ncd\n");
        assert_eq!(paragraph("a\u{a0}b\u{a0}c\u{a0}d", 3, "", ""), "a b\nc d\n");
        assert_eq!(paragraph("one two\u{a0}3 four", 8, "", ""), "one\ntwo 3\nfour\n");
    }
}
