//! The tables `[axes]` and `[limits]`.

use std::time::Duration;

use bakeoff_protocol::Durability;
use bakeoff_tape::{Data, KeyForm, KeyMaker, LANES_MAX, POOL_BYTES_MAX, SizeRange, Tree, key_lengths, tree_entries};
use bakeoff_text::{
    format_duration, format_size, format_size_range, parse_duration, parse_size, parse_size_range, shorten,
};

use crate::disturbance::Disturbance;
use crate::error::Problems;
use crate::memory;
use crate::node::{Node, SuiteFile, Value};
use crate::read::{self, Table};
use crate::suite::StoreChoice;
use crate::tree;
use crate::{RECORDS_MAX, VALUE_BYTES_MAX};

/// The longest time a cell may be given: 30 days.
const TIMEOUT_MS_MAX: u64 = 30 * 24 * 3_600_000;

/// What is varied.
#[derive(Clone, Debug)]
pub(crate) struct Axes {
    pub(crate) stores: StoreChoice,
    pub(crate) value_bytes: Vec<SizeRange>,
    pub(crate) records: Vec<u64>,
    pub(crate) data: Vec<Data>,
    pub(crate) durability: Vec<Durability>,
    pub(crate) durability_otherwise: Vec<Durability>,
    pub(crate) threads: Vec<u32>,
    pub(crate) memory_limits: Vec<Option<u64>>,
    pub(crate) media: Vec<String>,
    pub(crate) keys: Vec<Key>,
    pub(crate) disturbances: Vec<Disturbance>,
}

/// A form of keys, and their length where it is not the form's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The form.
    pub form: KeyForm,
    /// The length, bytes; `None` for the form's own.
    pub bytes: Option<u32>,
}

impl Key {
    /// Keys of this form, of its own length.
    fn new(form: KeyForm) -> Self {
        Self { form, bytes: None }
    }
}

/// What a cell may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) db_bytes_max: Option<u64>,
    pub(crate) timeout: Duration,
}

/// Reads `[axes]`. With directory keys the tree says how many records there are and how long.
pub(crate) fn axes(root: &Table<'_>, directory_tree: Option<Tree>, problems: &mut Problems) -> Option<Axes> {
    const KNOWN: [&str; 11] = [
        "stores",
        "value-size",
        "records",
        "data",
        "durability",
        "durability-otherwise",
        "threads",
        "memory-limit",
        "media",
        "key",
        "disturbance",
    ];
    let node = root.required("axes", "[axes] with stores, value-size and records", problems)?;
    let table = Table::new(node, "[axes]", &KNOWN, problems)?;
    let classes = Durability::ALL.map(|class| (class.name(), class));
    let data_types = Data::ALL.map(|data| (data.name(), data));
    let keys = table
        .axis("key", problems, key)
        .unwrap_or_else(|| vec![Key::new(if root.get("tree").is_some() { KeyForm::Directory } else { KeyForm::Sha1 })]);
    check_tree(root, &table, &keys, problems);
    let is_tree = has_form(&keys, KeyForm::Directory);
    let is_tape = root.get("tape").is_some();
    let stores = stores(&table, problems);
    let (value_bytes, records) = if is_tree {
        let entries = directory_tree.and_then(tree_entries).into_iter().collect();
        (Some(tree::value_sizes(directory_tree)), Some(entries))
    } else if is_tape {
        (Some(Vec::new()), Some(Vec::new()))
    } else {
        (value_sizes(&table, problems), records(&table, problems))
    };
    let data = table.axis("data", problems, |node, what, problems| read::word(node, what, &data_types, problems));
    let durability =
        table.axis("durability", problems, |node, what, problems| read::word(node, what, &classes, problems));
    let durability_otherwise =
        table.axis("durability-otherwise", problems, |node, what, problems| read::word(node, what, &classes, problems));
    let threads = table.axis("threads", problems, threads);
    let memory_limits = table.axis("memory-limit", problems, memory::limit);
    let media = table.axis("media", problems, |node, _, problems| read::name(node, "medium", problems));
    let words = Disturbance::ALL.map(|disturbance| (disturbance.name(), disturbance));
    let disturbances =
        table.axis("disturbance", problems, |node, what, problems| read::word(node, what, &words, problems));
    Some(Axes {
        stores: stores?,
        value_bytes: value_bytes?,
        records: records?,
        data: data.unwrap_or_else(|| vec![Data::Random]),
        durability: durability.unwrap_or_else(|| vec![Durability::Process]),
        durability_otherwise: durability_otherwise.unwrap_or_default(),
        threads: threads.unwrap_or_else(|| vec![1]),
        memory_limits: memory_limits.unwrap_or_else(|| vec![None]),
        media: media.unwrap_or_else(|| vec!["default".to_owned()]),
        keys,
        disturbances: disturbances.unwrap_or_else(|| vec![Disturbance::None]),
    })
}

/// Whether keys of this form are among them.
pub(crate) fn has_form(keys: &[Key], form: KeyForm) -> bool {
    keys.iter().any(|key| key.form == form)
}

/// Reads a form of keys, `sha1`, or one with a length, `sha1:48`.
fn key(node: &Node, what: &str, problems: &mut Problems) -> Option<Key> {
    let forms = KeyForm::ALL.map(|form| (form.name(), form));
    let Value::Text(typed) = &node.value else { return read::word(node, what, &forms, problems).map(Key::new) };
    let Some((name, length)) = typed.split_once(':') else {
        return read::word(node, what, &forms, problems).map(Key::new);
    };
    let name = Node { place: node.place.clone(), value: Value::Text(name.to_owned()) };
    let form = read::word(&name, what, &forms, problems)?;
    let Some((least, most)) = key_lengths(form) else {
        let message = format!("{} keys have one length", form.name());
        problems.add(&node.place, message, format!("write {}", form.name()));
        return None;
    };
    let length = Node { place: node.place.clone(), value: Value::Text(length.to_owned()) };
    let limits = (u64::from(least), u64::from(most));
    let bytes = read::quantity(&length, "length of a key", limits, parse_size, format_size, problems)?;
    let own = KeyMaker::new(form, None).key_bytes() as u64 == bytes;
    Some(Key { form, bytes: (!own).then_some(bytes as u32) })
}

fn threads(node: &Node, what: &str, problems: &mut Problems) -> Option<u32> {
    read::count(node, what, (1, u64::from(LANES_MAX)), problems).map(|threads| threads as u32)
}

fn stores(table: &Table<'_>, problems: &mut Problems) -> Option<StoreChoice> {
    table.required("stores", "stores = [\"sqlite\", \"lmdb\"], or \"all\"", problems)?;
    let names = table.axis("stores", problems, |node, what, problems| {
        let name = read::text(node, what, problems)?;
        if name.is_empty() {
            problems.add(&node.place, "the name of a store is empty", "`bakeoff stores` lists those there are");
            return None;
        }
        Some(name)
    })?;
    match names.as_slice() {
        [word] if word == "all" => Some(StoreChoice::All),
        names if names.iter().any(|name| name == "all") => {
            let help = "write stores = \"all\" alone, or name the stores";
            problems.add(table.place("stores"), "`all` stands among other stores", help);
            None
        }
        _ => Some(StoreChoice::Named(names)),
    }
}

fn value_sizes(table: &Table<'_>, problems: &mut Problems) -> Option<Vec<SizeRange>> {
    table.required("value-size", "value-size = [\"100B..1KiB\"]", problems)?;
    table.axis("value-size", problems, |node, what, problems| {
        read::interval(node, what, (0, VALUE_BYTES_MAX), parse_size_range, format_size, problems)
    })
}

fn records(table: &Table<'_>, problems: &mut Problems) -> Option<Vec<u64>> {
    table.required("records", "records = [1_000, 10_000]", problems)?;
    table.axis("records", problems, |node, what, problems| read::count(node, what, (1, RECORDS_MAX), problems))
}

/// Directory keys and `[tree]` go together, and alone.
fn check_tree(root: &Table<'_>, table: &Table<'_>, keys: &[Key], problems: &mut Problems) {
    let has_directory = has_form(keys, KeyForm::Directory);
    if let (Some(node), false) = (root.get("tree"), has_directory) {
        let help = "write key = \"directory\" in [axes], or leave [tree] out";
        problems.add(&node.place, "[tree] is only for directory keys", help);
    }
    if !has_directory {
        return;
    }
    if root.get("tree").is_none() {
        let help = "add [tree] with fanout and levels";
        problems.add(table.place("key"), "directory keys need a tree", help);
    }
    if keys.len() > 1 {
        let help = "write another suite for the other keys";
        problems.add(table.place("key"), "directory keys cannot be compared with other keys", help);
    }
    for (key, what) in [("records", "how many records there are"), ("value-size", "how long values are")] {
        if table.get(key).is_some() {
            let message = format!("`{key}` does not go with directory keys: the tree says {what}");
            problems.add(table.place(key), message, format!("leave `{key}` out, or use another key"));
        }
    }
}

/// Reads `[limits]`.
pub(crate) fn limits(root: &Table<'_>, problems: &mut Problems) -> Limits {
    let mut limits = Limits { db_bytes_max: None, timeout: Duration::from_secs(300) };
    let Some(node) = root.get("limits") else { return limits };
    let Some(table) = Table::new(node, "[limits]", &["max-db-size", "timeout"], problems) else { return limits };
    limits.db_bytes_max = table.read("max-db-size", problems, |node, what, problems| {
        read::quantity(node, what, (1, u64::MAX), parse_size, format_size, problems)
    });
    limits.timeout = table.read("timeout", problems, timeout).unwrap_or(limits.timeout);
    limits
}

fn timeout(node: &Node, what: &str, problems: &mut Problems) -> Option<Duration> {
    let Value::Text(typed) = &node.value else {
        read::wrong_kind(node, what, "text with a unit, such as \"5m\"", problems);
        return None;
    };
    let longest = format_duration(Duration::from_millis(TIMEOUT_MS_MAX));
    match parse_duration(typed) {
        Err(error) => problems.add(&node.place, format!("`{what}`: {}", error.what), error.remedy),
        Ok(time) if (1..=u128::from(TIMEOUT_MS_MAX)).contains(&time.as_millis()) => return Some(time),
        Ok(_) => {
            let message = format!("a timeout of {} leaves no sensible time for a cell", shorten(typed));
            problems.add(&node.place, message, format!("give 1ms to {longest}; 5m is the default"));
        }
    }
    None
}

/// The length of the value pool: long enough that slices of it differ.
pub(crate) fn pool_bytes(root: &Table<'_>, axes: &Axes, file: &SuiteFile, problems: &mut Problems) -> Option<u64> {
    let largest = axes.value_bytes.iter().copied().max_by_key(|range| range.max)?;
    let given = root.read("pool-size", problems, |node, what, problems| {
        read::quantity(node, what, (1, POOL_BYTES_MAX), parse_size, format_size, problems)
    })?;
    if has_form(&axes.keys, KeyForm::Directory) {
        let help = "leave `pool-size` out";
        problems.add(root.place("pool-size"), "the tree says how long the pool is", help);
    } else if given < largest.max {
        let message = format!(
            "a pool of {} has no room for values of {}",
            format_size(given),
            format_size_range(largest.min, largest.max)
        );
        let help = format!("make `pool-size` at least {}, or leave it out", format_size(largest.max));
        problems.add(&file.blame(&["value-size"], root.place("pool-size")), message, help);
    }
    Some(given)
}
