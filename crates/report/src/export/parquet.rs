//! The tidy table as Parquet. It has the same columns, with figures as 64-bit integers (doubles if they need not be
//! whole) and absent ones as nulls.

use std::io::Write;
use std::sync::Arc;

use bakeoff_results::citation::citation;
use bakeoff_results::run::Run;
use bakeoff_results::tidy_table::{Cell, columns, rows_of};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use crate::error::ReportError;

/// Writes every round of every cell, failed ones included, as Parquet with Snappy. The file's metadata has the key `cite`.
///
/// # Errors
/// `out` takes no more.
pub fn write_parquet(run: &Run, out: &mut dyn Write) -> Result<(), ReportError> {
    let columns = columns();
    let mut cells: Vec<Vec<Cell>> = columns.iter().map(|_| Vec::new()).collect();
    for row in rows_of(run) {
        for (column, (_, cell)) in cells.iter_mut().zip(row.0) {
            column.push(cell);
        }
    }
    let mut bytes = Vec::new();
    write(&columns, cells, citation(run), &mut bytes).map_err(|why| std::io::Error::other(why.to_string()))?;
    out.write_all(&bytes)?;
    Ok(())
}

fn write(columns: &[(&str, Cell)], cells: Vec<Vec<Cell>>, cite: String, out: &mut Vec<u8>) -> ParquetResult<()> {
    let fields = columns.iter().map(|(name, kind)| field(name, kind).map(Arc::new)).collect::<ParquetResult<_>>()?;
    let schema = Type::group_type_builder("results").with_fields(fields).build()?;
    let cite = KeyValue::new("cite".to_owned(), cite);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let properties = properties.set_key_value_metadata(Some(vec![cite])).build();
    let mut writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for ((_, kind), cells) in columns.iter().zip(cells) {
        match kind {
            Cell::Text(_) => column::<ByteArrayType>(&mut group, cells, |cell| match cell {
                Cell::Text(text) if !text.is_empty() => Some(ByteArray::from(text.into_bytes())),
                _ => None,
            })?,
            Cell::Number(_) => column::<Int64Type>(&mut group, cells, |cell| match cell {
                Cell::Number(Some(number)) => i64::try_from(number).ok(),
                _ => None,
            })?,
            Cell::Real(_) => column::<DoubleType>(&mut group, cells, |cell| match cell {
                Cell::Real(number) => number,
                _ => None,
            })?,
        }
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

fn field(name: &str, kind: &Cell) -> ParquetResult<Type> {
    let (physical, logical) = match kind {
        Cell::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Cell::Number(_) => (Physical::INT64, None),
        Cell::Real(_) => (Physical::DOUBLE, None),
    };
    let field = Type::primitive_type_builder(name, physical).with_logical_type(logical);
    field.with_repetition(Repetition::OPTIONAL).build()
}

/// Writes the next column: which rows have a value, and the values.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    cells: Vec<Cell>,
    value: impl Fn(Cell) -> Option<T::T>,
) -> ParquetResult<()> {
    let values: Vec<Option<T::T>> = cells.into_iter().map(value).collect();
    let present: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    // The schema has the same number of columns, since it is made of the same list.
    if let Some(mut writer) = group.next_column()? {
        writer.typed::<T>().write_batch(&values, Some(&present), None)?;
        writer.close()?;
    }
    Ok(())
}
