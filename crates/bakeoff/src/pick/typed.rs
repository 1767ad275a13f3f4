//! The need as it was typed: by flags, in a file, or as answers to questions; each word with where it stood.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use bakeoff_engine::shown;
use bakeoff_suite::did_you_mean;
use toml::Spanned;

use crate::cli::PickArguments;
use crate::pick::items::{ITEMS, Item};
use crate::pick::trace;
use crate::pick::word::Word;

/// What was typed, by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Typed(BTreeMap<&'static str, Word>);

impl Typed {
    /// What flags say, over what the file given with `--need` says, over what a trace or a tape shows.
    pub(crate) fn read(arguments: &PickArguments) -> Result<Self> {
        let mut typed = Self::default();
        if let Some(path) = &arguments.trace {
            typed.set_all(
                path,
                trace::need(&trace::read(path, None, trace::time_unit(arguments.time_unit.as_deref())?)?),
            );
        }
        if let Some(path) = &arguments.tape {
            typed.set_all(path, trace::need_of_tape(path)?);
        }
        if let Some(path) = &arguments.need {
            let mut need = Self::load(path)?;
            let told = need.0.iter().find(|(key, _)| arguments.tape.is_some() && typed.0.contains_key(*key));
            if let Some((key, word)) = told {
                bail!("{} {}: the tape says `{key}`, and is replayed as it is: leave it out", word.place, word.text);
            }
            typed.0.append(&mut need.0);
        }
        for (item, text) in &arguments.items.0 {
            // As of a variable of the shell that is not set.
            if text.trim().is_empty() {
                bail!("--{} is empty: give a value, or leave it out", item.key);
            }
            typed.set(item, format!("--{}", item.key), text.clone());
        }
        if let Some(path) = &arguments.trace {
            let left = [("value-size", "it tells no length of a value"), ("access", trace::POPULARITY_UNKNOWN)];
            for (key, why) in left.into_iter().filter(|(key, _)| !typed.0.contains_key(key)) {
                let (path, assumed) = (shown(path), typed.get(key).text);
                tell!("bakeoff: {path}: {why}: {key} {assumed} is assumed unless --{key} says another");
            }
        }
        Ok(typed)
    }

    /// What a file shows, by keys.
    fn set_all(&mut self, path: &Path, need: Vec<(&'static str, String)>) {
        for (key, text) in need {
            ITEMS.iter().filter(|item| item.key == key).for_each(|item| {
                self.set(item, format!("{}: {key}", path.display()), text.clone());
            });
        }
    }

    fn load(path: &Path) -> Result<Self> {
        if path.metadata().is_ok_and(|facts| !facts.is_file()) {
            bail!("{} is not a file: give one with a need in it (docs/PICK.md)", path.display());
        }
        let text = bakeoff_suite::read_text(path)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a need from TOML: the flags' names as keys; lists and tables may stand for what flags separate by commas.
    fn parse(file: &str, text: &str) -> Result<Self> {
        let table: BTreeMap<String, Spanned<toml::Value>> =
            toml::from_str(text).with_context(|| format!("{file} is not a need as TOML"))?;
        let (mut typed, mut problems) = (Self::default(), Vec::new());
        let mut lines: Vec<_> = table.iter().map(|(key, value)| (line_of(text, value), key, value.get_ref())).collect();
        lines.sort_by_key(|(line, _, _)| *line);
        for (line, key, value) in lines {
            let place = format!("{file}:{line}: {key}");
            match (ITEMS.iter().find(|item| item.key == key), flat(value)) {
                (Some(item), _) if value.is_array() && !item.is_list => {
                    problems.push(format!("{place}: write one value, such as \"{}\", not a list", item.default));
                }
                (Some(item), Some(text)) => typed.set(item, place, text),
                (Some(_), None) => {
                    problems.push(format!("{place}: write text, a number, a list, or a table of weights"))
                }
                (None, _) => {
                    let known: Vec<_> = ITEMS.iter().map(|item| item.key).collect();
                    let near = did_you_mean(key, &known);
                    problems.push(format!("{file}:{line}: unknown key `{key}`{near}; use {}", known.join(", ")));
                }
            }
        }
        if !problems.is_empty() {
            bail!(problems.join("\n"));
        }
        Ok(typed)
    }

    /// Each word without the others.
    pub(crate) fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.0.iter().map(|(key, word)| Self(BTreeMap::from([(*key, word.clone())])))
    }

    /// Whether nothing was said at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn set(&mut self, item: &Item, place: String, text: String) {
        self.0.insert(item.key, Word { place, text: text.trim().to_owned() });
    }

    /// What was said for this key, or what holds otherwise.
    pub(crate) fn get(&self, key: &str) -> Word {
        let default = ITEMS.iter().find(|item| item.key == key).map_or("", |item| item.default);
        self.0.get(key).cloned().unwrap_or_else(|| Word { place: format!("--{key}"), text: default.to_owned() })
    }
}

/// The number of the line on which a value stands.
fn line_of(text: &str, value: &Spanned<toml::Value>) -> usize {
    text[..value.span().start].matches('\n').count() + 1
}

/// A value of a file as a flag would say it.
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
