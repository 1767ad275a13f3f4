//! Rows of a Parquet file as the fields of text that a CSV file would have.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use csv::ByteRecord;
use parquet::basic::{Compression, LogicalType, TimeUnit};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, reader::RowIter};
use parquet::schema::types::Type;

use crate::error::TraceError;

/// How a Parquet file begins.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// A Parquet file that is being read.
pub(crate) struct ParquetRows {
    names: Vec<String>,
    /// By column: whether its integers are nanoseconds since an epoch, which the library gives as they are.
    nanoseconds: Vec<bool>,
    rows: RowIter<'static>,
    number: u64,
}

impl ParquetRows {
    pub(crate) fn new(file: File) -> Result<Self, TraceError> {
        let reader = guarded(|| SerializedFileReader::new(file))?;
        let schema = reader.metadata().file_metadata().schema();
        let names = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
        let nanoseconds = schema.get_fields().iter().map(|field| is_nanoseconds(field)).collect();
        check_compression(reader.metadata())?;
        let rows = guarded(|| Ok(reader.into_iter()))?;
        Ok(Self { names, nanoseconds, rows, number: 0 })
    }

    /// The names of the columns as the head of a CSV file.
    pub(crate) fn head(&self) -> Vec<u8> {
        self.names.join(",").into_bytes()
    }

    /// The next row into `row`, and its number from 1; `None` at the end. What is null is empty.
    pub(crate) fn next_row(&mut self, row: &mut ByteRecord) -> Result<Option<u64>, TraceError> {
        let Some(next) = guarded(|| self.rows.next().transpose())? else { return Ok(None) };
        self.number += 1;
        row.clear();
        for ((_, field), is_nanoseconds) in next.get_column_iter().zip(&self.nanoseconds) {
            match field {
                Field::Long(time) if *is_nanoseconds => row.push_field(seconds(*time, 1_000_000_000).as_bytes()),
                other => push(other, row),
            }
        }
        Ok(Some(self.number))
    }
}

fn push(field: &Field, row: &mut ByteRecord) {
    match field {
        Field::Null => row.push_field(b""),
        Field::Str(text) => row.push_field(text.as_bytes()),
        Field::Bytes(bytes) => row.push_field(bytes.data()),
        Field::TimestampMillis(time) => row.push_field(seconds(*time, 1_000).as_bytes()),
        Field::TimestampMicros(time) => row.push_field(seconds(*time, 1_000_000).as_bytes()),
        // Data frames have no integers that may be missing: whole numbers come as `130.0`, and what is missing as no number.
        Field::Double(number) if number.is_nan() => row.push_field(b""),
        Field::Double(number) => row.push_field(number.to_string().as_bytes()),
        other => row.push_field(other.to_string().as_bytes()),
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
