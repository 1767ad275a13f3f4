//! Words as people type them, in the form that results show and flags take.

use bakeoff_tape::{Data, ValueSizes};

/// Other names of kinds of operation.
const KINDS: [(&str, &str); 8] = [
    ("read", "get"),
    ("reads", "get"),
    ("write", "update"),
    ("writes", "update"),
    ("put", "upsert"),
    ("set", "upsert"),
    ("remove", "delete"),
    ("range", "scan"),
];

/// Mixes by a description, with their percentage of reads.
const DESCRIPTIONS: [(&str, f64); 6] = [
    ("read-only", 100.0),
    ("reads only", 100.0),
    ("mostly reads", 95.0),
    ("read-mostly", 95.0),
    ("half and half", 50.0),
    ("write-only", 0.0),
];

const DURABILITIES: [(&str, &str); 5] = [
    ("nothing", "power"),
    ("last moments", "consistent"),
    ("the last moments", "consistent"),
    ("moments", "consistent"),
    ("everything", "none"),
];

const LANGUAGES: [(&str, &str); 11] = [
    ("cpp", "c++"),
    ("cxx", "c++"),
    ("golang", "go"),
    ("javascript", "node"),
    ("js", "node"),
    ("node.js", "node"),
    ("nodejs", "node"),
    ("py", "python"),
    ("python3", "python"),
    ("rs", "rust"),
    ("typescript", "node"),
];

/// Of the writes that are not described, the part that inserts.
const INSERTS: f64 = 0.25;

/// The word for another one.
fn renamed(names: &[(&'static str, &'static str)], text: &str) -> Option<&'static str> {
    names.iter().find(|(name, _)| *name == text).map(|(_, word)| *word)
}

/// `nothing` may be lost: power.
pub(crate) fn durability(text: &str) -> Option<String> {
    renamed(&DURABILITIES, &text.to_lowercase()).map(str::to_owned)
}

/// `golang`: go.
pub(crate) fn languages(text: &str) -> Option<String> {
    let parts = text.split(',').map(|part| {
        let part = part.trim().to_lowercase();
        renamed(&LANGUAGES, &part).map_or(part, str::to_owned)
    });
    Some(parts.collect::<Vec<_>>().join(","))
}

/// `n`: no.
pub(crate) fn switch(text: &str) -> Option<String> {
    renamed(&[("y", "yes"), ("true", "yes"), ("n", "no"), ("false", "no")], &text.to_lowercase()).map(str::to_owned)
}

/// `20%`: 0.2.
pub(crate) fn part(text: &str) -> Option<String> {
    Some(rounded(percent(text).filter(|_| text.contains('%'))? / 100.0))
}

/// `1-5 KiB`: 1KiB..5KiB.
pub(crate) fn sizes(text: &str) -> Option<String> {
    let is_typed = text.contains(['-', '–']) || text.contains(" to ");
    ValueSizes::parse(text).ok().filter(|_| is_typed).map(|sizes| sizes.to_string())
}

/// The size and the kind of data in `1-5 KiB json`.
pub(crate) fn size_and_data(text: &str) -> Option<(String, Data)> {
    let is_word = |word: &&str, data: Data| word.eq_ignore_ascii_case(data.name());
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let data = Data::ALL.into_iter().find(|data| words.iter().any(|word| is_word(word, *data)))?;
    words.retain(|word| !is_word(word, data));
    Some((words.join(" "), data))
}

/// `95%`, `95/5`, `90% reads`, `read=95` or `read=95,write=5`: weights of kinds.
pub(crate) fn mix(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    match reads(&text) {
        Some(reads) => Some(weights(reads)),
        None => kinds(&text),
    }
}

/// The percentage of reads.
fn reads(text: &str) -> Option<f64> {
    if let Some((_, reads)) = DESCRIPTIONS.iter().find(|(words, _)| *words == text) {
        return Some(*reads);
    }
    if let Some(reads) = percent(text) {
        return Some(reads);
    }
    if let Some((reads, writes)) = text.split_once(['/', ':']).and_then(|(a, b)| Some((percent(a)?, percent(b)?))) {
        return (reads + writes > 0.0).then(|| 100.0 * reads / (reads + writes));
    }
    let (mut reads, mut writes) = (None, None);
    for part in text.split([',', ';']) {
        let words: Vec<&str> = part.split([' ', '=', ':', '%']).filter(|word| !word.is_empty()).collect();
        let (first, second) = (words.first()?, words.get(1)?);
        let (number, kind) =
            percent(first).map(|number| (number, second)).or_else(|| Some((percent(second)?, first)))?;
        let of = match *kind {
            "read" | "reads" => &mut reads,
            "write" | "writes" => &mut writes,
            _ => return None,
        };
        if words.len() > 2 || of.replace(number).is_some() {
            return None;
        }
    }
    match (reads, writes) {
        (Some(reads), Some(writes)) if reads + writes > 0.0 => Some(100.0 * reads / (reads + writes)),
        (Some(reads), None) => Some(reads),
        (None, Some(writes)) => Some(100.0 - writes),
        _ => None,
    }
}

/// A number from 0 to 100, with or without its sign.
fn percent(text: &str) -> Option<f64> {
    let text = text.trim();
    text.strip_suffix('%').unwrap_or(text).trim().parse().ok().filter(|number| (0.0..=100.0).contains(number))
}

/// The mix with this percentage of reads.
fn weights(reads: f64) -> String {
    let writes = 100.0 - reads;
    let kinds = [("get", reads), ("update", writes * (1.0 - INSERTS)), ("insert", writes * INSERTS)];
    let kinds = kinds.into_iter().filter(|(_, weight)| *weight > 0.0);
    kinds.map(|(kind, weight)| format!("{kind}={}", rounded(weight))).collect::<Vec<_>>().join(",")
}

fn rounded(number: f64) -> String {
    ((number * 1_000.0).round() / 1_000.0).to_string()
}

/// A mix with the names of kinds; `None` if it has them.
fn kinds(text: &str) -> Option<String> {
    let parts: Vec<(&str, &str)> = text.split(',').map(|part| part.split_once('=')).collect::<Option<_>>()?;
    let name = |kind: &str| renamed(&KINDS, kind.trim());
    parts.iter().find_map(|(kind, _)| name(kind))?;
    let kinds = parts.iter().map(|(kind, weight)| format!("{}={}", name(kind).unwrap_or(kind.trim()), weight.trim()));
    Some(kinds.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_against_writes_are_written_in_many_ways() {
        for (typed, expected) in [
            ("80", "get=80,update=15,insert=5"),
            ("95%", "get=95,update=3.75,insert=1.25"),
            ("95 % reads", "get=95,update=3.75,insert=1.25"),
            ("read=95", "get=95,update=3.75,insert=1.25"),
            ("Reads: 95%", "get=95,update=3.75,insert=1.25"),
            ("read=95,write=5", "get=95,update=3.75,insert=1.25"),
            ("19/1", "get=95,update=3.75,insert=1.25"),
            ("10% writes", "get=90,update=7.5,insert=2.5"),
            ("read-only", "get=100"),
            ("0", "update=75,insert=25"),
            ("read=90,range=10", "get=90,scan=10"),
            ("put=1,remove=1", "upsert=1,delete=1"),
        ] {
            assert_eq!(mix(typed).as_deref(), Some(expected), "{typed}");
        }
        for as_it_is in ["get=95,update=5", "get", "gte=1", "", "101", "-5", "read=x", "read=1,read=2", "0/0"] {
            let made = mix(as_it_is);
            assert!(made.as_deref().is_none_or(|made| made.contains("get=x") || made == "get=1,get=2"), "{made:?}");
        }
    }

    #[test]
    fn other_words_have_a_form_that_flags_take() {
        assert_eq!(sizes("1-5 KiB").as_deref(), Some("1KiB..5KiB"));
        assert_eq!((sizes("1KiB"), sizes("-5"), sizes("1 to x")), (None, None, None));
        assert_eq!(size_and_data("1-5 KiB JSON"), Some(("1-5 KiB".to_owned(), Data::Json)));
        assert_eq!(size_and_data("json"), Some((String::new(), Data::Json)));
        assert_eq!(size_and_data("1KiB"), None);
        assert_eq!(languages("Python3, golang").as_deref(), Some("python,go"));
        assert_eq!(durability("Nothing").as_deref(), Some("power"));
        assert_eq!((part("20%").as_deref(), part("0.2")), (Some("0.2"), None));
    }
}
