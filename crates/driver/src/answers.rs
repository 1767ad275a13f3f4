//! Answers: kept while the clock runs, compared with the tape when it does not.

use std::fmt::Write;
use std::slice::Iter;

use bakeoff_tape::{Consumer, Operation, Pool, Record, Records, Scan, ScanFields, consume, may_hold};
use bakeoff_tree::WalkAnswer;

/// What a store answered to one operation. Small, because one is written for every operation while the clock runs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Answer {
    /// Where the operation's output ends in the output buffer; it begins where the one before ends.
    pub(crate) output_end: usize,
    /// `get`, `exists`, `walk`: there was a value.
    pub(crate) found: bool,
}

/// The visits of a scan or a walk, in addition to its [`Answer`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Visit {
    /// Entries delivered; components of a walk found.
    pub(crate) entries: u64,
    /// Scans: bytes of keys and values delivered.
    pub(crate) bytes: u64,
    /// Scans: the consumer's state. `walk`: the object id read last, or the result of reading all fields.
    pub(crate) state: u64,
}

impl Visit {
    /// The result of a walk; `found` is whether its last lookup found a value.
    fn of_walk(&self, found: bool) -> WalkAnswer {
        WalkAnswer { found, components: self.entries, state: self.state }
    }
}

/// What came of an operation.
#[derive(Clone, Copy)]
pub(crate) struct CheckedAnswer<'a> {
    /// `get`, `walk`: there was a value.
    pub(crate) found: bool,
    /// Of scans and walks.
    pub(crate) visit: Option<&'a Visit>,
    /// What the operation appended.
    pub(crate) output: &'a [u8],
}

/// The result of checking an operation's answer.
pub(crate) struct Judgement {
    /// Whether it is what the tape expects; `None` if the operation has no answer to compare.
    pub(crate) right: Option<bool>,
    /// Entries that it delivered or wrote, minus one; below zero if there was none.
    pub(crate) more_entries: i64,
    /// Bytes of their keys and values.
    pub(crate) bytes: u64,
}

/// Compares an answer with the tape's, and counts. `records` begin with `record`, and `visits` with the next scan's or
/// walk's.
#[inline(always)]
pub(crate) fn judge(
    (records, record): (Records<'_>, &Record<'_>),
    found: bool,
    output: &[u8],
    visits: &mut Iter<'_, Visit>,
    pool: &Pool,
) -> Judgement {
    if record.operation != Operation::Get {
        return judge_other(records, found, output, visits);
    }
    if !record.found() {
        return Judgement { right: Some(!found && output.is_empty()), more_entries: 0, bytes: 0 };
    }
    let is_expected = pool.slice(record.value_offset, record.value_bytes) == Some(output);
    let right = found && (is_expected || is_of_another_lane(records, output, pool));
    Judgement { right: Some(right), more_entries: 0, bytes: entry_bytes(record) }
}

/// Whether a get may have read a value that another lane wrote during it. The record is decoded anew, as below.
#[cold]
#[inline(never)]
fn is_of_another_lane(mut records: Records<'_>, output: &[u8], pool: &Pool) -> bool {
    records.next().is_some_and(|record| may_hold(&record, output, pool))
}

/// The same for all other operations. The record is decoded anew: passing its parts would take the registers that gets
/// need.
#[inline(never)]
fn judge_other(mut records: Records<'_>, found: bool, output: &[u8], visits: &mut Iter<'_, Visit>) -> Judgement {
    let mut judged = Judgement { right: None, more_entries: 0, bytes: 0 };
    let Some(record) = records.next() else { return judged };
    let visit = if record.operation.visits() { visits.next() } else { None };
    judged.more_entries = visit.map_or(0, |visit| visit.entries as i64 - 1);
    match record.operation {
        Operation::Insert | Operation::Update | Operation::Upsert => judged.bytes = entry_bytes(&record),
        // Gets are judged above.
        Operation::Get | Operation::Delete | Operation::Commit => {}
        Operation::Exists => judged.right = Some(found == record.found()),
        Operation::Scan | Operation::ScanAll | Operation::ScanPrefix | Operation::First => {
            judged.right = Some(scan_is_right(record.scan, visit, output));
            judged.bytes = visit.map_or(0, |visit| visit.bytes);
        }
        Operation::Walk => {
            let walk = record.walk().zip(visit);
            judged.right =
                Some(walk.is_some_and(|(walk, visit)| walk.is_right(record.expected_walk(), visit.of_walk(found))));
        }
    }
    judged
}

/// Bytes of key and value.
fn entry_bytes(record: &Record<'_>) -> u64 {
    record.key.len() as u64 + u64::from(record.value_bytes)
}

fn scan_is_right(fields: Option<&ScanFields>, visit: Option<&Visit>, output: &[u8]) -> bool {
    let (Some(visit), Some(scan)) = (visit, fields.and_then(Scan::decode)) else { return false };
    let state = match scan.consumer {
        Consumer::Copy => consume::xxh64(output),
        Consumer::Count => scan.checksum,
        _ => visit.state,
    };
    (visit.entries, visit.bytes, state) == (scan.entries, scan.bytes, scan.checksum)
}

/// The mistake in an answer, for a person.
#[cold]
pub(crate) fn describe_wrong(record: &Record<'_>, answered: CheckedAnswer<'_>, pool: &Pool) -> String {
    let CheckedAnswer { found, visit, output } = answered;
    let visit = visit.copied().unwrap_or_default();
    let key = printable(record.key);
    match record.operation {
        Operation::Get if !record.found() => {
            format!("get of key {key} gave a value of {} bytes, but the key is not there", output.len())
        }
        Operation::Get if !found => format!("get of key {key} found nothing, but the key is there"),
        Operation::Get if record.shared() => format!(
            "get of key {key} gave a wrong value: {} bytes that are none of those of {} which this record may have while others write",
            output.len(),
            record.value_bytes
        ),
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
        Operation::Exists if found => format!("exists of key {key} found it, but it is not there"),
        Operation::Exists => format!("exists of key {key} found nothing, but the key is there"),
        Operation::Walk => {
            let walk = record.walk().unwrap_or_default();
            walk.describe_wrong(record.expected_walk(), visit.of_walk(found))
        }
        _ => describe_wrong_scan(record, &visit, &key),
    }
}

fn describe_wrong_scan(record: &Record<'_>, visit: &Visit, key: &str) -> String {
    let Some(scan) = record.scan() else { return "a scan without scan fields".to_owned() };
    let what = match record.operation {
        Operation::Scan => format!("scan from key {key}"),
        Operation::ScanPrefix => format!("scan of the prefix {key}"),
        Operation::First if record.key.is_empty() => "the first entry".to_owned(),
        Operation::First => format!("the first entry with the prefix {key}"),
        _ => "whole scan".to_owned(),
    };
    if (visit.entries, visit.bytes) == (scan.entries, scan.bytes) {
        format!(
            "{what} delivered {} entries of {} bytes as expected, but their content or order is wrong (checksum differs)",
            scan.entries, scan.bytes
        )
    } else {
        format!(
            "{what} delivered {} entries of {} bytes, expected {} entries of {} bytes",
            visit.entries, visit.bytes, scan.entries, scan.bytes
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
