//! Exports for other programs: Parquet, workbooks and Markdown, read back.

use std::io::{Cursor, Read};
use std::path::Path;

use bakeoff_protocol::{Axes, FailureKind};
use bakeoff_report::{
    ComparisonReport, TerminalOptions, render_comparison, render_terminal, write_comparison_html,
    write_comparison_markdown, write_csv, write_json, write_markdown, write_page, write_parquet, write_xlsx,
};
use bakeoff_results::analysis::Analysis;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use bakeoff_testing::made_up::*;

fn made_up() -> bakeoff_results::run::Run {
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
            // CSV may be printed on a terminal; Parquet is not.
            let found = found.replace('\u{1b}', "\\u{1b}");
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
    write_xlsx(&Analysis::new(&made_up()), &mut bytes).unwrap();
    let parts = parts(bytes);
    for sheet in ["charts", "means", "places", "rounds"] {
        assert!(parts["xl/workbook.xml"].contains(&format!("name=\"{sheet}\"")), "{sheet}");
    }
    // Two kinds of operation, space and memory.
    let charts: Vec<&String> =
        parts.iter().filter(|(name, _)| name.starts_with("xl/charts/chart")).map(|(_, part)| part).collect();
    assert_eq!(charts.len(), 4);
    assert!(
        charts.iter().all(|chart| chart.contains("means!$S$") && chart.contains("means!$U$")),
        "workloads and stores are named"
    );
    assert!(parts.iter().filter(|(name, _)| name.contains("worksheets")).all(|(_, sheet)| !sheet.contains("<f>")));
    assert!(parts["xl/sharedStrings.xml"].contains("=1+1 &lt;b&gt;\\u{1b}"));
    assert!(parts["xl/worksheets/sheet2.xml"].contains("<v>4000</v>"), "the mean of an update");
}

/// The cells of a sheet, row by row, by their column's name, without empty ones.
fn rows(
    parts: &std::collections::BTreeMap<String, String>,
    sheet: &str,
) -> Vec<std::collections::BTreeMap<String, String>> {
    let between = |text: &str, start: &str, end: &str| -> Vec<String> {
        text.split(start).skip(1).map(|part| part.split(end).next().unwrap().to_owned()).collect()
    };
    let strings: Vec<String> = between(&parts["xl/sharedStrings.xml"], "<si>", "</si>")
        .iter()
        .map(|entry| entry.split_once('>').unwrap().1.split("</t>").next().unwrap().to_owned())
        .collect();
    let cell = |raw: &String| {
        let (attributes, content) = raw.split_once('>').unwrap();
        let value = content.split("<v>").nth(1)?.split("</v>").next()?.to_owned();
        let column: String = attributes.split('"').next()?.chars().take_while(char::is_ascii_alphabetic).collect();
        let is_text = attributes.contains("t=\"s\"");
        Some((column, if is_text { strings[value.parse::<usize>().unwrap()].clone() } else { value }))
    };
    let rows = between(&parts[sheet], "<row ", "</row>");
    let mut rows = rows.iter().map(|row| {
        between(row, "<c r=\"", "</c>").iter().filter_map(cell).collect::<std::collections::BTreeMap<_, _>>()
    });
    let names = rows.next().unwrap();
    rows.map(|row| row.into_iter().map(|(column, value)| (names[&column].clone(), value)).collect()).collect()
}

#[test]
fn a_workbook_sets_disturbed_beside_undisturbed_and_leaves_out_who_takes_no_part() {
    let mut cells = Vec::new();
    for (variant, disturbance) in [("calm", None), ("calm", Some("video")), ("other", None)] {
        let axes = Axes {
            variant: Some(variant.to_owned()),
            disturbance: disturbance.map(str::to_owned),
            ..axes(if variant == "calm" { "lmdb" } else { "sqlite" })
        };
        cells.append(&mut gets(&axes, &[1_000; 3]));
    }
    let mut bytes = Vec::new();
    write_xlsx(&Analysis::new(&run(cells, stores())), &mut bytes).unwrap();
    let parts = parts(bytes);
    let charts: Vec<&String> =
        parts.iter().filter(|(name, _)| name.starts_with("xl/charts/chart")).map(|(_, part)| part).collect();
    let series = |chart: &str| chart.matches("<c:ser>").count();
    let (beside, apart): (Vec<&String>, Vec<_>) =
        charts.iter().partition(|chart| chart.contains("undisturbed and disturbed"));
    assert!(!beside.is_empty());
    for chart in beside {
        assert_eq!(series(chart), 2, "{chart}");
        assert!(chart.contains(", video") && chart.contains("· undisturbed and disturbed by video"), "{chart}");
    }
    assert!(apart.iter().all(|chart| series(chart) == 1), "{apart:?}");
}

#[test]
fn a_workbook_tells_the_circumstances_of_every_figure() {
    let mut cells = Vec::new();
    for (medium, disturbance, threads, mean_ns) in [("default", None, 1, 1_000), ("slow", Some("video"), 4, 9_000)] {
        for (store, factor) in [("lmdb", 1), ("sqlite", 2)] {
            let axes = Axes {
                medium: medium.to_owned(),
                disturbance: disturbance.map(str::to_owned),
                threads,
                memory_limit_bytes: disturbance.map(|_| 1 << 30),
                ..axes(store)
            };
            cells.append(&mut gets(&axes, &[mean_ns * factor; 3]));
        }
    }
    let mut bytes = Vec::new();
    write_xlsx(&Analysis::new(&run(cells, stores())), &mut bytes).unwrap();
    let parts = parts(bytes);
    assert!(!parts.values().any(|part| part.contains("undisturbed and disturbed")), "they differ in more than that");
    for sheet in ["sheet2", "sheet3", "sheet4"] {
        let sheet = &parts[&format!("xl/worksheets/{sheet}.xml")];
        assert!(sheet.contains("<autoFilter ref=\"A1:"), "{sheet}");
        assert!(
            sheet.contains("<pane ySplit=\"1\" topLeftCell=\"A2\"") && sheet.contains("state=\"frozen\""),
            "{sheet}"
        );
    }
    let common =
        [("durability", "process"), ("key", "sha1"), ("data", "random"), ("records", "1000"), ("measure", "get")];
    let plain = [("medium", "default"), ("threads", "1"), ("value_bytes_min", "1024"), ("value_bytes_max", "10240")];
    let other = [("medium", "slow"), ("threads", "4"), ("disturbance", "video"), ("memory_limit_bytes", "1073741824")];
    let find = |sheet: &str, at: &[(&str, &str)], more: &[(&str, &str)]| {
        let rows = rows(&parts, sheet);
        let has = |row: &std::collections::BTreeMap<String, String>, (name, value): &(&str, &str)| {
            row.get(*name).is_some_and(|found| found == value)
        };
        let found = rows.iter().filter(|row| common.iter().chain(at).chain(more).all(|each| has(row, each)));
        let found: Vec<_> = found.cloned().collect();
        assert_eq!(found.len(), 1, "{sheet}: {at:?} {more:?} in {rows:#?}");
        found[0].clone()
    };
    for (at, mean) in [(&plain, 1_000), (&other, 9_000)] {
        let means = find("xl/worksheets/sheet2.xml", at, &[]);
        assert_eq!((&means["LMDB"], &means["SQLite"]), (&mean.to_string(), &(2 * mean).to_string()));
        let place = find("xl/worksheets/sheet3.xml", at, &[("store", "SQLite")]);
        assert_eq!(
            (&place["centre"], &place["ratio_to_best"], &place["rounds"]),
            (&(2 * mean).to_string(), &"2".into(), &"3".into())
        );
    }
    assert!(!find("xl/worksheets/sheet2.xml", &plain, &[]).contains_key("disturbance"), "what is absent is empty");
}

#[test]
fn every_output_says_how_to_cite_the_run() {
    const CITE: &str = "bakeoff 0.1.0 (1a2b3c4d), “Made up”, run made-up of 2026-01-02T03:04:05Z, seed 1";
    let mut run = made_up();
    edit(&mut run, |info| info["bakeoff_version"] = "0.1.0 (1a2b3c4d)".into());
    let runs = [run];
    let all = Analysis::of_all(&runs);
    let text = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        unwrapped(&String::from_utf8_lossy(&bytes))
    };
    let full = TerminalOptions { width: 100, color: false, full: true };
    let comparison = ComparisonReport::new(&runs[0], &runs[0]).unwrap();
    let outputs = [
        ("terminal", unwrapped(&render_terminal(&all[0], &full))),
        ("Markdown", text(&|out| write_markdown(&all[0], None, out).unwrap())),
        ("page", text(&|out| write_page(&all, None, Path::new("."), out).unwrap())),
        ("JSON", text(&|out| write_json(&all[0], out).unwrap())),
        ("Parquet", text(&|out| write_parquet(&runs[0], out).unwrap())),
        ("comparison", unwrapped(&render_comparison(&comparison, &full))),
        ("comparison in Markdown", text(&|out| write_comparison_markdown(&comparison, out).unwrap())),
        ("comparison as a page", text(&|out| write_comparison_html(&comparison, out).unwrap())),
    ];
    for (name, output) in outputs {
        assert!(output.contains(CITE), "{name}: {output}");
    }
    let mut workbook = Vec::new();
    write_xlsx(&all[0], &mut workbook).unwrap();
    let properties = &parts(workbook)["docProps/core.xml"];
    assert!(properties.contains(CITE), "{properties}");
}

#[test]
fn markdown_answers_and_escapes() {
    let mut bytes = Vec::new();
    write_markdown(&Analysis::new(&made_up()), None, &mut bytes).unwrap();
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap());
}
