//! A trace, read operation by operation.

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::os::fd::AsFd;
use std::path::Path;

use bakeoff_tape::Operation;

use crate::awaited::{Awaited, open};
use crate::error::TraceError;
use crate::event::Event;
use crate::form::Form;
use crate::intake::{Intake, Omitted};
use crate::json::JsonTable;
use crate::lines::{LINES_LOOKED_AT, Lines};
use crate::logs::LogReader;
use crate::options::ReadOptions;
use crate::parquet::{self, ParquetRows};
use crate::position::Position;
use crate::progress::OnProgress;
use crate::tables::{CsvTable, ParquetTable, Table, next_event};
use crate::tape_text::TapeText;
use crate::times::{Clock, TimeUnit, Times};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The same in UTF-16, which some programs of Windows write.
const BYTE_ORDER_MARKS_UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// How texts begin that were compressed with gzip and with Zstandard.
const GZIP: &[u8] = b"\x1f\x8b";
const ZSTANDARD: &[u8] = b"\x28\xb5\x2f\xfd";

/// The path that means standard input.
const STANDARD_INPUT: &str = "-";

/// A trace that is being read.
pub struct Trace<R: Read> {
    rows: Rows<R>,
    times: Times,
    intake: Intake,
    position: Option<Position>,
    form: Form,
    /// How many times the operation of the last row was given, and how many times it was done.
    repeats: (u64, u64),
    /// The bytes of a key that is written in hexadecimal digits.
    key: Vec<u8>,
    operations: u64,
}

enum Rows<R: Read> {
    Csv(CsvTable<R>),
    Parquet(ParquetTable),
    Json(JsonTable<R>),
    Log(LogReader<R>),
}

/// What traces are read from: a file, a pipe, either of them compressed.
pub type Input<'a> = Box<dyn Read + Send + 'a>;

impl<'a> Trace<Input<'a>> {
    /// Begins to read a file, Parquet or text, which may be compressed with gzip or Zstandard; `-` is standard input. A directory is an imported
    /// tape. While a pipe has nothing to read, `progress` is asked whether to go on.
    ///
    /// # Errors
    /// As [`Trace::new`], or the file cannot be opened, or is damaged Parquet, or `progress` said to stop.
    pub fn open(path: &Path, options: &ReadOptions, progress: OnProgress<'a>) -> Result<Self, TraceError> {
        if path.is_dir() {
            let input: Input<'a> = Box::new(TapeText::open(path)?);
            let options = ReadOptions { form: Some(Form::Csv), ..options.clone() };
            return Self::of_lines(Lines::new(input, None), &options);
        }
        let file = match path.to_str() {
            Some(STANDARD_INPUT) => File::from(std::io::stdin().as_fd().try_clone_to_owned()?),
            _ => open(path)?,
        };
        let (position, is_file) = (Position::of(&file), file.metadata()?.is_file());
        let mut file = Awaited::new(file, progress);
        let mut magic = Vec::new();
        file.by_ref().take(4).read_to_end(&mut magic)?;
        // What comes through a pipe is read once, and Parquet from its end.
        if is_file && options.form.map_or(magic == parquet::MAGIC, |form| form == Form::Parquet) {
            let mut file = file.into_file();
            file.rewind()?;
            let (times, intake) = begin(Form::Parquet, options)?;
            let table = ParquetTable::new(ParquetRows::new(file)?, &intake)?;
            return Ok(Self { position, ..Self::of_rows(Form::Parquet, Rows::Parquet(table), times, intake) });
        }
        let is_gzip = magic.starts_with(GZIP);
        let is_zstandard = magic.starts_with(ZSTANDARD);
        let input = Cursor::new(magic).chain(file);
        let (input, compression): (Input<'a>, _) = match (is_gzip, is_zstandard) {
            (true, _) => (Box::new(flate2::read::MultiGzDecoder::new(input)), Some("gzip")),
            (_, true) => (Box::new(zstd::Decoder::new(input)?), Some("zstd")),
            _ => (Box::new(input), None),
        };
        Ok(Self { position, ..Self::of_lines(Lines::new(input, compression), options)? })
    }
}

impl<R: Read> Trace<R> {
    /// Begins to read a text; its form is recognised by its first lines unless it is given.
    ///
    /// # Errors
    /// The first lines are of no known form, a column that is needed lacks, or one may change what a row means.
    pub fn new(input: R, options: &ReadOptions) -> Result<Self, TraceError> {
        Self::of_lines(Lines::new(input, None), options)
    }

    fn of_lines(mut lines: Lines<R>, options: &ReadOptions) -> Result<Self, TraceError> {
        // Spreadsheets begin a CSV with it, and it is no part of the first column's name.
        if lines.peek()?.is_some_and(|line| line.starts_with(BYTE_ORDER_MARK)) {
            lines.skip(BYTE_ORDER_MARK.len());
        }
        let first = lines.peek_many(LINES_LOOKED_AT)?;
        let Some(line) = first.first() else { return Err(TraceError::Empty) };
        if BYTE_ORDER_MARKS_UTF_16.iter().any(|mark| line.starts_with(mark)) {
            return Err(TraceError::Utf16);
        }
        let form = options.form.map_or_else(|| Form::of(&first), Ok)?;
        let (times, intake) = begin(form, options)?;
        let rows = match (form, form.log()) {
            (_, Some(log)) => Rows::Log(LogReader::new(lines, log)),
            (Form::Json, None) => Rows::Json(JsonTable::new(lines, &intake)?),
            (Form::Parquet, None) => return Err(parquet::only_from_a_file()),
            (Form::Twitter, None) => Rows::Csv(CsvTable::of_twitter(lines)),
            (_, None) => Rows::Csv(CsvTable::new(lines, &intake)?),
        };
        Ok(Self::of_rows(form, rows, times, intake))
    }

    fn of_rows(form: Form, rows: Rows<R>, times: Times, intake: Intake) -> Self {
        Self { rows, times, intake, position: None, form, repeats: (0, 0), key: Vec::new(), operations: 0 }
    }

    /// Whether it may say which thread did an operation.
    pub fn has_threads(&self) -> bool {
        match &self.rows {
            Rows::Csv(table) => table.columns().has_threads(),
            Rows::Parquet(table) => table.columns().has_threads(),
            Rows::Json(table) => table.columns().has_threads(),
            Rows::Log(_) => false,
        }
    }

    /// Whether it may say when operations came.
    pub(crate) fn has_times(&self) -> bool {
        let may = match &self.rows {
            Rows::Csv(table) => table.columns().has_times(),
            Rows::Parquet(table) => table.columns().has_times(),
            Rows::Json(table) => table.columns().has_times(),
            Rows::Log(_) => self.form.has_times(),
        };
        may && !self.intake.ignores(b"time")
    }

    /// Where in its file it is, for one who asks while another reads.
    pub(crate) fn position(&mut self) -> Option<Position> {
        self.position.take()
    }

    /// The next operation; `None` at the end. Other lines are counted ([`Trace::omitted`]).
    ///
    /// # Errors
    /// The line is not what the form asks for, or cannot be read; or, at the end, more than one line in a hundred could not be.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, TraceError> {
        let Self { rows, times, intake, repeats, key, operations, .. } = self;
        let done = if repeats.0 < repeats.1 { repeats.0 } else { 0 };
        let next = match rows {
            Rows::Csv(table) => next_event(table, done, intake, &mut times.clock, key)?,
            Rows::Parquet(table) => next_event(table, done, intake, &mut times.clock, key)?,
            Rows::Json(table) => next_event(table, done, intake, &mut times.clock, key)?,
            Rows::Log(log) => log.next(intake)?.map(|event| (event, 1)),
        };
        let Some((mut event, count)) = next else {
            intake.omitted.check(*operations)?;
            times.end()?;
            return Ok(None);
        };
        *repeats = (done + 1, count);
        *operations += u64::from(!event.is_before && event.operation != Operation::Commit);
        times.check(&mut event)?;
        Ok(Some(event))
    }

    /// What became no operation so far.
    pub fn omitted(&self) -> &Omitted {
        &self.intake.omitted
    }

    /// Whether times are dates without a zone, which count as UTC unless the user names a zone.
    pub fn lacks_zone(&self) -> bool {
        self.times.clock.lacks_zone()
    }
}

/// The times of a trace of this form, and what of it counts.
fn begin(form: Form, options: &ReadOptions) -> Result<(Times, Intake), TraceError> {
    if options.time_unit.is_some() && !form.has_units() {
        return Err(TraceError::UnitIsKnown { form: form.word() });
    }
    let intake = Intake::new(options.ignore.clone(), options.key_prefix.clone());
    // Times of the other forms have their unit.
    let unit = options.time_unit.or((!form.has_units()).then_some(TimeUnit::Seconds));
    let clock = Clock::new(unit, options.time_zone.clone());
    Ok((Times::new(clock, intake.ignores(b"time"), form.sort_command()), intake))
}
