//! The output of `memcached -vv`: `<28 get user:1` is a request of a connection, `>28 sending key user:1` and `>28 END`
//! are its answers. It shows what was not found, but neither times nor lengths of values read.
//!
//! Source: memcached's `proto_text.c`, `proto_bin.c` and `doc/protocol.txt`. Connections are handled by several threads, so their lines may be
//! mixed: each is known by its number.

use std::collections::HashMap;

use bakeoff_tape::Operation;
use memchr::memmem;

use crate::error::Origin;
use crate::logs::{Line, Log, Out, number};

/// The most connections that wait for an answer.
const CONNECTIONS_MAX: usize = 1 << 16;

/// What a connection asked last, and was not answered yet.
struct Asked {
    origin: Origin,
    what: What,
    keys: Vec<u8>,
    /// The ends of the keys, and whether each was found.
    ends: Vec<(usize, bool)>,
}

#[derive(Clone, Copy)]
enum What {
    Read,
    /// A value of this length.
    Store(Operation, Option<u64>),
    Remove,
}

/// memcached's log.
#[derive(Default)]
pub(crate) struct Memcached {
    asked: HashMap<u64, Asked>,
    /// Kept for their memory.
    spare: Vec<Asked>,
}

impl Log for Memcached {
    fn line<'a>(&mut self, line: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        match said(line) {
            Some((b'<', connection, text)) => self.ask(connection, text, origin, out),
            Some((_, connection, text)) => {
                self.answer(connection, text, out);
                Line::Read
            }
            None if is_of_the_server(line) => Line::WithoutRecord,
            None => Line::Foreign,
        }
    }

    fn end(&mut self, out: &mut Out<'_>) {
        let mut asked: Vec<_> = self.asked.drain().map(|(_, asked)| asked).collect();
        asked.sort_by_key(|asked| match asked.origin {
            Origin::Line(number) | Origin::Row(number) => number,
        });
        for asked in asked {
            asked.push(None, out);
        }
    }
}

impl Memcached {
    fn ask<'a>(&mut self, connection: u64, text: &'a [u8], origin: Origin, out: &mut Out<'_>) -> Line<'a> {
        // The answer to its earlier request was not printed.
        if let Some(before) = self.asked.remove(&connection) {
            before.push(None, out);
            self.keep(before);
        }
        let mut words = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        let name = words.next().unwrap_or_default();
        if out.ignores(name) {
            return Line::WithoutRecord;
        }
        let bytes_after = |count: usize| words.clone().nth(count).and_then(number);
        let (what, first, count) = match name {
            b"get" | b"gets" => (What::Read, 0, usize::MAX),
            b"gat" | b"gats" => (What::Read, 1, usize::MAX),
            b"mg" | b"GET" | b"GETK" | b"GETQ" | b"GETKQ" => (What::Read, 0, 1),
            b"set" => (What::Store(Operation::Upsert, bytes_after(3)), 0, 1),
            b"add" => (What::Store(Operation::Insert, bytes_after(3)), 0, 1),
            b"replace" | b"cas" => (What::Store(Operation::Update, bytes_after(3)), 0, 1),
            b"ms" => (What::Store(Operation::Upsert, bytes_after(1)), 0, 1),
            b"SET" => (What::Store(Operation::Upsert, binary_bytes(text)), 0, 1),
            b"ADD" => (What::Store(Operation::Insert, binary_bytes(text)), 0, 1),
            b"REPLACE" => (What::Store(Operation::Update, binary_bytes(text)), 0, 1),
            // The length of what comes of it is not printed.
            b"append" | b"prepend" | b"incr" | b"decr" | b"ma" => (What::Store(Operation::Update, None), 0, 1),
            b"delete" | b"md" | b"DELETE" => (What::Remove, 0, 1),
            b"flush_all" => return Line::Unlike(name),
            _ => return Line::WithoutRecord,
        };
        let mut asked = self.spare.pop().unwrap_or_else(|| Asked { origin, what, keys: Vec::new(), ends: Vec::new() });
        (asked.origin, asked.what) = (origin, what);
        for key in words.skip(first).take(count) {
            asked.keys.extend_from_slice(key);
            asked.ends.push((asked.keys.len(), false));
        }
        let lacks_length = matches!(what, What::Store(Operation::Upsert | Operation::Insert, None));
        if asked.ends.is_empty() || lacks_length || self.asked.len() >= CONNECTIONS_MAX {
            self.keep(asked);
            return Line::Foreign;
        }
        self.asked.insert(connection, asked);
        Line::Read
    }

    fn answer(&mut self, connection: u64, text: &[u8], out: &mut Out<'_>) {
        let Some(asked) = self.asked.get_mut(&connection) else { return };
        if let Some(key) = text.strip_prefix(b"sending key ") {
            asked.found(key);
            return;
        }
        // A binary answer begins with lines that are no answer.
        if text.starts_with(b"Writing bin response") || text.trim_ascii_start().starts_with(b"0x") {
            return;
        }
        if let Some(asked) = self.asked.remove(&connection) {
            asked.push(Some(text), out);
            self.keep(asked);
        }
    }

    fn keep(&mut self, mut asked: Asked) {
        asked.keys.clear();
        asked.ends.clear();
        self.spare.push(asked);
    }
}

impl Asked {
    fn keys(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let mut begin = 0;
        self.ends.iter().map(move |(end, is_found)| (&self.keys[std::mem::replace(&mut begin, *end)..*end], *is_found))
    }

    /// Notes that a key was found: it is the first of this name that was not yet.
    fn found(&mut self, key: &[u8]) {
        let place = self.keys().position(|(asked, is_found)| !is_found && key == asked);
        if let Some(place) = place {
            self.ends[place].1 = true;
        }
    }

    /// Gives the operations that it is, with this answer; `None` if none was printed.
    fn push(&self, answer: Option<&[u8]>, out: &mut Out<'_>) {
        let is = |words: &[&[u8]]| answer.is_some_and(|answer| words.iter().any(|word| answer.starts_with(word)));
        let failed = is(&[b"ERROR", b"CLIENT_ERROR", b"SERVER_ERROR"]);
        for (key, is_found) in self.keys().filter(|_| !failed) {
            let missing = (Operation::Get, Some(0));
            let (operation, value_bytes) = match self.what {
                What::Read if is_found => (Operation::Get, None),
                // `END` follows found values; `EN` of `mg` and the binary error mean that nothing was found.
                What::Read if is(&[b"EN", b"Writing an error: Not found"]) => missing,
                What::Read => (Operation::Get, None),
                // An `add` of an existing record and a `cas` of a changed one have looked, and found it.
                What::Store(Operation::Insert, _) if is(&[b"NOT_STORED", b"NS"]) => (Operation::Get, None),
                What::Store(Operation::Update, _) if is(&[b"EXISTS", b"EX"]) => (Operation::Get, None),
                // What changes a record has looked, and found none.
                What::Store(Operation::Update, _) if is(&[b"NOT_FOUND", b"NOT_STORED", b"NF", b"NS"]) => missing,
                What::Store(operation, value_bytes) => (operation, value_bytes),
                What::Remove => (Operation::Delete, None),
            };
            out.push(self.origin, (operation, key), value_bytes, None);
        }
    }
}

/// Whether memcached's log begins with this line: with the sizes that it divides its memory into.
pub(crate) fn is_memcached_head(line: &[u8]) -> bool {
    let middle = line.strip_prefix(b"slab class").and_then(|rest| memmem::find(rest, b": chunk size"));
    middle.is_some() && memmem::find(line, b" perslab ").is_some()
}

/// Whether a line is one of memcached's log, and about a record.
pub(crate) fn is_memcached_line(line: &[u8]) -> bool {
    const NAMES: [&[u8]; 14] = [
        b"get", b"gets", b"set", b"add", b"replace", b"append", b"prepend", b"cas", b"incr", b"decr", b"delete", b"mg",
        b"ms", b"md",
    ];
    const ANSWERS: [&[u8]; 8] =
        [b"sending key ", b"END", b"STORED", b"NOT_STORED", b"DELETED", b"NOT_FOUND", b"EXISTS", b"HD"];
    match said(line) {
        Some((b'<', _, text)) => {
            let mut words = text.split(|byte| *byte == b' ');
            words.next().is_some_and(|name| NAMES.contains(&name)) && words.next().is_some()
                || text.starts_with(b"new ") && text.ends_with(b" client connection")
        }
        Some((_, _, text)) => ANSWERS.iter().any(|answer| text.starts_with(answer)),
        None => is_memcached_head(line),
    }
}

/// Whether a line tells something else.
fn is_of_the_server(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // `28: Client using the ascii protocol`, and with `-vvv` the states of a connection and its look-ups.
    let is_state = digits > 0 && line[digits..].starts_with(b": ");
    is_state || is_memcached_head(line) || line.starts_with(b"> FOUND KEY") || line.starts_with(b"> NOT FOUND")
}

/// Which way something went, the number of the connection, and the text.
fn said(line: &[u8]) -> Option<(u8, u64, &[u8])> {
    let (way @ (b'<' | b'>'), rest) = (*line.first()?, &line[1..]) else { return None };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    Some((way, number(&rest[..digits])?, rest[digits..].strip_prefix(b" ")?))
}

/// The length of `SET key Value len is 6`.
fn binary_bytes(text: &[u8]) -> Option<u64> {
    const BEFORE: &[u8] = b" Value len is ";
    number(&text[memmem::find(text, BEFORE)? + BEFORE.len()..])
}
