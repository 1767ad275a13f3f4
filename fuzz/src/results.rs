//! Results, and everything that shows them.

use std::path::PathBuf;

use bakeoff_report::{TerminalOptions, render_terminal, write_csv, write_json};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::record::RunRecord;
use bakeoff_results::results_file::parse_results;
use bakeoff_results::run::Run;

use crate::STORES;

/// The maximum width of a line of the report, in columns.
const WIDTH: usize = 80;

/// Reads the first line of `input` as `run.json` and the rest as `results.jsonl`. Then it shows or exports the run in
/// one of four ways. The input's length chooses the way, since intervals take long.
///
/// # Panics
/// If a control character reaches the terminal, or if exported JSON is invalid.
pub fn results(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (info, results) = text.split_once('\n').unwrap_or_default();
    let (cells, notes) = parse_results(results);
    let (record, _) = RunRecord::from_json(serde_json::from_str(info).unwrap_or_default());
    let record = RunRecord { stores: STORES.clone(), ..record };
    let run = Run::new(PathBuf::from("run"), record, cells, notes);
    let mut export = Vec::new();
    match input.len() % 4 {
        0 => show(&run, false),
        1 => show(&run, true),
        2 => write_csv(&run, &mut export).expect("memory takes every export"),
        _ => {
            write_json(&Analysis::new(&run), &mut export).expect("memory takes every export");
            serde_json::from_slice::<serde_json::Value>(&export).expect("an export is JSON");
        }
    }
}

fn show(run: &Run, full: bool) {
    let shown = render_terminal(&Analysis::new(run), &TerminalOptions { width: WIDTH, color: false, full });
    let control = shown.chars().find(|character| character.is_control() && *character != '\n');
    assert_eq!(control, None, "the terminal got a control character");
}
