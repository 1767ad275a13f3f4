//! Parses and checks a need.

use anyhow::{Result, bail};
use bakeoff_engine::pick::{Need, check_keys};

use crate::items::ITEMS;
use crate::typed::Typed;

/// Checks everything that was typed.
///
/// # Errors
/// All problems, one per line: the place, and how to write it.
pub fn read_need(typed: &Typed) -> Result<Need> {
    let problems: Vec<String> =
        typed.one_by_one().filter_map(|alone| Some(format!("{:#}", need_of(&alone).err()?))).collect();
    if !problems.is_empty() {
        bail!(problems.join("\n"));
    }
    let mut need = need_of(typed)?;
    take_roles(&mut need, typed)?;
    check_together(&need, typed)?;
    Ok(need)
}

/// The need with each value checked alone.
fn need_of(typed: &Typed) -> Result<Need> {
    let mut need = Need { data_bytes: typed.data_bytes, ..Need::default() };
    for item in &ITEMS {
        let word = typed.get(item.key);
        (item.read)(&word, &mut need)?;
        if !item.is_switch || word.text != item.default {
            need.words.push((item.key.to_owned(), word.text));
        }
    }
    Ok(need)
}

/// Adds readers and writers up to all threads. A role that is not given gets the rest of the threads, or one.
fn take_roles(need: &mut Need, typed: &Typed) -> Result<()> {
    let place = |key| typed.get(key).place;
    let threads = if typed.is_said("threads") { need.threads } else { 0 };
    let rest = |own: u64| threads.saturating_sub(own).max(1);
    let (readers, writers) = match (need.readers, need.writers) {
        (0, 0) => return Ok(()),
        (0, writers) => (rest(writers), writers),
        (readers, 0) => (readers, rest(readers)),
        both => both,
    };
    if !need.reads() || !need.writes() {
        bail!("{}: readers and writers need a mix with both reads and writes, such as get=90,update=10", place("mix"));
    }
    let all = readers + writers;
    if threads > 0 && threads != all {
        bail!(
            "{} {threads}: {readers} readers and {writers} writers are {all} threads: leave it out",
            place("threads")
        );
    }
    (need.threads, need.readers, need.writers) = (all, readers, writers);
    for (key, text) in &mut need.words {
        let known = [("threads", all), ("readers", readers), ("writers", writers)];
        known.iter().filter(|(of, _)| *of == key.as_str()).for_each(|(_, number)| *text = number.to_string());
    }
    Ok(())
}

/// Checks values that depend on each other.
///
/// # Errors
/// Values that contradict each other, with their place.
pub fn check_together(need: &Need, typed: &Typed) -> Result<()> {
    let place = |key| typed.get(key).place;
    if need.records < need.threads {
        bail!(
            "{} {}: each thread writes records of its own: use fewer threads, or at least {} records",
            place("threads"),
            need.threads,
            need.threads
        );
    }
    if need.batch > 1 && !need.writes() {
        bail!(
            "{} {}: the mix writes nothing, so nothing is committed: leave it out, or add writes to the mix",
            place("batch"),
            need.batch
        );
    }
    if let Some(bytes) = need.prefix_bytes.filter(|bytes| u64::from(*bytes) > need.key_bytes.min) {
        let (place, least) = (place("prefix"), need.key_bytes.min);
        bail!("{place} {bytes}: a prefix cannot be longer than the shortest key, {least} bytes: give a shorter prefix");
    }
    if need.missing > 0.0 && !need.looks_up() {
        bail!(
            "{} {}: the mix asks for no record by its key, so none can be missing: leave it out, or add gets to the mix",
            place("missing"),
            need.missing
        );
    }
    if need.readers > 0 && need.readers + need.writers != need.threads {
        let (place, threads) = (place("readers"), need.threads);
        bail!("{place}: readers and writers have a fixed number of threads, not {threads}: leave them or threads out");
    }
    if let Some(kind) = need.access_of.keys().find(|kind| !need.does(kind)) {
        let (place, text) = (place("access"), typed.get("access").text);
        bail!("{place} {text}: the mix has no {kind}: leave its access out, or add it to the mix");
    }
    if need.value_bytes.popular().is_some() && !need.has_popular_records() {
        let (place, text) = (place("access"), typed.get("access").text);
        bail!(
            "{place} {text}: value-size says which records are popular, but this access has no popular ones: use zipfian or hot:0.1/0.9"
        );
    }
    if need.threads > 1 && need.scans() && need.writes() && !need.is_shareable() {
        bail!(
            "{}: what a scan finds while other threads write is known only where they replace values: use update and upsert as writes, leave \
             scans out, or use one thread",
            place("mix")
        );
    }
    check_keys(need, &place("key-size"))
}

#[cfg(test)]
mod tests {
    use bakeoff_engine::pick::{PickSuite, PromisingMore};
    use bakeoff_results::map_axis::MapQuantity;
    use bakeoff_suite::Suite;

    use super::*;

    fn need(words: &[(&str, &str)]) -> Need {
        let mut typed = Typed::default();
        for (key, text) in words {
            let item = ITEMS.iter().find(|item| item.key == *key).unwrap();
            typed.set(item, format!("--{key}"), text);
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
            let expires = if mix.contains("delete") { "zipfian,delete=insertion" } else { "insertion" };
            for access in ["uniform", "zipfian:0.8", "latest", "hot:0.1/0.9", "sequential", expires] {
                for (records, size, key, threads) in [
                    ("2", "0", "4", "1"),
                    ("10", "1KiB", "16", "1"),
                    ("10", "1KiB", "16", "4"),
                    ("1000", "1KiB", "8", "1"),
                    ("1000", "1KiB", "20..50", "1"),
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
                        ("missing", if mix.contains("get") { "0.3" } else { "0" }),
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
    fn only_a_cold_need_drops_caches() {
        for (said, is_cold) in [("yes", true), ("no", false)] {
            let need = need(&[("cold", said)]);
            let shown = need.words.iter().find(|(key, _)| key == "cold").map(|(_, text)| text.as_str());
            assert_eq!(shown, is_cold.then_some("yes"));
            let suite = PickSuite::new(&need, &["a".to_owned()], &PromisingMore::default(), true).unwrap();
            let phases = Suite::parse("pick", &suite.text).unwrap().phases().to_vec();
            assert_eq!([phases[0].cold, phases[1].cold, phases[1].reopen], [false, is_cold, is_cold]);
        }
    }

    fn refused(words: &[(&str, &str)]) -> String {
        let mut typed = Typed::default();
        for (key, text) in words {
            typed.set(ITEMS.iter().find(|item| item.key == *key).unwrap(), format!("--{key}"), text);
        }
        format!("{:#}", read_need(&typed).unwrap_err())
    }

    #[test]
    fn a_prefix_scan_has_the_prefix_that_was_given_or_one_of_about_a_hundred_records() {
        for (words, prefix) in [
            (&[("mix", "scan-prefix=1,update=1"), ("prefix", "4")][..], 4),
            (&[("mix", "first=1,insert=1"), ("prefix", "8")], 8),
            (&[("mix", "first=1")], 0),
            // Nothing of the mix has a prefix, as at one end of a map.
            (&[("mix", "update=1"), ("prefix", "8")], 0),
            (&[("mix", "scan-prefix=1")], 14),
            (&[("mix", "scan-prefix=1"), ("key-size", "8"), ("key-form", "integer")], 7),
            (&[("mix", "scan-prefix=1"), ("key-size", "20"), ("records", "100k")], 3),
            (&[("mix", "scan-prefix=1"), ("key-size", "20"), ("records", "50")], 1),
        ] {
            let suite = PickSuite::new(&need(words), &["a".to_owned()], &PromisingMore::default(), true).unwrap();
            assert_eq!(Suite::parse("pick", &suite.text).unwrap().phases()[1].prefix_bytes, prefix, "{words:?}");
        }
        for (prefix, why) in [("17", "longer than the shortest key, 16 bytes"), ("0", "out of range")] {
            let refused = refused(&[("mix", "scan-prefix=1"), ("prefix", prefix)]);
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn threads_read_what_others_write_where_every_answer_is_known() {
        for (words, shares) in [
            (&[("readers", "3"), ("writers", "1"), ("mix", "get=9,update=1,insert=1")][..], true),
            (&[("readers", "3"), ("writers", "1"), ("mix", "get=8,insert=1,delete=1")], false),
            (&[("readers", "1"), ("mix", "scan=8,first=1,upsert=1")], true),
            (&[("threads", "2"), ("mix", "scan=1,update=1")], true),
            (&[("threads", "2"), ("mix", "get=1,update=1")], false),
            (&[("threads", "2"), ("mix", "scan=1")], false),
            (&[("mix", "scan=1,update=1")], false),
        ] {
            let suite = PickSuite::new(&need(words), &["a".to_owned()], &PromisingMore::default(), true).unwrap();
            let phases =
                Suite::parse("pick", &suite.text).unwrap_or_else(|why| panic!("{words:?}: {why}")).phases().to_vec();
            assert_eq!(phases[1].shared, shares, "{words:?}");
        }
        let why = refused(&[("threads", "2"), ("mix", "scan=1,insert=1")]);
        assert!(why.contains("known only where they replace values"), "{why}");
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
            "Memory for half of the data, 26MiB",
            "Memory as each store takes by default",
            "After all data was replaced once",
            "Values twice as long, 2KiB..20KiB",
            "Values half as long, 512B..5KiB",
            "Ten times the records, 100,000",
            "Durability power",
            "More writes",
        ];
        assert_eq!(words, expected);
        let varies: Vec<_> = suite.questions.iter().filter_map(|question| question.varies).collect();
        let (memory, size, records, reads) =
            (MapQuantity::Memory, MapQuantity::ValueSize, MapQuantity::Records, MapQuantity::Reads);
        assert_eq!(varies, [memory, size, size, records, reads]);
        // Zero has no half and no double.
        let need = need(&[("value-size", "0")]);
        let suite = PickSuite::new(&need, &["a".to_owned()], &PromisingMore::default(), true).unwrap();
        assert!(suite.questions.iter().all(|question| !question.variant.starts_with("values-")));
    }
}
