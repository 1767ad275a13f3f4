//! A trace, read operation by operation.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use bakeoff_tape::Operation;
use csv::{ByteRecord, Reader, ReaderBuilder};

use crate::error::TraceError;
use crate::form::{Form, is_ycsb_operation, operation, unquoted, words};
use crate::parquet::{self, ParquetRows};

/// The longest key and the largest value that are believed, in bytes.
const KEY_BYTES_MAX: u64 = 65_535;
const VALUE_BYTES_MAX: u64 = 1 << 30;

/// The longest line that is read, in bytes: a file without line ends must not fill the memory.
const LINE_BYTES_MAX: u64 = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One operation of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// Its line, from 1.
    pub line: u64,
    /// What is done.
    pub operation: Operation,
    /// The key; it may stand for one of another length.
    pub key: &'a [u8],
    /// The length of the application's key, bytes.
    pub key_bytes: u64,
    /// The length of the value written or read; `None` where the trace does not say.
    pub value_bytes: Option<u64>,
    /// When, in seconds from whenever the trace counts; `None` where it does not say.
    pub time_s: Option<f64>,
    /// The thread that did it, by whatever name; `None` where the trace does not say.
    pub thread: Option<&'a [u8]>,
}

/// A trace that is being read.
pub struct Trace<R: Read> {
    rows: Rows<R>,
}

enum Rows<R: Read> {
    Table { reader: Reader<BufReader<R>>, row: ByteRecord, columns: Columns },
    Parquet { rows: ParquetRows, row: ByteRecord, columns: Columns },
    Lines { reader: BufReader<R>, line: Vec<u8>, number: u64 },
}

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

impl Trace<File> {
    /// Begins to read a file, Parquet or text.
    ///
    /// # Errors
    /// As [`Trace::new`], or the file cannot be opened, or is damaged Parquet.
    pub fn open(path: &Path, form: Option<Form>) -> Result<Self, TraceError> {
        let mut file = File::open(path)?;
        let mut magic = Vec::new();
        file.by_ref().take(parquet::MAGIC.len() as u64).read_to_end(&mut magic)?;
        file.rewind()?;
        if form.is_some() || magic != parquet::MAGIC {
            return Self::new(file, form);
        }
        let rows = ParquetRows::new(file)?;
        let columns = Columns::of(&rows.head())?;
        Ok(Self { rows: Rows::Parquet { rows, row: ByteRecord::new(), columns } })
    }
}

impl<R: Read> Trace<R> {
    /// Begins to read; the form is told by the first line unless it is given.
    ///
    /// # Errors
    /// The first line is of no known form, or lacks a column that is needed.
    pub fn new(input: R, form: Option<Form>) -> Result<Self, TraceError> {
        let mut input = BufReader::with_capacity(1 << 20, input);
        // Spreadsheets begin a CSV with it, and it is no part of the first column's name.
        if input.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
            input.consume(BYTE_ORDER_MARK.len());
        }
        let first = first_line(&mut input)?;
        let form = form.map_or_else(|| Form::of(&first), Ok)?;
        let columns = match form {
            Form::Csv => Columns::of(&first)?,
            Form::Twitter => TWITTER,
            Form::Ycsb => return Ok(Self { rows: Rows::Lines { reader: input, line: Vec::new(), number: 0 } }),
        };
        let mut builder = ReaderBuilder::new();
        let reader = builder.has_headers(form == Form::Csv).flexible(true).buffer_capacity(1 << 18).from_reader(input);
        Ok(Self { rows: Rows::Table { reader, row: ByteRecord::new(), columns } })
    }

    /// Whether it may say which thread did an operation.
    pub fn has_threads(&self) -> bool {
        match &self.rows {
            Rows::Table { columns, .. } | Rows::Parquet { columns, .. } => columns.thread.is_some(),
            Rows::Lines { .. } => false,
        }
    }

    /// The next operation; `None` at the end. Empty lines, and those of YCSB's log that are no operation, are passed over.
    ///
    /// # Errors
    /// The line is not what the form asks for, or cannot be read.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, TraceError> {
        match &mut self.rows {
            Rows::Table { reader, row, columns } => {
                if !reader.read_byte_record(row).map_err(|why| TraceError::Read(why.into()))? {
                    return Ok(None);
                }
                let line = row.position().map_or(0, csv::Position::line);
                columns.event(row, line).map(Some)
            }
            Rows::Parquet { rows, row, columns } => match rows.next_row(row)? {
                Some(number) => columns.event(row, number).map(Some),
                None => Ok(None),
            },
            Rows::Lines { reader, line, number } => loop {
                line.clear();
                *number += 1;
                if reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', line)? == 0 {
                    return Ok(None);
                }
                let word = line.split(|byte| *byte == b' ').next().unwrap_or_default();
                if is_ycsb_operation(word) {
                    return ycsb(line, *number).map(Some);
                }
            },
        }
    }
}

/// The first line, which stays in the reader.
fn first_line(input: &mut impl BufRead) -> Result<Vec<u8>, TraceError> {
    let buffered = input.fill_buf()?;
    if buffered.is_empty() {
        return Err(TraceError::Empty);
    }
    let line = buffered.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(line.trim_ascii().to_vec())
}

impl Columns {
    /// Finds the columns by their names in the head.
    fn of(head: &[u8]) -> Result<Self, TraceError> {
        let names: Vec<&[u8]> = head.split(|byte| *byte == b',').map(|name| unquoted(name.trim_ascii())).collect();
        let find = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
        if let Some(twice) = COLUMNS.iter().find(|wanted| count(&names, wanted) > 1) {
            return Err(TraceError::line(1, "the head", head, format!("one column named {twice}")));
        }
        let need = |wanted: &'static str| {
            find(wanted).ok_or_else(|| TraceError::line(1, "the head", head, format!("a column named {wanted}")))
        };
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

    fn event<'a>(&self, row: &'a ByteRecord, line: u64) -> Result<Event<'a>, TraceError> {
        if row.len() != self.count {
            let found = row.len().to_string();
            return Err(TraceError::line(line, "the number of columns", found.as_bytes(), self.count.to_string()));
        }
        let field = |column: usize| row.get(column).unwrap_or_default().trim_ascii();
        let key = row.get(self.key).unwrap_or_default();
        let word = field(self.operation);
        let kind = operation(word).ok_or_else(|| TraceError::line(line, "op", word, format!("one of {}", words())))?;
        let key_bytes = match self.key_bytes {
            Some(column) => number(field(column), line, "key_size", KEY_BYTES_MAX)?,
            None => key.len() as u64,
        };
        if key.is_empty() || key_bytes > KEY_BYTES_MAX {
            return Err(TraceError::line(line, "key", key, format!("1 to {KEY_BYTES_MAX} bytes")));
        }
        let value = field(self.value_bytes);
        let value_bytes = match value {
            [] => None,
            _ => Some(number(value, line, "value_size", VALUE_BYTES_MAX)?),
        };
        let time_s =
            self.time.map(field).filter(|text| !text.is_empty()).map(|text| seconds(text, line)).transpose()?;
        let thread = self.thread.map(field);
        Ok(Event { line, operation: kind, key, key_bytes, value_bytes, time_s, thread })
    }
}

/// How many columns have a name, in whatever case.
fn count(names: &[&[u8]], wanted: &str) -> usize {
    names.iter().filter(|name| name.eq_ignore_ascii_case(wanted.as_bytes())).count()
}

fn number(text: &[u8], line: u64, what: &'static str, most: u64) -> Result<u64, TraceError> {
    let expected = || TraceError::line(line, what, text, format!("a whole number of bytes, at most {most}"));
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(expected());
    }
    let digit = |sum: u64, byte: &u8| sum.checked_mul(10)?.checked_add(u64::from(byte - b'0'));
    text.iter().try_fold(0_u64, digit).filter(|number| *number <= most).ok_or_else(expected)
}

fn seconds(text: &[u8], line: u64) -> Result<f64, TraceError> {
    let time = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    let time = time.filter(|time| time.is_finite() && *time >= 0.0);
    time.ok_or_else(|| TraceError::line(line, "time", text, "a number of seconds, not negative"))
}

/// A line of YCSB's log: operation, table, key, and for writes the fields in brackets, whose values count. An update names only the
/// fields that it replaces by others as long, and so does not tell how long the record is.
fn ycsb(line: &[u8], number: u64) -> Result<Event<'_>, TraceError> {
    let text = line.trim_ascii_end();
    let mut words = text.splitn(4, |byte| *byte == b' ');
    let kind = words.next().and_then(operation);
    let (_table, key) = (words.next(), words.next().unwrap_or_default());
    let (Some(kind), false) = (kind, key.is_empty()) else {
        return Err(TraceError::line(number, "the line", text, "OPERATION TABLE KEY, and fields in brackets"));
    };
    let rest = words.next().unwrap_or_default();
    let value_bytes = matches!(kind, Operation::Insert | Operation::Upsert).then(|| fields_bytes(rest));
    Ok(Event {
        line: number,
        operation: kind,
        key,
        key_bytes: key.len() as u64,
        value_bytes,
        time_s: None,
        thread: None,
    })
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
