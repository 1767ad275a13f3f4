//! What RocksDB's `trace_analyzer -convert_to_human_readable_trace` writes: `0x6B31 1 0 100 1700000000000000`, the key in hexadecimal
//! digits, the type of the operation, the column family, the length of the value, and the time in microseconds.
//!
//! Source: `TraceAnalyzer::WriteTraceSequence` and `enum TraceOperationType` in RocksDB's
//! `tools/trace_analyzer_tool.cc` and `.h`. The length of a value is written for `Put`, `Merge` and `PutEntity`. For
//! all others, reads included, it is 0 and means nothing.

use bakeoff_tape::Operation;

use crate::error::Origin;
use crate::logs::spaces::Spaces;
use crate::logs::{Line, Log, Out, number, take_until};

/// By type: the name by which it can be ignored, and its operation. Types without one touch records in other ways.
const TYPES: [(&str, Option<Operation>); 10] = [
    ("get", Some(Operation::Get)),
    ("put", Some(Operation::Upsert)),
    ("delete", Some(Operation::Delete)),
    ("singledelete", Some(Operation::Delete)),
    ("rangedelete", None),
    ("merge", Some(Operation::Update)),
    ("seek", Some(Operation::Scan)),
    ("seekforprev", Some(Operation::Scan)),
    ("multiget", Some(Operation::Get)),
    ("putentity", Some(Operation::Upsert)),
];

/// RocksDB's trace as text.
#[derive(Default)]
pub(crate) struct RocksDb {
    spaces: Spaces,
}

impl Log for RocksDb {
    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        let Some(Parts { digits, kind, family, value_bytes, time_us }) = parts(line) else { return Line::Foreign };
        let (name, operation) = TYPES[kind];
        if out.ignores(name.as_bytes()) {
            return Line::WithoutRecord;
        }
        let Some(operation) = operation else { return Line::Unlike(name.as_bytes()) };
        let key = self.spaces.begin(family);
        if !push_hexadecimal(digits, key) {
            return Line::Foreign;
        }
        // A merged value has another length than the result.
        let value_bytes = Some(value_bytes).filter(|_| operation == Operation::Upsert);
        out.push(origin, (operation, key), value_bytes, Some(time_us as f64 / 1e6));
        Line::Read
    }
}

/// Whether a line is one of RocksDB's trace.
pub(crate) fn is_rocksdb_line(line: &[u8]) -> bool {
    parts(line).is_some_and(|parts| push_hexadecimal(parts.digits, &mut Vec::new()))
}

struct Parts<'a> {
    digits: &'a [u8],
    kind: usize,
    family: &'a [u8],
    value_bytes: u64,
    time_us: u64,
}

fn parts(line: &[u8]) -> Option<Parts<'_>> {
    let mut rest = line;
    let digits = take_until(&mut rest, b' ')?;
    let kind = usize::try_from(number(take_until(&mut rest, b' ')?)?).ok().filter(|kind| *kind < TYPES.len())?;
    let family = take_until(&mut rest, b' ')?;
    let value_bytes = number(take_until(&mut rest, b' ')?)?;
    number(family)?;
    Some(Parts { digits: digits.strip_prefix(b"0x")?, kind, family, value_bytes, time_us: number(rest)? })
}

/// Appends the bytes that digits mean; false if they are no whole bytes.
fn push_hexadecimal(digits: &[u8], bytes: &mut Vec<u8>) -> bool {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let pairs = digits.chunks_exact(2);
    let is_whole = pairs.remainder().is_empty();
    let before = bytes.len();
    bytes.extend(pairs.map_while(|pair| Some(value(pair[0])? << 4 | value(pair[1])?)));
    is_whole && (bytes.len() - before) * 2 == digits.len()
}
