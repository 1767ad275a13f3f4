//! The axes of a suite, each declared once: its name, its flag, how it is read, and what it varies.
//!
//! To add an axis, add its values to [`Axes`], a row to [`AXES`], and a field to [`Conditions`] or to the tapes'
//! workload.

use bakeoff_protocol::{Compression, DEFAULT_MEDIUM, Durability};
use bakeoff_tape::{Data, KeyForm, KeyMaker, LANES_MAX, SizeRange, ValueSizes, Workload, key_count, key_lengths};
use bakeoff_text::{format_size, parse_size, parse_size_range};

use crate::disturbance::Disturbance;
use crate::error::Problems;
use crate::flag::Flag;
use crate::limits::{RECORDS_MAX, VALUE_BYTES_MAX};
use crate::node::{Node, Value};
use crate::read::{self, Table};

/// Limits of the memory limit of a cell, in bytes. A driver alone takes more than the minimum.
const LIMIT_BYTES: (u64, u64) = (8 << 20, 1 << 46);

/// The stores a suite compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreChoice {
    /// Every store that is not just for tests.
    All,
    /// These.
    Named(Vec<String>),
}

/// A form of keys, and their length if it is not the form's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The form.
    pub form: KeyForm,
    /// Their lengths, bytes; `None` for the form's own.
    pub bytes: Option<SizeRange>,
}

impl Key {
    /// Keys of this form, of its own length.
    pub(crate) fn new(form: KeyForm) -> Self {
        Self { form, bytes: None }
    }

    /// The maximum of records with distinct keys of this kind.
    pub(crate) fn count(&self) -> u64 {
        let own = || KeyMaker::new(self.form, None).lengths();
        key_count(self.form, self.bytes.unwrap_or_else(own).min as u32)
    }

    /// Sets a workload's keys.
    fn set(&self, of: &mut Workload) {
        of.key = self.form;
        of.key_bytes = self.bytes.map(|lengths| lengths.min as u32);
        of.key_bytes_max = self.bytes.filter(|lengths| lengths.min < lengths.max).map(|lengths| lengths.max as u32);
    }
}

/// The values of every axis. Defaults for axes that the suite leaves out.
#[derive(Clone, Debug)]
pub(crate) struct Axes {
    pub(crate) stores: StoreChoice,
    pub(crate) value_bytes: Vec<ValueSizes>,
    pub(crate) records: Vec<u64>,
    pub(crate) data: Vec<Data>,
    pub(crate) durability: Vec<Durability>,
    pub(crate) durability_otherwise: Vec<Durability>,
    pub(crate) threads: Vec<u32>,
    pub(crate) memory_limits: Vec<Option<u64>>,
    pub(crate) compression: Vec<Compression>,
    pub(crate) media: Vec<String>,
    pub(crate) keys: Vec<Key>,
    pub(crate) disturbances: Vec<Disturbance>,
    pub(crate) ages: Vec<u32>,
}

impl Default for Axes {
    fn default() -> Self {
        Self {
            stores: StoreChoice::Named(Vec::new()),
            value_bytes: Vec::new(),
            records: Vec::new(),
            data: vec![Data::Random],
            durability: vec![Durability::default()],
            durability_otherwise: Vec::new(),
            threads: vec![1],
            memory_limits: vec![None],
            compression: vec![Compression::Default],
            media: vec![DEFAULT_MEDIUM.to_owned()],
            keys: vec![Key::new(KeyForm::Sha1)],
            disturbances: vec![Disturbance::None],
            ages: vec![0],
        }
    }
}

/// The conditions under which cells replay the tapes of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// The medium's name.
    pub medium: String,
    /// The background load.
    pub disturbance: Disturbance,
    /// The durability level of all cells, except those whose store has its own level.
    pub durability: Durability,
    /// The memory limit of a cell, if there is one.
    pub memory_limit_bytes: Option<u64>,
    /// Which compression is allowed.
    pub compression: Compression,
}

impl Conditions {
    /// Adds them to a cell's axes.
    pub(crate) fn note(&self, axes: &mut bakeoff_protocol::Axes) {
        let Self { medium, disturbance, durability, memory_limit_bytes, compression } = self;
        axes.medium.clone_from(medium);
        axes.disturbance = (!disturbance.is_none()).then(|| disturbance.name().to_owned());
        axes.durability = *durability;
        axes.memory_limit_bytes = *memory_limit_bytes;
        axes.compression = *compression;
    }
}

impl Default for Conditions {
    fn default() -> Self {
        Self {
            medium: DEFAULT_MEDIUM.to_owned(),
            disturbance: Disturbance::None,
            durability: Durability::default(),
            memory_limit_bytes: None,
            compression: Compression::Default,
        }
    }
}

/// What an axis varies. Each function returns one copy of its input per value of the axis, with that value set.
pub(crate) enum Varies {
    /// The content of the tapes.
    Workload(fn(&Axes, &Workload) -> Vec<Workload>),
    /// The conditions of replay.
    Conditions(fn(&Axes, &Conditions) -> Vec<Conditions>),
    /// Neither: the axis chooses stores, or belongs to another axis.
    Neither,
}

/// One axis.
pub(crate) struct SuiteAxis {
    /// Its key in `[axes]`.
    pub(crate) key: &'static str,
    /// The flag that overrides it.
    pub(crate) flag: Option<Flag>,
    /// An example of its values, if every suite must have it.
    pub(crate) required: Option<&'static str>,
    /// The values of the flag as a suite writes them. Most are split at commas; some values contain commas.
    pub(crate) typed: fn(&[String]) -> Vec<String>,
    /// Reads its values. `None` if they cannot be read.
    pub(crate) read: fn(&Table<'_>, &mut Axes, &mut Problems) -> Option<()>,
    pub(crate) varies: Varies,
    /// Its place in the order of a plan: the values of the axis with the lowest number vary last.
    pub(crate) nesting: u32,
}

impl SuiteAxis {
    const fn new(key: &'static str, read: fn(&Table<'_>, &mut Axes, &mut Problems) -> Option<()>) -> Self {
        Self { key, flag: None, required: None, typed: <[String]>::to_vec, read, varies: Varies::Neither, nesting: 0 }
    }

    const fn required(self, example: &'static str) -> Self {
        Self { required: Some(example), ..self }
    }

    const fn flag(self, name: &'static str, value_name: &'static str, help: &'static str) -> Self {
        Self { flag: Some(Flag::list(name, value_name, help)), ..self }
    }

    const fn typed(self, typed: fn(&[String]) -> Vec<String>) -> Self {
        Self { typed, ..self }
    }

    const fn varies(self, nesting: u32, varies: Varies) -> Self {
        Self { varies, nesting, ..self }
    }
}

/// Every axis.
pub(crate) static AXES: [SuiteAxis; 13] = [
    SuiteAxis::new("stores", |table, axes, problems| set(&mut axes.stores, stores(table, problems)))
        .required("stores = [\"sqlite\", \"lmdb\"], or \"all\"")
        .flag("stores", "NAME,…", "Stores to compare, separated by commas; `all` for every store"),
    SuiteAxis::new("value-size", |table, axes, problems| {
        set(&mut axes.value_bytes, table.axis("value-size", problems, value_size))
    })
    .required("value-size = [\"100B..1KiB\"]")
    .flag(
        "value-size",
        "SIZE,…",
        "Value sizes or ranges of sizes, e.g. 100B,1KiB..10KiB; sizes with weights are one value, e.g. 70% 200B,30% 20KiB",
    )
    .typed(mixtures)
    .varies(
        6,
        Varies::Workload(|axes, of| each(of, &axes.value_bytes, |of, sizes| of.value_bytes.clone_from(sizes))),
    ),
    SuiteAxis::new("records", |table, axes, problems| {
        set(&mut axes.records, table.axis("records", problems, records))
    })
    .required("records = [1_000, 10_000]")
    .flag("records", "COUNT,…", "Record counts, e.g. 1000,10k")
    .varies(7, Varies::Workload(|axes, of| each(of, &axes.records, |of, &records| of.records = records))),
    SuiteAxis::new("data", |table, axes, problems| set(&mut axes.data, table.axis("data", problems, data)))
        .flag("data", "TYPE,…", "What values are made of: random, text, json, half")
        .varies(5, Varies::Workload(|axes, of| each(of, &axes.data, |of, &data| of.data = data))),
    SuiteAxis::new("durability", |table, axes, problems| {
        set(&mut axes.durability, table.axis("durability", problems, durability))
    })
    .flag("durability", "LEVEL,…", "What an acknowledged write must survive: none, process, consistent, power")
    .varies(2, Varies::Conditions(|axes, of| each(of, &classes(axes), |of, &class| of.durability = class))),
    SuiteAxis::new(OTHERWISE, |table, axes, problems| {
        set(&mut axes.durability_otherwise, table.axis(OTHERWISE, problems, durability))
    }),
    SuiteAxis::new("threads", |table, axes, problems| set(&mut axes.threads, table.axis("threads", problems, threads)))
        .flag("threads", "COUNT,…", "Threads that work at the same time, e.g. 1,2,4")
        .varies(8, Varies::Workload(|axes, of| each(of, &axes.threads, |of, &threads| of.lanes = threads))),
    SuiteAxis::new("memory-limit", |table, axes, problems| {
        set(&mut axes.memory_limits, table.axis("memory-limit", problems, memory_limit))
    })
    .flag(
        "memory-limit",
        "SIZE,…",
        "Limit each cell, with its driver and the page cache of its files, to this much memory, e.g. 256MiB; `none` for no limit",
    )
    .varies(3, Varies::Conditions(|axes, of| each(of, &axes.memory_limits, |of, &bytes| of.memory_limit_bytes = bytes))),
    SuiteAxis::new("compression", |table, axes, problems| {
        set(&mut axes.compression, table.axis("compression", problems, compression))
    })
    .flag("compression", "WORD,…", "What stores may do about compression: default, or none to switch it off")
    .varies(9, Varies::Conditions(|axes, of| each(of, &axes.compression, |of, &compression| of.compression = compression))),
    SuiteAxis::new(MEDIA, |table, axes, problems| set(&mut axes.media, table.axis(MEDIA, problems, medium)))
        .varies(0, Varies::Conditions(|axes, of| each(of, &axes.media, |of, name| of.medium.clone_from(name)))),
    SuiteAxis::new(KEY, |table, axes, problems| set(&mut axes.keys, table.axis(KEY, problems, key)))
        .flag("key", "FORM,…", "Forms of keys: sha1, decimal or integer, with a length or a range of lengths, e.g. integer:8,sha1:20..64")
        .varies(4, Varies::Workload(|axes, of| each(of, &axes.keys, |of, key| key.set(of)))),
    SuiteAxis::new("disturbance", |table, axes, problems| {
        set(&mut axes.disturbances, table.axis("disturbance", problems, disturbance))
    })
    .flag("disturbance", "WORD,…", "Background load during each cell: none, video, cpu, memory, disk")
    .varies(1, Varies::Conditions(|axes, of| each(of, &axes.disturbances, |of, &by| of.disturbance = by))),
    SuiteAxis::new(AGE, |table, axes, problems| set(&mut axes.ages, table.axis(AGE, problems, age)))
        .flag("age", "COUNT,…", "Age stores before they are measured: replace all data this many times, e.g. 0,1,3")
        .varies(10, Varies::Workload(|axes, of| axes.ages.iter().map(|&age| of.clone().aged(age)).collect())),
];

/// The first axis to be read: a tree determines the values of others.
pub(crate) const KEY: &str = "key";

/// The axis that adds a phase.
pub(crate) const AGE: &str = "age";

/// The maximum of turnovers for aging a store.
const AGE_MAX: u64 = 100;

/// The axis that replaces `durability` for stores without those levels.
pub(crate) const OTHERWISE: &str = "durability-otherwise";

/// The axis that `--medium` sets if the suite leaves it out.
pub(crate) const MEDIA: &str = "media";

/// The keys of all axes, in the order of the table.
pub(crate) fn keys() -> Vec<&'static str> {
    AXES.iter().map(|axis| axis.key).collect()
}

/// The keys of axes that determine the content of tapes.
pub(crate) fn workload_keys() -> impl Iterator<Item = &'static str> {
    AXES.iter().filter(|axis| matches!(axis.varies, Varies::Workload(_))).map(|axis| axis.key)
}

/// The axes in the nesting order of a plan; the outermost loop is first.
fn nested() -> Vec<&'static SuiteAxis> {
    let mut axes: Vec<_> = AXES.iter().collect();
    axes.sort_by_key(|axis| axis.nesting);
    axes
}

/// Every combination of the axes that determine the content of tapes. `of` has everything else.
pub(crate) fn workloads(axes: &Axes, of: Workload) -> Vec<Workload> {
    nested().into_iter().fold(vec![of], |all, axis| match axis.varies {
        Varies::Workload(vary) => all.iter().flat_map(|of| vary(axes, of)).collect(),
        _ => all,
    })
}

/// Every combination of the axes that determine how tapes are replayed.
pub(crate) fn conditions(axes: &Axes) -> Vec<Conditions> {
    nested().into_iter().fold(vec![Conditions::default()], |all, axis| match axis.varies {
        Varies::Conditions(vary) => all.iter().flat_map(|of| vary(axes, of)).collect(),
        _ => all,
    })
}

/// The number of combinations of all axes except the stores. An axis without values (with a tape) counts as one value.
/// `of` is any workload.
pub(crate) fn combinations(axes: &Axes, of: &Workload) -> usize {
    let values = |axis: &SuiteAxis| match axis.varies {
        Varies::Workload(vary) => vary(axes, of).len().max(1),
        Varies::Conditions(vary) => vary(axes, &Conditions::default()).len().max(1),
        Varies::Neither => 1,
    };
    AXES.iter().map(values).fold(1, usize::saturating_mul)
}

/// Every durability level that some store is measured at.
fn classes(axes: &Axes) -> Vec<Durability> {
    let others = axes.durability_otherwise.iter().filter(|class| !axes.durability.contains(class));
    axes.durability.iter().chain(others).copied().collect()
}

/// A copy of `of` for each value.
fn each<T: Clone, V>(of: &T, values: &[V], set: impl Fn(&mut T, &V)) -> Vec<T> {
    let with = |value| {
        let mut copy = of.clone();
        set(&mut copy, value);
        copy
    };
    values.iter().map(with).collect()
}

fn set<T>(values: &mut T, read: Option<T>) -> Option<()> {
    *values = read?;
    Some(())
}

/// Whether one of the keys has this form.
pub(crate) fn has_form(keys: &[Key], form: KeyForm) -> bool {
    keys.iter().any(|key| key.form == form)
}

/// Reads a form of keys, with an optional length or range of lengths: `sha1`, `sha1:48`.
fn key(node: &Node, what: &str, problems: &mut Problems) -> Option<Key> {
    let forms = KeyForm::ALL.map(|form| (form.name(), form));
    let Value::Text(typed) = &node.value else { return read::choice(node, what, &forms, problems).map(Key::new) };
    let Some((name, length)) = typed.split_once(':') else {
        return read::choice(node, what, &forms, problems).map(Key::new);
    };
    let name = Node { place: node.place.clone(), value: Value::Text(name.to_owned()) };
    let form = read::choice(&name, what, &forms, problems)?;
    let Some((least, most)) = key_lengths(form) else {
        let message = format!("{} keys have one length", form.name());
        problems.add(&node.place, message, format!("write {}", form.name()));
        return None;
    };
    let length = Node { place: node.place.clone(), value: Value::Text(length.to_owned()) };
    let limits = (u64::from(least), u64::from(most));
    let lengths = read::interval(&length, "length of a key", limits, parse_size_range, format_size, problems)?;
    let own = KeyMaker::new(form, None).lengths() == lengths;
    Some(Key { form, bytes: (!own).then_some(lengths) })
}

fn stores(table: &Table<'_>, problems: &mut Problems) -> Option<StoreChoice> {
    let names = table.axis("stores", problems, |node, what, problems| {
        let name = read::text(node, what, problems)?;
        if name.is_empty() {
            problems.add(
                &node.place,
                "the name of a store is empty",
                format!("`{} stores` lists all names", bakeoff_text::program()),
            );
            return None;
        }
        Some(name)
    })?;
    match names.as_slice() {
        [word] if word == "all" => Some(StoreChoice::All),
        names if names.iter().any(|name| name == "all") => {
            let help = "write stores = \"all\" alone, or name the stores";
            problems.add(table.place("stores"), "`all` is used together with names of stores", help);
            None
        }
        _ => Some(StoreChoice::Named(names)),
    }
}

/// Joins consecutive sizes with weights into one value, up to a semicolon.
fn mixtures(typed: &[String]) -> Vec<String> {
    let (mut values, mut goes_on): (Vec<String>, bool) = (Vec::new(), false);
    for text in typed {
        for (number, piece) in text.split(';').enumerate() {
            let has_weight = ValueSizes::is_part(piece);
            match values.last_mut().filter(|_| has_weight && goes_on && number == 0) {
                Some(last) => *last = format!("{last},{piece}"),
                None => values.push(piece.to_owned()),
            }
            goes_on = has_weight;
        }
    }
    values
}

/// Reads a size, a range of sizes, or several sizes with weights.
fn value_size(node: &Node, what: &str, problems: &mut Problems) -> Option<ValueSizes> {
    let typed = match &node.value {
        Value::Text(text) if ValueSizes::is_mixture(text) => text,
        _ => {
            let range = read::interval(node, what, (0, VALUE_BYTES_MAX), parse_size_range, format_size, problems);
            return range.map(ValueSizes::from);
        }
    };
    match ValueSizes::parse(typed) {
        Err(error) => problems.add(&node.place, format!("`{what}`: {}", error.what), error.remedy),
        Ok(sizes) if sizes.max() <= VALUE_BYTES_MAX => return Some(sizes),
        Ok(sizes) => {
            let message = format!("`{what}` is up to {}, which is too large", format_size(sizes.max()));
            problems.add(&node.place, message, format!("give sizes up to {}", format_size(VALUE_BYTES_MAX)));
        }
    }
    None
}

fn records(node: &Node, what: &str, problems: &mut Problems) -> Option<u64> {
    read::count(node, what, (1, RECORDS_MAX), problems)
}

fn data(node: &Node, what: &str, problems: &mut Problems) -> Option<Data> {
    read::choice(node, what, &Data::ALL.map(|data| (data.name(), data)), problems)
}

/// Reads a durability level.
pub(crate) fn durability(node: &Node, what: &str, problems: &mut Problems) -> Option<Durability> {
    read::choice(node, what, &Durability::ALL.map(|class| (class.name(), class)), problems)
}

fn threads(node: &Node, what: &str, problems: &mut Problems) -> Option<u32> {
    read::count(node, what, (1, u64::from(LANES_MAX)), problems).map(|threads| threads as u32)
}

/// Reads a size, or `none`.
fn memory_limit(node: &Node, what: &str, problems: &mut Problems) -> Option<Option<u64>> {
    match &node.value {
        Value::Text(word) if word == "none" => Some(None),
        _ => read::quantity(node, what, LIMIT_BYTES, parse_size, format_size, problems).map(Some),
    }
}

fn compression(node: &Node, what: &str, problems: &mut Problems) -> Option<Compression> {
    read::choice(node, what, &Compression::ALL.map(|compression| (compression.name(), compression)), problems)
}

fn medium(node: &Node, _: &str, problems: &mut Problems) -> Option<String> {
    read::name(node, "medium", problems)
}

fn age(node: &Node, what: &str, problems: &mut Problems) -> Option<u32> {
    read::count(node, what, (0, AGE_MAX), problems).map(|turnovers| turnovers as u32)
}

fn disturbance(node: &Node, what: &str, problems: &mut Problems) -> Option<Disturbance> {
    read::choice(node, what, &Disturbance::ALL.map(|disturbance| (disturbance.name(), disturbance)), problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_with_weights_that_follow_each_other_are_one_value() {
        let of = |text: &str| mixtures(&text.split(',').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("100B,1KiB..10KiB"), ["100B", "1KiB..10KiB"]);
        assert_eq!(of("70% 200B, 30% 20KiB"), ["70% 200B, 30% 20KiB"]);
        assert_eq!(of("1B,7 200,3 20KiB,5B"), ["1B", "7 200,3 20KiB", "5B"]);
        assert_eq!(of("7 1B,3 2B;50% 1B,50% 2B"), ["7 1B,3 2B", "50% 1B,50% 2B"]);
        assert_eq!(of("7 1B,3 2B,popular small;1 1B,1 2B"), ["7 1B,3 2B,popular small", "1 1B,1 2B"]);
        assert_eq!(of("70%,30% 2B"), ["70%,30% 2B"], "a size that is missing is missed when it is read");
    }
}
