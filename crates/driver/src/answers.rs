//! Answers: kept while the clock runs, compared with the tape when it does not.

use std::fmt::Write;

use bakeoff_tape::{Consumer, Operation, Pool, Record, consume};

/// What a store answered to one operation.
#[derive(Clone, Copy, Default)]
pub(crate) struct Answer {
    /// Where the operation's output ends in the output buffer; it begins where the one before ends.
    pub(crate) output_end: usize,
    /// `get`, `walk`: there was a value.
    pub(crate) found: bool,
    /// Scans: entries delivered.
    pub(crate) entries: u64,
    /// Scans: bytes of keys and values delivered.
    pub(crate) bytes: u64,
    /// Scans: the consumer's state. `walk`: the object id read last.
    pub(crate) state: u64,
}

/// Compares an answer with what the tape expects; `output` is what this operation appended. `None` means that the
/// operation has no answer to compare.
#[inline]
pub(crate) fn is_right(record: &Record<'_>, answer: &Answer, output: &[u8], pool: &Pool) -> Option<bool> {
    match record.operation {
        Operation::Get if record.found() => {
            Some(answer.found && pool.slice(record.value_offset, record.value_bytes) == Some(output))
        }
        Operation::Get => Some(!answer.found && output.is_empty()),
        Operation::Walk if record.found() => Some(answer.found && answer.state == record.value_offset),
        Operation::Walk => Some(!answer.found),
        Operation::Scan | Operation::ScanAll => Some(scan_is_right(record, answer, output)),
        _ => None,
    }
}

fn scan_is_right(record: &Record<'_>, answer: &Answer, output: &[u8]) -> bool {
    let Some(scan) = record.scan() else { return false };
    let state = match scan.consumer {
        Consumer::Copy => consume::xxh64(output),
        Consumer::Count => scan.checksum,
        _ => answer.state,
    };
    answer.entries == scan.entries && answer.bytes == scan.bytes && state == scan.checksum
}

/// What was wrong with an answer, for a person.
pub(crate) fn describe_wrong(record: &Record<'_>, answer: &Answer, output: &[u8], pool: &Pool) -> String {
    let key = printable(record.key);
    match record.operation {
        Operation::Get if !record.found() => {
            format!("get of key {key} gave a value of {} bytes, but the key is not there", output.len())
        }
        Operation::Get if !answer.found => format!("get of key {key} found nothing, but the key is there"),
        Operation::Get => {
            let expected = pool.slice(record.value_offset, record.value_bytes).unwrap_or_default();
            let differs = expected.iter().zip(output).position(|(a, b)| a != b);
            let place = differs.map_or_else(|| "at the end of the shorter".to_owned(), |at| format!("at byte {at}"));
            format!(
                "get of key {key} gave a wrong value: {} bytes where {} were written, first difference {place}",
                output.len(),
                expected.len()
            )
        }
        Operation::Walk => format!(
            "walk of {} components ended at object {} (found: {}), expected {} (found: {})",
            record.value_bytes,
            answer.state,
            answer.found,
            record.value_offset,
            record.found()
        ),
        _ => describe_wrong_scan(record, answer, &key),
    }
}

fn describe_wrong_scan(record: &Record<'_>, answer: &Answer, key: &str) -> String {
    let Some(scan) = record.scan() else { return "a scan without scan fields".to_owned() };
    let what =
        if record.operation == Operation::Scan { format!("scan from key {key}") } else { "whole scan".to_owned() };
    if (answer.entries, answer.bytes) == (scan.entries, scan.bytes) {
        format!(
            "{what} delivered {} entries of {} bytes as expected, but their content or order is wrong (checksum differs)",
            scan.entries, scan.bytes
        )
    } else {
        format!(
            "{what} delivered {} entries of {} bytes, expected {} entries of {} bytes",
            answer.entries, answer.bytes, scan.entries, scan.bytes
        )
    }
}

/// A key as a person can read it: printable ASCII as it is, else hexadecimal; long keys are cut.
pub(crate) fn printable(key: &[u8]) -> String {
    const SHOWN: usize = 64;
    let shown = &key[..key.len().min(SHOWN)];
    let mut text = if shown.iter().all(|byte| byte.is_ascii_graphic()) {
        format!("`{}`", String::from_utf8_lossy(shown))
    } else {
        shown.iter().fold("0x".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    };
    if key.len() > SHOWN {
        let _ = write!(text, "… ({} bytes)", key.len());
    }
    text
}
