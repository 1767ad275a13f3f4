//! The papers' matrix: a row for each measure and size of values, and a column for each data type and number of
//! records. Each field has the best store or the tied ones.

use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::verdict::{Column, Field, Size, Table};
use bakeoff_text::{format_count, format_size_range, printable};

use crate::circumstances::varying;
use crate::document::{
    Block, Matrix, MatrixColumn, MatrixField, MatrixMeasure, MatrixRow, MatrixStore, Section, SectionId, Text, Title,
};
use crate::labels::figure;
use crate::sections::names::short_names;

/// What the measures of a run are.
const MEASURES: &str = "times are means per operation (scans: per entry; batched writes: their commits included) · space efficiency: bytes of keys and values \
     per byte on disk after closing · peak memory: above the empty store's";

/// A section for each table of a run.
pub(crate) fn sections(tables: &[Table], contenders: &Contenders) -> Vec<Section> {
    tables.iter().map(|table| section(table, tables, contenders, MEASURES)).collect()
}

/// The section of a table; `meaning` says what the measures are.
pub(crate) fn section(table: &Table, tables: &[Table], contenders: &Contenders, meaning: &str) -> Section {
    let blocks = vec![Block::Matrix(matrix(table, contenders, meaning))];
    Section::new(SectionId::Matrix, Title::Shown(title(&table.circumstances, tables)), blocks)
}

/// The common circumstances of a table's figures: the durability, and the axes in which tables differ.
pub(crate) fn title(of: &Circumstances, tables: &[Table]) -> Text {
    let (durability, varying) = (of.durability_label(), varying(of, tables));
    Text::plain(&format!("Best in each workload · durability {durability}{varying}"))
}

fn matrix(table: &Table, contenders: &Contenders, meaning: &str) -> Matrix {
    let short = short_names(table, contenders);
    let store = |key: &String| MatrixStore {
        title: contenders.title(key),
        short: printable(short.get(key).unwrap_or(key)),
        slot: contenders.get(key).map(|each| each.slot),
    };
    let columns: Vec<Column> = table.columns().into_iter().collect();
    let column = |of: &Column| MatrixColumn {
        data: printable(&of.data),
        // A publication may not say how many.
        records: if of.records == 0 { String::new() } else { format_count(of.records) },
    };
    let measure = |measure: &Measure| MatrixMeasure {
        name: measure.label(),
        rows: table.sizes().into_iter().filter_map(|size| row(table, measure, size, &columns)).collect(),
    };
    Matrix {
        stores: table.present.iter().map(store).collect(),
        columns: columns.iter().map(column).collect(),
        measures: table.measures.iter().map(measure).collect(),
        meaning: Text::plain(meaning),
    }
}

/// A row; `None` if the measure was taken for no such size in any column.
fn row(table: &Table, measure: &Measure, size: Size, columns: &[Column]) -> Option<MatrixRow> {
    let at = |column: &Column| table.fields.get(&(measure.clone(), size, column.clone()));
    let fields: Vec<Option<MatrixField>> =
        columns.iter().map(|column| Some(field(table, measure, at(column)?))).collect();
    let has_sizes = size != (0, 0);
    fields.iter().any(Option::is_some).then(|| MatrixRow {
        sizes: format_size_range(size.0, size.1),
        has_sizes,
        fields,
    })
}

fn field(table: &Table, measure: &Measure, of: &Field) -> MatrixField {
    match &of.ranking {
        Some(ranking) => MatrixField::Ranked {
            first: ranking.tied.iter().filter_map(|key| table.present.iter().position(|each| each == key)).collect(),
            ranked: ranking.order.len(),
            verdict: ranking.verdict,
            figure: ranking.order.first().map_or_else(String::new, |place| figure(measure, place.centre)),
        },
        None if !of.failed.is_empty() => MatrixField::Failed,
        None if !of.unranked.is_empty() => MatrixField::NotRanked,
        None => MatrixField::NotOffered,
    }
}
