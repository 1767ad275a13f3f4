//! Flags that change a suite.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::assemble::scale::SCALE;
use crate::assemble::variants::{self, VARIANTS};
use crate::axes::{AXES, MEDIA, OTHERWISE};
use crate::flag::Flag;
use crate::node::{Node, SuiteFile, Value};
use crate::place::Place;

/// Where a flag's value goes.
enum Target {
    /// Under this key of the suite.
    Suite(&'static str),
    /// Under this key of `[limits]`.
    Limits(&'static str),
    /// Changes the suite as a whole, before or after the other flags.
    Whole,
}

/// The flag that maps media to directories. The media it names replace the axis only if the suite has no such axis.
const MEDIUM: &str = "medium";

/// Flags for options that are not axes.
static FLAGS: [(Flag, Target); 9] = [
    (
        Flag::one(
            "speed",
            "NUMBER",
            "Replay the tape at this multiple of its own speed: 1, 2, 0.5; latency then counts from when each operation \
             was due. Without it, an operation begins when the previous one has ended",
        ),
        Target::Suite("speed"),
    ),
    (
        Flag::list(VARIANTS, "NAME,…", "Variants of the suite to measure, by name; the others are left out"),
        Target::Whole,
    ),
    (
        Flag::one(
            SCALE,
            "PART|levels=N",
            "Measure a fraction of the records, operations and batches, e.g. 0.01, or a tree with fewer levels, e.g. levels=5",
        ),
        Target::Whole,
    ),
    (
        Flag::one(
            "memory",
            "SIZE",
            "Give every store this much memory for its caches and buffers, divided as each store's documentation advises; `default` for each store's own default",
        ),
        Target::Suite("memory"),
    ),
    (
        Flag::one("rounds", "COUNT", "Repetitions of each cell, each in a fresh process and directory"),
        Target::Suite("rounds"),
    ),
    (Flag::one("seed", "NUMBER", "Seed of every random choice"), Target::Suite("seed")),
    (
        Flag::one(
            "max-db-size",
            "SIZE",
            "Skip workloads with more data than this (number of records × mean value size); later inserts and a store's \
             overhead do not count",
        ),
        Target::Limits("max-db-size"),
    ),
    (Flag::one("timeout", "TIME", "Fail a cell that takes longer than this"), Target::Limits("timeout")),
    (Flag::list(MEDIUM, "NAME=DIR", ""), Target::Whole),
];

/// Flags that replace parts of a suite, with their values as typed: `records` → `["1000", "10k"]`. The values obey the
/// rules of the suite. The JSON is an object with the flags' names as keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Vec<String>>")]
pub struct Overrides(BTreeMap<String, Vec<String>>);

impl TryFrom<BTreeMap<String, Vec<String>>> for Overrides {
    type Error = String;

    fn try_from(values: BTreeMap<String, Vec<String>>) -> Result<Self, String> {
        let is_known = |name: &str| all().any(|flag| flag.name == name);
        match values.keys().find(|name| !is_known(name)) {
            Some(unknown) => Err(format!("this version has no flag `--{unknown}`")),
            None => Ok(Self(values)),
        }
    }
}

fn all() -> impl Iterator<Item = &'static Flag> {
    AXES.iter().filter_map(|axis| axis.flag.as_ref()).chain(FLAGS.iter().map(|(flag, _)| flag))
}

impl Overrides {
    /// Every flag, in the order of the help. `--medium` is missing, since it has more than names.
    pub fn flags() -> impl Iterator<Item = &'static Flag> {
        let (first, others) = FLAGS.split_at(1);
        let of_axes = AXES.iter().filter_map(|axis| axis.flag.as_ref());
        let others = others.iter().map(|(flag, _)| flag).filter(|flag| flag.name != MEDIUM);
        first.iter().map(|(flag, _)| flag).chain(of_axes).chain(others)
    }

    /// Sets a flag, named without dashes.
    pub fn set(&mut self, flag: &str, values: Vec<String>) {
        self.0.insert(flag.to_owned(), values);
    }

    /// The same flags, and this one set.
    pub fn with<T: Into<String>>(mut self, flag: &str, values: impl IntoIterator<Item = T>) -> Self {
        self.set(flag, values.into_iter().map(Into::into).collect());
        self
    }

    /// The values of a flag as typed, if it is set.
    pub fn get(&self, flag: &str) -> Option<&[String]> {
        self.0.get(flag).map(Vec::as_slice)
    }

    /// The value of a flag as typed, if it is set.
    pub(crate) fn text(&self, flag: &str) -> Option<String> {
        self.get(flag).map(|values| values.join(","))
    }

    /// Only this flag.
    pub(crate) fn only(&self, flag: &str) -> Self {
        self.get(flag).map_or_else(Self::default, |values| Self::default().with(flag, values.iter().cloned()))
    }

    /// Whether no flag is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first flag that changes a key of the variant, named without dashes.
    pub(crate) fn changes(&self, variant: &Node) -> Option<&'static str> {
        let is_given = |flag: &Flag| self.get(flag.name).is_some();
        let has_axis = |key: &str| variant.get("axes").is_some_and(|axes| axes.get(key).is_some());
        let of_axes = AXES.iter().filter(|axis| has_axis(axis.key)).filter_map(|axis| axis.flag.as_ref());
        let of_keys = FLAGS.iter().filter_map(|(flag, target)| match target {
            Target::Suite(key) => variant.get(key).is_some().then_some(flag),
            // `--scale` changes the number of records, no matter which table has it.
            Target::Whole => (flag.name == SCALE).then_some(flag),
            Target::Limits(_) => None,
        });
        of_axes.chain(of_keys).find(|flag| is_given(flag)).map(|flag| flag.name)
    }

    /// Applies the flags to a suite as typed.
    pub(crate) fn apply(&self, file: &mut SuiteFile) {
        for axis in &AXES {
            let Some(flag) = &axis.flag else { continue };
            let Some(values) = self.get(flag.name) else { continue };
            set_axis(file, axis.key, list(flag.name, &(axis.typed)(values)));
            if axis.key == "durability" {
                // A given level makes other levels unnecessary.
                variants::forget_axis(file, OTHERWISE);
                file.root.table("axes").into_iter().for_each(|axes| variants::remove(axes, OTHERWISE));
            }
        }
        let names_media = file.root.get("axes").is_some_and(|axes| axes.get(MEDIA).is_some());
        if let (Some(values), false) = (self.get(MEDIUM), names_media) {
            set_axis(file, MEDIA, list(MEDIUM, values));
        }
        for (flag, target) in &FLAGS {
            let Some(text) = self.text(flag.name) else { continue };
            let node = value(flag.name, &text, &text);
            match target {
                Target::Suite(key) => {
                    variants::forget(file, key);
                    file.root.set(key, node);
                }
                Target::Limits(key) => {
                    file.root.table("limits").into_iter().for_each(|limits| limits.set(key, node.clone()))
                }
                Target::Whole => {}
            }
        }
    }
}

/// Replaces the values of an axis, in every variant too.
fn set_axis(file: &mut SuiteFile, key: &str, values: Node) {
    variants::forget_axis(file, key);
    if let Some(axes) = file.root.table("axes") {
        axes.set(key, values);
    }
}

fn list(flag: &'static str, values: &[String]) -> Node {
    let typed = values.join(",");
    let elements = values.iter().map(|text| value(flag, text, &typed)).collect();
    Node { place: place(flag, &typed), value: Value::Array(elements) }
}

fn value(flag: &'static str, text: &str, typed: &str) -> Node {
    Node { place: place(flag, typed), value: Value::Text(text.trim().to_owned()) }
}

fn place(flag: &'static str, typed: &str) -> Place {
    Place::Flag { flag, value: typed.to_owned() }
}
