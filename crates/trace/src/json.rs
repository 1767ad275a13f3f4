//! JSON lines: an object a line, with the names of a table's columns.

use std::fmt;
use std::io::{Read, Write};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::columns::Columns;
use crate::error::{Origin, TraceError};
use crate::intake::Intake;
use crate::lines::{Field, LINES_LOOKED_AT, Lines, Row};
use crate::tables::Table;

/// The most different names that objects may have.
const NAMES_MAX: usize = 256;

/// The largest number that every program writes exactly as JSON.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The name of objects that have neither an operation nor a key, such as the other messages of a log.
const WITHOUT_OP: &[u8] = b"without-op";

/// How much of a line that is no row is kept, to be shown.
const SHOWN_BYTES: usize = 64;

/// A text of JSON lines.
pub(crate) struct JsonTable<R> {
    lines: Lines<R>,
    number: u64,
    /// The line, if it is no row: its beginning, and its name if it can be ignored by that.
    foreign: Option<(Vec<u8>, Option<&'static [u8]>)>,
    object: Object,
    columns: Columns,
    /// The number of names that the columns are made of.
    names: usize,
    intake: Intake,
}

/// An object as the fields of a row.
#[derive(Default)]
struct Object {
    names: Vec<Box<[u8]>>,
    bytes: Vec<u8>,
    fields: Vec<Field>,
    /// The fields that are no text as CSV has it: objects, arrays, and numbers that are not exact.
    strange: Vec<usize>,
}

impl<R: Read> JsonTable<R> {
    pub(crate) fn new(mut lines: Lines<R>, intake: &Intake) -> Result<Self, TraceError> {
        let mut object = Object::default();
        for line in lines.peek_many(LINES_LOOKED_AT)? {
            // A mistake is reported when its line is read.
            let _ = object.read(line);
        }
        let intake = intake.clone();
        let columns = object.columns(Origin::Line(1), &intake)?;
        Ok(Self { lines, number: 0, foreign: None, names: object.names.len(), object, columns, intake })
    }
}

impl<R: Read> Table for JsonTable<R> {
    fn advance(&mut self) -> Result<bool, TraceError> {
        loop {
            let Some((number, line)) = self.lines.next_line()? else { return Ok(false) };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let origin = Origin::Line(number);
            self.number = number;
            self.foreign = None;
            let shown = &line[..line.len().min(SHOWN_BYTES)];
            if !line.trim_ascii_start().starts_with(b"{") {
                self.foreign = Some((shown.to_vec(), None));
                return Ok(true);
            }
            if let Err(why) = self.object.read(line) {
                let expected = format!("an object such as {{\"op\":\"get\",\"key\":\"a\",\"value_size\":1}} ({why})");
                return Err(TraceError::line(origin, "the line", line, expected));
            }
            if self.names != self.object.names.len() {
                self.columns = self.object.columns(origin, &self.intake)?;
                self.names = self.object.names.len();
            }
            let row = Row { bytes: &self.object.bytes, fields: &self.object.fields };
            if self.columns.is_empty_in(row) {
                self.foreign = Some((shown.to_vec(), Some(WITHOUT_OP)));
                return Ok(true);
            }
            let read = |strange: &&usize| self.columns.read().any(|(column, _)| column == **strange);
            if let Some(strange) = self.object.strange.iter().find(read) {
                let found = self.object.names[*strange].clone();
                let expected = "a name whose value is text, or a number that is exact: write other numbers as text";
                return Err(TraceError::line(origin, "an object", &found, expected));
            }
            return Ok(true);
        }
    }

    fn row(&self) -> (Origin, Row<'_>) {
        (Origin::Line(self.number), Row { bytes: &self.object.bytes, fields: &self.object.fields })
    }

    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn foreign(&self) -> Option<(&[u8], Option<&'static [u8]>)> {
        self.foreign.as_ref().map(|(line, name)| (&line[..], *name))
    }
}

/// Whether a line is an object.
pub(crate) fn is_json_line(line: &[u8]) -> bool {
    line.starts_with(b"{") && Object::default().read(line).is_ok()
}

impl Object {
    /// Takes an object as its next row.
    fn read(&mut self, line: &[u8]) -> Result<(), serde_json::Error> {
        self.bytes.clear();
        self.strange.clear();
        self.fields.iter_mut().for_each(|field| field.place = 0..0);
        let mut input = serde_json::Deserializer::from_slice(line);
        input.deserialize_map(&mut *self)?;
        input.end()
    }

    fn columns(&self, origin: Origin, intake: &Intake) -> Result<Columns, TraceError> {
        let names: Vec<&[u8]> = self.names.iter().map(|name| &**name).collect();
        let wrong = |expected| TraceError::line(origin, "the names of its values", &names.join(&b','), expected);
        Columns::of(&names, intake).map_err(wrong)
    }

    /// The place of a name, which is often at `expected`.
    fn place(&mut self, name: &[u8], expected: usize) -> Option<usize> {
        if self.names.get(expected).is_some_and(|known| **known == *name) {
            return Some(expected);
        }
        let known = self.names.iter().position(|known| **known == *name);
        if known.is_none() && self.names.len() < NAMES_MAX {
            self.names.push(name.into());
            self.fields.push(Field { place: 0..0, whole: true });
            return Some(self.names.len() - 1);
        }
        known
    }
}

impl<'de> Visitor<'de> for &mut Object {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut expected = 0;
        while let Some(place) = map.next_key_seed(Name { object: self, expected })? {
            let begin = self.bytes.len();
            if map.next_value_seed(Text(&mut self.bytes))? == Kind::Strange {
                self.strange.push(place);
            }
            self.fields[place].place = begin..self.bytes.len();
            expected = place + 1;
        }
        Ok(())
    }
}

/// Finds the place of a name.
struct Name<'a> {
    object: &'a mut Object,
    expected: usize,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<usize, D::Error> {
        input.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = usize;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        let place = self.object.place(name.as_bytes(), self.expected);
        place.ok_or_else(|| E::custom(format_args!("more than {NAMES_MAX} different names")))
    }
}

#[derive(PartialEq, Eq)]
enum Kind {
    Plain,
    Strange,
}

/// Puts a value behind others as text; nothing of `null`.
struct Text<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = Kind;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Kind, D::Error> {
        input.deserialize_any(self)
    }
}

impl Text<'_> {
    fn push<E: Error>(self, text: fmt::Arguments<'_>, kind: Kind) -> Result<Kind, E> {
        self.0.write_fmt(text).map(|()| kind).map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for Text<'_> {
    type Value = Kind;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Kind, E> {
        self.0.extend_from_slice(text.as_bytes());
        Ok(Kind::Plain)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Kind, E> {
        self.push(format_args!("{number}"), Kind::Plain)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Kind, E> {
        self.push(format_args!("{number}"), Kind::Plain)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Kind, E> {
        let kind = if number.abs() <= EXACT_MAX { Kind::Plain } else { Kind::Strange };
        self.push(format_args!("{number}"), kind)
    }

    fn visit_bool<E: Error>(self, is: bool) -> Result<Kind, E> {
        self.push(format_args!("{is}"), Kind::Plain)
    }

    fn visit_unit<E: Error>(self) -> Result<Kind, E> {
        Ok(Kind::Plain)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Kind, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Kind::Strange)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Kind, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Kind::Strange)
    }
}
