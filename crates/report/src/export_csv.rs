//! Everything as tidy CSV: one row for each cell, round, phase and kind of operation, columns named as in the glossary.

use std::io::Write;

use bakeoff_protocol::{CellStatus, DiskUsage, OperationResult, PhaseLine};
use serde_json::Value;

use crate::results::CellRound;
use crate::run::{ReportError, Run};

/// Columns of what a phase cost, named as in `results.jsonl`.
const RESOURCES: [&str; 30] = [
    "cpu_user_ns",
    "cpu_system_ns",
    "rss_peak_bytes",
    "rss_peak_above_baseline_bytes",
    "rss_anonymous_bytes",
    "rss_file_bytes",
    "process_read_bytes",
    "process_write_bytes",
    "read_calls",
    "write_calls",
    "block_read_bytes",
    "block_write_bytes",
    "device_read_bytes",
    "device_write_bytes",
    "context_switches_voluntary",
    "context_switches_involuntary",
    "page_faults_major",
    "page_faults_minor",
    "open_files",
    "threads",
    "stall_cpu_ns",
    "stall_memory_ns",
    "stall_io_ns",
    "steal_ns",
    "gc_collections",
    "gc_ns",
    "jit_compile_ns",
    "allocated_bytes",
    "heap_peak_bytes",
    "buffers_peak_bytes",
];

/// A row under construction: name and value of each column, in order.
#[derive(Clone, Default)]
struct Row(Vec<(String, String)>);

impl Row {
    fn set(&mut self, name: &str, value: impl ToString) {
        self.0.push((name.to_owned(), value.to_string()));
    }

    /// A figure that may be absent: then the field is empty.
    fn maybe(&mut self, name: &str, value: Option<impl ToString>) {
        self.0.push((name.to_owned(), value.map_or_else(String::new, |value| value.to_string())));
    }

    /// A text. Spreadsheets take what begins with `= + - @`, a tab or a line end for a formula: those get an apostrophe.
    fn text(&mut self, name: &str, value: &str) {
        let formula = value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
        self.0.push((name.to_owned(), if formula { format!("'{value}") } else { value.to_owned() }));
    }
}

/// Writes every round of every cell, failed ones included, as CSV with a header. Absent figures are empty fields.
///
/// # Errors
/// `out` takes no more.
pub fn write_csv(run: &Run, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(header())?;
    for cell in &run.cells {
        for row in rows(cell) {
            writer.write_record(row.0.iter().map(|(_, value)| value))?;
        }
    }
    writer.flush()?;
    Ok(())
}

/// The columns' names: those that a row without any figure has.
fn header() -> Vec<String> {
    let mut row = Row::default();
    axes(&mut row, None);
    phase(&mut row, None);
    operation(&mut row, None);
    row.0.into_iter().map(|(name, _)| name).collect()
}

/// A row for each kind of operation in each phase; one without figures for a round that has no phase.
fn rows(cell: &CellRound) -> Vec<Row> {
    let mut start = Row::default();
    axes(&mut start, Some(cell));
    let mut rows = Vec::new();
    for line in &cell.phases {
        let mut of_phase = start.clone();
        phase(&mut of_phase, Some(line));
        for result in &line.result.operations {
            let mut row = of_phase.clone();
            operation(&mut row, Some(result));
            rows.push(row);
        }
    }
    if rows.is_empty() {
        phase(&mut start, None);
        operation(&mut start, None);
        rows.push(start);
    }
    rows
}

/// The cell: where it stands on every axis, how it ended, and what is measured once a round.
fn axes(row: &mut Row, cell: Option<&CellRound>) {
    let end = cell.map(|cell| &cell.end);
    let of = end.map(|end| &end.axes);
    let text = |value: Option<&String>| value.map_or_else(String::new, Clone::clone);
    row.text("cell", &text(end.map(|end| &end.cell)));
    row.maybe("round", end.map(|end| end.round));
    row.text("suite", &text(of.map(|of| &of.suite)));
    row.text("store", &text(of.map(|of| &of.store)));
    row.text("settings", &of.map_or_else(String::new, |of| Value::from_iter(of.settings.clone()).to_string()));
    row.maybe("durability", of.map(|of| of.durability));
    row.text("data", &text(of.map(|of| &of.data)));
    row.text("key", &text(of.map(|of| &of.key)));
    row.maybe("value_bytes_min", of.map(|of| of.value_bytes_min));
    row.maybe("value_bytes_max", of.map(|of| of.value_bytes_max));
    row.maybe("records", of.map(|of| of.records));
    row.maybe("threads", of.map(|of| of.threads));
    row.text("medium", &text(of.map(|of| &of.medium)));
    row.text("variant", &text(of.and_then(|of| of.variant.as_ref())));
    row.text("disturbance", &text(of.and_then(|of| of.disturbance.as_ref())));
    row.maybe("memory_bytes", of.and_then(|of| of.memory_bytes));
    row.maybe("memory_limit_bytes", of.and_then(|of| of.memory_limit_bytes));
    row.maybe("unequal", of.map(|of| of.unequal));
    row.set("status", end.map_or("", |end| if end.status == CellStatus::Ok { "ok" } else { "failed" }));
    row.text("failure", end.and_then(|end| end.failure).map_or("", |kind| kind.words()));
    row.text("failure_phase", &text(end.and_then(|end| end.failure_phase.as_ref())));
    row.text("failure_message", &text(end.and_then(|end| end.failure_message.as_ref())));
    row.text("started", &text(end.map(|end| &end.started)));
    row.maybe("process_ns", end.map(|end| end.process_ns));
    row.maybe("data_bytes", end.map(|end| end.data_bytes));
    row.maybe("records_alive", end.map(|end| end.records_alive));
    row.text(
        "memory_settings",
        &end.map_or_else(String::new, |end| Value::from_iter(end.memory_settings.clone()).to_string()),
    );
    row.maybe("memory_peak_bytes", end.and_then(|end| end.memory_peak_bytes));
    once_a_round(row, cell);
    row.text("log", &text(end.map(|end| &end.log)));
}

fn once_a_round(row: &mut Row, cell: Option<&CellRound>) {
    let text = |value: Option<&String>| value.map_or_else(String::new, Clone::clone);
    let end = cell.map(|cell| &cell.end);
    let opened = end.and_then(|end| end.opened.as_ref());
    let finished = end.and_then(|end| end.finished.as_ref());
    row.text("version", opened.map_or("", |opened| &opened.version));
    row.text("runtime", &text(opened.and_then(|opened| opened.runtime.as_ref())));
    row.text("clock", opened.map_or("", |opened| &opened.clock));
    row.maybe("clock_pair_ns", opened.map(|opened| opened.clock_pair_ns));
    row.maybe("open_ns", opened.map(|opened| opened.open_ns));
    row.maybe("rss_baseline_bytes", opened.and_then(|opened| opened.rss_baseline_bytes));
    row.maybe("close_ns", finished.map(|finished| finished.close_ns));
    row.maybe("reopen_ns", end.and_then(|end| Some(end.verified.as_ref()?.reopen_ns)));
    row.maybe("entries_verified", end.and_then(|end| Some(end.verified.as_ref()?.entries)));
    row.maybe("page_cache_bytes", finished.and_then(|finished| finished.page_cache_bytes));
    disk(row, "disk_before_close", finished.and_then(|finished| finished.disk_before_close));
    disk(row, "disk_after_close", finished.and_then(|finished| finished.disk_after_close));
}

fn disk(row: &mut Row, when: &str, usage: Option<DiskUsage>) {
    row.maybe(&format!("{when}_apparent_bytes"), usage.map(|usage| usage.apparent_bytes));
    row.maybe(&format!("{when}_allocated_bytes"), usage.map(|usage| usage.allocated_bytes));
    row.maybe(&format!("{when}_files"), usage.map(|usage| usage.files));
}

/// The phase: its tape, its time and what it cost.
fn phase(row: &mut Row, line: Option<&PhaseLine>) {
    let result = line.map(|line| &line.result);
    row.text("phase", result.map_or("", |result| &result.phase));
    row.text("tape_checksum", line.map_or("", |line| &line.tape.tape_checksum));
    row.maybe("tape_operations", line.map(|line| line.tape.operations));
    row.maybe("records_after", line.map(|line| line.tape.records_after));
    row.maybe("data_bytes_after", line.map(|line| line.tape.data_bytes_after));
    row.maybe("mode", result.map(|result| format!("{:?}", result.mode).to_lowercase()));
    row.maybe("phase_threads", result.map(|result| result.threads));
    row.maybe("phase_timed_ns", result.map(|result| result.timed_ns));
    row.maybe("phase_wall_ns", result.map(|result| result.wall_ns));
    row.maybe("answers_checked", result.map(|result| result.answers_checked));
    row.maybe("answers_wrong", result.map(|result| result.answers_wrong));
    let resources = result.and_then(|result| serde_json::to_value(&result.resources).ok()).unwrap_or_default();
    for name in RESOURCES {
        // The process has more threads than those that replay, which the axis `threads` counts.
        let column = if name == "threads" { "process_threads" } else { name };
        row.maybe(column, resources.get(name));
    }
}

/// One kind of operation: how many, how long, and its distribution.
fn operation(row: &mut Row, result: Option<&OperationResult>) {
    row.text("operation", result.map_or("", |result| &result.operation));
    row.maybe("operations", result.map(|result| result.operations));
    row.maybe("entries", result.map(|result| result.entries));
    row.maybe("bytes", result.map(|result| result.bytes));
    row.maybe("timed_ns", result.and_then(|result| result.timed_ns));
    let latency = result.and_then(|result| result.latency.as_ref());
    row.maybe("latency_ns_mean", latency.map(|latency| latency.latency_ns_mean));
    row.maybe("latency_ns_min", latency.map(|latency| latency.latency_ns_min));
    row.maybe("latency_ns_p50", latency.map(|latency| latency.latency_ns_p50));
    row.maybe("latency_ns_p90", latency.map(|latency| latency.latency_ns_p90));
    row.maybe("latency_ns_p99", latency.map(|latency| latency.latency_ns_p99));
    row.maybe("latency_ns_p999", latency.map(|latency| latency.latency_ns_p999));
    row.maybe("latency_ns_max", latency.map(|latency| latency.latency_ns_max));
}
