//! What `strace -f -ttt -y -s 0 -e trace=%file,%desc` prints of a program that keeps its records in files. A file is a record, and its
//! path the key: `13323 1795939878.048582 openat(AT_FDCWD</srv>, "a/1", O_RDONLY) = 3</srv/a/1>`.
//!
//! A file that is opened, read and closed is one read. A file that is opened, written and closed is one write, also if
//! it is written under another name and then renamed. Source: strace(1), and the output of strace 6.1.

use std::collections::{HashMap, VecDeque};

use bakeoff_tape::Operation;
use memchr::{memchr, memmem};

use crate::error::Origin;
use crate::logs::escapes::quoted_bytes;
use crate::logs::{Line, Log, Out, number};

/// A file that was written waits this many lines for its rename.
const LINES_UNTIL_RENAMED: u64 = 256;

/// The most files that are open, and calls that are not finished.
const OPEN_MAX: usize = 1 << 16;

/// strace's output.
#[derive(Default)]
pub(crate) struct Strace {
    /// By descriptor; with `-y` descriptors of different processes differ by their paths.
    open: HashMap<Vec<u8>, OpenFile>,
    /// By process: the part of a call printed before another process's line.
    unfinished: HashMap<Vec<u8>, Vec<u8>>,
    done: VecDeque<Done>,
    lines: u64,
    last: Option<(Origin, Option<f64>)>,
    /// Where `-r` prints the time since the line before: their sum.
    elapsed_s: f64,
}

#[derive(Default)]
struct OpenFile {
    path: Vec<u8>,
    creates: bool,
    is_new: bool,
    appends: bool,
    /// It has only the bytes written.
    begins_empty: bool,
    is_read: bool,
    is_written: bool,
    /// It is a directory or a device.
    is_no_record: bool,
    /// Its length, if the system told.
    file_bytes: Option<u64>,
    position: u64,
    /// The end of the bytes read or written.
    end: u64,
}

/// An operation that waits a while, in case it is part of another.
struct Done {
    line: u64,
    origin: Origin,
    operation: Operation,
    path: Vec<u8>,
    value_bytes: Option<u64>,
    time_s: Option<f64>,
}

/// What a call does.
enum Effect {
    OnRecords,
    None,
    Unlike(&'static [u8]),
    Foreign,
}

impl Log for Strace {
    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        self.lines += 1;
        while self.done.front().is_some_and(|done| done.line + LINES_UNTIL_RENAMED < self.lines) {
            self.give(out);
        }
        let Some(Parts { process, time, text }) = parts(line) else { return Line::Foreign };
        let time_s = time.map(|time| match time {
            Time::At(time_s) => time_s,
            Time::Since(gap_s) => {
                self.elapsed_s += gap_s;
                self.elapsed_s
            }
        });
        self.last = Some((origin, time_s));
        let effect = match text.strip_suffix(b" <unfinished ...>") {
            // Of exits and signals.
            _ if text.starts_with(b"+++ ") || text.starts_with(b"--- ") => Effect::None,
            Some(begun) => {
                if self.unfinished.len() < OPEN_MAX {
                    self.unfinished.insert(process.to_vec(), begun.to_vec());
                }
                Effect::OnRecords
            }
            None => match (resumed(text), call(text)) {
                (Some(rest), _) => match self.unfinished.remove(process) {
                    Some(begun) => {
                        call(&[&*begun, rest].concat()).map_or(Effect::Foreign, |call| self.call(&call, out))
                    }
                    // It began before the log did.
                    None => Effect::None,
                },
                (None, Some(call)) => self.call(&call, out),
                (None, None) => Effect::Foreign,
            },
        };
        match effect {
            Effect::OnRecords => Line::Read,
            Effect::None => Line::WithoutRecord,
            Effect::Unlike(name) => Line::Unlike(name),
            Effect::Foreign => Line::Foreign,
        }
    }

    fn end(&mut self, out: &mut Out<'_>) {
        let mut open: Vec<_> = self.open.drain().map(|(_, file)| file).collect();
        open.sort_by(|one, other| one.path.cmp(&other.path));
        open.into_iter().for_each(|file| self.push_file(file));
        while !self.done.is_empty() {
            self.give(out);
        }
    }
}

impl Strace {
    fn call(&mut self, call: &Call<'_>, out: &Out<'_>) -> Effect {
        if out.ignores(call.name) {
            return Effect::None;
        }
        match call.name {
            b"open" | b"openat" | b"openat2" | b"creat" => self.opened(call),
            b"close" => match self.open.remove(call.descriptor(0)) {
                Some(file) => self.push_file(file),
                None => return Effect::None,
            },
            b"read" | b"readv" => return self.transferred(call, 0, false, None),
            b"write" | b"writev" => return self.transferred(call, 0, true, None),
            b"pread64" | b"preadv" => return self.transferred(call, 0, false, call.argument(3)),
            b"pwrite64" | b"pwritev" => return self.transferred(call, 0, true, call.argument(3)),
            b"copy_file_range" => {
                self.transferred(call, 0, false, None);
                return self.transferred(call, 2, true, None);
            }
            b"sendfile" => {
                self.transferred(call, 0, true, None);
                return self.transferred(call, 1, false, None);
            }
            b"lseek" => match (self.open.get_mut(call.descriptor(0)), number(call.result)) {
                (Some(file), Some(position)) => file.position = position,
                _ => return Effect::None,
            },
            b"ftruncate" => match (self.open.get_mut(call.descriptor(0)), call.argument(1), call.succeeds()) {
                (Some(file), Some(bytes), true) => {
                    (file.is_written, file.file_bytes) = (true, Some(bytes));
                    file.begins_empty |= bytes == 0;
                    file.end = file.end.min(bytes);
                }
                _ => return Effect::None,
            },
            b"mmap" => match self.open.get_mut(call.descriptor(4)) {
                Some(file) => file.is_read = true,
                None => return Effect::None,
            },
            b"getdents64" | b"getdents" => match self.open.get_mut(call.descriptor(0)) {
                Some(file) => file.is_no_record = true,
                None => return Effect::None,
            },
            b"fstat" => return self.described(call),
            b"newfstatat" | b"statx" if call.path(0).is_none_or(|path| path.is_empty()) => return self.described(call),
            b"stat" | b"lstat" | b"newfstatat" | b"statx" | b"access" | b"faccessat" | b"faccessat2" => {
                return self.looked_up(call);
            }
            b"unlink" | b"unlinkat" if call.succeeds() && !call.has(b"AT_REMOVEDIR") => match call.path(0) {
                Some(path) => self.push(Operation::Delete, path, None),
                None => return Effect::Foreign,
            },
            b"truncate" if call.succeeds() => match call.path(0) {
                Some(path) => self.push(Operation::Update, path, call.argument(1)),
                None => return Effect::Foreign,
            },
            b"rename" | b"renameat" | b"renameat2" if call.succeeds() => return self.renamed(call, out),
            b"link" | b"linkat" if call.succeeds() && call.path(1).is_some_and(|path| out.wants(&path)) => {
                return Effect::Unlike(b"link");
            }
            _ => return Effect::None,
        }
        Effect::OnRecords
    }

    fn opened(&mut self, call: &Call<'_>) {
        let is = |flag: &[u8]| call.has(flag);
        let creates = call.name == b"creat" || is(b"O_CREAT");
        let Some(path) = call.path(0) else { return };
        if !call.succeeds() {
            if call.has_failed_with(b"ENOENT") && !creates {
                self.push(Operation::Get, path, Some(0));
            }
            return;
        }
        let descriptor = call.result;
        let path = bracketed(descriptor).unwrap_or(path);
        if let Some(before) = self.open.remove(descriptor) {
            // Its end was not seen.
            self.push_file(before);
        }
        if self.open.len() < OPEN_MAX {
            let is_new = creates && is(b"O_EXCL");
            let begins_empty = is_new || call.name == b"creat" || is(b"O_TRUNC");
            let is_no_record = is(b"O_DIRECTORY") || is(b"O_TMPFILE") || is(b"O_PATH");
            let file = OpenFile { path, creates, is_new, begins_empty, is_no_record, ..OpenFile::default() };
            self.open.insert(descriptor.to_vec(), OpenFile { appends: is(b"O_APPEND"), ..file });
        }
    }

    /// Bytes were read or written by the descriptor that is this argument, from an offset if the call has one.
    fn transferred(&mut self, call: &Call<'_>, argument: usize, is_write: bool, offset: Option<u64>) -> Effect {
        let (Some(file), Some(bytes)) = (self.open.get_mut(call.descriptor(argument)), number(call.result)) else {
            return Effect::None;
        };
        file.is_read |= !is_write;
        file.is_written |= is_write && bytes > 0;
        let end = offset.unwrap_or(file.position).saturating_add(bytes);
        if offset.is_none() {
            file.position = end;
        }
        file.end = file.end.max(end);
        Effect::OnRecords
    }

    /// The system told what an open file is.
    fn described(&mut self, call: &Call<'_>) -> Effect {
        let Some(file) = self.open.get_mut(call.descriptor(0)) else { return Effect::None };
        if call.succeeds() {
            file.is_no_record |= !call.has(b"S_IFREG");
            file.file_bytes = call.file_bytes().or(file.file_bytes);
        }
        Effect::OnRecords
    }

    /// A look-up of whether a file exists.
    fn looked_up(&mut self, call: &Call<'_>) -> Effect {
        let Some(path) = call.path(0) else { return Effect::Foreign };
        if call.has_failed_with(b"ENOENT") {
            self.push(Operation::Get, path, Some(0));
        } else if call.succeeds() && (call.has(b"S_IFREG") || !call.has(b"S_IF")) {
            self.push(Operation::Get, path, call.file_bytes().filter(|bytes| *bytes > 0));
        } else {
            return Effect::None;
        }
        Effect::OnRecords
    }

    fn renamed(&mut self, call: &Call<'_>, out: &Out<'_>) -> Effect {
        let (Some(from), Some(to)) = (call.path(0), call.path(1)) else { return Effect::Foreign };
        for file in self.open.values_mut().filter(|file| file.path == from) {
            file.path.clone_from(&to);
        }
        // Once a file was read under its name, a rename moves a record.
        let last = self.done.iter().rposition(|done| done.path == from);
        let written = last.filter(|place| self.done[*place].operation.writes_value());
        match written.filter(|_| !call.has(b"RENAME_EXCHANGE")) {
            Some(place) => {
                let value_bytes = self.done.remove(place).and_then(|written| written.value_bytes);
                self.push(Operation::Upsert, to, value_bytes);
                Effect::OnRecords
            }
            None if out.wants(&from) || out.wants(&to) => Effect::Unlike(b"other-rename"),
            None => Effect::None,
        }
    }

    /// A file was closed.
    fn push_file(&mut self, file: OpenFile) {
        let OpenFile { path, creates, is_new, appends, begins_empty, is_written, end, .. } = file;
        if file.is_no_record {
            return;
        }
        if !is_written && !begins_empty {
            let read_bytes = Some(end).filter(|_| file.is_read);
            self.push(Operation::Get, path, file.file_bytes.or(read_bytes).filter(|bytes| *bytes > 0));
            return;
        }
        let value_bytes = match file.file_bytes {
            _ if begins_empty => Some(end),
            Some(bytes) if appends => Some(bytes.saturating_add(end)),
            Some(bytes) => Some(bytes.max(end)),
            None if creates && !appends => Some(end),
            None => None,
        };
        let operation = match value_bytes {
            Some(_) if is_new => Operation::Insert,
            Some(_) if begins_empty || creates => Operation::Upsert,
            _ => Operation::Update,
        };
        self.push(operation, path, value_bytes);
    }

    fn push(&mut self, operation: Operation, path: Vec<u8>, value_bytes: Option<u64>) {
        let (line, (origin, time_s)) = (self.lines, self.last.unwrap_or((Origin::Line(self.lines), None)));
        self.done.push_back(Done { line, origin, operation, path, value_bytes, time_s });
    }

    fn give(&mut self, out: &mut Out<'_>) {
        if let Some(Done { origin, operation, path, value_bytes, time_s, .. }) = self.done.pop_front() {
            out.push(origin, (operation, &path), value_bytes, time_s);
        }
    }
}

/// Whether a line is one of strace's output.
pub(crate) fn is_strace_line(line: &[u8]) -> bool {
    parts(line).is_some_and(|Parts { text, .. }| {
        let is_begun = || {
            let begun = text.strip_suffix(b" <unfinished ...>").and_then(|begun| name_of(begun));
            begun.is_some()
        };
        call(text).is_some() || resumed(text).is_some() || is_begun()
    })
}

struct Parts<'a> {
    /// Empty without `-f`.
    process: &'a [u8],
    time: Option<Time>,
    text: &'a [u8],
}

/// A time in seconds: of a clock, or since the line before.
enum Time {
    At(f64),
    Since(f64),
}

/// Fewer seconds than since 1970, without minutes, are those since the line before.
const SINCE_S_MAX: f64 = 1e8;

/// `[pid 12]` or `12`, if there is one, then the time, if there is one, then the call.
fn parts(line: &[u8]) -> Option<Parts<'_>> {
    let mut rest = line.trim_ascii_start();
    let mut process: &[u8] = b"";
    if let Some(text) = rest.strip_prefix(b"[pid ") {
        let end = memchr(b']', text)?;
        (process, rest) = (text[..end].trim_ascii(), text[end + 1..].trim_ascii_start());
    }
    let first = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if process.is_empty() && first > 0 && rest.get(first) == Some(&b' ') {
        (process, rest) = (&rest[..first], rest[first..].trim_ascii_start());
    }
    let word = memchr(b' ', rest).map_or(rest, |end| &rest[..end]);
    if !word.first().is_some_and(u8::is_ascii_digit) {
        return Some(Parts { process, time: None, text: rest });
    }
    let is_clock = memchr(b':', word).is_some();
    let time = seconds(word).map(|time_s| match is_clock || time_s >= SINCE_S_MAX {
        true => Time::At(time_s),
        false => Time::Since(time_s),
    })?;
    Some(Parts { process, time: Some(time), text: rest[word.len()..].trim_ascii_start() })
}

/// `1795939878.048582`, or `04:11:18` with or without a fraction.
fn seconds(text: &[u8]) -> Option<f64> {
    let (whole, fraction) = match memchr(b'.', text) {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &text[..0]),
    };
    let fraction_s = match fraction {
        [] => 0.0,
        digits => number(digits)? as f64 / 10_f64.powi(i32::try_from(digits.len()).ok()?),
    };
    let whole_s =
        whole.split(|byte| *byte == b':').try_fold(0_u64, |sum, part| Some(sum.checked_mul(60)? + number(part)?))?;
    Some(whole_s as f64 + fraction_s)
}

/// What follows `<... read resumed>`.
fn resumed(text: &[u8]) -> Option<&[u8]> {
    const END: &[u8] = b" resumed>";
    let rest = text.strip_prefix(b"<... ")?;
    Some(&rest[memmem::find(rest, END)? + END.len()..])
}

/// A call that is finished.
struct Call<'a> {
    name: &'a [u8],
    arguments: &'a [u8],
    /// What follows the sign of equality.
    result: &'a [u8],
}

fn name_of(text: &[u8]) -> Option<&[u8]> {
    let name = &text[..memchr(b'(', text)?];
    let is_name = name.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    (is_name && !name.is_empty()).then_some(name)
}

fn call(text: &[u8]) -> Option<Call<'_>> {
    const EQUALS: &[u8] = b" = ";
    let name = name_of(text)?;
    let at = memmem::rfind(text, EQUALS)?;
    let arguments =
        text[name.len() + 1..].get(..at.checked_sub(name.len() + 1)?)?.trim_ascii_end().strip_suffix(b")")?;
    Some(Call { name, arguments, result: text[at + EQUALS.len()..].trim_ascii() })
}

impl Call<'_> {
    fn succeeds(&self) -> bool {
        self.result.first().is_some_and(u8::is_ascii_digit)
    }

    fn has_failed_with(&self, error: &[u8]) -> bool {
        self.result.strip_prefix(b"-1 ").is_some_and(|rest| rest.starts_with(error))
    }

    /// Whether a word is in its arguments.
    fn has(&self, word: &[u8]) -> bool {
        memmem::find(self.arguments, word).is_some()
    }

    /// An argument, counted from 0, of a call without texts before it.
    fn text(&self, place: usize) -> &[u8] {
        self.arguments.split(|byte| *byte == b',').nth(place).unwrap_or_default().trim_ascii()
    }

    /// A descriptor, as `3` or `3</srv/a>`.
    fn descriptor(&self, place: usize) -> &[u8] {
        self.text(place)
    }

    /// The last argument, if it is the one of this place and a number: where texts come before it, commas may be in them.
    fn argument(&self, place: usize) -> Option<u64> {
        let last = self.arguments.rsplit(|byte| *byte == b',').next()?;
        number(last.trim_ascii()).filter(|_| self.arguments.iter().filter(|byte| **byte == b',').count() >= place)
    }

    /// A length that the system told of a file.
    fn file_bytes(&self) -> Option<u64> {
        [&b"st_size="[..], b"stx_size="].iter().find_map(|before| {
            let digits = &self.arguments[memmem::find(self.arguments, before)? + before.len()..];
            number(&digits[..digits.iter().take_while(|byte| byte.is_ascii_digit()).count()])
        })
    }

    /// A path of its arguments, counted from 0. If it is relative, it is below the directory before it.
    fn path(&self, place: usize) -> Option<Vec<u8>> {
        let mut rest = self.arguments;
        for number in 0.. {
            let open = memchr(b'"', rest)?;
            let (before, text) = (&rest[..open], &rest[open + 1..]);
            let end = quoted_bytes(text)?;
            if number < place {
                rest = &text[end + 1..];
                continue;
            }
            let mut path = Vec::new();
            let directory = before.trim_ascii_end().strip_suffix(b",").and_then(|before| {
                let begin = before.iter().rposition(|byte| *byte == b',').map_or(0, |comma| comma + 1);
                bracketed(before[begin..].trim_ascii())
            });
            if let Some(directory) = directory.filter(|_| !text.starts_with(b"/") && end > 0) {
                path = directory;
                path.push(b'/');
            }
            unescape(&text[..end], &mut path);
            return Some(path);
        }
        None
    }
}

/// The path of `3</srv/a>`.
fn bracketed(descriptor: &[u8]) -> Option<Vec<u8>> {
    let path = &descriptor[memchr(b'<', descriptor)? + 1..];
    let path = &path[..memchr(b'>', path)?];
    let mut bytes = Vec::new();
    unescape(path.strip_suffix(b" (deleted)").unwrap_or(path), &mut bytes);
    Some(bytes)
}

/// Appends the bytes of a text, in which bytes may be written as in C: `\n`, `\303`.
fn unescape(text: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        bytes.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        if digits > 0 {
            bytes.push(rest[..digits].iter().fold(0, |sum, digit| sum << 3 | (digit - b'0')));
            rest = &rest[digits..];
        } else if let Some((byte, after)) = rest.split_first() {
            bytes.push(match byte {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'v' => 11,
                b'f' => 12,
                other => *other,
            });
            rest = after;
        }
    }
    bytes.extend_from_slice(rest);
}
