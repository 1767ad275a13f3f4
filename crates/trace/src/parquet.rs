//! Rows of a Parquet file as the fields of text that a CSV file would have.

use std::cell::Cell;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, reader::RowIter};
use parquet::schema::types::Type;

use crate::columns::Columns;
use crate::error::TraceError;
use crate::lines::{Field as Place, Row};

/// How a Parquet file begins.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// What every Parquet file has: its beginning, and at its end the length of the footer and PAR1.
const FRAME_BYTES: u64 = 12;

/// How to fix a damaged file.
const AGAIN: &str = "copy it again, or write it again and close it";

/// A Parquet file that is being read.
pub(crate) struct ParquetRows {
    schema: Type,
    /// By column: whether its integers are nanoseconds, which the library gives as they are.
    nanoseconds: Vec<bool>,
    rows: RowIter<'static>,
    number: u64,
    bytes: Vec<u8>,
    fields: Vec<Place>,
}

/// Parquet where only text can be read.
pub(crate) fn only_from_a_file() -> TraceError {
    let why = "it is read from its end, and so neither through a pipe nor compressed as a whole: give it as a file";
    TraceError::Parquet(why.to_owned())
}

impl ParquetRows {
    pub(crate) fn new(mut file: File) -> Result<Self, TraceError> {
        check_end(&mut file)?;
        let footer = |why: &str| format!("its footer, which says where everything is, is damaged ({why}): {AGAIN}");
        let reader = guarded(|| SerializedFileReader::new(file), footer)?;
        let schema = reader.metadata().file_metadata().schema();
        let schema = schema.clone();
        let nanoseconds = schema.get_fields().iter().map(|field| is_nanoseconds(field)).collect();
        check_compression(reader.metadata())?;
        let rows = guarded(|| Ok(reader.into_iter()), footer)?;
        Ok(Self { schema, nanoseconds, rows, number: 0, bytes: Vec::new(), fields: Vec::new() })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> Vec<&[u8]> {
        self.schema.get_fields().iter().map(|column| column.name().as_bytes()).collect()
    }

    /// Refuses columns to be read whose fields are no text, bytes, number or time.
    pub(crate) fn check_kinds(&self, columns: &Columns) -> Result<(), TraceError> {
        let fields = self.schema.get_fields();
        for (column, takes_booleans) in columns.read() {
            let Some(column) = fields.get(column) else { continue };
            if let Some(kind) = unreadable(column, takes_booleans) {
                let name = column.name();
                let expected = "expected text, bytes, numbers or times";
                return Err(TraceError::Parquet(format!("its column {name} has {kind}, {expected}")));
            }
        }
        Ok(())
    }

    /// The next row, and its number from 1; `None` at the end. A null is empty.
    pub(crate) fn next_row(&mut self) -> Result<Option<(u64, Row<'_>)>, TraceError> {
        self.number += 1;
        let here =
            |why: &str| format!("row {} or what is packed together with it is damaged ({why}): {AGAIN}", self.number);
        let Some(next) = guarded(|| self.rows.next().transpose(), here)? else { return Ok(None) };
        self.bytes.clear();
        self.fields.clear();
        for ((_, field), is_nanoseconds) in next.get_column_iter().zip(&self.nanoseconds) {
            let begin = self.bytes.len();
            match field {
                Field::Long(time) if *is_nanoseconds => {
                    self.bytes.extend_from_slice(seconds(*time, 1_000_000_000).as_bytes());
                }
                other => push(other, &mut self.bytes),
            }
            self.fields.push(Place { place: begin..self.bytes.len(), whole: true });
        }
        Ok(Some(self.row_again()))
    }

    /// The last row again.
    pub(crate) fn row_again(&self) -> (u64, Row<'_>) {
        (self.number, Row { bytes: &self.bytes, fields: &self.fields })
    }
}

/// A field as text.
fn push(field: &Field, text: &mut Vec<u8>) {
    match field {
        // Data frames have no integers that may be missing: whole numbers come as `130.0`, and missing ones as NaN.
        Field::Null => {}
        Field::Double(number) if number.is_nan() => {}
        Field::Double(number) => text.extend_from_slice(number.to_string().as_bytes()),
        Field::Float(number) if number.is_nan() => {}
        Field::Float(number) => text.extend_from_slice(number.to_string().as_bytes()),
        Field::Float16(number) if number.is_nan() => {}
        Field::Float16(number) => text.extend_from_slice(number.to_string().as_bytes()),
        // Whole ones come as `130.`.
        Field::Decimal(_) => text.extend_from_slice(field.to_string().trim_end_matches('.').as_bytes()),
        Field::Str(characters) => text.extend_from_slice(characters.as_bytes()),
        Field::Bytes(bytes) => text.extend_from_slice(bytes.data()),
        Field::TimestampMillis(time) => text.extend_from_slice(seconds(*time, 1_000).as_bytes()),
        // Times of the day are seconds since midnight.
        Field::TimeMillis(time) => text.extend_from_slice(seconds(i64::from(*time), 1_000).as_bytes()),
        Field::TimeMicros(time) => text.extend_from_slice(seconds(*time, 1_000_000).as_bytes()),
        Field::TimestampMicros(time) => text.extend_from_slice(seconds(*time, 1_000_000).as_bytes()),
        other => text.extend_from_slice(other.to_string().as_bytes()),
    }
}

fn is_nanoseconds(column: &Type) -> bool {
    let kind = column.get_basic_info().logical_type_ref();
    match kind {
        Some(LogicalType::Timestamp(time)) => matches!(time.unit, TimeUnit::NANOS),
        Some(LogicalType::Time(time)) => matches!(time.unit, TimeUnit::NANOS),
        _ => false,
    }
}

/// What a column's fields are, if a trace cannot have them.
fn unreadable(column: &Type, takes_booleans: bool) -> Option<&'static str> {
    let repeated =
        || column.get_basic_info().has_repetition() && column.get_basic_info().repetition() == Repetition::REPEATED;
    match column {
        Type::GroupType { .. } => Some("fields of several parts (lists, maps or structs)"),
        _ if repeated() => Some("lists"),
        Type::PrimitiveType { physical_type: PhysicalType::BOOLEAN, .. } if !takes_booleans => {
            Some("nothing but true and false")
        }
        Type::PrimitiveType { .. } => None,
    }
}

/// Refuses what the library was built without.
fn check_compression(file: &ParquetMetaData) -> Result<(), TraceError> {
    let known =
        |compression| matches!(compression, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_));
    let columns = file.row_groups().iter().flat_map(|group| group.columns());
    match columns.map(|column| column.compression()).find(|compression| !known(*compression)) {
        None => Ok(()),
        Some(other) => {
            let name = other.to_string().split('(').next().unwrap_or_default().to_owned();
            Err(TraceError::Parquet(format!("it is compressed with {name}: write it with Snappy, Zstandard or none")))
        }
    }
}

/// A point in time in seconds.
fn seconds(time: i64, per_second: i64) -> String {
    let (digits, per_second) = (per_second.ilog10() as usize, per_second.unsigned_abs());
    let (sign, time) = (if time < 0 { "-" } else { "" }, time.unsigned_abs());
    format!("{sign}{}.{:0digits$}", time / per_second, time % per_second)
}

/// Refuses a file without a whole footer. The library reports only how many bytes it would like.
fn check_end(file: &mut File) -> Result<(), TraceError> {
    let file_bytes = file.metadata()?.len();
    let mut end = [0; 8];
    if file_bytes >= FRAME_BYTES {
        file.seek(SeekFrom::End(-8))?;
        file.read_exact(&mut end)?;
        file.rewind()?;
    }
    let [a, b, c, d, magic @ ..] = end;
    if magic == MAGIC && u64::from(u32::from_le_bytes([a, b, c, d])) <= file_bytes - FRAME_BYTES {
        return Ok(());
    }
    let why = "expected a footer that says where everything is, its length and PAR1. It was cut off, damaged, or never closed";
    Err(TraceError::Parquet(format!("its {file_bytes} bytes do not end as they should: {why}: {AGAIN}")))
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread calls a library that panics on damaged files, which become errors: a panic hook ignores them.
pub fn panics_are_errors() -> bool {
    GUARDED.get()
}

/// Calls the library, which panics at some files that are damaged; `says` puts its words into ours.
fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>, says: impl Fn(&str) -> String) -> Result<T, TraceError> {
    let before = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    match outcome {
        Ok(result) => result.map_err(|why| TraceError::Parquet(says(&why.to_string()))),
        Err(_) => Err(TraceError::Parquet(says("nothing that Parquet knows"))),
    }
}
