//! A tape as text, for people.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use bakeoff_tree::describe_path;

use crate::{Operation, Record, TapeError, TapeReader};

/// Prints a tape's header, metadata and records (of each lane at most `limit`), checking every block it reads.
///
/// # Errors
/// The tape cannot be read or is damaged, or `out` takes no more.
pub fn show(path: &Path, out: &mut dyn Write, limit: Option<u64>) -> Result<(), TapeError> {
    let tape = TapeReader::open(path)?;
    let written = TapeError::io("print", path);
    show_header(&tape, out).map_err(written)?;
    for number in (0..).take(tape.facts().lanes.len()) {
        show_lane(&tape, number, path, out, limit)?;
    }
    Ok(())
}

fn show_header(tape: &TapeReader, out: &mut dyn Write) -> io::Result<()> {
    let facts = tape.facts();
    writeln!(out, "tape        {}", facts.identity())?;
    writeln!(out, "length      {} bytes", facts.file_bytes)?;
    writeln!(out, "operations  {}", facts.operations)?;
    writeln!(out, "pool        {} bytes, checksum {:016x}", facts.pool_bytes, facts.pool_checksum)?;
    writeln!(out, "content     checksum {:016x}", facts.content_checksum)?;
    // Metadata that is not JSON is shown as it is, made printable: it is for people only.
    let pretty = serde_json::from_str::<serde_json::Value>(&facts.metadata)
        .and_then(|json| serde_json::to_string_pretty(&json))
        .unwrap_or_else(|_| printable(facts.metadata.as_bytes()));
    writeln!(out, "metadata    {}", pretty.replace('\n', "\n            "))
}

fn show_lane(
    tape: &TapeReader,
    number: u32,
    path: &Path,
    out: &mut dyn Write,
    limit: Option<u64>,
) -> Result<(), TapeError> {
    let facts = tape.facts().lanes[number as usize];
    let written = || TapeError::io("print", path);
    let counts = [(facts.operations, "operation"), (facts.blocks, "block"), (facts.bytes, "byte")];
    let counts = counts.map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" }));
    writeln!(out, "lane {number}      {}", counts.join(", ")).map_err(written())?;
    let most = limit.unwrap_or(u64::MAX);
    let mut shown = 0;
    let mut lane = tape.lane(number)?;
    while shown < most {
        let Some(block) = lane.next_block()? else { return tape.check_unchanged() };
        for record in block.records().take(usize::try_from(most - shown).unwrap_or(usize::MAX)) {
            writeln!(out, "{shown:>10}  {}", describe(&record)).map_err(written())?;
            shown += 1;
        }
    }
    if shown < facts.operations {
        writeln!(out, "            … {} more", facts.operations - shown).map_err(written())?;
    }
    Ok(())
}

/// One record as one line.
fn describe(record: &Record<'_>) -> String {
    let mut line = record.operation.name().to_owned();
    let mut add = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = line.write_fmt(text);
    };
    match record.operation {
        Operation::Commit | Operation::ScanAll => {}
        Operation::Walk => {
            let walk = record.walk().unwrap_or_default();
            add(format_args!(" {}{}", describe_path(record.key), walk.describe(record.expected_walk())));
        }
        _ => add(format_args!(" {}", printable(record.key))),
    }
    match record.operation {
        Operation::Walk => {}
        Operation::Get if !record.found() => add(format_args!(" → nothing")),
        Operation::Exists => add(format_args!(" → {}", if record.found() { "there" } else { "nothing" })),
        Operation::Get => add(format_args!(" → {} bytes at {}", record.value_bytes, record.value_offset)),
        Operation::Insert | Operation::Update | Operation::Upsert => {
            add(format_args!(" = {} bytes at {}", record.value_bytes, record.value_offset));
        }
        _ => {}
    }
    if let Some(scan) = record.scan() {
        if matches!(record.operation, Operation::Scan | Operation::ScanPrefix) {
            add(format_args!(" limit {}", scan.limit));
        }
        let (entries, bytes, checksum) = (scan.entries, scan.bytes, scan.checksum);
        add(format_args!(" {:?} → {entries} entries, {bytes} bytes, checksum {checksum:016x}", scan.consumer));
    }
    let marks = [
        (record.reverse(), " reverse"),
        (record.any_order(), " any-order"),
        (record.shared(), " or what others write"),
        (record.untimed(), " untimed"),
    ];
    for (_, mark) in marks.into_iter().filter(|(set, _)| *set) {
        add(format_args!("{mark}"));
    }
    if let Some(due_ns) = record.due_ns {
        add(format_args!(" due at {due_ns} ns"));
    }
    line
}

/// Bytes as a terminal can show them: `\xNN` for all but printable ASCII.
fn printable(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}
