//! Rows of a Parquet file as the fields of text that a CSV file would have.

use std::fs::File;

use csv::ByteRecord;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, reader::RowIter};

use crate::error::TraceError;

/// How a Parquet file begins.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// A Parquet file that is being read.
pub(crate) struct ParquetRows {
    names: Vec<String>,
    rows: RowIter<'static>,
    number: u64,
}

impl ParquetRows {
    pub(crate) fn new(file: File) -> Result<Self, TraceError> {
        let reader = SerializedFileReader::new(file).map_err(refused)?;
        let schema = reader.metadata().file_metadata().schema();
        let names = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
        Ok(Self { names, rows: reader.into_iter(), number: 0 })
    }

    /// The names of the columns as the head of a CSV file.
    pub(crate) fn head(&self) -> Vec<u8> {
        self.names.join(",").into_bytes()
    }

    /// The next row into `row`, and its number from 1; `None` at the end. What is null is empty.
    pub(crate) fn next_row(&mut self, row: &mut ByteRecord) -> Result<Option<u64>, TraceError> {
        let Some(next) = self.rows.next() else { return Ok(None) };
        let next = next.map_err(refused)?;
        self.number += 1;
        row.clear();
        for (_, field) in next.get_column_iter() {
            push(field, row);
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
        other => row.push_field(other.to_string().as_bytes()),
    }
}

/// A point in time in seconds.
fn seconds(time: i64, per_second: i64) -> String {
    let digits = per_second.ilog10() as usize;
    format!("{}.{:0digits$}", time.div_euclid(per_second), time.rem_euclid(per_second))
}

fn refused(why: impl ToString) -> TraceError {
    TraceError::Parquet(why.to_string())
}
