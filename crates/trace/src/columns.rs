//! The columns of a trace that is a table: which there are, and what a row has in them.

use bakeoff_tape::{Operation, RECORD_KEY_BYTES_MAX};
use bakeoff_text::{did_you_mean, nearest};

use crate::error::{Origin, TraceError, shorten};
use crate::event::Event;
use crate::intake::Intake;
use crate::lines::Row;
use crate::operations::{operation, operation_names};
use crate::rows_out::LOAD;
use crate::times::Clock;

/// The largest value that is believed, in bytes.
pub(crate) const VALUE_BYTES_MAX: u64 = 1 << 30;

/// The most operations of one row.
const COUNT_MAX: u64 = 1 << 30;

/// The columns that are read, each by its name and by the names that other tools have for it.
const COLUMNS: [&[&str]; 8] = [
    &["op", "operation", "op_type", "command", "cmd"],
    &["key"],
    &["value_size", "value_bytes", "val_size", "value_length", "value_len", "size"],
    &["key_size", "key_bytes", "key_length", "key_len"],
    &["time", "op_time", "timestamp", "@timestamp", "datetime", "asctime", "ts"],
    &["thread", "thread_id", "tid"],
    &["op_count"],
    &["cache_hits", "cache_hit", "hits", "hit", "found"],
];

/// Their places in that list.
const OPERATION: usize = 0;
const KEY: usize = 1;
const VALUE_BYTES: usize = 2;
const KEY_BYTES: usize = 3;
const TIME: usize = 4;
const THREAD: usize = 5;
const COUNT: usize = 6;
const HITS: usize = 7;

/// Parts of names of columns that may change what a row means, so that such a column is not passed over. They show how
/// often it was done, with which others, whether it succeeded, and in which set of keys its key is.
const TELLING: [&str; 19] = [
    "count",
    "repeat",
    "weight",
    "batch",
    "commit",
    "transaction",
    "txn",
    "offset",
    "delta",
    "unit",
    "status",
    "result",
    "outcome",
    "success",
    "namespace",
    "keyspace",
    "database",
    "bucket",
    "columnfamily",
];

/// The same, as whole names.
const TELLING_NAMES: [&str; 6] = ["miss", "missed", "ok", "table", "db", "collection"];

/// How names end that say a unit, and its word for `--time-unit`.
const UNITS: [(&str, &str); 9] = [
    ("ms", "ms"),
    ("millis", "ms"),
    ("msec", "ms"),
    ("us", "us"),
    ("micros", "us"),
    ("usec", "us"),
    ("ns", "ns"),
    ("nanos", "ns"),
    ("nsec", "ns"),
];

/// Shorter names are not taken for others with a mistake in them.
const NEAR_MIN: usize = 4;

/// Where in a row everything is.
#[derive(Clone)]
pub(crate) struct Columns {
    /// Columns of every row; a shorter or longer one is an error.
    count: usize,
    operation: usize,
    key: usize,
    key_bytes: Option<usize>,
    value_bytes: usize,
    time: Option<usize>,
    thread: Option<usize>,
    /// The number of operations of a row.
    operations: Option<usize>,
    /// How many of them found something.
    hits: Option<usize>,
    /// Keys may be written otherwise than they are, and longer.
    is_rewritten: bool,
    /// The names of columns that are not read.
    pub(crate) passed_over: Vec<String>,
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
    hits: None,
    is_rewritten: true,
    passed_over: Vec::new(),
};

/// A column's name without the quotation marks around it.
fn unquoted(column: &[u8]) -> &[u8] {
    column.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(column)
}

/// A column's name as people write it: without blanks around it, quotation marks and capitals.
fn plain(name: &[u8]) -> String {
    String::from_utf8_lossy(unquoted(name.trim_ascii())).to_ascii_lowercase()
}

/// A name as names are compared: `value_size`, `value-size`, `valueSize` and `Value Size` are one.
fn folded(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Which column of the list this is by its name.
fn known(name: &str) -> Option<usize> {
    let name = folded(name);
    COLUMNS.iter().position(|names| names.iter().any(|known| folded(known) == name))
}

/// How many of these are names of columns that are read.
fn known_columns<'a>(names: impl Iterator<Item = &'a [u8]>) -> usize {
    names.filter(|name| known(&plain(name)).is_some()).count()
}

/// The separator of the columns, if this line is the head of a table; else `None`. A head that lacks a column counts
/// too.
pub(crate) fn separator(line: &[u8]) -> Option<u8> {
    const KNOWN_MIN: usize = 2;
    let known = |separator: u8| known_columns(line.split(|byte| *byte == separator));
    let best = b",;\t|".iter().copied().rev().max_by_key(|separator| known(*separator))?;
    (known(best) >= KNOWN_MIN).then_some(best)
}

impl Columns {
    /// Finds the columns by their names. An error has the expected names.
    pub(crate) fn of(names: &[&[u8]], intake: &Intake) -> Result<Self, String> {
        let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
        let is_ignored = |name: &str| {
            let first = known(name).map_or(name, |column| COLUMNS[column][0]);
            intake.ignores(name.as_bytes()) || intake.ignores(first.as_bytes())
        };
        let found = |column: usize| -> Result<Option<usize>, String> {
            // The first name counts, so that `size` may be next to `value_size`.
            for wanted in COLUMNS[column].iter().map(|name| folded(name)) {
                let mut places = (0..names.len()).filter(|place| folded(&names[*place]) == wanted);
                if let Some(place) = places.next().filter(|place| !is_ignored(&names[*place])) {
                    let is_only = places.next().is_none();
                    return if is_only { Ok(Some(place)) } else { Err(format!("one column named {}", names[place])) };
                }
            }
            Ok(None)
        };
        let mut places = [None; COLUMNS.len()];
        for (column, place) in places.iter_mut().enumerate() {
            *place = found(column)?;
        }
        let lacking: Vec<&str> = COLUMNS
            .iter()
            .zip(places)
            .filter(|(_, place)| place.is_none())
            .flat_map(|(names, _)| names.iter().copied())
            .collect();
        let unread = names.iter().filter(|name| known(name).is_none() && !is_ignored(name) && !is_index(name));
        unread.clone().try_for_each(|name| check_unread(name, &lacking))?;
        let passed_over = unread.map(|name| shorten(name.as_bytes())).collect();
        let need = |column: usize| places[column].ok_or_else(|| format!("a column named {}", COLUMNS[column][0]));
        Ok(Self {
            count: names.len(),
            operation: need(OPERATION)?,
            key: need(KEY)?,
            value_bytes: need(VALUE_BYTES)?,
            key_bytes: places[KEY_BYTES],
            time: places[TIME],
            thread: places[THREAD],
            operations: places[COUNT],
            hits: places[HITS],
            is_rewritten: false,
            passed_over,
        })
    }

    /// Whether a row has neither an operation nor a key.
    pub(crate) fn is_empty_in(&self, row: Row<'_>) -> bool {
        row.field(self.operation).is_empty() && row.field(self.key).is_empty()
    }

    /// Whether rows say when they were.
    pub(crate) fn has_times(&self) -> bool {
        self.time.is_some()
    }

    /// Whether a row says which thread it was.
    pub(crate) fn has_threads(&self) -> bool {
        self.thread.is_some()
    }

    /// The columns that are read, and whether they may say true or false.
    pub(crate) fn read(&self) -> impl Iterator<Item = (usize, bool)> {
        let numbers_and_text = [self.key_bytes, self.time, self.thread, self.operations];
        let needed = [self.operation, self.key, self.value_bytes].map(Some);
        let plain = needed.into_iter().chain(numbers_and_text).flatten().map(|column| (column, false));
        plain.chain(self.hits.map(|column| (column, true)))
    }

    /// The word for the operation of a row.
    pub(crate) fn word<'a>(&self, row: Row<'a>) -> &'a [u8] {
        row.field(self.operation).trim_ascii()
    }

    /// An operation of a row, and how many the row has; `done` of them were given before. A key in hexadecimal digits
    /// of `key_size` bytes is put as bytes into `key`.
    #[inline]
    pub(crate) fn event<'a>(
        &self,
        row: Row<'a>,
        origin: Origin,
        done: u64,
        clock: &mut Clock,
        key: &'a mut Vec<u8>,
    ) -> Result<(Event<'a>, u64), TraceError> {
        if row.fields.len() != self.count {
            let found = row.fields.len().to_string();
            return Err(TraceError::line(origin, "the number of columns", found.as_bytes(), self.count.to_string()));
        }
        let field = |column: usize| row.field(column).trim_ascii();
        let text = row.field(self.key);
        let word = field(self.operation);
        let known = operation(word);
        let is_before = known.is_none() && word.eq_ignore_ascii_case(LOAD.as_bytes());
        let kind = known
            .or(is_before.then_some(Operation::Insert))
            .ok_or_else(|| TraceError::line(origin, "op", word, describe_expected(word)))?;
        // A record from before the first operation has no time and no thread.
        let (time_s, thread) = if is_before { (None, None) } else { self.when_and_who(row, origin, clock)? };
        if kind == Operation::Commit {
            let (key, value_bytes) = (&[], None);
            let commit = Event { origin, operation: kind, is_before, key, key_bytes: 0, value_bytes, time_s, thread };
            return Ok((commit, 1));
        }
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
        let mut value_bytes = match value {
            [] => None,
            _ => Some(number(value, origin, "value_size", VALUE_BYTES_MAX)?),
        };
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
        if let (Some(column), Operation::Get) = (self.hits, kind)
            && let Some(hits) = hits(field(column), count, origin)?
        {
            // What found something comes first: a key that is met for the first time is then known to be there.
            value_bytes = if done < hits { value_bytes.filter(|bytes| *bytes > 0) } else { Some(0) };
        }
        let event = Event { origin, operation: kind, is_before, key: text, key_bytes, value_bytes, time_s, thread };
        Ok((event, if is_before { 1 } else { count }))
    }

    /// When a row happened, in seconds, and the thread that did it, where it says so.
    #[inline]
    fn when_and_who<'a>(
        &self,
        row: Row<'a>,
        origin: Origin,
        clock: &mut Clock,
    ) -> Result<(Option<f64>, Option<&'a [u8]>), TraceError> {
        let field = |column: usize| row.field(column).trim_ascii();
        let time = self.time.map(field).filter(|text| !text.is_empty());
        let time_s = time.map(|text| clock.seconds(text, origin)).transpose()?;
        let thread = self.thread.map(field);
        if thread.is_some_and(<[u8]>::is_empty) {
            return Err(TraceError::line(origin, "thread", b"", "the name of a thread in every line".to_owned()));
        }
        Ok((time_s, thread))
    }
}

/// Whether a column is the numbers of the rows, as data frames write them.
fn is_index(name: &str) -> bool {
    name.is_empty() || name.starts_with("unnamed:")
}

/// Refuses an unread column that may change the meaning of a row, or whose name is nearly that of a missing column.
fn check_unread(name: &str, lacking: &[&str]) -> Result<(), String> {
    let near = nearest(name, lacking.iter().copied().filter(|_| name.len() >= NEAR_MIN));
    let near = near.or_else(|| nearest(&folded(name), lacking.iter().copied().filter(|_| name.len() >= NEAR_MIN)));
    // A name with more behind it, such as `time_ms`.
    let begins = |known: &&str| folded(name).starts_with(&folded(known));
    let near = near.or_else(|| lacking.iter().copied().filter(begins).max_by_key(|known| known.len()));
    let shown = shorten(name.as_bytes());
    if let Some(near) = near {
        let is_time = COLUMNS[TIME].contains(&near);
        let unit = UNITS.iter().find(|(end, _)| is_time && folded(name).ends_with(end) && !folded(near).ends_with(end));
        let unit = unit.map_or_else(String::new, |(_, word)| format!(" and give --time-unit {word}"));
        return Err(format!(
            "known columns: `{shown}` is none (did you mean `{near}`?). Rename it{unit}, or leave it out with --ignore {shown}"
        ));
    }
    let plain = folded(name);
    if TELLING.iter().any(|part| plain.contains(part)) || TELLING_NAMES.contains(&&*plain) {
        return Err(format!(
            "no column `{shown}`, which could change what a row means: write what it says as rows, or leave it out with --ignore {shown}"
        ));
    }
    Ok(())
}

/// The expected words, for an error about a word that names no operation.
#[cold]
fn describe_expected(word: &[u8]) -> String {
    let word = String::from_utf8_lossy(word);
    let near = did_you_mean(&word, &operation_names());
    format!("one of {}{near}; --ignore leaves rows of other words out", operation_names().join(", "))
}

/// How many of `count` reads found something: a number, or true or false; `None` where the field is empty.
fn hits(text: &[u8], count: u64, origin: Origin) -> Result<Option<u64>, TraceError> {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    match text {
        [] => Ok(None),
        _ if is(["true", "yes", "hit"]) => Ok(Some(count)),
        _ if is(["false", "no", "miss"]) => Ok(Some(0)),
        _ => number(text, origin, "hits", count).map(Some),
    }
}

/// The bytes of a key in hexadecimal digits, two a byte, perhaps after `0x`.
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
