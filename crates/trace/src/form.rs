//! The forms of traces that are known.

use crate::columns::are_columns;
use crate::error::TraceError;
use crate::operations::operation;
use crate::parquet::MAGIC;

/// How YCSB's `basic` binding begins, unless it is told to be silent: with its properties.
const YCSB_HEAD: &[u8] = b"***************** properties";

/// A form of trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A head that names the columns `op`, `key`, `value_size` and perhaps `key_size`, `time` and others, then a line an operation.
    Csv,
    /// The same columns in Apache's Parquet, which begins with `PAR1`.
    Parquet,
    /// Twitter's cache-trace: time in seconds, key, key size, value size, client, operation, time to live; no head.
    Twitter,
    /// What YCSB's `basic` binding prints: `READ usertable user1 [ … ]`.
    Ycsb,
}

impl Form {
    /// All forms, by the words for them.
    pub const ALL: [(&str, Self); 4] =
        [("csv", Self::Csv), ("parquet", Self::Parquet), ("twitter", Self::Twitter), ("ycsb", Self::Ycsb)];

    /// The form of a trace that begins with this line.
    ///
    /// # Errors
    /// It is none that is known.
    pub(crate) fn of(line: &[u8]) -> Result<Self, TraceError> {
        let columns: Vec<&[u8]> = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).collect();
        if line.starts_with(MAGIC) {
            Ok(Self::Parquet)
        } else if separator(line).is_some() {
            Ok(Self::Csv)
        } else if columns.len() == 7 && columns[0].iter().all(u8::is_ascii_digit) && operation(columns[5]).is_some() {
            Ok(Self::Twitter)
        } else if line.starts_with(YCSB_HEAD) || is_ycsb_line(line) {
            Ok(Self::Ycsb)
        } else if is_sql(line) {
            Err(TraceError::Sql { found: crate::error::shorten(line) })
        } else {
            Err(TraceError::Unknown { found: crate::error::shorten(line) })
        }
    }
}

/// What separates the columns of a table whose head this line is; `None` if it is none.
pub(crate) fn separator(line: &[u8]) -> Option<u8> {
    b",;\t|".iter().copied().find(|separator| are_columns(line.split(|byte| byte == separator)))
}

/// Whether a line of YCSB's log is an operation: `OPERATION TABLE KEY`, and `[ FIELDS ]` unless it removes.
pub(crate) fn is_ycsb_line(line: &[u8]) -> bool {
    let mut words = line.trim_ascii().splitn(4, |byte| *byte == b' ');
    let (word, table, key) = (words.next().unwrap_or_default(), words.next(), words.next());
    let rest = words.next().unwrap_or_default();
    let is_operation = word.iter().all(u8::is_ascii_uppercase) && operation(word).is_some();
    let has_fields = rest.contains(&b'[') && rest.ends_with(b"]");
    let has_names = table.is_some_and(|table| !table.is_empty()) && key.is_some_and(|key| !key.is_empty());
    is_operation && has_names && (has_fields || rest.is_empty())
}

/// Whether a line is a statement of SQL.
fn is_sql(line: &[u8]) -> bool {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is = |word: &[u8], known: &str| word.eq_ignore_ascii_case(known.as_bytes());
    let pairs = [("insert", "into"), ("insert", "or"), ("replace", "into"), ("delete", "from")];
    let begins = ["select", "begin", "begin;", "create", "pragma", "update"].into_iter().any(|word| is(first, word));
    begins || pairs.into_iter().any(|(one, two)| is(first, one) && is(second, two))
}
