//! What YCSB's `basic` binding prints: `OPERATION TABLE KEY`, and `[ FIELDS ]` unless it removes.

use bakeoff_tape::Operation;

use crate::error::Origin;
use crate::logs::{Line, Log, Out};
use crate::operations::operation;

/// How it begins: with its properties. With `-p basicdb.verbose=false` it has no operations either.
const HEAD: &[u8] = b"***************** properties";

/// YCSB's log.
#[derive(Default)]
pub(crate) struct Ycsb {
    has_begun: bool,
}

impl Log for Ycsb {
    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        let Some((kind, key, fields)) = parse(line) else {
            // The lines before it begins, and the figures at its end, are no lost operations.
            return if self.has_begun && !is_figure(line) { Line::Foreign } else { Line::WithoutRecord };
        };
        self.has_begun = true;
        // An update names only the fields that it replaces by others as long, so the length of the record is unknown.
        let value_bytes = matches!(kind, Operation::Insert | Operation::Upsert).then(|| fields_bytes(fields));
        out.push(origin, (kind, key), value_bytes, None);
        Line::Read
    }
}

/// Whether a log of YCSB begins with this line.
pub(crate) fn is_ycsb_head(line: &[u8]) -> bool {
    line.starts_with(HEAD)
}

/// Whether a line of YCSB's log is an operation.
pub(crate) fn is_ycsb_line(line: &[u8]) -> bool {
    parse(line).is_some()
}

/// Kind, key and fields of an operation.
fn parse(line: &[u8]) -> Option<(Operation, &[u8], &[u8])> {
    let mut words = line.trim_ascii().splitn(4, |byte| *byte == b' ');
    let word = words.next()?;
    let is_ycsb = |kind: &Operation| *kind != Operation::Commit && word.iter().all(u8::is_ascii_uppercase);
    let kind = operation(word).filter(is_ycsb)?;
    let (table, key) = (words.next()?, words.next()?);
    let rest = words.next().unwrap_or_default();
    let has_fields = rest.contains(&b'[') && rest.ends_with(b"]");
    (!table.is_empty() && !key.is_empty() && (has_fields || rest.is_empty())).then_some((kind, key, rest))
}

/// Whether a line is a figure, `[OVERALL], RunTime(ms), 1234`.
fn is_figure(line: &[u8]) -> bool {
    line.starts_with(b"[") && line.windows(3).any(|window| window == b"], ")
}

/// The length of all values in `[ field0=… field1=… ]`.
fn fields_bytes(text: &[u8]) -> u64 {
    let inner = text.trim_ascii();
    let inner = inner.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")).unwrap_or(inner).trim_ascii();
    let mut bytes = inner.len() as u64;
    // A field's name and the sign after it are not its value, nor is the space before the next one.
    let mut names = 0;
    for (place, window) in inner.windows(5).enumerate() {
        if window == b"field" && (place == 0 || inner[place - 1] == b' ') {
            let name = inner[place..].iter().take_while(|byte| **byte != b'=').count() as u64;
            bytes = bytes.saturating_sub(name + 1 + u64::from(names > 0));
            names += 1;
        }
    }
    bytes
}
