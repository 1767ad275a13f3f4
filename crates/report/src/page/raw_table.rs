//! A run's tidy table as JSON, from which the page's script makes the files that can be saved.

use bakeoff_results::run::Run;
use bakeoff_results::tidy_table::{Cell, Row, columns, rows_of};
use bakeoff_text::printable_lines;
use serde::{Serialize, Serializer};

/// The table: the names of its columns, and its rows.
#[derive(Serialize)]
pub(crate) struct RawTable<'a> {
    columns: Vec<&'static str>,
    #[serde(serialize_with = "rows")]
    rows: &'a Run,
}

impl<'a> RawTable<'a> {
    pub(crate) fn of(run: &'a Run) -> Self {
        Self { columns: columns().into_iter().map(|(name, _)| name).collect(), rows: run }
    }
}

fn rows<S: Serializer>(run: &&Run, serializer: S) -> Result<S::Ok, S::Error> {
    let fields = |row: Row| row.0.into_iter().map(|(_, cell)| Field::from(cell)).collect::<Vec<_>>();
    serializer.collect_seq(rows_of(run).map(fields))
}

/// What a row has in a column; `null` where it has nothing.
#[derive(Serialize)]
#[serde(untagged)]
enum Field {
    Text(Option<String>),
    Number(Option<u64>),
    Real(Option<f64>),
}

impl From<Cell> for Field {
    fn from(cell: Cell) -> Self {
        match cell {
            Cell::Text(text) => Self::Text(Some(printable_lines(&text)).filter(|text| !text.is_empty())),
            Cell::Number(number) => Self::Number(number),
            Cell::Real(number) => Self::Real(number),
        }
    }
}
