//! Operations written as the rows of a table, which is read again as a trace: CSV or Parquet.

use std::io::Write;
use std::sync::Arc;

use bakeoff_tape::Operation;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use crate::error::TraceError;

/// Rows that are written together as Parquet.
const GROUP_ROWS: usize = 1 << 16;

/// The word for a record that was there before the trace began.
pub(crate) const LOAD: &str = "load";

/// The columns that only some tables have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutColumns {
    pub(crate) time: bool,
    pub(crate) thread: bool,
}

/// An operation, or a record that was there before the first.
pub(crate) struct OutRow<'a> {
    /// `None` of a record that was there before.
    pub(crate) operation: Option<Operation>,
    pub(crate) key: &'a [u8],
    /// The length of the value; of a read that found nothing 0.
    pub(crate) value_bytes: Option<u64>,
    pub(crate) time_s: Option<f64>,
    pub(crate) thread: Option<u8>,
}

impl OutRow<'_> {
    /// What the column `value_size` has of an operation, whether a read found something, and the value's length.
    pub(crate) fn value_size(operation: Operation, is_found: bool, bytes: u64) -> Option<u64> {
        match operation {
            Operation::Get if !is_found => Some(0),
            // That it was found is known, and a length of 0 would say that it was not.
            Operation::Get => Some(bytes).filter(|bytes| *bytes > 0),
            Operation::Delete | Operation::Commit => None,
            _ => Some(bytes),
        }
    }

    fn word(&self) -> &'static str {
        self.operation.map_or(LOAD, Operation::name)
    }
}

/// Where rows go.
pub(crate) trait RowsOut {
    /// # Errors
    /// No more can be written.
    fn row(&mut self, row: &OutRow<'_>) -> Result<(), TraceError>;

    /// Ends the table.
    ///
    /// # Errors
    /// No more can be written.
    fn finish(self: Box<Self>) -> Result<(), TraceError>;
}

/// A CSV.
pub(crate) struct CsvOut<W> {
    out: W,
    columns: OutColumns,
    line: Vec<u8>,
}

impl<W: Write> CsvOut<W> {
    pub(crate) fn new(mut out: W, columns: OutColumns) -> Result<Self, TraceError> {
        let time = if columns.time { ",time" } else { "" };
        let thread = if columns.thread { ",thread" } else { "" };
        writeln!(out, "op,key,value_size{time}{thread}").map_err(TraceError::Write)?;
        Ok(Self { out, columns, line: Vec::new() })
    }
}

impl<W: Write> RowsOut for CsvOut<W> {
    fn row(&mut self, row: &OutRow<'_>) -> Result<(), TraceError> {
        let line = &mut self.line;
        line.clear();
        line.extend_from_slice(row.word().as_bytes());
        line.push(b',');
        push_quoted(row.key, line);
        line.push(b',');
        let mut write = |text: std::fmt::Arguments<'_>| line.write_fmt(text).map_err(TraceError::Write);
        if let Some(bytes) = row.value_bytes {
            write(format_args!("{bytes}"))?;
        }
        if self.columns.time {
            match row.time_s {
                Some(time_s) => write(format_args!(",{time_s}"))?,
                None => write(format_args!(","))?,
            }
        }
        if self.columns.thread {
            match row.thread {
                Some(thread) => write(format_args!(",{thread}"))?,
                None => write(format_args!(","))?,
            }
        }
        line.push(b'\n');
        self.out.write_all(line).map_err(TraceError::Write)
    }

    fn finish(mut self: Box<Self>) -> Result<(), TraceError> {
        self.out.flush().map_err(TraceError::Write)
    }
}

/// A field of a CSV, between quotation marks if it needs them.
fn push_quoted(field: &[u8], line: &mut Vec<u8>) {
    let is_plain = |byte: &u8| matches!(byte, b'!' | b'#'..=b'+' | b'-'..=b'~');
    if field.iter().all(is_plain) {
        line.extend_from_slice(field);
        return;
    }
    line.push(b'"');
    for byte in field {
        line.extend(std::iter::repeat_n(*byte, if *byte == b'"' { 2 } else { 1 }));
    }
    line.push(b'"');
}

/// A Parquet file.
pub(crate) struct ParquetOut<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: OutColumns,
    words: Vec<ByteArray>,
    keys: Vec<ByteArray>,
    value_bytes: Vec<Option<i64>>,
    times: Vec<Option<f64>>,
    threads: Vec<Option<i64>>,
}

fn failed(why: ParquetError) -> TraceError {
    TraceError::Write(std::io::Error::other(why.to_string()))
}

impl<W: Write + Send> ParquetOut<W> {
    pub(crate) fn new(out: W, columns: OutColumns) -> Result<Self, TraceError> {
        let field = |name: &str, physical: Physical, logical: Option<LogicalType>| {
            let field = Type::primitive_type_builder(name, physical).with_logical_type(logical);
            field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
        };
        let made = || {
            let mut fields = vec![
                field("op", Physical::BYTE_ARRAY, Some(LogicalType::String))?,
                // Any bytes.
                field("key", Physical::BYTE_ARRAY, None)?,
                field("value_size", Physical::INT64, None)?,
            ];
            if columns.time {
                fields.push(field("time", Physical::DOUBLE, None)?);
            }
            if columns.thread {
                fields.push(field("thread", Physical::INT64, None)?);
            }
            let schema = Type::group_type_builder("trace").with_fields(fields).build()?;
            let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
        };
        Ok(Self {
            writer: made().map_err(failed)?,
            columns,
            words: Vec::new(),
            keys: Vec::new(),
            value_bytes: Vec::new(),
            times: Vec::new(),
            threads: Vec::new(),
        })
    }

    fn group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let present = |values: Vec<ByteArray>| values.into_iter().map(Some).collect();
        column::<ByteArrayType, _>(&mut group, present(std::mem::take(&mut self.words)))?;
        column::<ByteArrayType, _>(&mut group, present(std::mem::take(&mut self.keys)))?;
        column::<Int64Type, _>(&mut group, std::mem::take(&mut self.value_bytes))?;
        let (times, threads) = (std::mem::take(&mut self.times), std::mem::take(&mut self.threads));
        if self.columns.time {
            column::<DoubleType, _>(&mut group, times)?;
        }
        if self.columns.thread {
            column::<Int64Type, _>(&mut group, threads)?;
        }
        group.close().map(drop)
    }
}

/// Writes the next column: which rows have a value, and the values.
fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: Vec<Option<T::T>>,
) -> Result<(), ParquetError> {
    let present: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values, Some(&present), None)?;
    column.close()
}

impl<W: Write + Send> RowsOut for ParquetOut<W> {
    fn row(&mut self, row: &OutRow<'_>) -> Result<(), TraceError> {
        self.words.push(ByteArray::from(row.word()));
        self.keys.push(ByteArray::from(row.key.to_vec()));
        self.value_bytes.push(row.value_bytes.and_then(|bytes| i64::try_from(bytes).ok()));
        self.times.push(row.time_s);
        self.threads.push(row.thread.map(i64::from));
        if self.words.len() < GROUP_ROWS { Ok(()) } else { self.group().map_err(failed) }
    }

    fn finish(mut self: Box<Self>) -> Result<(), TraceError> {
        if !self.words.is_empty() {
            self.group().map_err(failed)?;
        }
        self.writer.close().map(drop).map_err(failed)
    }
}
