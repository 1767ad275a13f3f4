//! CSV and JSON: complete, readable by others, harmless in a spreadsheet.

use std::collections::BTreeMap;

use bakeoff_protocol::{Axes, FailureKind, Resources};
use bakeoff_report::{write_csv, write_json};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_testing::made_up::*;
use serde_json::Value;
use sha2::{Digest, Sha512};

type Table = (Vec<String>, Vec<BTreeMap<String, String>>);

fn csv_of(cells: Vec<CellRound>) -> Table {
    let mut out = Vec::new();
    write_csv(&run(cells, stores()), &mut out).unwrap();
    let mut reader = csv::Reader::from_reader(out.as_slice());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| header.iter().cloned().zip(row.unwrap().iter().map(str::to_owned)).collect());
    let rows = rows.collect();
    (header, rows)
}

#[test]
fn a_row_for_each_operation_of_each_round() {
    let mixed = phase_result("mix", vec![operation("get", 1_000), operation("update", 4_000)]);
    let mut cells = vec![good(&axes("lmdb"), 1, vec![mixed.clone()]), good(&axes("lmdb"), 2, vec![mixed])];
    cells.push(failed(good(&axes("sqlite"), 1, Vec::new()), FailureKind::DiskFull, "no space, \"really\"\nnone"));
    let (header, rows) = csv_of(cells);
    assert_eq!(rows.len(), 5);
    let mut unique = header.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), header.len(), "columns with the same name");
    let expected = [
        ("store", "lmdb"),
        ("round", "2"),
        ("status", "ok"),
        ("durability", "process"),
        ("value_bytes_max", "10240"),
        ("phase", "mix"),
        ("operation", "update"),
        ("mode", "latency"),
        ("operations", "1000"),
        ("timed_ns", "4000000"),
        ("latency_ns_p999", "40000"),
        ("rss_peak_above_baseline_bytes", "2097152"),
        ("cpu_user_ns", ""),
        ("disk_after_close_allocated_bytes", "6250000"),
        ("cite", "bakeoff 0.1.0, “Made up”, run made-up of 2026-01-02T03:04:05Z, seed 1"),
    ];
    for (column, value) in expected {
        assert_eq!(rows[3][column], value, "{column}");
    }
    let failed = &rows[4];
    assert_eq!([&failed["status"], &failed["failure"], &failed["phase"]], ["failed", "disk full", ""]);
    assert_eq!(failed["failure_message"], "no space, \"really\"\nnone");
}

#[test]
fn no_text_is_taken_for_a_formula() {
    for evil in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\n=1"] {
        let mut cell = failed(good(&axes(evil), 1, Vec::new()), FailureKind::Crash, evil);
        cell.end.axes.data = evil.to_owned();
        let (_, rows) = csv_of(vec![cell]);
        for column in ["store", "data", "failure_message"] {
            assert_eq!(rows[0][column], format!("'{evil}"), "{column}");
        }
    }
    // An escape begins with a backslash, which no spreadsheet takes for a formula.
    let (_, rows) = csv_of(gets(&Axes { data: "\r=1".to_owned(), ..axes("lmdb") }, &[1_000]));
    assert_eq!(rows[0]["data"], "\\r=1");
}

#[test]
fn every_resource_has_a_column() {
    let all = Resources {
        cpu_user_ns: Some(1),
        cpu_system_ns: Some(2),
        rss_peak_bytes: Some(3),
        rss_peak_above_baseline_bytes: Some(4),
        rss_anonymous_bytes: Some(5),
        rss_file_bytes: Some(6),
        process_read_bytes: Some(7),
        process_write_bytes: Some(8),
        read_calls: Some(9),
        write_calls: Some(10),
        block_read_bytes: Some(11),
        block_write_bytes: Some(12),
        device_read_bytes: Some(13),
        device_write_bytes: Some(14),
        context_switches_voluntary: Some(15),
        context_switches_involuntary: Some(16),
        page_faults_major: Some(17),
        page_faults_minor: Some(18),
        open_files: Some(19),
        threads: Some(20),
        stall_cpu_ns: Some(21),
        stall_memory_ns: Some(22),
        stall_io_ns: Some(23),
        steal_ns: Some(24),
        gc_collections: Some(25),
        gc_ns: Some(26),
        gc_churn_eden_bytes: Some(31),
        gc_churn_survivor_bytes: Some(32),
        gc_churn_other_bytes: Some(33),
        jit_compile_ns: Some(27),
        allocated_bytes: Some(28),
        heap_peak_bytes: Some(29),
        buffers_peak_bytes: Some(30),
    };
    let mut phase = phase_result("get", vec![operation("get", 1_000)]);
    phase.resources = all.clone();
    let (_, rows) = csv_of(vec![good(&axes("lmdb"), 1, vec![phase])]);
    for (name, value) in serde_json::to_value(all).unwrap().as_object().unwrap() {
        let column = if name == "threads" { "process_threads" } else { name };
        assert_eq!(rows[0].get(column), Some(&value.to_string()), "{name}");
    }
}

#[test]
fn an_open_loop_has_its_columns_and_a_closed_one_leaves_them_empty() {
    let get = || phase_result("get", vec![operation("get", 1_000)]);
    let cells = vec![good(&axes("lmdb"), 1, vec![get()]), good(&axes("lmdb"), 2, vec![opened(get(), 2.5)])];
    let (_, rows) = csv_of(cells);
    let columns = ["open_loop_speed", "open_loop_due_ns"];
    assert_eq!(columns.map(|column| rows[0][column].as_str()), ["", ""]);
    assert_eq!(columns.map(|column| rows[1][column].as_str()), ["2.5", "1000000000"]);
}

#[test]
fn sizes_of_values_have_rows_after_that_of_all() {
    let mut get = operation("get", 1_000);
    get.by_size = vec![of_size(200, 700, 500), of_size(20_480, 300, 2_000)];
    let (_, rows) = csv_of(vec![good(&axes("lmdb"), 1, vec![phase_result("get", vec![get])])]);
    let column = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("operation"), ["get"; 3]);
    assert_eq!(column("operation_value_bytes_min"), ["", "200", "20480"]);
    assert_eq!(column("operation_value_bytes_max"), ["", "200", "20480"]);
    assert_eq!(column("operations"), ["1000", "700", "300"]);
    assert_eq!(column("bytes"), ["1000000", "", ""]);
    assert_eq!(column("latency_ns_p99"), ["3000", "1500", "6000"]);
}

#[test]
fn no_text_in_csv_steers_a_terminal_and_ordinary_texts_come_back() {
    let message = "\u{1b}[31mred\u{7} \u{202e}back\r";
    let ordinary = "line one\nline two\twith \"quotes\", commas, µs and 日本語";
    let cell = |round, message| failed(good(&axes("lmdb"), round, Vec::new()), FailureKind::StoreError, message);
    let medium = Axes { medium: message.to_owned(), ..axes("sqlite") };
    let cells = [vec![cell(1, message), cell(2, ordinary)], gets(&medium, &[1_000])].concat();
    let run = run(cells, stores());
    let mut csv = Vec::new();
    write_csv(&run, &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.contains("\\u{1b}[31mred"), "{csv:?}");
    assert!(!csv.contains(['\u{1b}', '\u{7}', '\u{202e}', '\r']), "{csv:?}");
    let (_, rows) = csv_of(run.cells);
    assert_eq!(rows[0]["failure_message"], "\\u{1b}[31mred\\u{7} \\u{202e}back\\r");
    assert_eq!(rows[1]["failure_message"], ordinary);
}

#[test]
fn every_column_is_documented() {
    let glossary = include_str!("../../../../docs/RESULTS.md");
    let (header, _) = csv_of(Vec::new());
    for column in header {
        assert!(glossary.contains(&format!("`{column}`")), "{column} is not in docs/RESULTS.md");
    }
}

#[test]
fn json_has_every_round_and_every_verdict() {
    let mut cells = gets(&axes("lmdb"), &[1_000, 1_010, 1_020]);
    cells.append(&mut gets(&axes("sqlite"), &[2_000, 2_020, 2_040]));
    let mut out = Vec::new();
    write_json(&Analysis::new(&run(cells, stores())), &mut out).unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(document["format"], 1);
    assert_eq!(document["run"]["suite"]["name"], "made-up");
    assert_eq!(document["cells"].as_array().unwrap().len(), 6);
    assert_eq!(document["cells"][0]["phases"][0]["result"]["operations"][0]["timed_ns"], 1_000_000);
    let verdicts = document["verdicts"].as_array().unwrap();
    let time = verdicts.iter().find(|verdict| verdict["measure"] == "time").unwrap();
    assert_eq!((&time["verdict"], &time["best"], &time["phase"]), (&"winner".into(), &"lmdb".into(), &"get".into()));
    let centre = time["order"][0]["centre"].as_f64().unwrap();
    assert!((centre - 1010.0).abs() < 0.1, "{centre}");
    assert_eq!((&time["order"][0]["standing"], &time["order"][1]["standing"]), (&"best".into(), &"worse".into()));
    let ratio = time["order"][1]["ratio_to_best"].as_f64().unwrap();
    assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
    let space = verdicts.iter().find(|verdict| verdict["measure"] == "space_efficiency").unwrap();
    assert_eq!((&space["verdict"], space["tied"].as_array().map(Vec::len)), (&"tie".into(), Some(2)));
    let efficiency = space["order"][0]["centre"].as_f64().unwrap();
    assert!((efficiency - 0.8).abs() < 1e-12, "{efficiency}");
}

#[test]
fn the_page_carries_its_libraries_unchanged() {
    let vendor = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("web/vendor");
    let sums = std::fs::read_to_string(vendor.join("SHA512SUMS")).unwrap();
    assert_eq!(sums.lines().count(), 2);
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        let bytes = std::fs::read(vendor.join(name)).unwrap();
        let found: String = Sha512::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, sum, "{name}");
        let readme = std::fs::read_to_string(vendor.join("README.md")).unwrap();
        assert!(readme.contains(name), "{name} is not in README.md");
    }
}
