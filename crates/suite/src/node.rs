//! A suite as typed: values that know their place in the file or on the command line.

use bakeoff_text::{format_size, shorten, shorten_to};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Problems, SuiteErrors};
use crate::limits::SUITE_BYTES_MAX;
use crate::place::Place;

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// A value as typed.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Date,
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_place: Place,
    pub(crate) node: Node,
}

/// A suite as typed.
#[derive(Clone, Debug)]
pub(crate) struct SuiteFile {
    /// The file's name in messages.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) root: Node,
}

impl Value {
    /// The kind of value, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a fraction",
            Self::Boolean(_) => "a boolean",
            Self::Date => "a date",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    /// The value under `key` in a table.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node),
            _ => None,
        }
    }

    /// Sets the value under `key`.
    pub(crate) fn set(&mut self, key: &str, node: Self) {
        if let Value::Table(entries) = &mut self.value {
            entries.retain(|entry| entry.key != key);
            entries.push(Entry { key: key.to_owned(), key_place: node.place.clone(), node });
        }
    }

    /// The table under `key`, created if it is missing.
    pub(crate) fn table(&mut self, key: &str) -> Option<&mut Self> {
        if self.get(key).is_none() {
            let place = self.place.clone();
            self.set(key, Self { place, value: Value::Table(Vec::new()) });
        }
        self.value_of(key)
    }

    /// The table under `key`, if there is one.
    pub(crate) fn table_if_there(&mut self, key: &str) -> Option<&mut Self> {
        self.value_of(key).filter(|node| matches!(node.value, Value::Table(_)))
    }

    /// The elements of the list under `key`, if there is one.
    pub(crate) fn list_if_there(&mut self, key: &str) -> Option<&mut Vec<Self>> {
        match &mut self.value_of(key)?.value {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    fn value_of(&mut self, key: &str) -> Option<&mut Self> {
        let Value::Table(entries) = &mut self.value else { return None };
        entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }
}

impl SuiteFile {
    /// Reads TOML.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, SuiteErrors> {
        if text.len() as u64 > SUITE_BYTES_MAX {
            return Err(too_long(name));
        }
        // The parser limits the nesting of keys and tables, so walking its tree cannot exhaust the stack.
        let (root, errors) = DeTable::parse_recoverable(text);
        let mut problems = Problems::default();
        for error in errors {
            let place = error.span().map_or(Place::File, Place::Span);
            let message = shorten_to(error.message(), 300);
            problems.add(&place, format!("not TOML: {message}"), "write it as TOML 1.0 says: https://toml.io");
        }
        let value = table(root.get_ref(), &mut problems);
        if !problems.is_empty() {
            return Err(problems.into_errors(name, text));
        }
        Ok(Self { name: name.to_owned(), text: text.to_owned(), root: Node { place: Place::File, value } })
    }

    /// Turns mistakes into errors that show the lines.
    pub(crate) fn errors(&self, problems: Problems) -> SuiteErrors {
        problems.into_errors(&self.name, &self.text)
    }

    /// Where to show a conflict between some axes and the value at `place`. If a flag changed one of the axes, the flag
    /// is to blame: the suite was right without it.
    pub(crate) fn blame(&self, axes: &[&str], place: &Place) -> Place {
        let flag = axes.iter().map(|axis| self.axis_place(axis, 0)).find(|place| matches!(place, Place::Flag { .. }));
        flag.unwrap_or_else(|| place.clone())
    }

    /// The place of a value of an axis: of the element at `index` if it is a list.
    pub(crate) fn axis_place(&self, axis: &str, index: usize) -> Place {
        let Some(node) = self.root.get("axes").and_then(|axes| axes.get(axis)) else { return Place::File };
        match &node.value {
            Value::Array(elements) => elements.get(index).map_or(&node.place, |element| &element.place).clone(),
            _ => node.place.clone(),
        }
    }
}

/// The error for a file that is too long for a suite or a need.
pub(crate) fn too_long(name: &str) -> SuiteErrors {
    let message = format!("is longer than {}, the maximum for such a file", format_size(SUITE_BYTES_MAX));
    SuiteErrors::of_file(name, message, "check that this is the right file")
}

fn node(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Node {
    let place = Place::Span(value.span());
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(digits) => Value::Integer(integer(digits.as_str(), digits.radix(), &place, problems)),
        DeValue::Float(digits) => Value::Float(digits.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(boolean) => Value::Boolean(*boolean),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(elements) => Value::Array(elements.iter().map(|element| node(element, problems)).collect()),
        DeValue::Table(entries) => table(entries, problems),
    };
    Node { place, value }
}

fn table(entries: &DeTable<'_>, problems: &mut Problems) -> Value {
    let entry = |(key, value): (&Spanned<_>, _)| {
        let key_text: &std::borrow::Cow<'_, str> = key.get_ref();
        Entry { key: key_text.to_string(), key_place: Place::Span(key.span()), node: node(value, problems) }
    };
    Value::Table(entries.iter().map(entry).collect())
}

fn integer(digits: &str, radix: u32, place: &Place, problems: &mut Problems) -> i64 {
    i64::from_str_radix(&digits.replace('_', ""), radix).unwrap_or_else(|_| {
        let message = format!("`{}` is too large for an integer", shorten(digits));
        problems.add(place, message, format!("integers go from {} to {}", i64::MIN, i64::MAX));
        0
    })
}
