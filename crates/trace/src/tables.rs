//! Traces that are tables: CSV and Parquet. What a row means is the same in all.

use std::io::Read;

use crate::columns::{Columns, TWITTER, separator};
use crate::error::{Origin, TraceError, shorten};
use crate::event::Event;
use crate::intake::Intake;
use crate::lines::{Lines, Row};
use crate::parquet::ParquetRows;
use crate::times::Clock;

/// Rows of a trace, one at a time.
pub(crate) trait Table {
    /// Goes to the next row; false at the end.
    fn advance(&mut self) -> Result<bool, TraceError>;

    /// The row that was gone to, and where it is.
    fn row(&self) -> (Origin, Row<'_>);

    /// Where in the row everything is.
    fn columns(&self) -> &Columns;

    /// The beginning of the row's line if it is none of the table's, and its name if it can be ignored by that.
    fn foreign(&self) -> Option<(&[u8], Option<&'static [u8]>)> {
        None
    }
}

/// Gives the operation of the next row that counts, and its number of repetitions. If `done` is above 0, it is the same
/// row again, which has given this number of operations.
#[inline]
pub(crate) fn next_event<'a>(
    table: &'a mut impl Table,
    done: u64,
    intake: &mut Intake,
    clock: &mut Clock,
    key: &'a mut Vec<u8>,
) -> Result<Option<(Event<'a>, u64)>, TraceError> {
    if done == 0 {
        loop {
            if !table.advance()? {
                intake.omitted.columns.clone_from(&table.columns().passed_over);
                return Ok(None);
            }
            if let Some((line, name)) = table.foreign() {
                pass_over(table.row().0, line, name, intake);
            } else if intake.is_all() || is_wanted(table, intake, clock, key)? {
                break;
            }
        }
    }
    let (origin, row) = table.row();
    let (mut event, count) = table.columns().event(row, origin, done, clock, key)?;
    if let Some(prefix_bytes @ 1..) = intake.prefix_bytes(event.key) {
        event.key = &event.key[prefix_bytes..];
        event.key_bytes -= prefix_bytes as u64;
    }
    Ok(Some((event, count)))
}

/// Counts a line that is no row of the table.
#[cold]
fn pass_over(origin: Origin, line: &[u8], name: Option<&'static [u8]>, intake: &mut Intake) {
    match name {
        Some(name) if intake.ignores(name) => intake.omitted.without_record += 1,
        _ => intake.unread(origin, line, name),
    }
}

/// Whether a row counts. If it does not, it is counted as left out.
fn is_wanted(
    table: &impl Table,
    intake: &mut Intake,
    clock: &mut Clock,
    key: &mut Vec<u8>,
) -> Result<bool, TraceError> {
    let (origin, row) = table.row();
    if intake.ignores(table.columns().word(row)) {
        intake.omitted.without_record += 1;
        return Ok(false);
    }
    let (event, _) = table.columns().event(row, origin, 0, clock, key)?;
    Ok(intake.takes(event.operation, event.key))
}

/// A CSV, or Twitter's cache-trace, which has no head.
pub(crate) struct CsvTable<R> {
    lines: Lines<R>,
    columns: Columns,
}

impl<R: Read> CsvTable<R> {
    pub(crate) fn new(mut lines: Lines<R>, intake: &Intake) -> Result<Self, TraceError> {
        lines.separator = lines.peek()?.and_then(separator).unwrap_or(b',');
        let (_, head) = lines.next_row()?.ok_or(TraceError::Empty)?;
        let names: Vec<_> = (0..head.fields.len()).map(|column| head.field(column)).collect();
        let wrong = |expected| TraceError::line(Origin::Line(1), "the head", &names.join(&b','), expected);
        let columns = Columns::of(&names, intake).map_err(wrong)?;
        Ok(Self { lines, columns })
    }

    pub(crate) fn of_twitter(lines: Lines<R>) -> Self {
        Self { lines, columns: TWITTER }
    }
}

impl<R: Read> Table for CsvTable<R> {
    #[inline]
    fn advance(&mut self) -> Result<bool, TraceError> {
        Ok(self.lines.next_row()?.is_some())
    }

    #[inline]
    fn row(&self) -> (Origin, Row<'_>) {
        let (line, row) = self.lines.row_again();
        (Origin::Line(line), row)
    }

    #[inline]
    fn columns(&self) -> &Columns {
        &self.columns
    }
}

/// A Parquet file.
pub(crate) struct ParquetTable {
    rows: ParquetRows,
    columns: Columns,
}

impl ParquetTable {
    pub(crate) fn new(rows: ParquetRows, intake: &Intake) -> Result<Self, TraceError> {
        let names = rows.names();
        let wrong = |expected| {
            TraceError::Parquet(format!("its columns are `{}`, expected {expected}", shorten(&names.join(&b','))))
        };
        let columns = Columns::of(&names, intake).map_err(wrong)?;
        rows.check_kinds(&columns)?;
        Ok(Self { rows, columns })
    }
}

impl Table for ParquetTable {
    fn advance(&mut self) -> Result<bool, TraceError> {
        Ok(self.rows.next_row()?.is_some())
    }

    fn row(&self) -> (Origin, Row<'_>) {
        let (number, row) = self.rows.row_again();
        (Origin::Row(number), row)
    }

    fn columns(&self) -> &Columns {
        &self.columns
    }
}
