//! Access logs of web servers and of S3.
//!
//! Web servers: the format `combined` of nginx and Apache, `ADDRESS - USER [TIME] "METHOD TARGET PROTOCOL" STATUS BYTES …`, which other
//! fields may follow. Source: nginx's documentation of `ngx_http_log_module`, Apache's of `mod_log_config`.
//!
//! S3: `OWNER BUCKET [TIME] ADDRESS REQUESTER REQUEST-ID OPERATION KEY "REQUEST" STATUS ERROR BYTES-SENT OBJECT-SIZE …`. Source: Amazon
//! Simple Storage Service, User Guide, "Amazon S3 server access log format".

use bakeoff_tape::Operation;
use jiff::civil::{Date, Time};

use crate::error::Origin;
use crate::logs::escapes::quoted_bytes;
use crate::logs::spaces::Spaces;
use crate::logs::{Line, Log, Out, number, take_until};

/// What a request did.
enum Answer {
    Done,
    /// Without saying how long the record is.
    NotSent,
    Missing,
    Nothing,
}

impl Answer {
    fn of(status: &[u8]) -> Self {
        match status {
            b"304" | b"206" => Self::NotSent,
            [b'2', _, _] => Self::Done,
            b"404" | b"410" => Self::Missing,
            // Redirects, refusals and failures.
            _ => Self::Nothing,
        }
    }
}

/// A web server's log.
#[derive(Default)]
pub(crate) struct Web {
    clock: LogClock,
}

impl Log for Web {
    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        let Some(WebParts { time, request, status, sent }) = web_parts(line) else { return Line::Foreign };
        let answer = Answer::of(status);
        if let Answer::Nothing = answer {
            return Line::WithoutRecord;
        }
        let mut rest = request;
        let (Some(method), Some(time_s)) = (take_until(&mut rest, b' '), self.clock.seconds(time)) else {
            return Line::Foreign;
        };
        let target = rest.split(|byte| *byte == b' ').next().unwrap_or_default();
        if out.ignores(method) || method == b"OPTIONS" {
            return Line::WithoutRecord;
        }
        let (operation, value_bytes) = match (method, answer) {
            (b"GET", Answer::Done) => (Operation::Get, number(sent).filter(|bytes| *bytes > 0)),
            (b"GET" | b"HEAD", Answer::Missing) => (Operation::Get, Some(0)),
            (b"GET" | b"HEAD", _) => (Operation::Get, None),
            (b"PUT", Answer::Done | Answer::NotSent) => (Operation::Upsert, None),
            (b"DELETE", _) => (Operation::Delete, None),
            // It changed nothing.
            (_, Answer::Missing) => return Line::WithoutRecord,
            _ => return Line::Unlike(method),
        };
        out.push(origin, (operation, target), value_bytes, Some(time_s));
        Line::Read
    }
}

/// Whether a line is one of a web server's log.
pub(crate) fn is_web_line(line: &[u8]) -> bool {
    web_parts(line).is_some_and(|parts| LogClock::default().seconds(parts.time).is_some())
}

struct WebParts<'a> {
    time: &'a [u8],
    request: &'a [u8],
    status: &'a [u8],
    sent: &'a [u8],
}

fn web_parts(line: &[u8]) -> Option<WebParts<'_>> {
    let mut rest = line;
    take_until(&mut rest, b'[').filter(|before| before.ends_with(b" "))?;
    let time = take_until(&mut rest, b']')?;
    let request = rest.strip_prefix(b" \"")?;
    let (request, rest) = request.split_at(quoted_bytes(request)?);
    let mut fields = rest.strip_prefix(b"\" ")?.split(|byte| *byte == b' ');
    let status = fields.next().filter(|status| status.len() == 3 && number(status).is_some())?;
    let sent = fields.next().filter(|sent| *sent == b"-" || number(sent).is_some())?;
    Some(WebParts { time, request, status, sent })
}

/// S3's log.
#[derive(Default)]
pub(crate) struct S3 {
    clock: LogClock,
    spaces: Spaces,
}

impl Log for S3 {
    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        let Some(S3Parts { bucket, time, operation: name, key, status, object_bytes }) = s3_parts(line) else {
            return Line::Foreign;
        };
        if out.ignores(name) {
            return Line::WithoutRecord;
        }
        let answer = Answer::of(status);
        let (Some(operation), false) = (s3_operation(name), matches!(answer, Answer::Nothing)) else {
            let lists = name.ends_with(b".BUCKET") && name.starts_with(b"REST.GET");
            return if lists { Line::Unlike(name) } else { Line::WithoutRecord };
        };
        let Some(time_s) = self.clock.seconds(time) else { return Line::Foreign };
        let value_bytes = match answer {
            Answer::Missing if operation == Operation::Get => Some(0),
            _ if operation == Operation::Delete => None,
            Answer::Missing => return Line::WithoutRecord,
            _ => number(object_bytes).filter(|bytes| *bytes > 0 || operation.writes_value()),
        };
        let space = self.spaces.begin(bucket);
        push_unquoted(key, space);
        out.push(origin, (operation, space), value_bytes, Some(time_s));
        Line::Read
    }
}

/// What an operation of S3 does with an object; `None` if it does nothing with one.
fn s3_operation(name: &[u8]) -> Option<Operation> {
    match name {
        b"REST.GET.OBJECT"
        | b"REST.HEAD.OBJECT"
        | b"WEBSITE.GET.OBJECT"
        | b"WEBSITE.HEAD.OBJECT"
        | b"REST.COPY.OBJECT_GET" => Some(Operation::Get),
        // A part of an upload is none yet; the request that completes it is `POST.UPLOAD`.
        b"REST.PUT.OBJECT" | b"REST.COPY.OBJECT" | b"REST.POST.OBJECT" | b"REST.POST.UPLOAD" => Some(Operation::Upsert),
        b"REST.DELETE.OBJECT" | b"BATCH.DELETE.OBJECT" | b"S3.EXPIRE.OBJECT" => Some(Operation::Delete),
        _ => None,
    }
}

/// Whether a line is one of S3's log.
pub(crate) fn is_s3_line(line: &[u8]) -> bool {
    s3_parts(line).is_some_and(|parts| LogClock::default().seconds(parts.time).is_some())
}

struct S3Parts<'a> {
    bucket: &'a [u8],
    time: &'a [u8],
    operation: &'a [u8],
    key: &'a [u8],
    status: &'a [u8],
    object_bytes: &'a [u8],
}

fn s3_parts(line: &[u8]) -> Option<S3Parts<'_>> {
    let mut rest = line;
    take_until(&mut rest, b' ')?;
    let bucket = take_until(&mut rest, b' ')?;
    rest = rest.strip_prefix(b"[")?;
    let time = take_until(&mut rest, b']')?;
    rest = rest.strip_prefix(b" ")?;
    for _address_requester_and_id in 0..3 {
        take_until(&mut rest, b' ')?;
    }
    let operation =
        take_until(&mut rest, b' ').filter(|name| name.iter().filter(|byte| **byte == b'.').count() == 2)?;
    let key = take_until(&mut rest, b' ')?;
    // An operation that S3 began itself has no request.
    rest = match rest.strip_prefix(b"\"") {
        Some(request) => request[quoted_bytes(request)?..].strip_prefix(b"\" ")?,
        None => rest.strip_prefix(b"- ")?,
    };
    let mut fields = rest.split(|byte| *byte == b' ');
    let status = fields.next().filter(|status| *status == b"-" || number(status).is_some())?;
    let object_bytes = fields.nth(2)?;
    // What S3 does itself has no status.
    let status = if status == b"-" { b"200" } else { status };
    Some(S3Parts { bucket, time, operation, key, status, object_bytes })
}

/// Appends a text that may have bytes written as `%2F`.
fn push_unquoted(text: &[u8], bytes: &mut Vec<u8>) {
    let digit = |at: usize| text.get(at).and_then(|digit| char::from(*digit).to_digit(16));
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high << 4 | low) as u8);
                at += 3;
            }
            _ => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
}

/// Reads times such as `06/Feb/2019:00:00:38 +0000`. Most lines have the time of the line before.
#[derive(Default)]
struct LogClock {
    last: (Vec<u8>, f64),
}

impl LogClock {
    fn seconds(&mut self, text: &[u8]) -> Option<f64> {
        if self.last.0 != text || text.is_empty() {
            let time_s = log_time_s(text)?;
            self.last.0.clear();
            self.last.0.extend_from_slice(text);
            self.last.1 = time_s;
        }
        Some(self.last.1)
    }
}

fn log_time_s(text: &[u8]) -> Option<f64> {
    const MONTHS: [&[u8]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    if text.len() != 26 || [text[2], text[6], text[11], text[14], text[17], text[20]] != *b"//::: " {
        return None;
    }
    let two = |at: usize| number(&text[at..at + 2]).and_then(|number| i8::try_from(number).ok());
    let month = MONTHS.iter().position(|month| *month == &text[3..6])?;
    let year = i16::try_from(number(&text[7..11])?).ok()?;
    let date = Date::new(year, i8::try_from(month).ok()? + 1, two(0)?).ok()?;
    // The last second of a day may be its sixtieth.
    let second = two(18).filter(|second| *second <= 60)?;
    let time = date.to_datetime(Time::new(two(12)?, two(15)?, 0, 0).ok()?);
    let seconds = time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second() + i64::from(second);
    let offset_s = i64::from(two(22)?) * 3600 + i64::from(two(24)?) * 60;
    match text[21] {
        b'+' => Some((seconds - offset_s) as f64),
        b'-' => Some((seconds + offset_s) as f64),
        _ => None,
    }
}
