//! Rows of a Parquet file as the fields of text that a CSV file would have.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::basic::{Compression, LogicalType, TimeUnit};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, reader::RowIter};
use parquet::schema::types::Type;

use crate::error::TraceError;
use crate::lines::{Field as Place, Row};

/// How a Parquet file begins.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// A Parquet file that is being read.
pub(crate) struct ParquetRows {
    names: Vec<String>,
    /// By column: whether its integers are nanoseconds since an epoch, which the library gives as they are.
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
    pub(crate) fn new(file: File) -> Result<Self, TraceError> {
        let reader = guarded(|| SerializedFileReader::new(file))?;
        let schema = reader.metadata().file_metadata().schema();
        let names = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
        let nanoseconds = schema.get_fields().iter().map(|field| is_nanoseconds(field)).collect();
        check_compression(reader.metadata())?;
        let rows = guarded(|| Ok(reader.into_iter()))?;
        Ok(Self { names, nanoseconds, rows, number: 0, bytes: Vec::new(), fields: Vec::new() })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> Vec<&[u8]> {
        self.names.iter().map(|name| name.as_bytes()).collect()
    }

    /// The next row, and its number from 1; `None` at the end. What is null is empty.
    pub(crate) fn next_row(&mut self) -> Result<Option<(u64, Row<'_>)>, TraceError> {
        let Some(next) = guarded(|| self.rows.next().transpose())? else { return Ok(None) };
        self.number += 1;
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
        Ok(Some((self.number, Row { bytes: &self.bytes, fields: &self.fields })))
    }
}

/// A field as text.
fn push(field: &Field, text: &mut Vec<u8>) {
    match field {
        // Data frames have no integers that may be missing: whole numbers come as `130.0`, and what is missing as no number.
        Field::Null => {}
        Field::Double(number) if number.is_nan() => {}
        Field::Double(number) => text.extend_from_slice(number.to_string().as_bytes()),
        Field::Str(characters) => text.extend_from_slice(characters.as_bytes()),
        Field::Bytes(bytes) => text.extend_from_slice(bytes.data()),
        Field::TimestampMillis(time) => text.extend_from_slice(seconds(*time, 1_000).as_bytes()),
        Field::TimestampMicros(time) => text.extend_from_slice(seconds(*time, 1_000_000).as_bytes()),
        other => text.extend_from_slice(other.to_string().as_bytes()),
    }
}

fn is_nanoseconds(column: &Type) -> bool {
    let kind = column.get_basic_info().logical_type_ref();
    matches!(kind, Some(LogicalType::Timestamp(time)) if matches!(time.unit, TimeUnit::NANOS))
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
    let digits = per_second.ilog10() as usize;
    format!("{}.{:0digits$}", time.div_euclid(per_second), time.rem_euclid(per_second))
}

/// Calls the library, which panics at some files that are damaged.
fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, TraceError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|why| TraceError::Parquet(why.to_string())),
        Err(_) => Err(TraceError::Parquet("it is damaged".to_owned())),
    }
}
