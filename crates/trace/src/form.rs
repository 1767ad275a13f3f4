//! The forms of traces that are known, and how each is recognised: by the structure of its first lines, never by one word.

use crate::columns::separator;
use crate::error::{TraceError, shorten};
use crate::json::is_json_line;
use crate::logs::{
    Log, Memcached, Redis, RocksDb, S3, Sql, Strace, Web, Ycsb, is_memcached_head, is_memcached_line, is_redis_line,
    is_rocksdb_line, is_s3_line, is_statement, is_strace_line, is_web_line, is_ycsb_head, is_ycsb_line,
};
use crate::operations::operation;
use crate::parquet::MAGIC;

/// A form of trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A head that names the columns `op`, `key`, `value_size` and perhaps `key_size`, `time` and others, then a line an operation.
    Csv,
    /// The same columns in Apache's Parquet, which begins with `PAR1`.
    Parquet,
    /// An object of JSON a line, with the names of the columns.
    Json,
    /// Twitter's cache-trace: time in seconds, key, key size, value size, client, operation, time to live; no head.
    Twitter,
    /// What YCSB's `basic` binding prints: `READ usertable user1 [ … ]`.
    Ycsb,
    /// What Redis's `MONITOR` prints: `1339518083.107412 [0 127.0.0.1:60866] "get" "x"`.
    Redis,
    /// What `memcached -vv` prints: `<28 get x`, `>28 sending key x`, `>28 END`.
    Memcached,
    /// What RocksDB's `trace_analyzer` writes for people: `0x6B31 1 0 100 1700000000000000`.
    RocksDb,
    /// The access log of a web server: `192.0.2.1 - - [28/Nov/2026:04:00:00 +0000] "GET /a HTTP/1.1" 200 100`.
    Web,
    /// The access log of S3.
    S3,
    /// What `strace` prints of a program that keeps its records in files: `1700000000.1 openat(AT_FDCWD, "a", O_RDONLY) = 3`.
    Strace,
    /// Statements of SQL with their values: `SELECT v FROM t WHERE k='a';`.
    Sql,
}

impl Form {
    /// All forms, by the words for them.
    pub const ALL: [(&str, Self); 12] = [
        ("csv", Self::Csv),
        ("parquet", Self::Parquet),
        ("json", Self::Json),
        ("twitter", Self::Twitter),
        ("ycsb", Self::Ycsb),
        ("redis", Self::Redis),
        ("memcached", Self::Memcached),
        ("rocksdb", Self::RocksDb),
        ("web", Self::Web),
        ("s3", Self::S3),
        ("strace", Self::Strace),
        ("sql", Self::Sql),
    ];

    /// The form of a trace that begins with these lines: at least half of them have its structure.
    ///
    /// # Errors
    /// It has no known form.
    pub(crate) fn of(lines: &[&[u8]]) -> Result<Self, TraceError> {
        let first = lines.first().copied().unwrap_or_default();
        if let Some((_, form)) = Self::ALL.into_iter().find(|(_, form)| form.begins(first)) {
            return Ok(form);
        }
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.trim_ascii()).filter(|line| !line.is_empty()).collect();
        let fitting = |form: Self| lines.iter().filter(|line| form.fits(line)).count();
        let best = Self::ALL.map(|(_, form)| (fitting(form), form)).into_iter().max_by_key(|(fitting, _)| *fitting);
        match best {
            Some((fitting, form)) if fitting > 0 && fitting * 2 >= lines.len() => Ok(form),
            _ => Err(TraceError::Unknown { found: shorten(first) }),
        }
    }

    /// Whether a trace of this form begins with this line, which is none of its operations.
    fn begins(self, line: &[u8]) -> bool {
        match self {
            Self::Csv => separator(line).is_some(),
            Self::Parquet => line.starts_with(MAGIC),
            Self::Ycsb => is_ycsb_head(line),
            Self::Memcached => is_memcached_head(line),
            _ => false,
        }
    }

    /// Whether this line is an operation in a trace of this form.
    fn fits(self, line: &[u8]) -> bool {
        match self {
            Self::Csv | Self::Parquet => false,
            Self::Twitter => is_twitter_line(line),
            Self::Ycsb => is_ycsb_line(line),
            Self::Redis => is_redis_line(line),
            Self::Json => is_json_line(line),
            Self::Memcached => is_memcached_line(line),
            Self::RocksDb => is_rocksdb_line(line),
            Self::Web => is_web_line(line),
            Self::S3 => is_s3_line(line),
            Self::Strace => is_strace_line(line),
            Self::Sql => is_statement(line),
        }
    }

    /// What takes the lines of a log apart; `None` of a table.
    pub(crate) fn log(self) -> Option<Box<dyn Log>> {
        match self {
            Self::Csv | Self::Parquet | Self::Json | Self::Twitter => None,
            Self::Memcached => Some(Box::new(Memcached::default())),
            Self::RocksDb => Some(Box::new(RocksDb::default())),
            Self::Web => Some(Box::new(Web::default())),
            Self::S3 => Some(Box::new(S3::default())),
            Self::Strace => Some(Box::new(Strace::default())),
            Self::Sql => Some(Box::new(Sql::default())),
            Self::Ycsb => Some(Box::new(Ycsb::default())),
            Self::Redis => Some(Box::new(Redis::default())),
        }
    }

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, form)| *form == self).map_or("", |(word, _)| word)
    }

    /// The command that sorts its lines by time, where its lines may come in another order.
    pub(crate) fn sort_command(self) -> Option<&'static str> {
        match self {
            Self::RocksDb => Some("sort -s -n -k 5,5 FILE"),
            Self::Web => Some("LC_ALL=C sort -s -t ' ' -k 4.9,4.12n -k 4.5,4.7M -k 4.2,4.3n -k 4.14,4.21 FILE"),
            Self::S3 => Some("LC_ALL=C sort -s -t ' ' -k 3.9,3.12n -k 3.5,3.7M -k 3.2,3.3n -k 3.14,3.21 FILE"),
            _ => None,
        }
    }

    /// Whether its lines may say when they were.
    pub(crate) fn has_times(self) -> bool {
        !matches!(self, Self::Ycsb | Self::Memcached | Self::Sql)
    }

    /// Whether its times are plain numbers that may be of any unit.
    pub(crate) fn has_units(self) -> bool {
        matches!(self, Self::Csv | Self::Parquet | Self::Json | Self::Twitter)
    }
}

fn is_twitter_line(line: &[u8]) -> bool {
    let mut columns = [&line[..0]; 7];
    let mut fields = line.split(|byte| *byte == b',');
    let is_filled = columns.iter_mut().all(|column| fields.next().map(|field| *column = field.trim_ascii()).is_some());
    let is_number = |column: &[u8]| !column.is_empty() && column.iter().all(u8::is_ascii_digit);
    is_filled
        && fields.next().is_none()
        && [0, 2, 3].into_iter().all(|column| is_number(columns[column]))
        && operation(columns[5]).is_some()
}
