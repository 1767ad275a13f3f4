//! Errors in suites and flags. Each shows its place, the nearest right word, and how to fix it.

use std::fmt;
use std::ops::Range;

use bakeoff_text::{format_count, nearest};

use crate::place::Place;

/// Errors shown at once. Of further ones, only the number is shown.
const SHOWN_MAX: usize = 20;

/// Errors kept with their lines. A file with a million mistakes must be refused quickly.
const KEPT_MAX: usize = 100;

/// Characters shown of a source line.
const EXCERPT_CHARACTERS: usize = 110;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteError {
    origin: Origin,
    message: String,
    nearest: Option<String>,
    help: String,
}

/// Where the mistake is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Line(Excerpt),
    Flag { flag: String, value: String },
    File(String),
}

/// A line of the suite, and the mistake in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Excerpt {
    file: String,
    line: usize,
    column: usize,
    text: String,
    caret_start: usize,
    caret_length: usize,
}

impl SuiteError {
    /// The description of the mistake, without its place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The line, from 1. `None` if a flag or the file as a whole is wrong.
    pub fn line(&self) -> Option<usize> {
        match &self.origin {
            Origin::Line(excerpt) => Some(excerpt.line),
            _ => None,
        }
    }

    /// The nearest right word.
    pub fn nearest(&self) -> Option<&str> {
        self.nearest.as_deref()
    }

    /// How to fix it.
    pub fn help(&self) -> &str {
        &self.help
    }
}

impl fmt::Display for SuiteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut margin = 1;
        match &self.origin {
            Origin::File(file) => write!(formatter, "{file}: {}", self.message)?,
            Origin::Flag { flag, value } => write!(formatter, "--{flag} {value}: {}", self.message)?,
            Origin::Line(excerpt) => {
                margin = excerpt.line.to_string().len();
                write!(formatter, "{}:{}:{}: {}", excerpt.file, excerpt.line, excerpt.column, self.message)?;
                let carets = "^".repeat(excerpt.caret_length);
                write!(formatter, "\n{:margin$} |\n{} | {}", "", excerpt.line, excerpt.text)?;
                write!(formatter, "\n{:margin$} | {:2$}{carets}", "", "", excerpt.caret_start)?;
            }
        }
        if let Some(nearest) = &self.nearest {
            write!(formatter, "\n{:margin$} = did you mean `{nearest}`?", "")?;
        }
        write!(formatter, "\n{:margin$} = help: {}", "", self.help)
    }
}

impl std::error::Error for SuiteError {}

/// All mistakes, in the order of the file. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteErrors {
    errors: Vec<SuiteError>,
    /// Errors that were not kept.
    omitted: usize,
}

impl SuiteErrors {
    /// The mistakes, flags first, then in the order of the file; at most 100.
    pub fn errors(&self) -> &[SuiteError] {
        &self.errors
    }

    /// The same errors; `help` replaces the help for the mistakes in this flag.
    pub(crate) fn with_help_for(mut self, wrong: &str, help: &str) -> Self {
        for error in &mut self.errors {
            if matches!(&error.origin, Origin::Flag { flag, .. } if flag == wrong) {
                help.clone_into(&mut error.help);
            }
        }
        self
    }

    /// One error about a file as a whole.
    pub(crate) fn of_file(file: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        let mut problems = Problems::default();
        problems.add(&Place::File, message, help);
        problems.into_errors(file, "")
    }
}

impl fmt::Display for SuiteErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().take(SHOWN_MAX).enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(formatter, "{gap}{error}")?;
        }
        match self.errors.len().saturating_sub(SHOWN_MAX) + self.omitted {
            0 => Ok(()),
            more => write!(formatter, "\n\n… and {} more like these", format_count(more as u64)),
        }
    }
}

impl std::error::Error for SuiteErrors {}

/// A mistake whose line is not known yet.
#[derive(PartialEq)]
struct Problem {
    place: Place,
    message: String,
    nearest: Option<String>,
    help: String,
}

/// Collects mistakes while a suite is read.
#[derive(Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
}

impl Problems {
    /// Notes a mistake and how to fix it.
    pub(crate) fn add(&mut self, place: &Place, message: impl Into<String>, help: impl Into<String>) {
        self.list.push(Problem { place: place.clone(), message: message.into(), nearest: None, help: help.into() });
    }

    /// Notes a word that is not in `known`, and suggests the nearest one.
    pub(crate) fn add_unknown<'a>(
        &mut self,
        place: &Place,
        word: &str,
        known: &[&'a str],
        message: String,
        help: String,
    ) -> Option<&'a str> {
        let is_kept = self.list.len() < KEPT_MAX;
        let nearest = is_kept.then(|| nearest(word, known.iter().copied())).flatten();
        self.list.push(Problem { place: place.clone(), message, nearest: nearest.map(str::to_owned), help });
        nearest
    }

    /// Whether there are no mistakes so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of mistakes so far.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The errors, each with its line of `text`.
    pub(crate) fn into_errors(mut self, file: &str, text: &str) -> SuiteErrors {
        self.list.sort_by_key(|problem| match &problem.place {
            Place::Flag { .. } => (0, 0),
            Place::File => (1, 0),
            Place::Span(span) => (2, span.start),
        });
        // A flag causes the same mistake in every variant.
        self.list.dedup();
        let omitted = self.list.len().saturating_sub(KEPT_MAX);
        self.list.truncate(KEPT_MAX);
        let lines = LineStarts::new(text);
        let resolve = |problem: Problem| SuiteError {
            origin: match problem.place {
                Place::File => Origin::File(file.to_owned()),
                Place::Flag { flag, value } => Origin::Flag { flag: flag.to_owned(), value },
                Place::Span(span) => Origin::Line(excerpt(file, text, &lines, span)),
            },
            message: problem.message,
            nearest: problem.nearest,
            help: problem.help,
        };
        SuiteErrors { errors: self.list.into_iter().map(resolve).collect(), omitted }
    }
}

/// The offsets at which lines begin, so that thousands of errors are placed in one pass over the text.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect())
    }

    /// The index and offset of the line.
    fn find(&self, offset: usize) -> (usize, usize) {
        let index = self.0.partition_point(|&start| start <= offset).saturating_sub(1);
        (index, self.0.get(index).copied().unwrap_or(0))
    }
}

fn excerpt(file: &str, text: &str, lines: &LineStarts, span: Range<usize>) -> Excerpt {
    // If something is missing at the end, the last line that is not blank is shown.
    let offset = text.floor_char_boundary(span.start.min(text.trim_end().len()));
    let (index, start) = lines.find(offset);
    let line = text[start..].lines().next().unwrap_or("");
    let before = text[start..offset].chars().count();
    let until = text.floor_char_boundary(span.end).clamp(offset, (start + line.len()).max(offset));
    let marked = text[offset..until].trim_end().chars().count();
    let skipped = before.saturating_sub(EXCERPT_CHARACTERS / 3);
    let skipped = if line.chars().nth(EXCERPT_CHARACTERS).is_some() { skipped } else { 0 };
    let visible = |character: char| if character == '\t' { ' ' } else { character };
    let shown: String = line.chars().skip(skipped).take(EXCERPT_CHARACTERS).map(visible).collect();
    let shown = shown.replace(char::is_control, "·");
    let caret_start = before - skipped;
    let room = EXCERPT_CHARACTERS.saturating_sub(caret_start).max(1);
    Excerpt {
        file: file.to_owned(),
        line: index + 1,
        column: before + 1,
        text: shown.trim_end().to_owned(),
        caret_start,
        caret_length: marked.clamp(1, room),
    }
}
