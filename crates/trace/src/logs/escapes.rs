//! Bytes that a log writes with backslashes: `\"`, `\\`, `\n`, `\x1f`.

use memchr::{memchr, memchr2};

/// The length up to the quotation mark that ends a text; `None` if there is none.
pub(crate) fn quoted_bytes(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Appends the bytes that a text means.
pub(crate) fn unescape(text: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        bytes.extend_from_slice(&rest[..at]);
        let (byte, taken) = escaped(&rest[at..]);
        bytes.push(byte);
        rest = &rest[at + taken..];
    }
    bytes.extend_from_slice(rest);
}

/// How many bytes a text means.
pub(crate) fn unescaped_bytes(text: &[u8]) -> u64 {
    let (mut rest, mut bytes) = (text, 0);
    while let Some(at) = memchr(b'\\', rest) {
        bytes += at as u64 + 1;
        rest = &rest[at + escaped(&rest[at..]).1..];
    }
    bytes + rest.len() as u64
}

/// The byte that a backslash and the following characters mean, and how many they are. A backslash that begins nothing
/// is a backslash.
fn escaped(text: &[u8]) -> (u8, usize) {
    let digit = |at: usize| text.get(at).and_then(|digit| char::from(*digit).to_digit(16));
    match text.get(1) {
        Some(b'n') => (b'\n', 2),
        Some(b'r') => (b'\r', 2),
        Some(b't') => (b'\t', 2),
        Some(b'a') => (7, 2),
        Some(b'b') => (8, 2),
        Some(b'x') => match (digit(2), digit(3)) {
            (Some(high), Some(low)) => ((high << 4 | low) as u8, 4),
            _ => (b'\\', 1),
        },
        Some(byte @ (b'"' | b'\\')) => (*byte, 2),
        _ => (b'\\', 1),
    }
}
