//! One tidy table of everything, shared by all exports. It has one row per cell, round, phase and kind of operation,
//! and per range of value sizes that is reported separately. Columns are named as in the glossary.

use bakeoff_protocol::{AXES, Axes, Axis, AxisValue, CellStatus, DiskUsage, OperationResult, PhaseLine, SizeResult};
use serde_json::Value;

use crate::cell_rounds::CellRound;
use crate::citation::citation;
use crate::run::Run;

/// Columns with the costs of a phase, named as in `results.jsonl`.
const RESOURCES: [&str; 33] = [
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
    "gc_churn_eden_bytes",
    "gc_churn_survivor_bytes",
    "gc_churn_other_bytes",
    "jit_compile_ns",
    "allocated_bytes",
    "heap_peak_bytes",
    "buffers_peak_bytes",
];

/// Columns with the disk space while the store is open, after closing, after background work, and of a compacted copy.
const DISK_BEFORE_CLOSE: [&str; 3] =
    ["disk_before_close_apparent_bytes", "disk_before_close_allocated_bytes", "disk_before_close_files"];
const DISK_AFTER_CLOSE: [&str; 3] =
    ["disk_after_close_apparent_bytes", "disk_after_close_allocated_bytes", "disk_after_close_files"];
const SETTLED_DISK: [&str; 3] = ["settled_disk_apparent_bytes", "settled_disk_allocated_bytes", "settled_disk_files"];
const COMPACTED_COPY: [&str; 3] =
    ["compacted_copy_apparent_bytes", "compacted_copy_allocated_bytes", "compacted_copy_files"];

/// The column that names the run, and the bakeoff that measured it.
const CITE: &str = "cite";

/// The content of a field. All rows of a column have the same kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A word or text. Empty if absent.
    Text(String),
    /// A whole number, or none.
    Number(Option<u64>),
    /// A number that may have a fraction, or none.
    Real(Option<f64>),
}

/// A row: name and content of each column, in order.
#[derive(Clone, Default)]
pub struct Row(pub Vec<(&'static str, Cell)>);

impl Row {
    fn number(&mut self, name: &'static str, value: Option<impl Into<u64>>) {
        self.0.push((name, Cell::Number(value.map(Into::into))));
    }

    fn real(&mut self, name: &'static str, value: Option<f64>) {
        self.0.push((name, Cell::Real(value)));
    }

    fn text(&mut self, name: &'static str, value: impl ToString) {
        self.0.push((name, Cell::Text(value.to_string())));
    }

    /// The columns of an axis.
    fn axis(&mut self, axis: &'static Axis, axes: Option<&Axes>) {
        let value = axes.map(|axes| axis.value(axes));
        let kind = value.clone().unwrap_or_else(|| axis.value(&Axes::default()));
        let cells = match kind {
            AxisValue::Sizes(min, max) => [min, max].map(|size| Cell::Number(value.is_some().then_some(size))).to_vec(),
            AxisValue::Count(number) | AxisValue::Bytes(number) => {
                vec![Cell::Number(number.filter(|_| value.is_some()))]
            }
            _ if value.is_none() => vec![Cell::Text(String::new())],
            AxisValue::Flag(flag) => vec![Cell::Text(flag.to_string())],
            AxisValue::Class(class) => {
                vec![Cell::Text(class.map_or_else(String::new, |class| class.name().to_owned()))]
            }
            AxisValue::Text(text) => vec![Cell::Text(text.unwrap_or_default())],
        };
        self.0.extend(axis.columns.iter().copied().zip(cells));
    }

    /// A word, if there is one.
    fn maybe(&mut self, name: &'static str, value: Option<impl ToString>) {
        self.text(name, value.map_or_else(String::new, |value| value.to_string()));
    }
}

/// All rows of a run, including failed rounds.
pub fn rows_of(run: &Run) -> impl Iterator<Item = Row> {
    let cite = citation(run);
    run.cells.iter().flat_map(rows).map(move |mut row| {
        row.text(CITE, &cite);
        row
    })
}

/// The columns, in order: those of a row without any figure.
pub fn columns() -> Vec<(&'static str, Cell)> {
    let mut row = Row::default();
    axes(&mut row, None);
    phase(&mut row, None);
    operation(&mut row, None, None);
    row.text(CITE, "");
    row.0
}

/// A row for each kind of operation in each phase, or one row without figures for a round without phases.
fn rows(cell: &CellRound) -> Vec<Row> {
    let mut start = Row::default();
    axes(&mut start, Some(cell));
    let mut rows = Vec::new();
    for line in &cell.phases {
        let mut of_phase = start.clone();
        phase(&mut of_phase, Some(line));
        for result in &line.result.operations {
            let mut row = of_phase.clone();
            operation(&mut row, Some(result), None);
            rows.push(row);
            for of_size in &result.by_size {
                let mut row = of_phase.clone();
                operation(&mut row, Some(result), Some(of_size));
                rows.push(row);
            }
        }
    }
    if rows.is_empty() {
        phase(&mut start, None);
        operation(&mut start, None, None);
        rows.push(start);
    }
    rows
}

/// The cell: its value on every axis, how it ended, and its measurements per round.
fn axes(row: &mut Row, cell: Option<&CellRound>) {
    let end = cell.map(|cell| &cell.end);
    let of = end.map(|end| &end.axes);
    let text = |value: Option<&String>| value.map_or_else(String::new, Clone::clone);
    row.text("cell", text(end.map(|end| &end.cell)));
    row.number("round", end.map(|end| end.round));
    AXES.iter().for_each(|axis| row.axis(axis, of));
    row.text("status", end.map_or("", |end| if end.status == CellStatus::Ok { "ok" } else { "failed" }));
    row.text("failure", end.and_then(|end| end.failure).map_or("", |kind| kind.label()));
    row.text("failure_phase", text(end.and_then(|end| end.failure_phase.as_ref())));
    row.text("failure_message", text(end.and_then(|end| end.failure_message.as_ref())));
    row.text("started", text(end.map(|end| &end.started)));
    row.number("process_ns", end.map(|end| end.process_ns));
    row.number("data_bytes", end.map(|end| end.data_bytes));
    row.number("records_alive", end.map(|end| end.records_alive));
    row.text(
        "memory_settings",
        end.map_or_else(String::new, |end| Value::from_iter(end.memory_settings.clone()).to_string()),
    );
    row.number("memory_peak_bytes", end.and_then(|end| end.memory_peak_bytes));
    once_a_round(row, cell);
    row.text("log", text(end.map(|end| &end.log)));
    row.text("flame_graph", text(end.and_then(|end| end.profiled.as_ref()?.flame_graph.as_ref())));
}

fn once_a_round(row: &mut Row, cell: Option<&CellRound>) {
    let end = cell.map(|cell| &cell.end);
    let opened = end.and_then(|end| end.opened.as_ref());
    let finished = end.and_then(|end| end.finished.as_ref());
    row.text("version", opened.map_or("", |opened| &opened.version));
    row.text("runtime", opened.and_then(|opened| opened.runtime.as_deref()).unwrap_or(""));
    row.text("clock", opened.map_or("", |opened| &opened.clock));
    row.number("clock_pair_ns", opened.map(|opened| opened.clock_pair_ns));
    row.number("open_ns", opened.map(|opened| opened.open_ns));
    row.number("rss_baseline_bytes", opened.and_then(|opened| opened.rss_baseline_bytes));
    row.number("close_ns", finished.map(|finished| finished.close_ns));
    row.number("reopen_ns", end.and_then(|end| Some(end.verified.as_ref()?.reopen_ns)));
    row.number("entries_verified", end.and_then(|end| Some(end.verified.as_ref()?.entries)));
    row.number("page_cache_bytes", finished.and_then(|finished| finished.page_cache_bytes));
    row.number("disk_peak_allocated_bytes", end.and_then(|end| end.disk_peak_allocated_bytes));
    disk(row, DISK_BEFORE_CLOSE, finished.and_then(|finished| finished.disk_before_close));
    disk(row, DISK_AFTER_CLOSE, finished.and_then(|finished| finished.disk_after_close));
    let copy = end.and_then(|end| end.verified.as_ref()?.compacted_copy);
    row.number("compacted_copy_ns", copy.map(|copy| copy.copy_ns));
    disk(row, COMPACTED_COPY, copy.map(|copy| copy.disk));
}

fn disk(row: &mut Row, [apparent, allocated, files]: [&'static str; 3], usage: Option<DiskUsage>) {
    row.number(apparent, usage.map(|usage| usage.apparent_bytes));
    row.number(allocated, usage.map(|usage| usage.allocated_bytes));
    row.number(files, usage.map(|usage| usage.files));
}

/// The phase: its tape, its time and its costs.
fn phase(row: &mut Row, line: Option<&PhaseLine>) {
    let result = line.map(|line| &line.result);
    row.text("phase", result.map_or("", |result| &result.phase));
    row.text("tape_checksum", line.map_or("", |line| &line.tape.tape_checksum));
    row.number("tape_operations", line.map(|line| line.tape.operations));
    row.number("records_after", line.map(|line| line.tape.records_after));
    row.number("data_bytes_after", line.map(|line| line.tape.data_bytes_after));
    row.text("mode", result.map_or("", |result| result.mode.name()));
    row.number("phase_threads", result.map(|result| result.threads));
    row.number("phase_timed_ns", result.map(|result| result.timed_ns));
    row.number("phase_wall_ns", result.map(|result| result.wall_ns));
    let open_loop = result.and_then(|result| result.open_loop);
    row.real("open_loop_speed", open_loop.map(|of| of.speed));
    row.number("open_loop_due_ns", open_loop.map(|of| of.due_ns));
    let warm_up = result.and_then(|result| result.warm_up.as_ref());
    row.number("warm_up_operations", warm_up.map(|warm_up| warm_up.operations));
    row.number("warm_up_wall_ns", warm_up.map(|warm_up| warm_up.wall_ns));
    row.maybe("warm_up_steady", warm_up.and_then(|warm_up| warm_up.steady));
    row.number("phase_reopen_ns", result.and_then(|result| result.reopen_ns));
    let dropped = line.and_then(|line| line.dropped_cache);
    row.number("cache_before_drop_bytes", dropped.map(|dropped| dropped.resident_before_bytes));
    row.number("cache_after_drop_bytes", dropped.map(|dropped| dropped.resident_after_bytes));
    row.number("table_bytes", line.and_then(|line| line.table_bytes));
    let settled = result.and_then(|result| result.background_work);
    row.number("settled_ns", settled.and_then(|settled| settled.done_ns));
    row.number("settled_waited_ns", settled.map(|settled| settled.waited_ns));
    row.number("settled_cpu_ns", settled.map(|settled| settled.cpu_ns));
    row.number("settled_process_write_bytes", settled.map(|settled| settled.process_write_bytes));
    disk(row, SETTLED_DISK, settled.and_then(|settled| settled.disk));
    row.number("answers_checked", result.map(|result| result.answers_checked));
    row.number("answers_wrong", result.map(|result| result.answers_wrong));
    let resources = result.and_then(|result| serde_json::to_value(&result.resources).ok()).unwrap_or_default();
    for name in RESOURCES {
        // The process has more threads than the replaying ones, which the axis `threads` counts.
        let column = if name == "threads" { "process_threads" } else { name };
        row.number(column, resources.get(name).and_then(Value::as_u64));
    }
}

/// One kind of operation, on values of all sizes or of one range: its number, time and distribution.
fn operation(row: &mut Row, result: Option<&OperationResult>, of_size: Option<&SizeResult>) {
    let whole = result.filter(|_| of_size.is_none());
    row.text("operation", result.map_or("", |result| &result.operation));
    row.number("operation_value_bytes_min", of_size.map(|of| of.sizes.value_bytes_min));
    row.number("operation_value_bytes_max", of_size.map(|of| of.sizes.value_bytes_max));
    row.number("operations", of_size.map(|of| of.operations).or(whole.map(|of| of.operations)));
    row.number("entries", of_size.map(|of| of.operations).or(whole.map(|of| of.entries)));
    row.number("bytes", whole.map(|result| result.bytes));
    row.number("timed_ns", whole.and_then(|result| result.timed_ns));
    let latency = of_size.map(|of| &of.latency).or(whole.and_then(|result| result.latency.as_ref()));
    row.number("latency_ns_mean", latency.map(|latency| latency.latency_ns_mean));
    row.number("latency_ns_min", latency.map(|latency| latency.latency_ns_min));
    row.number("latency_ns_p50", latency.map(|latency| latency.latency_ns_p50));
    row.number("latency_ns_p90", latency.map(|latency| latency.latency_ns_p90));
    row.number("latency_ns_p99", latency.map(|latency| latency.latency_ns_p99));
    row.number("latency_ns_p999", latency.map(|latency| latency.latency_ns_p999));
    row.number("latency_ns_max", latency.map(|latency| latency.latency_ns_max));
}
