//! The columns of a trace that is a table: which there are, and what stands in them in a row.

use bakeoff_tape::RECORD_KEY_BYTES_MAX;

use crate::error::{Origin, TraceError, shorten};
use crate::event::Event;
use crate::lines::Row;
use crate::operations::{operation, operation_names};
use crate::times::Clock;

/// The largest value that is believed, in bytes.
const VALUE_BYTES_MAX: u64 = 1 << 30;

/// The most operations that one row may stand for.
const COUNT_MAX: u64 = 1 << 30;

/// The columns that are read, each by its name and by the names that other tools have for it.
const COLUMNS: [&[&str]; 7] = [
    &["op", "operation", "op_type", "command", "cmd"],
    &["key"],
    &["value_size", "value_bytes", "val_size", "size"],
    &["key_size", "key_bytes"],
    &["time", "op_time", "timestamp", "datetime", "ts"],
    &["thread", "thread_id", "tid"],
    &["op_count"],
];

/// Parts of names of columns that may change what a row means, so that such a column is not passed over.
const TELLING: [&str; 10] =
    ["count", "repeat", "weight", "batch", "commit", "transaction", "txn", "offset", "delta", "unit"];

/// Where in a row everything stands.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    /// Columns of every row; a shorter or longer one is an error.
    count: usize,
    operation: usize,
    key: usize,
    key_bytes: Option<usize>,
    value_bytes: usize,
    time: Option<usize>,
    pub(crate) thread: Option<usize>,
    /// How many operations a row stands for.
    operations: Option<usize>,
    /// Keys may be written otherwise than they are, and longer.
    is_rewritten: bool,
}

/// Twitter's columns.
pub(crate) const TWITTER: Columns = Columns {
    count: 7,
    operation: 5,
    key: 1,
    key_bytes: Some(2),
    value_bytes: 3,
    time: Some(0),
    thread: None,
    operations: None,
    is_rewritten: true,
};

/// A column's name without the quotation marks around it.
fn unquoted(column: &[u8]) -> &[u8] {
    column.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(column)
}

/// A column's name as it is compared: without blanks, quotation marks and case.
fn plain(name: &[u8]) -> String {
    String::from_utf8_lossy(unquoted(name.trim_ascii())).to_ascii_lowercase()
}

/// Whether a column of this name is read.
pub(crate) fn is_read(name: &str) -> bool {
    COLUMNS.iter().flat_map(|names| names.iter()).any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether these are the names of columns, as far as they say what was done with which key.
pub(crate) fn are_columns<'a>(names: impl Iterator<Item = &'a [u8]>) -> bool {
    let names: Vec<String> = names.map(plain).collect();
    let has = |column: usize| names.iter().any(|name| COLUMNS[column].contains(&name.as_str()));
    has(0) && has(1)
}

impl Columns {
    /// Finds the columns by their names; else says what was expected.
    pub(crate) fn of(names: &[&[u8]]) -> Result<Self, String> {
        let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
        let find = |column: usize| {
            // The first name counts, so that `size` may stand next to `value_size`.
            let found = COLUMNS[column].iter().find_map(|wanted| {
                let mut places = (0..names.len()).filter(|place| names[*place] == *wanted);
                Some((*wanted, places.next()?, places.next().is_some()))
            });
            match found {
                Some((name, _, true)) => Err(format!("one column named {name}")),
                Some((_, place, false)) => Ok(Some(place)),
                None => Ok(None),
            }
        };
        let need = |column: usize| {
            let near = || names.iter().find(|name| name.contains(COLUMNS[column][0]) && !is_read(name));
            find(column)?.ok_or_else(|| match near() {
                Some(near) => format!("a column named {} (is it `{}`?)", COLUMNS[column][0], shorten(near.as_bytes())),
                None => format!("a column named {}", COLUMNS[column][0]),
            })
        };
        if let Some(telling) =
            names.iter().find(|name| !is_read(name) && TELLING.iter().any(|part| name.contains(part)))
        {
            return Err(format!(
                "no column `{}`, which could change what a row means: take it out, and write what it says as rows",
                shorten(telling.as_bytes())
            ));
        }
        Ok(Self {
            count: names.len(),
            operation: need(0)?,
            key: need(1)?,
            value_bytes: need(2)?,
            key_bytes: find(3)?,
            time: find(4)?,
            thread: find(5)?,
            operations: find(6)?,
            is_rewritten: false,
        })
    }

    /// What a row says, and how many times it was done. A key that is written as hexadecimal digits of as many bytes as `key_size` says is put as bytes into `key`.
    #[inline]
    pub(crate) fn event<'a>(
        &self,
        row: Row<'a>,
        origin: Origin,
        clock: Clock,
        key: &'a mut Vec<u8>,
    ) -> Result<(Event<'a>, u64), TraceError> {
        if row.fields.len() != self.count {
            let found = row.fields.len().to_string();
            return Err(TraceError::line(origin, "the number of columns", found.as_bytes(), self.count.to_string()));
        }
        let field = |column: usize| row.field(column).trim_ascii();
        let text = row.field(self.key);
        let word = field(self.operation);
        let kind = operation(word)
            .ok_or_else(|| TraceError::line(origin, "op", word, format!("one of {}", operation_names())))?;
        let key_bytes = match self.key_bytes {
            Some(column) => number(field(column), origin, "key_size", RECORD_KEY_BYTES_MAX)?,
            None => text.len() as u64,
        };
        let text = match key_bytes < text.len() as u64 && !self.is_rewritten {
            true => decoded(text, key_bytes, origin, key)?,
            false => text,
        };
        let key_bytes = key_bytes.max(text.len() as u64);
        if text.is_empty() || key_bytes > RECORD_KEY_BYTES_MAX {
            let expected = format!("a key of 1 to {RECORD_KEY_BYTES_MAX} bytes");
            return Err(TraceError::line(origin, "key", text, expected));
        }
        let value = field(self.value_bytes);
        let value_bytes = match value {
            [] => None,
            _ => Some(number(value, origin, "value_size", VALUE_BYTES_MAX)?),
        };
        let time = self.time.map(field).filter(|text| !text.is_empty());
        let time_s = time.map(|text| clock.seconds(text, origin)).transpose()?;
        let thread = self.thread.map(field);
        if thread.is_some_and(<[u8]>::is_empty) {
            return Err(TraceError::line(origin, "thread", b"", "the name of a thread in every line".to_owned()));
        }
        let count = match self.operations.map(field) {
            None => 1,
            Some(text) => match number(text, origin, "op_count", COUNT_MAX)? {
                0 => {
                    return Err(TraceError::line(
                        origin,
                        "op_count",
                        text,
                        "at least 1: leave the line out".to_owned(),
                    ));
                }
                count => count,
            },
        };
        Ok((Event { origin, operation: kind, key: text, key_bytes, value_bytes, time_s, thread }, count))
    }
}

/// The bytes of a key that is written as twice as many hexadecimal digits, perhaps after `0x`.
#[cold]
fn decoded<'a>(text: &[u8], key_bytes: u64, origin: Origin, key: &'a mut Vec<u8>) -> Result<&'a [u8], TraceError> {
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    key.clear();
    key.extend(digits.chunks_exact(2).map_while(|pair| Some(value(pair[0])? << 4 | value(pair[1])?)));
    if digits.len() as u64 == 2 * key_bytes && key.len() as u64 == key_bytes {
        return Ok(key);
    }
    let expected = format!(
        "at least the {} bytes of the key, or half of its hexadecimal digits where it is written so",
        text.len()
    );
    Err(TraceError::line(origin, "key_size", key_bytes.to_string().as_bytes(), expected))
}

/// A whole number, perhaps as data frames write it, `333.0`.
fn number(text: &[u8], origin: Origin, what: &'static str, most: u64) -> Result<u64, TraceError> {
    let expected = || TraceError::line(origin, what, text, format!("a whole number, at most {most}"));
    let whole = match text.iter().position(|byte| *byte == b'.') {
        Some(point) if text[point + 1..].iter().all(|digit| *digit == b'0') => &text[..point],
        _ => text,
    };
    if whole.is_empty() || !whole.iter().all(u8::is_ascii_digit) {
        return Err(expected());
    }
    let digit = |sum: u64, byte: &u8| sum.checked_mul(10)?.checked_add(u64::from(byte - b'0'));
    whole.iter().try_fold(0_u64, digit).filter(|number| *number <= most).ok_or_else(expected)
}
