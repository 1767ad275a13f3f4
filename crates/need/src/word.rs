//! A typed value of a need's item, and its meaning.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_engine::pick::{Access, Hot, Memory, Stores};
use bakeoff_measure::Machine;
use bakeoff_suite::VALUE_BYTES_MAX;
use bakeoff_tape::{Data, KEY_BYTES_MAX, KeyForm, RECORD_KEY_BYTES_MAX, SizeRange, ValueSizes};
use bakeoff_text::{
    approximate_size, did_you_mean, format_duration, format_size, parse_duration, parse_size, parse_size_range,
};

use crate::shown::Shown;

/// The value for the directory of results.
pub(crate) const RESULTS: &str = "results";

/// The value for no key longer than the measured ones.
pub(crate) const NONE: &str = "none";

/// The value for what suits the rest of the need.
pub(crate) const AUTO: &str = "auto";

/// Kinds of operation in a mix.
const OPERATIONS: [&str; 9] = ["get", "insert", "update", "upsert", "delete", "scan", "scan-prefix", "exists", "first"];

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A flag, or an answer to a question.
    Typed,
    /// A file with a need.
    File,
    /// A trace or a tape.
    Shown,
    /// None: the default.
    Default,
}

/// A typed value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Its source.
    pub origin: Origin,
    /// `--records` or `need.toml:1: records`.
    pub place: String,
    /// Without surrounding blanks.
    pub text: String,
    /// The value, where a trace or a tape shows it: the text is made of it then, for people.
    pub(crate) shown: Option<Shown>,
}

impl Word {
    /// What a trace or a tape shows, and where.
    pub(crate) fn shown(place: String, shown: Shown) -> Self {
        Self { origin: Origin::Shown, place, text: shown.to_string(), shown: Some(shown) }
    }

    /// Leaves out what is shown and holds only together with other items.
    pub(crate) fn keep_what_holds_alone(&mut self) {
        if let Some(shown) = self.shown.take() {
            *self = Self::shown(std::mem::take(&mut self.place), shown.alone());
        }
    }
}

/// A number within limits.
pub(crate) fn within<E: std::fmt::Display>(
    word: &Word,
    parse: fn(&str) -> Result<u64, E>,
    (least, most): (u64, u64),
    show: fn(u64) -> String,
) -> Result<u64> {
    let Word { place, text, shown, .. } = word;
    let number = match shown {
        Some(Shown::Count(number) | Shown::Bytes(number)) => Ok(*number),
        _ => parse(text),
    };
    match number {
        Err(why) => bail!("{place} {text}: {why}"),
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(number) => bail!("{place} {text}: {} is out of range; give {} to {}", show(number), show(least), show(most)),
    }
}

/// A size or range of sizes of values, or several with weights.
pub(crate) fn value_bytes(word: &Word) -> Result<ValueSizes> {
    let Word { place, text, shown, .. } = word;
    let sizes = match shown {
        Some(Shown::ValueSizes(sizes)) => Ok(sizes.clone()),
        _ => ValueSizes::parse(text),
    };
    match sizes {
        Err(why) => bail!("{place} {text}: {why}"),
        Ok(sizes) if sizes.max() <= VALUE_BYTES_MAX => Ok(sizes),
        Ok(_) => bail!("{place} {text}: values are too long: give at most {}", format_size(VALUE_BYTES_MAX)),
    }
}

/// A length or range of lengths of keys.
pub(crate) fn key_bytes(word: &Word) -> Result<SizeRange> {
    let Word { place, text, shown, .. } = word;
    let most = KEY_BYTES_MAX as u64;
    let range = match shown {
        Some(Shown::KeySizes(range)) => Ok(*range),
        _ => parse_size_range(text).map(|range| SizeRange { min: *range.start(), max: *range.end() }),
    };
    match range {
        Err(why) => bail!("{place} {text}: {why}"),
        Ok(range) if range.min >= 1 && range.max <= most => Ok(range),
        Ok(_) => bail!(
            "{place} {text}: keys of 1 to {most} bytes are measured; use longest-key for longer ones that a store must take"
        ),
    }
}

/// How many bytes keys begin alike in prefix scans; `None` for as many as about a hundred records have.
pub(crate) fn prefix_bytes(word: &Word) -> Result<Option<u32>> {
    let most = KEY_BYTES_MAX as u64;
    if word.text == AUTO { Ok(None) } else { Ok(Some(within(word, parse_size, (1, most), format_size)? as u32)) }
}

/// The length of a key that a store must take; 0 for none.
pub(crate) fn longest_key(word: &Word) -> Result<u64> {
    if word.text == NONE { Ok(0) } else { within(word, parse_size, (1, RECORD_KEY_BYTES_MAX), format_size) }
}

/// The form of keys; `None` for a form that suits their lengths.
pub(crate) fn key_form(word: &Word) -> Result<Option<KeyForm>> {
    if let Some(Shown::KeyForm(form)) = &word.shown {
        return Ok(Some(*form));
    }
    let forms = [KeyForm::Integer, KeyForm::Decimal, KeyForm::Sha1].map(|form| (form.name(), Some(form)));
    let [integer, decimal, sha1] = forms;
    choice(word, &[(AUTO, None), integer, decimal, sha1])
}

/// What values are made of.
pub(crate) fn data(word: &Word) -> Result<Data> {
    match &word.shown {
        Some(Shown::Data(data)) => Ok(*data),
        _ => choice(word, &Data::ALL.map(|data| (data.name(), data))),
    }
}

/// Kinds of operation by weight.
pub(crate) fn mix(word: &Word) -> Result<Vec<(String, f64)>> {
    let Word { place, text, .. } = word;
    let example = "write, for example, get=70,update=20,insert=10";
    let check = |kind: &str| -> Result<()> {
        if !OPERATIONS.contains(&kind) {
            let near = did_you_mean(kind, &OPERATIONS);
            bail!("{place}: unknown operation `{kind}`{near}; use {}", OPERATIONS.join(", "));
        }
        Ok(())
    };
    if let Some(Shown::Mix(kinds)) = &word.shown {
        kinds.iter().try_for_each(|(kind, _)| check(kind.name()))?;
        return Ok(kinds.iter().map(|(kind, weight)| (kind.name().to_owned(), *weight as f64)).collect());
    }
    let mut mix: Vec<(String, f64)> = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let Some((kind, weight)) = part.split_once('=') else { bail!("{place}: `{part}` has no weight; {example}") };
        let (kind, weight) = (kind.trim(), weight.trim());
        check(kind)?;
        if mix.iter().any(|(known, _)| known == kind) {
            bail!("{place}: `{kind}` is given twice: name it once");
        }
        match weight.parse::<f64>() {
            // Half of the limit of a suite, since a change of the need doubles the writes.
            Ok(weight) if weight > 0.0 && weight <= 5e8 => mix.push((kind.to_owned(), weight)),
            _ => bail!("{place}: the weight of `{kind}` is `{weight}`; give a number above 0, up to 500,000,000"),
        }
    }
    if mix.is_empty() {
        bail!("{place} is empty; {example}");
    }
    Ok(mix)
}

/// A share.
pub(crate) fn part(word: &Word) -> Result<f64> {
    let Word { place, text, shown, .. } = word;
    if let Some(Shown::Part(part)) = shown {
        return Ok(*part);
    }
    match text.parse::<f64>() {
        // Without the sign of a negative zero.
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part.abs()),
        _ => bail!("{place} {text}: give a part from 0 to 1, such as 0.2"),
    }
}

/// The access of all kinds of operation, and that of single kinds, in a suite's form.
pub(crate) fn accesses(word: &Word) -> Result<(Access, BTreeMap<&'static str, Access>)> {
    const ALL_ALIKE: &str = "say first which records all kinds choose, such as zipfian,delete=insertion";
    let Word { place, text, shown, .. } = word;
    if let Some(Shown::Accesses(usual, own)) = shown {
        return Ok((usual.clone(), own.clone()));
    }
    let (mut usual, mut own) = (None, BTreeMap::new());
    for part in words(word, "")? {
        let Some((kind, how)) = part.text.split_once('=') else {
            if usual.replace(access(&part)?).is_some() {
                bail!("{place} {text}: two accesses for all kinds of operation; {ALL_ALIKE}");
            }
            continue;
        };
        let kinds = OPERATIONS.map(|kind| (kind, kind)).into_iter().filter(|(kind, _)| *kind != "insert");
        let kind = meaning(place, kind.trim(), &kinds.collect::<Vec<_>>())?;
        if own.insert(kind, access(&Word { text: how.trim().to_owned(), ..part.clone() })?).is_some() {
            bail!("{place} {text}: `{kind}` is given twice: name it once");
        }
    }
    match usual {
        Some(usual) => Ok((usual, own)),
        None => bail!("{place} {text}: {ALL_ALIKE}"),
    }
}

/// The access in a suite's form.
fn access(word: &Word) -> Result<Access> {
    const WORDS: [&str; 6] = ["uniform", "zipfian", "latest", "hot", "sequential", "insertion"];
    let Word { place, text, .. } = word;
    let (kind, parameter) = text.split_once(':').map_or((text.as_str(), None), |(kind, rest)| (kind, Some(rest)));
    let number = |text: &str, most: f64| match text.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number <= most => Ok(number),
        _ => bail!("{place} {}: give a number above 0, up to {most}, in place of `{text}`", word.text),
    };
    let known = WORDS.into_iter().find(|word| *word == kind);
    match (known, parameter) {
        (Some(word @ ("uniform" | "sequential" | "insertion" | "zipfian" | "latest")), None) => Ok(Access::Named(word)),
        (Some(word @ ("zipfian" | "latest")), Some(theta)) => {
            Ok(Access::Skewed(BTreeMap::from([(word, number(theta, 10.0)?)])))
        }
        (Some("hot"), Some(parts)) => {
            let Some((records, operations)) = parts.split_once('/') else {
                bail!("{place} {text}: write hot:0.1/0.9 for a tenth of the records with nine tenths of the operations")
            };
            let (records, operations) = (number(records, 1.0)?, number(operations, 1.0)?);
            Ok(Access::Hot { hot: Hot { records, operations } })
        }
        _ => bail!(
            "{place}: unknown access `{text}`{}; use uniform, zipfian, zipfian:0.8, latest, latest:1.2, hot:0.1/0.9, sequential or insertion",
            did_you_mean(kind, &WORDS)
        ),
    }
}

/// An amount of memory, `equal` or `default`.
pub(crate) fn memory(word: &Word) -> Result<Memory> {
    match word.text.as_str() {
        "equal" => return Ok(Memory::Equal),
        "default" => return Ok(Memory::Default),
        _ => {}
    }
    let bytes = within(word, parse_size, (64 << 10, 1 << 46), format_size)?;
    let usable_bytes = Machine::read_memory().memory_usable_bytes().unwrap_or(u64::MAX);
    if bytes > usable_bytes {
        bail!(
            "{} {}: more memory than there is; give less than {}",
            word.place,
            word.text,
            approximate_size(usable_bytes)
        );
    }
    Ok(Memory::Bytes(bytes))
}

/// The time for measuring.
pub(crate) fn budget(word: &Word) -> Result<Duration> {
    let Word { place, text, .. } = word;
    let day = Duration::from_secs(24 * 3600);
    match parse_duration(text) {
        Err(why) => bail!("{place} {text}: {why}"),
        Ok(time) if (Duration::from_secs(1)..=day).contains(&time) => Ok(time),
        Ok(_) => bail!("{place} {text}: give 1s to {}", format_duration(day)),
    }
}

/// A directory, or the value for the results' directory.
pub(crate) fn dir(word: &Word) -> Result<Option<PathBuf>> {
    let Word { place, text, .. } = word;
    // A shell replaces this in a flag, and nobody does in an answer.
    let home = text.strip_prefix("~/").zip(std::env::var_os("HOME"));
    if let Some(path) = home.map(|(path, home)| Path::new(&home).join(path)).filter(|path| path.is_dir()) {
        return Ok(Some(path));
    }
    match text.as_str() {
        RESULTS => Ok(None),
        path if Path::new(path).is_dir() => Ok(Some(path.into())),
        path if Path::new(path).exists() => bail!("{place} {path}: this is not a directory; name one"),
        path => bail!("{place} {path}: there is no such directory; make it, or name another"),
    }
}

/// The candidates.
pub(crate) fn stores(word: &Word) -> Result<Stores> {
    if word.text == "all" {
        return Ok(Stores::All);
    }
    // Combined with other words it is refused, as `built` is.
    texts(word, "all")?;
    let names = texts(word, "built")?;
    Ok(if names.is_empty() { Stores::Built } else { Stores::Named(names) })
}

/// The values of a list separated by commas; empty if its only value is `none`.
pub(crate) fn texts(word: &Word, none: &str) -> Result<Vec<String>> {
    let Word { place, text, .. } = word;
    let parts: Vec<_> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    if parts.is_empty() && !text.is_empty() {
        bail!("{place} {text}: names nothing: leave it out, or write `{none}`");
    }
    match parts.iter().any(|part| part == none) {
        false => Ok(parts),
        true if parts.len() == 1 => Ok(Vec::new()),
        true => bail!("{place} {text}: `{none}` goes with nothing else: leave it out, or the rest"),
    }
}

/// The values of a list, each with its place.
pub(crate) fn words(word: &Word, none: &str) -> Result<Vec<Word>> {
    Ok(texts(word, none)?.into_iter().map(|text| Word { text, ..word.clone() }).collect())
}

/// The meaning of a value among the known ones.
pub(crate) fn choice<T: Copy>(word: &Word, known: &[(&str, T)]) -> Result<T> {
    meaning(&word.place, &word.text, known)
}

/// The meaning of a value among the known ones. `place` is its flag or line.
pub fn meaning<T: Copy>(place: &str, text: &str, known: &[(&str, T)]) -> Result<T> {
    match known.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        Some((_, value)) => Ok(*value),
        None => {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            let shown = bakeoff_text::printable(text);
            bail!("{place}: unknown word `{shown}`{}; use {}", did_you_mean(text, &names), names.join(", "))
        }
    }
}
