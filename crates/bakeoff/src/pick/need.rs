//! Reads a need from what was typed, and checks it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_engine::pick::{Access, Hot, MUSTS, Need, RECORDS_MAX, Stores};
use bakeoff_measure::Machine;
use bakeoff_protocol::Durability;
use bakeoff_results::goal::Goal;
use bakeoff_suite::{VALUE_BYTES_MAX, did_you_mean};
use bakeoff_tape::{Data, LANES_MAX, RECORD_KEY_BYTES_MAX, SizeRange};
use bakeoff_text::{
    approximate_size, format_count, format_duration, format_size, parse_count, parse_duration, parse_size,
    parse_size_range,
};

use crate::pick::items::{ITEMS, RESULTS};
use crate::pick::typed::{Typed, Word};

/// Kinds of operation that a mix may have.
const OPERATIONS: [&str; 6] = ["get", "insert", "update", "upsert", "delete", "scan"];

/// Checks everything that was typed.
///
/// # Errors
/// All that is wrong, a line each: where it stands, and how to write it.
pub(crate) fn read_need(typed: &Typed) -> Result<Need> {
    let problems: Vec<String> =
        typed.one_by_one().filter_map(|alone| Some(format!("{:#}", need_of(&alone).err()?))).collect();
    if !problems.is_empty() {
        bail!(problems.join("\n"));
    }
    let need = need_of(typed)?;
    check_together(&need, typed)?;
    Ok(need)
}

/// The words as what they mean, each checked by itneed.
fn need_of(typed: &Typed) -> Result<Need> {
    let of = |key| typed.get(key);
    let (key_bytes, key_bytes_longest) = key_bytes(&of("key-size"))?;
    Ok(Need {
        records: within(&of("records"), parse_count, (1, RECORDS_MAX), format_count)?,
        value_bytes: value_bytes(&of("value-size"))?,
        key_bytes,
        key_bytes_longest,
        mix: mix(&of("mix"))?,
        access: access(&of("access"))?,
        data: word(&of("data"), &Data::ALL.map(|data| (data.name(), data)))?,
        durability: word(&of("durability"), &Durability::ALL.map(|class| (class.name(), class)))?,
        memory_bytes: memory(&of("memory"))?,
        threads: within(&of("threads"), parse_count, (1, u64::from(LANES_MAX)), format_count)?,
        must: words(&of("must"), "nothing")?.iter().map(|each| word(each, &MUSTS)).collect::<Result<_>>()?,
        languages: texts(&of("language"), "any")?.iter().map(|text| text.to_lowercase()).collect(),
        licenses: texts(&of("license"), "any")?,
        optimize: word(&of("optimize"), &Goal::ALL.map(|goal| (goal.name(), goal)))?,
        stores: stores(&of("stores"))?,
        budget: budget(&of("budget"))?,
        dir: dir(&of("dir"))?,
        seed: within(&of("seed"), parse_count, (0, i64::MAX.unsigned_abs()), format_count)?,
        words: ITEMS.iter().map(|item| (item.key.to_owned(), of(item.key).text)).collect(),
    })
}

fn check_together(need: &Need, typed: &Typed) -> Result<()> {
    let place = |key| typed.get(key).place;
    if need.records < need.threads {
        bail!(
            "{} {}: each thread writes records of its own: use fewer threads, or {} records at least",
            place("threads"),
            need.threads,
            need.threads
        );
    }
    if need.threads > 1 && need.does("scan") && need.writes() {
        bail!(
            "{}: what a scan finds while other threads write is not known, so it could not be checked: leave scans or writes out, or use one thread",
            place("mix")
        );
    }
    Ok(())
}

fn within<E: std::fmt::Display>(
    word: &Word,
    parse: fn(&str) -> Result<u64, E>,
    (least, most): (u64, u64),
    show: fn(u64) -> String,
) -> Result<u64> {
    let Word { place, text } = word;
    match parse(text) {
        Err(why) => bail!("{place} {text}: {why}"),
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(number) => bail!("{place} {text}: {} is out of range; give {} to {}", show(number), show(least), show(most)),
    }
}

fn value_bytes(word: &Word) -> Result<SizeRange> {
    let Word { place, text } = word;
    match parse_size_range(text) {
        Err(why) => bail!("{place} {text}: {why}"),
        Ok(range) if *range.end() <= VALUE_BYTES_MAX => Ok(SizeRange { min: *range.start(), max: *range.end() }),
        Ok(_) => bail!("{place} {text}: values have at most {}", format_size(VALUE_BYTES_MAX)),
    }
}

/// How long the keys are that are measured, and the longest that there are: `16`, or `16..600` where they are of many lengths.
fn key_bytes(word: &Word) -> Result<(u64, u64)> {
    let part = |text: &str| Word { place: word.place.clone(), text: text.trim().to_owned() };
    let (measured, longest) = word.text.split_once("..").map_or((&*word.text, None), |(from, to)| (from, Some(to)));
    let bytes = within(&part(measured), parse_size, (4, 128), format_size)?;
    if (5..10).contains(&bytes) {
        bail!("{} {}: keys have 4 bytes (integers) or 10 to 128", word.place, word.text);
    }
    match longest {
        None => Ok((bytes, bytes)),
        Some(_) if bytes < 10 => {
            bail!(
                "{} {}: keys of 4 bytes are integers, all of one length; give 10 or more to measure with",
                word.place,
                word.text
            )
        }
        Some(text) => Ok((bytes, within(&part(text), parse_size, (bytes, RECORD_KEY_BYTES_MAX), format_size)?)),
    }
}

fn mix(word: &Word) -> Result<Vec<(String, f64)>> {
    let Word { place, text } = word;
    let example = "write, for example, get=70,update=20,insert=10";
    let mut mix: Vec<(String, f64)> = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let Some((kind, weight)) = part.split_once('=') else { bail!("{place}: `{part}` has no weight; {example}") };
        let (kind, weight) = (kind.trim(), weight.trim());
        if !OPERATIONS.contains(&kind) {
            bail!(
                "{place}: unknown operation `{kind}`{}; use {}",
                did_you_mean(kind, &OPERATIONS),
                OPERATIONS.join(", ")
            );
        }
        if mix.iter().any(|(known, _)| known == kind) {
            bail!("{place}: `{kind}` stands there twice");
        }
        match weight.parse::<f64>() {
            // Half of what a suite takes: that there were more writes is asked too.
            Ok(weight) if weight > 0.0 && weight <= 5e8 => mix.push((kind.to_owned(), weight)),
            _ => bail!("{place}: the weight of `{kind}` is `{weight}`; give a number above 0, up to 500,000,000"),
        }
    }
    if mix.is_empty() {
        bail!("{place} is empty; {example}");
    }
    Ok(mix)
}

/// The access as a suite takes it.
fn access(word: &Word) -> Result<Access> {
    const WORDS: [&str; 6] = ["uniform", "zipfian", "latest", "hot", "sequential", "insertion"];
    let Word { place, text } = word;
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

fn memory(word: &Word) -> Result<Option<u64>> {
    if word.text == "default" {
        return Ok(None);
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
    Ok(Some(bytes))
}

fn budget(word: &Word) -> Result<Duration> {
    let Word { place, text } = word;
    let day = Duration::from_secs(24 * 3600);
    match parse_duration(text) {
        Err(why) => bail!("{place} {text}: {why}"),
        Ok(time) if (Duration::from_secs(1)..=day).contains(&time) => Ok(time),
        Ok(_) => bail!("{place} {text}: give 1s to {}", format_duration(day)),
    }
}

fn dir(word: &Word) -> Result<Option<PathBuf>> {
    let Word { place, text } = word;
    match text.as_str() {
        RESULTS => Ok(None),
        path if Path::new(path).is_dir() => Ok(Some(path.into())),
        path if Path::new(path).exists() => bail!("{place} {path}: this is not a directory; name one"),
        path => bail!("{place} {path}: there is no such directory; make it, or name another"),
    }
}

fn stores(word: &Word) -> Result<Stores> {
    if word.text == "all" {
        return Ok(Stores::All);
    }
    // Beside others it is refused as `built` is.
    texts(word, "all")?;
    let names = texts(word, "built")?;
    Ok(if names.is_empty() { Stores::Built } else { Stores::Named(names) })
}

/// The parts of a list separated by commas; none if all it has is the word for that.
fn texts(word: &Word, none: &str) -> Result<Vec<String>> {
    let Word { place, text } = word;
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

fn words(word: &Word, none: &str) -> Result<Vec<Word>> {
    Ok(texts(word, none)?.into_iter().map(|text| Word { place: word.place.clone(), text }).collect())
}

fn word<T: Copy>(word: &Word, known: &[(&str, T)]) -> Result<T> {
    meaning(&word.place, &word.text, known)
}

/// What a word means, of those that are known; `place` is the flag or the line that has it.
pub(crate) fn meaning<T: Copy>(place: &str, text: &str, known: &[(&str, T)]) -> Result<T> {
    match known.iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(*value),
        None => {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            let shown = bakeoff_text::printable(text);
            bail!("{place}: unknown word `{shown}`{}; use {}", did_you_mean(text, &names), names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_engine::pick::{PickSuite, PromisingMore};
    use bakeoff_suite::Suite;

    use super::*;

    fn need(words: &[(&str, &str)]) -> Need {
        let mut typed = Typed::default();
        for (key, text) in words {
            let item = ITEMS.iter().find(|item| item.key == *key).unwrap();
            typed.set(item, format!("--{key}"), (*text).to_owned());
        }
        read_need(&typed).unwrap_or_else(|error| panic!("{error:#}"))
    }

    #[test]
    fn every_need_makes_a_suite() {
        let mixes = [
            "get=1",
            "insert=100",
            "delete=9,get=1",
            "scan=1",
            "get=70,update=20,insert=10",
            "upsert=1,delete=3",
            "get=50,insert=25,delete=25",
        ];
        for mix in mixes {
            for access in ["uniform", "zipfian:0.8", "latest", "hot:0.1/0.9", "sequential"] {
                for (records, size, key, threads) in [
                    ("2", "0", "4", "1"),
                    ("10", "1KiB", "16", "1"),
                    ("10", "1KiB", "16", "4"),
                    ("1000", "1KiB..10KiB", "16", "4"),
                    ("100M", "1B", "128", "1"),
                    ("7", "1GiB", "20", "2"),
                ] {
                    let words = [
                        ("mix", mix),
                        ("access", access),
                        ("records", records),
                        ("value-size", size),
                        ("key-size", key),
                        ("threads", threads),
                        ("durability", "power"),
                        ("memory", "64MiB"),
                    ];
                    let suite = PickSuite::new(
                        &need(&words),
                        &["a".to_owned(), "b".to_owned()],
                        &PromisingMore::default(),
                        records != "10",
                    )
                    .unwrap();
                    let parsed = Suite::parse("pick", &suite.text);
                    let parsed =
                        parsed.unwrap_or_else(|errors| panic!("{mix} {access} {records}: {errors}\n{}", suite.text));
                    let possible = suite.questions.iter().filter(|question| question.not_measured.is_none());
                    assert_eq!(parsed.measured().len(), possible.count() + 1);
                    let operations = parsed.phases()[1].operations.unwrap_or(0);
                    assert!(records.len() <= 2 || operations >= 250, "{mix} {records}: {operations} operations");
                }
            }
        }
    }

    #[test]
    fn questions_change_one_thing_each() {
        let suite = PickSuite::new(
            &need(&[("value-size", "1KiB..10KiB"), ("records", "10k")]),
            &["a".to_owned()],
            &PromisingMore::default(),
            true,
        )
        .unwrap();
        let words: Vec<_> = suite.questions.iter().map(|question| question.words.as_str()).collect();
        let expected = [
            "Values twice as long, 2KiB..20KiB",
            "Values half as long, 512B..5KiB",
            "Ten times the records, 100,000",
            "Durability power",
            "More writes",
        ];
        assert_eq!(words, expected);
        // Nothing is no half and no double of nothing.
        let need = need(&[("value-size", "0")]);
        let suite = PickSuite::new(&need, &["a".to_owned()], &PromisingMore::default(), true).unwrap();
        assert!(suite.questions.iter().all(|question| !question.variant.starts_with("values-")));
    }
}
