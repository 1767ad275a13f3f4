//! Logs that other programs write, as they print them: what each line becomes, and that printed text is read back.

mod access;
mod json;
mod memcached;
mod redis;
mod rocksdb;
mod sql;
mod strace;

use bakeoff_tape::Operation;
use bakeoff_trace::{Form, Omitted, ReadOptions, Trace};
use proptest::prelude::*;

/// An operation as it is read: kind, key, length of the value.
type Row = (Operation, Vec<u8>, Option<u64>);

/// The result of reading a log.
#[derive(Debug)]
struct Read {
    rows: Vec<Row>,
    times: Vec<Option<f64>>,
    omitted: Omitted,
}

fn read_with(text: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Read, String> {
    let mut trace = Trace::new(text.as_ref(), options).map_err(|why| why.to_string())?;
    let (mut rows, mut times) = (Vec::new(), Vec::new());
    while let Some(event) = trace.next_event().map_err(|why| why.to_string())? {
        assert_eq!(event.key.len() as u64, event.key_bytes);
        rows.push((event.operation, event.key.to_vec(), event.value_bytes));
        times.push(event.time_s);
    }
    Ok(Read { rows, times, omitted: trace.omitted().clone() })
}

/// Reads a log and recognises its form.
fn read(text: impl AsRef<[u8]>) -> Result<Read, String> {
    read_with(text, &ReadOptions::default())
}

fn ignoring(names: &[&str]) -> ReadOptions {
    ReadOptions { ignore: names.iter().map(|name| (*name).to_owned()).collect(), ..ReadOptions::default() }
}

fn row(operation: Operation, key: impl AsRef<[u8]>, value_bytes: impl Into<Option<u64>>) -> Row {
    (operation, key.as_ref().to_vec(), value_bytes.into())
}

/// Anything that may be a key or a value.
fn bytes(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![prop::collection::vec(any::<u8>(), 1..longest), "[a-z:/0-9\"\\\\ ]{1,30}".prop_map(String::into_bytes)]
}

#[test]
fn one_word_makes_no_form() {
    for text in [
        "GET\n",
        "get foo\n",
        "1700000000.000001 [0 x] get\n",
        "SET usertable\n",
        "0x00 is what it begins with\n",
        "SELECT what you like\n",
        "open(the door\n",
        "{\"op\": \n",
        "<28 get\n",
        "[28/Nov/2026:04:00:00 +0000] GET /\n",
    ] {
        assert!(read(text).unwrap_err().contains("is the beginning of no known trace"), "{text}");
    }
}

proptest! {
    /// Lines of one form among those of others, whole or cut.
    #[test]
    fn no_line_is_too_strange(lines in prop::collection::vec("[ -~]{0,60}", 0..20), form in 0..Form::ALL.len()) {
        let _ = read_with(lines.join("\n"), &Form::ALL[form].1.into());
    }
}
