//! Exports for other programs: Parquet, workbooks and Markdown, read back.

use std::io::{Cursor, Read};

use bakeoff_protocol::FailureKind;
use bakeoff_report::{write_csv, write_markdown, write_parquet, write_xlsx};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::common::*;

fn made_up() -> bakeoff_report::Run {
    let mixed = phase_result("mix", vec![operation("get", 1_000), operation("update", 4_000)]);
    let mut cells = vec![good(&axes("lmdb"), 1, vec![mixed.clone()]), good(&axes("lmdb"), 2, vec![mixed.clone()])];
    cells.extend([good(&axes("sqlite"), 1, vec![mixed.clone()]), good(&axes("sqlite"), 2, vec![mixed])]);
    cells.push(failed(good(&axes("flat-folder"), 1, Vec::new()), FailureKind::DiskFull, "=1+1 <b>\u{1b}"));
    run(cells, stores())
}

#[test]
fn parquet_has_the_csvs_columns_and_rows() {
    let run = made_up();
    let (mut bytes, mut csv) = (Vec::new(), Vec::new());
    write_parquet(&run, &mut bytes).unwrap();
    write_csv(&run, &mut csv).unwrap();
    let mut csv = csv::Reader::from_reader(csv.as_slice());
    let header: Vec<String> = csv.headers().unwrap().iter().map(str::to_owned).collect();
    let expected: Vec<Vec<String>> =
        csv.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!((rows.len(), expected.len()), (9, 9));
    for (row, expected) in rows.iter().zip(&expected) {
        for ((name, field), (column, text)) in row.get_column_iter().zip(header.iter().zip(expected)) {
            assert_eq!(name, column);
            let found = match field {
                Field::Null => String::new(),
                Field::Str(words) => words.clone(),
                Field::Long(number) => number.to_string(),
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(&found, text.strip_prefix('\'').unwrap_or(text), "{name}");
        }
    }
}

/// The parts of a workbook by name.
fn parts(bytes: Vec<u8>) -> std::collections::BTreeMap<String, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    let part = |name: String| {
        let mut text = String::new();
        archive.by_name(&name).unwrap().read_to_string(&mut text).unwrap();
        (name, text)
    };
    names.into_iter().map(part).collect()
}

#[test]
fn a_workbook_has_native_charts_and_texts_but_no_formula() {
    let mut bytes = Vec::new();
    write_xlsx(&made_up(), &mut bytes).unwrap();
    let parts = parts(bytes);
    for sheet in ["charts", "means", "places", "rounds"] {
        assert!(parts["xl/workbook.xml"].contains(&format!("name=\"{sheet}\"")), "{sheet}");
    }
    // Two kinds of operation, space and memory.
    let charts: Vec<&String> =
        parts.iter().filter(|(name, _)| name.starts_with("xl/charts/chart")).map(|(_, part)| part).collect();
    assert_eq!(charts.len(), 4);
    assert!(
        charts.iter().all(|chart| chart.contains("means!$D$") && chart.contains("means!$F$")),
        "its cells are named"
    );
    assert!(parts.iter().filter(|(name, _)| name.contains("worksheets")).all(|(_, sheet)| !sheet.contains("<f>")));
    assert!(parts["xl/sharedStrings.xml"].contains("=1+1 &lt;b&gt;\\u{1b}"));
    assert!(parts["xl/worksheets/sheet2.xml"].contains("<v>4000</v>"), "the mean of an update");
}

#[test]
fn markdown_answers_and_escapes() {
    let mut bytes = Vec::new();
    write_markdown(&made_up(), &mut bytes).unwrap();
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap());
}
