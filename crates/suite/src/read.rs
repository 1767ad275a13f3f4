//! Reads typed values from a suite as typed, and notes all mistakes on the way.

use std::ops::RangeInclusive;

use bakeoff_protocol::{TITLE_RULE, check_title};
use bakeoff_tape::SizeRange;
use bakeoff_text::{UnitError, format_count, parse_count, parse_count_range, shorten};

use crate::error::Problems;
use crate::node::{Entry, Node, Value};
use crate::place::Place;

/// The maximum of values on an axis, so that a plan stays small.
const AXIS_VALUES_MAX: usize = 100;

/// A table whose keys are all known.
pub(crate) struct Table<'a> {
    /// Its name in messages.
    pub(crate) name: String,
    pub(crate) place: Place,
    entries: &'a [Entry],
    /// Known keys that are close to unknown ones: they are misspelt, not missing.
    misspelt: Vec<String>,
}

impl<'a> Table<'a> {
    /// Reads a node as a table and notes the keys that are not `known`.
    pub(crate) fn new(node: &'a Node, name: &str, known: &[&str], problems: &mut Problems) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            wrong_kind(node, name, "a table", problems);
            return None;
        };
        let mut misspelt = Vec::new();
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("unknown key `{}` in {name}", shorten(&entry.key));
            let help = format!("{name} takes {}", known.join(", "));
            let meant = problems.add_unknown(&entry.key_place, &entry.key, known, message, help);
            misspelt.extend(meant.map(str::to_owned));
        }
        Some(Self { name: name.to_owned(), place: node.place.clone(), entries, misspelt })
    }

    /// The value under `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The place of `key`'s value, or else of the table.
    pub(crate) fn place(&self, key: &str) -> &Place {
        self.entries.iter().find(|entry| entry.key == key).map_or(&self.place, |entry| &entry.node.place)
    }

    /// The place of the word `key` itself, if it is there.
    pub(crate) fn key_place(&self, key: &str) -> Option<&'a Place> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.key_place)
    }

    /// The value under `key`. If it is missing, that is noted with an example.
    pub(crate) fn required(&self, key: &str, example: &str, problems: &mut Problems) -> Option<&'a Node> {
        let node = self.get(key);
        if node.is_none() && !self.is_misspelt(key) {
            problems.add(&self.place, format!("{} has no `{key}`", self.name), format!("add, for example, {example}"));
        }
        node
    }

    /// Whether an unknown key was probably meant to be this one.
    pub(crate) fn is_misspelt(&self, key: &str) -> bool {
        self.misspelt.iter().any(|meant| meant == key)
    }

    /// Reads `key` if it is there.
    pub(crate) fn read<T>(
        &self,
        key: &str,
        problems: &mut Problems,
        read: impl FnOnce(&Node, &str, &mut Problems) -> Option<T>,
    ) -> Option<T> {
        self.get(key).and_then(|node| read(node, key, problems))
    }

    /// Reads an axis: a value, or a list of distinct values.
    pub(crate) fn axis<T: PartialEq>(
        &self,
        key: &str,
        problems: &mut Problems,
        read: impl Fn(&Node, &str, &mut Problems) -> Option<T>,
    ) -> Option<Vec<T>> {
        let node = self.get(key)?;
        let Value::Array(elements) = &node.value else { return Some(vec![read(node, key, problems)?]) };
        if elements.is_empty() || elements.len() > AXIS_VALUES_MAX {
            let message = format!("the axis `{key}` has {} values", elements.len());
            problems.add(&node.place, message, format!("give it 1 to {AXIS_VALUES_MAX} values"));
            return None;
        }
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            match read(element, key, problems) {
                Some(value) if values.contains(&value) => {
                    let message = format!("`{key}` has the same value twice");
                    problems.add(&element.place, message, "leave one of them out: every value is measured once");
                }
                Some(value) => values.push(value),
                None => {}
            }
        }
        Some(values)
    }
}

/// Notes that a value has the wrong type.
pub(crate) fn wrong_kind(node: &Node, what: &str, wanted: &str, problems: &mut Problems) {
    problems.add(&node.place, format!("`{what}` is {}", node.value.kind()), format!("make it {wanted}"));
}

/// Reads text.
pub(crate) fn text(node: &Node, what: &str, problems: &mut Problems) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.clone()),
        _ => {
            wrong_kind(node, what, "text in quotation marks", problems);
            None
        }
    }
}

/// Reads a title.
pub(crate) fn title(node: &Node, what: &str, problems: &mut Problems) -> Option<String> {
    let typed = text(node, what, problems)?;
    match check_title(&typed) {
        Ok(()) => Some(typed.trim().to_owned()),
        Err(wrong) => {
            problems.add(&node.place, format!("`{what}` {wrong}"), TITLE_RULE);
            None
        }
    }
}

/// Reads true or false.
pub(crate) fn boolean(node: &Node, what: &str, problems: &mut Problems) -> Option<bool> {
    match &node.value {
        Value::Boolean(boolean) => Some(*boolean),
        _ => {
            wrong_kind(node, what, "true or false", problems);
            None
        }
    }
}

/// Reads a number, with or without a fraction.
pub(crate) fn number(node: &Node, what: &str, problems: &mut Problems) -> Option<f64> {
    match &node.value {
        Value::Integer(integer) => Some(*integer as f64),
        Value::Float(float) => Some(*float),
        _ => {
            wrong_kind(node, what, "a number", problems);
            None
        }
    }
}

/// Reads a number between 0 and 1.
pub(crate) fn part(node: &Node, what: &str, problems: &mut Problems) -> Option<f64> {
    let value = number(node, what, problems)?;
    if (0.0..=1.0).contains(&value) {
        // Minus zero becomes zero. It would make another workload.
        return Some(value.abs());
    }
    problems.add(&node.place, format!("`{what}` is {value}"), "give a number between 0 and 1");
    None
}

/// Reads one of a few words.
pub(crate) fn choice<T: Copy>(node: &Node, what: &str, known: &[(&str, T)], problems: &mut Problems) -> Option<T> {
    let typed = text(node, what, problems)?;
    let found = known.iter().find(|(name, _)| *name == typed).map(|&(_, value)| value);
    if found.is_none() {
        let names: Vec<_> = known.iter().map(|&(name, _)| name).collect();
        let message = format!("unknown {what} `{}`", shorten(&typed));
        problems.add_unknown(&node.place, &typed, &names, message, format!("use {}", names.join(", ")));
    }
    found
}

/// Reads a number written as an integer or as text with a unit, within limits.
pub(crate) fn quantity(
    node: &Node,
    what: &str,
    limits: (u64, u64),
    parse: fn(&str) -> Result<u64, UnitError>,
    show: fn(u64) -> String,
    problems: &mut Problems,
) -> Option<u64> {
    let read = |text: &str| parse(text).map(|value| value..=value);
    interval(node, what, limits, read, show, problems).map(|both| both.min)
}

/// Reads a number or a range, within limits.
pub(crate) fn interval(
    node: &Node,
    what: &str,
    limits: (u64, u64),
    parse: impl Fn(&str) -> Result<RangeInclusive<u64>, UnitError>,
    show: fn(u64) -> String,
    problems: &mut Problems,
) -> Option<SizeRange> {
    let range = match &node.value {
        Value::Integer(integer) => match u64::try_from(*integer) {
            Ok(value) => SizeRange { min: value, max: value },
            Err(_) => {
                problems.add(&node.place, format!("`{what}` is {integer}"), "give a number that is not negative");
                return None;
            }
        },
        Value::Text(text) => match parse(text) {
            Ok(range) => SizeRange { min: *range.start(), max: *range.end() },
            Err(error) => {
                problems.add(&node.place, format!("`{what}`: {}", error.what), error.remedy);
                return None;
            }
        },
        _ => {
            wrong_kind(node, what, "a number, or text such as \"10k\" or \"4KiB\"", problems);
            return None;
        }
    };
    let (min, max) = limits;
    let outside = [range.min, range.max].into_iter().find(|value| !(min..=max).contains(value));
    let Some(outside) = outside else { return Some(range) };
    let side = if outside < min { "small" } else { "large" };
    let message = format!("`{what}` is {}, which is too {side}", show(outside));
    problems.add(&node.place, message, format!("give {} to {}", show(min), show(max)));
    None
}

/// Reads a count within limits.
pub(crate) fn count(node: &Node, what: &str, limits: (u64, u64), problems: &mut Problems) -> Option<u64> {
    quantity(node, what, limits, parse_count, format_count, problems)
}

/// Reads a count or a range of counts within limits.
pub(crate) fn count_range(node: &Node, what: &str, limits: (u64, u64), problems: &mut Problems) -> Option<SizeRange> {
    interval(node, what, limits, parse_count_range, format_count, problems)
}

/// Reads a name: lower-case words and digits with `-` between them.
pub(crate) fn name(node: &Node, what: &str, problems: &mut Problems) -> Option<String> {
    const NAME_BYTES_MAX: usize = 40;
    let typed = text(node, what, problems)?;
    let word =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if typed.len() <= NAME_BYTES_MAX && typed.split('-').all(word) {
        return Some(typed);
    }
    let message = format!("`{}` cannot be a {what}", shorten(&typed));
    let help = format!("use lower-case letters and digits with `-` between words, {NAME_BYTES_MAX} characters at most");
    problems.add(&node.place, message, help);
    None
}
