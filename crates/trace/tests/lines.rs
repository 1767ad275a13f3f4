//! Rows and lines of texts: the same as the csv library reads them, and bounded.

use std::io::{Read, repeat};

use bakeoff_trace::{Form, Origin, Trace, TraceError};
use proptest::prelude::*;

const HEAD: &str = "op,key,value_size\n";

/// Keys by this crate.
fn keys(text: &str) -> Result<Vec<(Origin, Vec<u8>)>, TraceError> {
    let mut trace = Trace::new(text.as_bytes(), Some(Form::Csv))?;
    let mut keys = Vec::new();
    while let Some(event) = trace.next_event()? {
        keys.push((event.origin, event.key.to_vec()));
    }
    Ok(keys)
}

#[test]
fn lines_are_counted_where_fields_have_line_ends() {
    let text = format!("{HEAD}get,\"a\nb\",1\n\n\nget,c,1\r\nget,\"d\"\"e\",1");
    let expected = [(2, &b"a\nb"[..]), (6, b"c"), (7, b"d\"e")].map(|(line, key)| (Origin::Line(line), key.to_vec()));
    assert_eq!(keys(&text).unwrap(), expected);
}

#[test]
fn quotation_marks_that_do_not_match_are_told() {
    let long = format!("get,c,1\nget,\"{},1\n", "d".repeat(100));
    let cut = format!("line 3: a field is `\"{}…`", "d".repeat(39));
    for (row, found) in [
        ("get,\"a,1\nset,b,2\n", "line 2: a field is `\"a,1`"),
        ("get,\"a\"b,1\n", "line 2"),
        ("get,\"a\nb\",\"1\n", "line 3: a field is `\"1`"),
        (&long, &cut),
    ] {
        let why = keys(&format!("{HEAD}{row}")).unwrap_err().to_string();
        assert!(why.contains(found) && why.contains("a quotation mark at the end of each field"), "{why}");
    }
}

/// 300 MiB of one byte after what begins as a trace: it must be refused long before its end.
#[test]
fn a_line_without_an_end_is_refused() {
    let beginnings: [(&str, Option<Form>, u64); 5] = [
        ("op,key,value_size\nget,", None, 2),
        ("op,key,value_size\nget,\"", None, 2),
        ("0,key,3,4,5,get,0\n1,", None, 2),
        ("READ usertable user1 [ <all fields>]\nREAD usertable ", None, 2),
        ("", Some(Form::Csv), 1),
    ];
    for (beginning, form, line) in beginnings {
        let mut read = 0_usize;
        let endless = beginning.as_bytes().chain(repeat(b'x').take(300 << 20));
        let counted = Counted { input: endless, read: &mut read };
        let refused = Trace::new(counted, form).and_then(|mut trace| {
            while trace.next_event()?.is_some() {}
            Ok(())
        });
        let why = refused.unwrap_err();
        assert!(matches!(why, TraceError::LineTooLong { line: told, .. } if told == line), "{beginning}: {why}");
        assert!(read < 40 << 20, "{beginning}: {read} bytes were read");
    }
}

struct Counted<'a, R> {
    input: R,
    read: &'a mut usize,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.input.read(buffer).inspect(|bytes| *self.read += bytes)
    }
}

#[test]
fn a_compressed_trace_that_is_cut_off_is_told_with_its_line() {
    // No two lines are alike, so that half of the bytes hold about half of the lines.
    let text = (0..50_000_u64)
        .fold(HEAD.to_owned(), |text, n| text + &format!("get,{:x},1\n", n.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, text.as_bytes()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    for (name, packed) in [("gzip", gzip.finish().unwrap()), ("zstd", zstd::encode_all(text.as_bytes(), 1).unwrap())] {
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let read = Trace::open(&path, None).and_then(|mut trace| {
                while trace.next_event()?.is_some() {}
                Ok(())
            });
            match read.unwrap_err() {
                why @ TraceError::Damaged { line, .. } => (line, why.to_string()),
                why => panic!("{name}: {why}"),
            }
        };
        let (line, why) = refused(&packed[..packed.len() / 2]);
        assert!((10_000..40_000).contains(&line), "{name}: {why}");
        assert!(why.starts_with(&format!("line {line}: ")) && why.contains(&format!("{name} stream")), "{why}");
        assert!(why.contains(&format!("{name} -dc FILE | head -n {}", line - 1)), "{why}");
        let (line, why) = refused(&packed[..20]);
        assert!(line == 1 && !why.contains("head -n"), "there is no line to keep: {why}");
    }
}

proptest! {
    /// Rows longer than what is read at a time, and rows that lie across its ends, among them.
    #[test]
    fn rows_are_those_of_the_csv_library(
        keys_written in prop::collection::vec("[a-z\",\n \u{e9}]{1,30}", 1..200),
        padding in 0..70_000_usize,
    ) {
        let mut written = csv::Writer::from_writer(Vec::new());
        written.write_record(["op", "key", "value_size", "comment"]).unwrap();
        for key in &keys_written {
            // A blank at an end is the field's own in quotation marks alone.
            let key = format!("k{key}k");
            written.write_record(["get", &key, "1", &"x".repeat(padding)]).unwrap();
        }
        let text = String::from_utf8(written.into_inner().unwrap()).unwrap();
        let read = keys(&text).unwrap().into_iter().map(|(_, key)| key);
        let mut library = csv::Reader::from_reader(text.as_bytes());
        let expected = library.byte_records().map(|row| row.unwrap()[1].to_vec());
        prop_assert!(read.eq(expected));
    }
}
