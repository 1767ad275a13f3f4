//! The tidy table as CSV.

use std::io::Write;

use bakeoff_results::run::Run;
use bakeoff_results::tidy_table::{Cell, columns, rows_of};
use bakeoff_text::printable_lines;

use crate::error::ReportError;

/// Writes every round of every cell, failed ones included, as CSV with a header. Absent figures are empty fields.
///
/// # Errors
/// `out` takes no more.
pub fn write_csv(run: &Run, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(columns().iter().map(|(name, _)| name))?;
    for row in rows_of(run) {
        writer.write_record(row.0.into_iter().map(|(_, cell)| field(cell)))?;
    }
    writer.flush()?;
    Ok(())
}

/// Control characters, which would steer a terminal that prints the CSV, become escapes. Spreadsheets take a text that
/// begins with `= + - @`, a tab or a line end for a formula: those get an apostrophe.
pub(crate) fn safe_text(text: &str) -> String {
    let text = printable_lines(text);
    let formula = if text.starts_with(['=', '+', '-', '@', '\t', '\n']) { "'" } else { "" };
    format!("{formula}{text}")
}

fn field(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => safe_text(&text),
        Cell::Number(number) => number.map_or_else(String::new, |number| number.to_string()),
        Cell::Real(number) => number.map_or_else(String::new, |number| number.to_string()),
    }
}
