//! The need as typed: by flags, in a file, or as answers to questions. Each value keeps its place.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use bakeoff_engine::{Reporter, shown};
use bakeoff_text::{did_you_mean, shorten, shorten_middle};
use bakeoff_trace::{ReadOptions, Summary};
use toml::Spanned;

use crate::items::{ITEMS, Item, NO, YES};
use crate::plain::size_and_data;
use crate::shown::Shown;
use crate::trace;
use crate::word::{Origin, Word};

/// The longest value of a key in a file, bytes; enough for a list of stores.
const WORD_BYTES_MAX: usize = 4 << 10;

/// The most characters to repeat of an error about a file, since it quotes the line.
const WHY_CHARACTERS_MAX: usize = 1_000;

/// The sources of a need. Items override the file, which overrides the trace or the tape.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Values from flags.
    pub items: &'a [(&'static Item, String)],
    /// A file with a need as TOML.
    pub file: Option<&'a Path>,
    /// A trace of an application, and options for reading it.
    pub trace: Option<(&'a Path, &'a ReadOptions)>,
    /// An imported tape.
    pub tape: Option<&'a Path>,
}

/// The values as typed, by key.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    words: BTreeMap<&'static str, Word>,
    /// The most bytes of keys and values of the tape that are in the store at one time; a range of lengths does not show it.
    pub(crate) data_bytes: Option<u64>,
}

impl Typed {
    /// Collects all values, and summarises the trace. Reports assumptions where a trace shows nothing.
    ///
    /// # Errors
    /// A file, trace or tape cannot be read; or a value is empty, has an unknown key, or contradicts the tape.
    pub fn read(given: &Given<'_>, reporter: Reporter) -> Result<(Self, Option<Summary>)> {
        let mut typed = Self::default();
        let mut summary = None;
        if let Some((path, options)) = given.trace {
            typed.set_all(path, trace::need(summary.insert(trace::read(path, options, reporter)?)));
        }
        if let Some(path) = given.tape {
            let (need, data_bytes_max) = trace::need_of_tape(path, reporter)?;
            typed.set_all(path, need);
            typed.data_bytes = Some(data_bytes_max);
        }
        if let Some(path) = given.file {
            let mut need = Self::load(path)?;
            let is_of_a_tape = |key: &str| ITEMS.iter().any(|item| item.key == key && item.is_of_a_tape);
            let told = need.words.iter().find(|(key, _)| given.tape.is_some() && is_of_a_tape(key));
            if let Some((key, word)) = told {
                bail!("{} {}: the tape says `{key}`, and is replayed as it is: leave it out", word.place, word.text);
            }
            typed.words.append(&mut need.words);
        }
        for (item, text) in given.items {
            // For example, from a shell variable that is not set.
            if text.trim().is_empty() {
                bail!("--{} is empty: give a value, or leave it out", item.key);
            }
            typed.set(item, flag(item.key), text);
        }
        if let (Some((path, _)), Some(summary)) = (given.trace, &summary) {
            let left = [("value-size", "it has no lengths of values"), ("access", trace::POPULARITY_UNKNOWN)];
            let is_of_trace = |typed: &Self, key| typed.words.get(key).is_some_and(|word| word.origin == Origin::Shown);
            // Another mix may lack the kinds for which the trace has an access. With another access no record may be popular.
            for (key, other) in [("access", "mix"), ("value-size", "access")] {
                if !is_of_trace(&typed, other) {
                    typed.words.entry(key).and_modify(Word::keep_what_holds_alone);
                }
            }
            let is_assumed = |key| {
                let is_left = !typed.words.contains_key(key);
                is_left || key == "access" && is_of_trace(&typed, key) && trace::assumes_access(summary)
            };
            for (key, why) in left.into_iter().filter(|(key, _)| is_assumed(key)) {
                let (path, assumed) = (shown(path), typed.get(key).text);
                reporter
                    .report(&format!("bakeoff: {path}: {why}: {key} {assumed} is assumed unless --{key} sets another"));
            }
        }
        Ok((typed, summary))
    }

    /// The place of a value that a tape of this trace would determine, if there is any. A trace does not show the content of values, so
    /// `--data` stays possible.
    pub fn first_of_a_tape(&self) -> Option<String> {
        let said = ITEMS.iter().filter(|item| item.is_of_a_tape);
        let mut words = said.filter_map(|item| Some((item.key, self.words.get(item.key)?)));
        let is_open =
            |key: &str, word: &Word| word.origin == Origin::Shown || (key, word.origin) == ("data", Origin::Typed);
        words.find(|(key, word)| !is_open(key, word)).map(|(_, word)| word.place.clone())
    }

    /// Values from a trace or a tape, by key.
    fn set_all(&mut self, path: &Path, need: Vec<(&'static str, Shown)>) {
        for (key, shown) in need {
            self.words.insert(key, Word::shown(format!("{}: {key}", path.display()), shown));
        }
    }

    fn load(path: &Path) -> Result<Self> {
        let text = bakeoff_suite::read_text(path)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Parses a need from TOML. Keys are the names of flags. Lists and tables may replace values separated by commas.
    fn parse(file: &str, text: &str) -> Result<Self> {
        let table: BTreeMap<String, Spanned<toml::Value>> = toml::from_str(text).map_err(|why| {
            let why = shorten_middle(&why.to_string(), WHY_CHARACTERS_MAX);
            anyhow!("{file} is not a need as TOML; write it as docs/PICK.md shows: {why}")
        })?;
        let (mut typed, mut problems) = (Self::default(), Vec::new());
        let mut lines: Vec<_> = table.iter().map(|(key, value)| (line_of(text, value), key, value.get_ref())).collect();
        lines.sort_by_key(|(line, _, _)| *line);
        for (line, key, value) in lines {
            let place = format!("{file}:{line}: {key}");
            let item = ITEMS.iter().find(|item| item.key == key);
            let said = match (value, item) {
                (toml::Value::Boolean(is_on), Some(item)) if item.is_switch => {
                    Some(if *is_on { YES } else { NO }.to_owned())
                }
                _ => flat(value),
            };
            match (item, said) {
                (Some(item), _) if value.is_array() && !item.is_list => {
                    problems.push(format!("{place}: write one value, such as \"{}\", not a list", item.default));
                }
                (Some(_), Some(text)) if text.len() > WORD_BYTES_MAX => {
                    problems.push(format!("{place}: write at most {WORD_BYTES_MAX} bytes, not {}", text.len()));
                }
                (Some(item), Some(text)) => typed.put(item, Origin::File, place, &text),
                (Some(_), None) => {
                    problems.push(format!("{place}: write text, a number, a list, or a table of weights"))
                }
                (None, _) => {
                    let known: Vec<_> = ITEMS.iter().map(|item| item.key).collect();
                    let near = did_you_mean(key, &known);
                    problems.push(format!(
                        "{file}:{line}: unknown key `{}`{near}; use {}",
                        shorten(key),
                        known.join(", ")
                    ));
                }
            }
        }
        if !problems.is_empty() {
            bail!(problems.join("\n"));
        }
        Ok(typed)
    }

    /// Each value without the others.
    pub fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.words.iter().map(|(key, word)| {
            let words = BTreeMap::from([(*key, word.clone())]);
            Self { words, data_bytes: None }
        })
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Sets the value of an item, with its place.
    pub fn set(&mut self, item: &Item, place: String, text: &str) {
        self.put(item, Origin::Typed, place, text);
    }

    fn put(&mut self, item: &Item, origin: Origin, place: String, text: &str) {
        let mut text = text.trim().to_owned();
        if item.key == "value-size"
            && let Some((size, data)) = size_and_data(&text)
            && let Some(item) = ITEMS.iter().find(|item| item.key == "data")
        {
            self.put(item, origin, place.clone(), data.name());
            text = if size.is_empty() { self.get("value-size").text } else { size };
        }
        let text = (item.plain)(&text).unwrap_or(text);
        self.words.insert(item.key, Word { origin, place, text, shown: None });
    }

    /// Sets the value for a key without one.
    pub fn set_default(&mut self, key: &str, text: &str) {
        if let Some(item) = ITEMS.iter().find(|item| item.key == key && !self.words.contains_key(key)) {
            self.put(item, Origin::Default, flag(key), text);
        }
    }

    /// Whether a value was given for this key.
    pub fn is_said(&self, key: &str) -> bool {
        self.words.contains_key(key)
    }

    /// The value of this key, or its default.
    pub fn get(&self, key: &str) -> Word {
        let default = ITEMS.iter().find(|item| item.key == key).map_or("", |item| item.default);
        self.words.get(key).cloned().unwrap_or_else(|| Word {
            origin: Origin::Default,
            place: flag(key),
            text: default.to_owned(),
            shown: None,
        })
    }
}

/// The flag of a key.
fn flag(key: &str) -> String {
    format!("--{key}")
}

/// The line number of a value.
fn line_of(text: &str, value: &Spanned<toml::Value>) -> usize {
    text[..value.span().start].matches('\n').count() + 1
}

/// A value of a file in the form of a flag.
fn flat(value: &toml::Value) -> Option<String> {
    let joined = |parts: Option<Vec<String>>| Some(parts?.join(","));
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Array(values) => joined(values.iter().map(flat).collect()),
        toml::Value::Table(table) => {
            joined(table.iter().map(|(key, value)| Some(format!("{key}={}", flat(value)?))).collect())
        }
        toml::Value::Boolean(_) | toml::Value::Datetime(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_flags_say() {
        let text =
            "records = \"10k\"\nthreads = 4\nmix = { get = 90, update = 10 }\nmust = [\"ordered\", \"transactions\"]\n";
        let typed = Typed::parse("need.toml", text).unwrap();
        let words = ["records", "threads", "mix", "must", "value-size"].map(|key| typed.get(key).text);
        assert_eq!(words, ["10k", "4", "get=90,update=10", "ordered,transactions", "1KiB"]);
        assert_eq!(typed.get("threads").place, "need.toml:2: threads");
        for (text, said) in [("", "no"), ("cold = true", "yes"), ("cold = false", "no"), ("cold = \"yes\"", "yes")] {
            assert_eq!(Typed::parse("need.toml", text).unwrap().get("cold").text, said);
        }
    }

    #[test]
    fn unknown_keys_and_kinds_are_told() {
        let said = |text| format!("{:#}", Typed::parse("n.toml", text).unwrap_err());
        assert!(said("record = 1").contains("did you mean `records`?"), "{}", said("record = 1"));
        assert!(said("records = true").contains("n.toml:1: records"), "{}", said("records = true"));
        let list = said("key-size = [24, 600]\n");
        assert!(list.starts_with("n.toml:1: key-size: write one value, such as \"16\""), "{list}");
        let both = said("threads = true\n\nrecord = 1\n");
        assert!(
            both.starts_with("n.toml:1: threads: write text") && both.contains("\nn.toml:3: unknown key"),
            "{both}"
        );
        assert!(said("records = ").contains("n.toml is not a need"), "{}", said("records = "));
    }
}
