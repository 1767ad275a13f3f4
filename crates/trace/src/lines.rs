//! Lines of a text and rows of a table in it, read with memory for the longest of them, which is bounded.
//!
//! A table follows RFC 4180, and takes tables written by hand: blanks around a field are not part of it unless it is in
//! quotation marks. In them, a field may hold commas, line ends and blanks.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use memchr::{memchr, memchr3_iter};

use crate::awaited::is_stopped;
use crate::error::{Origin, TraceError};

/// The longest line or row that is read, in bytes: a file without line ends must not fill the memory.
pub(crate) const LINE_BYTES_MAX: usize = 16 << 20;

/// The first lines, by which the form of a trace is recognised.
pub(crate) const LINES_LOOKED_AT: usize = 64;

/// Bytes that are read at a time, unless a line is longer.
const BUFFER_BYTES: usize = 1 << 18;

/// A field of a row.
pub(crate) struct Field {
    pub(crate) place: Range<usize>,
    /// Blanks at its ends are its own.
    pub(crate) whole: bool,
}

/// The fields of a row, in its bytes.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) fields: &'a [Field],
}

impl<'a> Row<'a> {
    /// A field without surrounding blanks; empty if there is none.
    pub(crate) fn field(&self, column: usize) -> &'a [u8] {
        let Some(field) = self.fields.get(column) else { return &[] };
        let bytes = &self.bytes[field.place.clone()];
        if field.whole { bytes } else { bytes.trim_ascii() }
    }
}

/// A text that is being read.
pub(crate) struct Lines<R> {
    input: R,
    /// The program that compressed what the input unpacks.
    compression: Option<&'static str>,
    buffer: Vec<u8>,
    /// The bytes read but not given out yet, and the number of their first line.
    begin: usize,
    end: usize,
    number: u64,
    fields: Vec<Field>,
    /// The last row, and the number of its first line.
    row: (Range<usize>, u64),
    /// What separates the fields of a row.
    pub(crate) separator: u8,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R, compression: Option<&'static str>) -> Self {
        Self {
            input,
            compression,
            buffer: vec![0; BUFFER_BYTES],
            begin: 0,
            end: 0,
            number: 1,
            fields: Vec::new(),
            row: (0..0, 0),
            separator: b',',
        }
    }

    /// The next line without its end, which stays; `None` at the end of the text.
    pub(crate) fn peek(&mut self) -> Result<Option<&[u8]>, TraceError> {
        let found = self.line_bytes()?;
        Ok(found.map(|bytes| self.buffer[self.begin..self.begin + bytes].trim_ascii_end()))
    }

    /// The first lines without their ends, up to `most`; they stay to be read. All are whole, unless there is only one.
    pub(crate) fn peek_many(&mut self, most: usize) -> Result<Vec<&[u8]>, TraceError> {
        let Some(first) = self.line_bytes()? else { return Ok(Vec::new()) };
        let mut lines = vec![self.buffer[self.begin..self.begin + first].trim_ascii_end()];
        let mut begin = self.begin + first + 1;
        while lines.len() < most && begin < self.end {
            let Some(bytes) = memchr(b'\n', &self.buffer[begin..self.end]) else { break };
            lines.push(self.buffer[begin..begin + bytes].trim_ascii_end());
            begin += bytes + 1;
        }
        Ok(lines)
    }

    /// Skips `bytes` bytes that were seen.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.begin = (self.begin + bytes).min(self.end);
    }

    /// The next line without its end, and its number; `None` at the end of the text.
    pub(crate) fn next_line(&mut self) -> Result<Option<(u64, &[u8])>, TraceError> {
        let Some(bytes) = self.line_bytes()? else { return Ok(None) };
        let (begin, number) = (self.begin, self.number);
        self.skip(bytes + 1);
        self.number += 1;
        Ok(Some((number, &self.buffer[begin..begin + bytes])))
    }

    /// The length of the next line.
    fn line_bytes(&mut self) -> Result<Option<usize>, TraceError> {
        let mut searched = 0;
        loop {
            if let Some(more) = memchr(b'\n', &self.buffer[self.begin + searched..self.end]) {
                return Ok(Some(searched + more));
            }
            searched = self.end - self.begin;
            if !self.fill()? {
                return Ok(Some(searched).filter(|bytes| *bytes > 0));
            }
        }
    }

    /// The next row and the number of its first line; `None` at the end of the text. Empty lines are passed over.
    #[inline]
    pub(crate) fn next_row(&mut self) -> Result<Option<(u64, Row<'_>)>, TraceError> {
        loop {
            let number = self.number;
            let Some(bytes) = self.split()? else { return Ok(None) };
            let begin = self.begin;
            self.skip(bytes + 1);
            self.number += 1;
            let is_empty = self.fields.len() == 1 && self.buffer[begin..begin + bytes].trim_ascii().is_empty();
            if !is_empty {
                self.row = (begin..begin + bytes, number);
                return Ok(Some(self.row_again()));
            }
        }
    }

    /// The last row again.
    #[inline]
    pub(crate) fn row_again(&self) -> (u64, Row<'_>) {
        (self.row.1, Row { bytes: &self.buffer[self.row.0.clone()], fields: &self.fields })
    }

    /// Finds the fields of the next row, and its length.
    #[inline]
    fn split(&mut self) -> Result<Option<usize>, TraceError> {
        loop {
            self.fields.clear();
            let text = &self.buffer[self.begin..self.end];
            let mut begin = 0;
            for at in memchr3_iter(self.separator, b'\n', b'"', text) {
                if text[at] == b'"' {
                    return self.split_quoted();
                }
                self.fields.push(Field { place: begin..at, whole: false });
                if text[at] == b'\n' {
                    return Ok(Some(at));
                }
                begin = at + 1;
            }
            if !self.fill()? {
                let bytes = self.end - self.begin;
                self.fields.push(Field { place: begin..bytes, whole: false });
                return Ok(Some(bytes).filter(|bytes| *bytes > 0));
            }
        }
    }

    /// The same for a row with quotation marks, which are taken out.
    #[cold]
    fn split_quoted(&mut self) -> Result<Option<usize>, TraceError> {
        let bytes = loop {
            if let Some(bytes) = row_bytes(&self.buffer[self.begin..self.end], self.separator) {
                break bytes;
            }
            if !self.fill()? {
                break self.end - self.begin;
            }
        };
        self.fields.clear();
        let row = &mut self.buffer[self.begin..self.begin + bytes];
        let lines = lines_in(row);
        if let Err(found) = unquote(row, self.separator, &mut self.fields) {
            let expected = "a quotation mark at the end of each field that begins with one, and two for one inside";
            let line = self.number + lines_in(&row[..found]);
            // A mark that is never closed makes the rest of the file one field.
            let field = row[found..].split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
            return Err(TraceError::line(Origin::Line(line), "a field", field, expected));
        }
        self.number += lines;
        Ok(Some(bytes))
    }

    /// Reads more behind the bytes in the buffer; false at the end of the text.
    fn fill(&mut self) -> Result<bool, TraceError> {
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        if self.end == self.buffer.len() {
            if self.end >= LINE_BYTES_MAX {
                return Err(TraceError::LineTooLong { line: self.number, most: LINE_BYTES_MAX });
            }
            self.buffer.resize(self.end * 2, 0);
        }
        let before = self.end;
        while self.end < self.buffer.len() {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(bytes) => self.end += bytes,
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => {
                    let line = self.number + lines_in(&self.buffer[self.begin..self.end]);
                    return Err(match self.compression {
                        // What the operating system refuses has a number, what a decoder refuses has none.
                        Some(compression) if why.raw_os_error().is_none() && !is_stopped(&why) => {
                            TraceError::Damaged { line, compression, cause: why }
                        }
                        _ => why.into(),
                    });
                }
            }
        }
        Ok(self.end > before)
    }
}

fn lines_in(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Whether a byte around a field is no part of it.
fn is_blank(byte: u8, separator: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r') && byte != separator
}

/// The length of a row whose fields may have line ends in quotation marks; `None` if it goes on.
fn row_bytes(text: &[u8], separator: u8) -> Option<usize> {
    // Whether a quotation mark opens a field, or goes on with it as the second of two.
    let (mut opens, mut open) = (true, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'"' if open => (open, opens) = (false, true),
            _ if open => {}
            b'"' if opens => open = true,
            b'\n' => return Some(at),
            byte if *byte == separator => opens = true,
            byte => opens &= is_blank(*byte, separator),
        }
    }
    None
}

/// Takes the quotation marks out of a row. Its fields are then at these places. An error is the place of the mistake.
fn unquote(row: &mut [u8], separator: u8, fields: &mut Vec<Field>) -> Result<(), usize> {
    let mut at = 0;
    loop {
        let open = at + row[at..].iter().take_while(|byte| is_blank(**byte, separator)).count();
        let end = if row.get(open) == Some(&b'"') {
            let (mut from, mut to) = (open + 1, open + 1);
            loop {
                match (row.get(from), row.get(from + 1)) {
                    (None, _) => return Err(open),
                    (Some(b'"'), Some(b'"')) => from += 1,
                    (Some(b'"'), _) => break,
                    _ => {}
                }
                row[to] = row[from];
                (from, to) = (from + 1, to + 1);
            }
            fields.push(Field { place: open + 1..to, whole: true });
            let close = from + 1;
            let end = close + row[close..].iter().take_while(|byte| is_blank(**byte, separator)).count();
            if row.get(end).is_some_and(|byte| *byte != separator) {
                return Err(open);
            }
            end
        } else {
            let end = memchr(separator, &row[at..]).map_or(row.len(), |more| at + more);
            fields.push(Field { place: at..end, whole: false });
            end
        };
        if end >= row.len() {
            return Ok(());
        }
        at = end + 1;
    }
}
