//! Logs: texts in which a line is no row of a table. Each form takes its lines apart, and gives their operations.

mod access;
mod escapes;
mod memcached;
mod redis;
mod rocksdb;
mod spaces;
mod sql;
mod strace;
mod ycsb;

use std::io::Read;
use std::ops::Range;

use bakeoff_tape::{Operation, RECORD_KEY_BYTES_MAX};
use memchr::memchr;

use crate::columns::VALUE_BYTES_MAX;
use crate::error::{Origin, TraceError};
use crate::event::Event;
use crate::intake::Intake;
use crate::lines::Lines;

pub(crate) use access::{S3, Web, is_s3_line, is_web_line};
pub(crate) use memcached::{Memcached, is_memcached_head, is_memcached_line};
pub(crate) use redis::{Redis, is_redis_line};
pub(crate) use rocksdb::{RocksDb, is_rocksdb_line};
pub(crate) use sql::{Sql, is_statement};
pub(crate) use strace::{Strace, is_strace_line};
pub(crate) use ycsb::{Ycsb, is_ycsb_head, is_ycsb_line};

/// A form of log.
pub(crate) trait Log: Send {
    /// Takes a line apart, which is not empty, and gives the operations that are known from it.
    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a>;

    /// Whether blanks at the ends of lines, and empty lines, matter to it.
    fn needs_blanks(&self) -> bool {
        false
    }

    /// Gives operations that only the end of the log completes.
    fn end(&mut self, _out: &mut Out<'_>) {}
}

/// What a line is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Operations, or a part of an operation.
    Read,
    /// Of the form, and touches no record.
    WithoutRecord,
    /// Touches records otherwise than an operation does. It has a name by which it can be ignored.
    Unlike(&'a [u8]),
    /// Not of the form.
    Foreign,
}

/// Operations that wait to be given out, and their keys.
#[derive(Default)]
struct Queue {
    keys: Vec<u8>,
    waiting: Vec<Waiting>,
    next: usize,
    /// Some operation has no key or no length that a record can have.
    has_unfit: bool,
}

struct Waiting {
    origin: Origin,
    operation: Operation,
    key: Range<usize>,
    value_bytes: Option<u64>,
    time_s: Option<f64>,
}

/// Where a form puts the operations of a line.
pub(crate) struct Out<'a> {
    queue: &'a mut Queue,
    intake: &'a mut Intake,
}

impl Out<'_> {
    /// Whether this name does not matter.
    pub(crate) fn ignores(&self, name: &[u8]) -> bool {
        self.intake.ignores(name)
    }

    /// Whether operations on this key count.
    pub(crate) fn wants(&self, key: &[u8]) -> bool {
        self.intake.prefix_bytes(key).is_some()
    }

    /// Counts a part of the log that may matter and cannot be read, which began here.
    pub(crate) fn unread(&mut self, origin: Origin, text: &[u8]) {
        self.intake.unread(origin, text, None);
    }

    /// Ends a batch after the operations so far; false if commits do not matter.
    pub(crate) fn commit(&mut self, origin: Origin) -> bool {
        let operation = Operation::Commit;
        if self.ignores(operation.name().as_bytes()) {
            return false;
        }
        let end = self.queue.keys.len();
        self.queue.waiting.push(Waiting { origin, operation, key: end..end, value_bytes: None, time_s: None });
        true
    }

    /// Puts an operation behind the others, if it counts.
    #[inline]
    pub(crate) fn push(
        &mut self,
        origin: Origin,
        (operation, key): (Operation, &[u8]),
        value_bytes: Option<u64>,
        time_s: Option<f64>,
    ) {
        if !self.intake.is_all() && !self.intake.takes(operation, key) {
            return;
        }
        let key = &key[self.intake.prefix_bytes(key).unwrap_or(0)..];
        let is_too_long = value_bytes.is_some_and(|bytes| bytes > VALUE_BYTES_MAX);
        if key.is_empty() || key.len() as u64 > RECORD_KEY_BYTES_MAX || is_too_long {
            self.queue.has_unfit = true;
            return;
        }
        let begin = self.queue.keys.len();
        self.queue.keys.extend_from_slice(key);
        let key = begin..self.queue.keys.len();
        self.queue.waiting.push(Waiting { origin, operation, key, value_bytes, time_s });
    }
}

/// A log that is being read.
pub(crate) struct LogReader<R> {
    lines: Lines<R>,
    log: Box<dyn Log>,
    queue: Queue,
    has_ended: bool,
}

impl<R: Read> LogReader<R> {
    pub(crate) fn new(lines: Lines<R>, log: Box<dyn Log>) -> Self {
        Self { lines, log, queue: Queue::default(), has_ended: false }
    }

    /// The next operation; `None` at the end.
    pub(crate) fn next(&mut self, intake: &mut Intake) -> Result<Option<Event<'_>>, TraceError> {
        let Self { lines, log, queue, has_ended } = self;
        while queue.next == queue.waiting.len() {
            queue.keys.clear();
            queue.waiting.clear();
            queue.next = 0;
            let Some((number, line)) = lines.next_line()? else {
                if *has_ended {
                    return Ok(None);
                }
                *has_ended = true;
                log.end(&mut Out { queue, intake });
                continue;
            };
            let origin = Origin::Line(number);
            let line = if log.needs_blanks() { line } else { line.trim_ascii_end() };
            if line.is_empty() && !log.needs_blanks() {
                continue;
            }
            let kind = log.line(line, origin, &mut Out { queue, intake });
            let has_unfit = std::mem::take(&mut queue.has_unfit);
            match kind {
                Line::Read if !has_unfit => {}
                Line::WithoutRecord => intake.omitted.without_record += 1,
                Line::Unlike(name) if intake.ignores(name) => intake.omitted.without_record += 1,
                Line::Unlike(name) => intake.unread(origin, line, Some(name)),
                Line::Read | Line::Foreign => intake.unread(origin, line, None),
            }
        }
        let Some(Waiting { origin, operation, key, value_bytes, time_s }) = queue.waiting.get(queue.next) else {
            return Ok(None);
        };
        queue.next += 1;
        let key = &queue.keys[key.clone()];
        let (key_bytes, thread) = (key.len() as u64, None);
        let (origin, operation, value_bytes, time_s) = (*origin, *operation, *value_bytes, *time_s);
        let is_before = false;
        Ok(Some(Event { origin, operation, is_before, key, key_bytes, value_bytes, time_s, thread }))
    }
}

/// A whole number of at most 18 digits.
fn number(digits: &[u8]) -> Option<u64> {
    let is_number = (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// Takes the beginning of a text up to a byte, with that byte.
fn take_until<'a>(text: &mut &'a [u8], byte: u8) -> Option<&'a [u8]> {
    let end = memchr(byte, text)?;
    let taken = &text[..end];
    *text = &text[end + 1..];
    Some(taken)
}
