//! A trace, read operation by operation.

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::os::fd::AsFd;
use std::path::Path;

use bakeoff_tape::{Operation, RECORD_KEY_BYTES_MAX};

use crate::columns::{self, Columns, TWITTER};
use crate::error::{Origin, TraceError, shorten};
use crate::event::Event;
use crate::form::{Form, is_ycsb_line, separator};
use crate::lines::Lines;
use crate::operations::operation;
use crate::parquet::{self, ParquetRows};
use crate::position::Position;
use crate::times::{TimeUnit, Times};

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
    /// How many more times the last row was done.
    again: u64,
    /// The bytes of a key that is written in hexadecimal digits.
    key: Vec<u8>,
    /// Lines between operations that are none, and those before the next operation.
    passed_over: u64,
    operations: u64,
}

enum Rows<R: Read> {
    Table { lines: Lines<R>, columns: Columns },
    Parquet { rows: ParquetRows, columns: Columns },
    Ycsb { lines: Lines<R> },
}

/// What traces are read from: a file, a pipe, either of them compressed.
pub type Input = Box<dyn Read + Send>;

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
            rows.check_kinds(columns::is_read)?;
            return Ok(Self { position, ..Self::of_rows(Rows::Parquet { rows, columns }) });
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
                lines.separator = lines.peek()?.and_then(separator).unwrap_or(b',');
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
        Ok(Self::of_rows(rows))
    }

    fn of_rows(rows: Rows<R>) -> Self {
        Self { rows, times: Times::default(), position: None, again: 0, key: Vec::new(), passed_over: 0, operations: 0 }
    }

    /// The same, with times in this unit, which is otherwise seconds.
    #[must_use]
    pub fn in_unit(mut self, unit: Option<TimeUnit>) -> Self {
        self.times = Times::in_unit(unit);
        self
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
        let clock = self.times.clock();
        let is_again = self.again > 0;
        let (event, count) = match &mut self.rows {
            Rows::Table { lines, columns } => {
                let next = if is_again { Some(lines.row_again()) } else { lines.next_row()? };
                let Some((line, row)) = next else { return self.times.end().map(|()| None) };
                columns.event(row, Origin::Line(line), clock, &mut self.key)?
            }
            Rows::Parquet { rows, columns } => {
                let next = if is_again { Some(rows.row_again()) } else { rows.next_row()? };
                let Some((number, row)) = next else { return self.times.end().map(|()| None) };
                columns.event(row, Origin::Row(number), clock, &mut self.key)?
            }
            Rows::Ycsb { lines } => match next_operation(lines)? {
                Some((others, number, line)) => {
                    // What a program prints before it begins is no operation that was lost.
                    self.passed_over += if self.operations > 0 { others } else { 0 };
                    (ycsb(line, Origin::Line(number))?, 1)
                }
                None if self.passed_over * 100 > self.operations => {
                    let Self { passed_over, operations, .. } = *self;
                    return Err(TraceError::PassedOver { passed_over, operations });
                }
                None => return Ok(None),
            },
        };
        self.again = if is_again { self.again - 1 } else { count - 1 };
        self.operations += 1;
        self.times.check(&event)?;
        Ok(Some(event))
    }

    /// Lines between operations that were none, and so were passed over.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }
}

/// A line of YCSB's log that is an operation: the lines before it that are none and not empty, its number, and its text.
type OperationLine<'a> = (u64, u64, &'a [u8]);

/// The next line of YCSB's log that is an operation.
fn next_operation<R: Read>(lines: &mut Lines<R>) -> Result<Option<OperationLine<'_>>, TraceError> {
    let mut others = 0;
    loop {
        let Some(line) = lines.peek()? else { return Ok(None) };
        if is_ycsb_line(line) {
            return Ok(lines.next_line()?.map(|(number, line)| (others, number, line)));
        }
        others += u64::from(!line.is_empty());
        lines.next_line()?;
    }
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
