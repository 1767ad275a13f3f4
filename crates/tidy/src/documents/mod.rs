//! Documents in Markdown: their prose, links and code, and what breaks the rules for them.

mod files;
mod parts;
mod style;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

pub use files::Files;
pub use parts::{Code, Part};

/// A document, taken apart.
#[derive(Debug, Default)]
pub struct Document {
    /// Its path from the root of the repository.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Paragraphs, headings and items of lists, outside of tables, code and quotations. Code in them is the word `code`.
    pub prose: Vec<Part>,
    /// Code within lines, and each line of a block of code.
    pub code: Vec<Code>,
    /// Targets of links and pictures.
    pub links: Vec<Part>,
    /// Names of headings, as links name them.
    pub anchors: BTreeSet<String>,
    /// Lines of tables, code, quotations and HTML, from 0.
    exempt: BTreeSet<usize>,
}

impl Document {
    /// Reads all documents below a directory.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read_all(root: &Path, files: &Files) -> Result<Vec<Self>> {
        let is_document = |path: &&str| Path::new(path).extension().is_some_and(|extension| extension == "md");
        let read = |path: &str| {
            let text = std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
            Ok(Self::new(PathBuf::from(path), text))
        };
        files.iter().filter(is_document).map(read).collect()
    }

    /// Takes a document apart.
    pub fn new(path: PathBuf, text: String) -> Self {
        let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut reader = Reader { starts, document: Self { path, ..Self::default() }, ..Reader::default() };
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            reader.take(event, range);
        }
        reader.end_part();
        Self { text, ..reader.document }
    }

    /// What breaks the rules, one line each: long sentences, long lines, worn idioms, links and files that lead nowhere.
    pub fn violations(&self, all: &[Self], files: &Files) -> Vec<String> {
        let style = self.prose.iter().flat_map(style::violations);
        let found = style.chain(self.long_lines()).chain(self.dead_links(all, files)).chain(self.missing_files(files));
        found.map(|Part { line, text }| format!("{}:{line}: {text}", self.path.display())).collect()
    }

    fn long_lines(&self) -> impl Iterator<Item = Part> {
        let lines = self.text.lines().enumerate().filter(|(number, _)| !self.exempt.contains(number));
        lines.filter_map(|(number, line)| {
            let columns = line.chars().count();
            let text = format!("{columns} columns: wrap it at {}", style::COLUMNS);
            (columns > style::COLUMNS).then_some(Part { line: number + 1, text })
        })
    }

    fn dead_links(&self, all: &[Self], files: &Files) -> impl Iterator<Item = Part> {
        let directory = self.path.parent().unwrap_or(Path::new(""));
        let is_dead = move |target: &str| {
            let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let path = if file.is_empty() { self.path.clone() } else { files::normal(&directory.join(file)) };
            let linked = all.iter().find(|document| document.path == path);
            !files.has(&path) || anchor.is_some_and(|anchor| !linked.is_some_and(|page| page.anchors.contains(anchor)))
        };
        let local = self.links.iter().filter(|link| !link.text.contains("://"));
        let dead = local.filter(move |link| is_dead(&link.text));
        dead.map(|link| Part { line: link.line, text: format!("the link to {} leads nowhere", link.text) })
    }

    fn missing_files(&self, files: &Files) -> impl Iterator<Item = Part> {
        self.code.iter().flat_map(move |code| {
            let missing = files.missing_of(&self.path, code);
            missing.into_iter().map(|path| Part { line: code.line, text: format!("there is no {path}") })
        })
    }
}

/// Where the parser is.
#[derive(Default)]
struct Reader {
    document: Document,
    /// Where each line begins.
    starts: Vec<usize>,
    /// How many tables, blocks of code and quotations are open.
    exempt: usize,
    /// The language of an open block of code.
    block: Option<String>,
    part: Option<Part>,
    heading: Option<String>,
    seen: BTreeMap<String, usize>,
}

impl Reader {
    fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        let line = self.line(range.start);
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.block.is_some() => self.add_block(line, &text),
            Event::Text(text) => self.add_text(line, &text),
            Event::Code(code) => {
                self.document.code.push(Code { line, text: code.to_string(), block: None });
                self.add_heading(&code);
                self.add_prose(line, "code");
            }
            Event::SoftBreak | Event::HardBreak => self.add_text(line, " "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(_) | Tag::Table(_) | Tag::BlockQuote(_) | Tag::HtmlBlock => {
                self.end_part();
                self.exempt += 1;
                let last = self.line(range.end.saturating_sub(1).max(range.start));
                self.document.exempt.extend(self.line(range.start) - 1..last);
                if let Tag::CodeBlock(kind) = tag {
                    self.block = Some(match kind {
                        CodeBlockKind::Fenced(language) => language.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    });
                }
            }
            Tag::Heading { .. } => {
                self.end_part();
                self.heading = Some(String::new());
            }
            Tag::Paragraph | Tag::Item | Tag::List(_) => self.end_part(),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let link = Part { line: self.line(range.start), text: dest_url.to_string() };
                self.document.links.push(link);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock | TagEnd::Table | TagEnd::BlockQuote(_) | TagEnd::HtmlBlock => {
                self.exempt -= 1;
                self.block = None;
            }
            TagEnd::Heading(_) => {
                self.end_part();
                let anchor = anchor(&self.heading.take().unwrap_or_default());
                let number = self.seen.entry(anchor.clone()).and_modify(|number| *number += 1).or_default();
                let anchor = if *number == 0 { anchor } else { format!("{anchor}-{number}") };
                self.document.anchors.insert(anchor);
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::List(_) => self.end_part(),
            _ => {}
        }
    }

    fn add_block(&mut self, line: usize, text: &str) {
        for (number, text) in text.lines().enumerate() {
            self.document.code.push(Code { line: line + number, text: text.to_owned(), block: self.block.clone() });
        }
    }

    fn add_text(&mut self, line: usize, text: &str) {
        self.add_heading(text);
        self.add_prose(line, text);
    }

    fn add_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
    }

    fn add_prose(&mut self, line: usize, text: &str) {
        if self.exempt == 0 {
            self.part.get_or_insert_with(|| Part { line, text: String::new() }).text.push_str(text);
        }
    }

    fn end_part(&mut self) {
        self.document.prose.extend(self.part.take());
    }
}

/// How a link names a heading: letters, digits, `-` and `_` alone, blanks as `-`.
fn anchor(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}
