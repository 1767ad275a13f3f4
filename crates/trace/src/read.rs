//! A trace, read operation by operation.

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::os::fd::AsFd;
use std::path::Path;

use bakeoff_tape::{Operation, RECORD_KEY_BYTES_MAX};

use crate::error::{Origin, TraceError, shorten};
use crate::event::Event;
use crate::form::{Form, is_ycsb_operation, operation, operation_names, unquoted};
use crate::lines::{Lines, Row};
use crate::parquet::{self, ParquetRows};
use crate::position::Position;
use crate::times::Times;

/// The largest value that is believed, in bytes.
const VALUE_BYTES_MAX: u64 = 1 << 30;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How texts begin that were compressed with gzip and with Zstandard.
const GZIP: &[u8] = b"\x1f\x8b";
const ZSTANDARD: &[u8] = b"\x28\xb5\x2f\xfd";

/// The path that means standard input.
const STANDARD_INPUT: &str = "-";

/// A trace that is being read.
pub struct Trace<R: Read> {
    rows: Rows<R>,
    times: Times,
    position: Option<Position>,
}

enum Rows<R: Read> {
    Table { lines: Lines<R>, columns: Columns },
    Parquet { rows: ParquetRows, columns: Columns },
    Ycsb { lines: Lines<R> },
}

/// What traces are read from: a file, a pipe, either of them compressed.
pub type Input = Box<dyn Read + Send>;

/// Where in a row everything stands.
#[derive(Clone, Copy)]
struct Columns {
    /// Columns of every row; a shorter or longer one is an error.
    count: usize,
    operation: usize,
    key: usize,
    key_bytes: Option<usize>,
    value_bytes: usize,
    time: Option<usize>,
    thread: Option<usize>,
}

/// The columns of a CSV that are read; others are passed over.
const COLUMNS: [&str; 6] = ["op", "key", "value_size", "key_size", "time", "thread"];

/// Twitter's columns.
const TWITTER: Columns =
    Columns { count: 7, operation: 5, key: 1, key_bytes: Some(2), value_bytes: 3, time: Some(0), thread: None };

impl Trace<Input> {
    /// Begins to read a file, Parquet or text, which may be compressed with gzip or Zstandard; `-` is standard input.
    ///
    /// # Errors
    /// As [`Trace::new`], or the file cannot be opened, or is damaged Parquet.
    pub fn open(path: &Path, form: Option<Form>) -> Result<Self, TraceError> {
        let mut file = match path.to_str() {
            Some(STANDARD_INPUT) => File::from(std::io::stdin().as_fd().try_clone_to_owned()?),
            _ => File::open(path)?,
        };
        let position = Position::of(&file);
        let mut magic = Vec::new();
        file.by_ref().take(4).read_to_end(&mut magic)?;
        // What comes through a pipe is read once, and Parquet from its end.
        if file.metadata()?.is_file() && form.map_or(magic == parquet::MAGIC, |form| form == Form::Parquet) {
            file.rewind()?;
            let rows = ParquetRows::new(file)?;
            let names = rows.names();
            let wrong = |expected| {
                TraceError::Parquet(format!("its columns are `{}`, expected {expected}", shorten(&names.join(&b','))))
            };
            let columns = Columns::of(&names).map_err(wrong)?;
            rows.check_kinds(&COLUMNS)?;
            return Ok(Self { rows: Rows::Parquet { rows, columns }, times: Times::default(), position });
        }
        let is_gzip = magic.starts_with(GZIP);
        let is_zstandard = magic.starts_with(ZSTANDARD);
        let input = Cursor::new(magic).chain(file);
        let (input, compression): (Input, _) = match (is_gzip, is_zstandard) {
            (true, _) => (Box::new(flate2::read::MultiGzDecoder::new(input)), Some("gzip")),
            (_, true) => (Box::new(zstd::Decoder::new(input)?), Some("zstd")),
            _ => (Box::new(input), None),
        };
        Ok(Self { position, ..Self::of_lines(Lines::new(input, compression), form)? })
    }
}

impl<R: Read> Trace<R> {
    /// Begins to read a text; the form is told by the first line unless it is given.
    ///
    /// # Errors
    /// The first line is of no known form, or lacks a column that is needed.
    pub fn new(input: R, form: Option<Form>) -> Result<Self, TraceError> {
        Self::of_lines(Lines::new(input, None), form)
    }

    fn of_lines(mut lines: Lines<R>, form: Option<Form>) -> Result<Self, TraceError> {
        // Spreadsheets begin a CSV with it, and it is no part of the first column's name.
        if lines.peek()?.is_some_and(|line| line.starts_with(BYTE_ORDER_MARK)) {
            lines.skip(BYTE_ORDER_MARK.len());
        }
        let first = lines.peek()?.ok_or(TraceError::Empty)?;
        let form = form.map_or_else(|| Form::of(first), Ok)?;
        let rows = match form {
            Form::Csv => {
                let (_, head) = lines.next_row()?.ok_or(TraceError::Empty)?;
                let names: Vec<_> = (0..head.fields.len()).map(|column| head.field(column)).collect();
                let wrong = |expected| TraceError::line(Origin::Line(1), "the head", &names.join(&b','), expected);
                let columns = Columns::of(&names).map_err(wrong)?;
                Rows::Table { lines, columns }
            }
            Form::Twitter => Rows::Table { lines, columns: TWITTER },
            Form::Ycsb => Rows::Ycsb { lines },
            Form::Parquet => return Err(parquet::only_from_a_file()),
        };
        Ok(Self { rows, times: Times::default(), position: None })
    }

    /// Whether it may say which thread did an operation.
    pub fn has_threads(&self) -> bool {
        match &self.rows {
            Rows::Table { columns, .. } | Rows::Parquet { columns, .. } => columns.thread.is_some(),
            Rows::Ycsb { .. } => false,
        }
    }

    /// Where in its file it is, for one who asks while another reads.
    pub(crate) fn take_position(&mut self) -> Option<Position> {
        self.position.take()
    }

    /// The next operation; `None` at the end. Empty lines, and those of YCSB's log that are no operation, are passed over.
    ///
    /// # Errors
    /// The line is not what the form asks for, or cannot be read.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, TraceError> {
        let event = match &mut self.rows {
            Rows::Table { lines, columns } => match lines.next_row()? {
                Some((line, row)) => columns.event(row, Origin::Line(line))?,
                None => return Ok(None),
            },
            Rows::Parquet { rows, columns } => match rows.next_row()? {
                Some((number, row)) => columns.event(row, Origin::Row(number))?,
                None => return Ok(None),
            },
            Rows::Ycsb { lines } => match next_operation(lines)? {
                Some((number, line)) => ycsb(line, Origin::Line(number))?,
                None => return Ok(None),
            },
        };
        self.times.check(&event)?;
        Ok(Some(event))
    }
}

/// The next line of YCSB's log that is an operation.
fn next_operation<R: Read>(lines: &mut Lines<R>) -> Result<Option<(u64, &[u8])>, TraceError> {
    loop {
        let Some(line) = lines.peek()? else { return Ok(None) };
        if is_ycsb_operation(line.split(|byte| *byte == b' ').next().unwrap_or_default()) {
            return lines.next_line();
        }
        lines.next_line()?;
    }
}

impl Columns {
    /// Finds the columns by their names; else says what was expected.
    fn of(names: &[&[u8]]) -> Result<Self, String> {
        let names: Vec<&[u8]> = names.iter().map(|name| unquoted(name.trim_ascii())).collect();
        let find = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
        if let Some(twice) = COLUMNS.iter().find(|wanted| count(&names, wanted) > 1) {
            return Err(format!("one column named {twice}"));
        }
        let need = |wanted: &'static str| find(wanted).ok_or_else(|| format!("a column named {wanted}"));
        Ok(Self {
            count: names.len(),
            operation: need("op")?,
            key: need("key")?,
            key_bytes: find("key_size"),
            value_bytes: need("value_size")?,
            time: find("time"),
            thread: find("thread"),
        })
    }

    #[inline]
    fn event<'a>(&self, row: Row<'a>, origin: Origin) -> Result<Event<'a>, TraceError> {
        if row.fields.len() != self.count {
            let found = row.fields.len().to_string();
            return Err(TraceError::line(origin, "the number of columns", found.as_bytes(), self.count.to_string()));
        }
        let field = |column: usize| row.field(column).trim_ascii();
        let key = row.field(self.key);
        let word = field(self.operation);
        let kind = operation(word)
            .ok_or_else(|| TraceError::line(origin, "op", word, format!("one of {}", operation_names())))?;
        let key_bytes = match self.key_bytes {
            Some(column) => number(field(column), origin, "key_size", RECORD_KEY_BYTES_MAX)?,
            None => key.len() as u64,
        };
        if key.is_empty() || key_bytes.max(key.len() as u64) > RECORD_KEY_BYTES_MAX {
            let expected = format!("a key of 1 to {RECORD_KEY_BYTES_MAX} bytes");
            return Err(TraceError::line(origin, "key", key, expected));
        }
        let value = field(self.value_bytes);
        let value_bytes = match value {
            [] => None,
            _ => Some(number(value, origin, "value_size", VALUE_BYTES_MAX)?),
        };
        let time_s =
            self.time.map(field).filter(|text| !text.is_empty()).map(|text| seconds(text, origin)).transpose()?;
        let thread = self.thread.map(field);
        if thread.is_some_and(<[u8]>::is_empty) {
            return Err(TraceError::line(origin, "thread", b"", "the name of a thread in every line".to_owned()));
        }
        Ok(Event { origin, operation: kind, key, key_bytes, value_bytes, time_s, thread })
    }
}

/// How many columns have a name, in whatever case.
fn count(names: &[&[u8]], wanted: &str) -> usize {
    names.iter().filter(|name| name.eq_ignore_ascii_case(wanted.as_bytes())).count()
}

fn number(text: &[u8], origin: Origin, what: &'static str, most: u64) -> Result<u64, TraceError> {
    let expected = || TraceError::line(origin, what, text, format!("a whole number of bytes, at most {most}"));
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(expected());
    }
    let digit = |sum: u64, byte: &u8| sum.checked_mul(10)?.checked_add(u64::from(byte - b'0'));
    text.iter().try_fold(0_u64, digit).filter(|number| *number <= most).ok_or_else(expected)
}

fn seconds(text: &[u8], origin: Origin) -> Result<f64, TraceError> {
    let time = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    let time = time.filter(|time| time.is_finite() && *time >= 0.0);
    time.ok_or_else(|| TraceError::line(origin, "time", text, "a number of seconds, not negative"))
}

/// A line of YCSB's log: operation, table, key, and for writes the fields in brackets, whose values count. An update names only the
/// fields that it replaces by others as long, and so does not tell how long the record is.
fn ycsb(line: &[u8], origin: Origin) -> Result<Event<'_>, TraceError> {
    let text = line.trim_ascii();
    let mut words = text.splitn(4, |byte| *byte == b' ');
    let kind = words.next().and_then(operation);
    let (_table, key) = (words.next(), words.next().unwrap_or_default());
    let (Some(kind), 1..=RECORD_KEY_BYTES_MAX) = (kind, key.len() as u64) else {
        return Err(TraceError::line(origin, "the line", text, "OPERATION TABLE KEY, and fields in brackets"));
    };
    let rest = words.next().unwrap_or_default();
    let value_bytes = matches!(kind, Operation::Insert | Operation::Upsert).then(|| fields_bytes(rest));
    Ok(Event { origin, operation: kind, key, key_bytes: key.len() as u64, value_bytes, time_s: None, thread: None })
}

/// The length of all values in `[ field0=… field1=… ]`.
fn fields_bytes(text: &[u8]) -> u64 {
    let inner = text.trim_ascii();
    let inner = inner.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")).unwrap_or(inner).trim_ascii();
    let mut bytes = inner.len() as u64;
    // A field's name and the sign after it are not its value, nor is the space before the next one.
    let mut names = 0;
    for (place, window) in inner.windows(5).enumerate() {
        if window == b"field" && (place == 0 || inner[place - 1] == b' ') {
            let name = inner[place..].iter().take_while(|byte| **byte != b'=').count() as u64;
            bytes = bytes.saturating_sub(name + 1 + u64::from(names > 0));
            names += 1;
        }
    }
    bytes
}
