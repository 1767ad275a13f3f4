//! Rows and lines of texts: the same as the csv library reads them, and bounded.

use std::io::{Read, repeat};
use std::ops::ControlFlow;

use bakeoff_trace::{Form, Origin, ReadOptions, Trace, TraceError};
use proptest::prelude::*;

const HEAD: &str = "op,key,value_size\n";

/// Keys by this crate.
fn keys(text: &str) -> Result<Vec<(Origin, Vec<u8>)>, TraceError> {
    let mut trace = Trace::new(text.as_bytes(), &Form::Csv.into())?;
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
        let options = ReadOptions { form, ..ReadOptions::default() };
        let refused = Trace::new(counted, &options).and_then(|mut trace| {
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
            let read =
                Trace::open(&path, &ReadOptions::default(), &|_| ControlFlow::Continue(())).and_then(|mut trace| {
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
    /// Rows longer than one read, and rows across the ends of reads, are among them.
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

/// What an application's tables look like when other tools wrote them.
mod tables {
    use bakeoff_trace::{Omitted, TimeUnit, Zone};

    use super::*;

    fn events(text: &str) -> Result<Vec<Row>, String> {
        of(text, None)
    }

    type Row = (Vec<u8>, u64, Option<u64>, Option<f64>);

    fn of(text: &str, unit: Option<TimeUnit>) -> Result<Vec<Row>, String> {
        let options = ReadOptions { time_unit: unit, ..ReadOptions::default() };
        let mut trace = Trace::new(text.as_bytes(), &options).map_err(|why| why.to_string())?;
        let mut rows = Vec::new();
        while let Some(event) = trace.next_event().map_err(|why| why.to_string())? {
            rows.push((event.key.to_vec(), event.key_bytes, event.value_bytes, event.time_s));
        }
        Ok(rows)
    }

    #[test]
    fn a_row_that_counts_stands_for_as_many_operations() {
        let rows =
            events("key,op,size,op_count,key_size\n11,SET,80,1,40\n12,GET,170,19,40\n12,GET_LEASE,170,2,40\n").unwrap();
        assert_eq!(rows.len(), 22);
        assert_eq!((&rows[0].0[..], rows[0].1, rows[0].2), (&b"11"[..], 40, Some(80)));
        assert!(rows[1..].iter().all(|row| (&row.0[..], row.2) == (&b"12"[..], Some(170))));
        assert!(events("key,op,size,op_count\n1,GET,1,0\n").unwrap_err().contains("at least 1: leave the line out"));
    }

    #[test]
    fn a_column_that_may_change_the_meaning_is_not_passed_over() {
        for column in ["repeat", "batch_id", "size_delta", "txn", "status", "Result", "name-space", "table", "miss"] {
            let column = column.to_ascii_lowercase();
            let why = events(&format!("op,key,value_size,{column}\nget,a,1,7\n")).unwrap_err();
            assert!(why.contains(&format!("no column `{column}`, which could change what a row means")), "{why}");
        }
        assert_eq!(events("op,key,value_size,ttl,usecase\nget,a,1,7,x\n").unwrap().len(), 1);
        let why = events("op,key,value_sizes\nget,a,1\n").unwrap_err();
        assert!(why.contains("`value_sizes` is none (did you mean `value_size`?)"), "{why}");
        assert!(events("op,key,size,thred\nget,a,1,7\n").unwrap_err().contains("did you mean `thread`?"));
        let why = events("op,key,size,time_ms\nget,a,1,7\n").unwrap_err();
        assert!(why.contains("did you mean `time`?") && why.contains("--ignore time_ms"), "{why}");
        assert!(events("op,key,size,opCount\nget,a,1,7\n").unwrap().len() == 7);
        assert!(events("op,key,size,size\nget,a,1,1\n").unwrap_err().contains("one column named size"));
        assert_eq!(events("op,key,value_size,size\nget,a,1,9\n").unwrap()[0].2, Some(1), "the first name counts");
    }

    #[test]
    fn columns_may_be_separated_otherwise() {
        for separator in [';', '\t', '|'] {
            let text = "op,key,value_size\nget,a,1\nset,\"b\",20\n".replace(',', &separator.to_string());
            let rows = events(&text).unwrap();
            assert_eq!((rows.len(), &rows[1].0[..], rows[1].2), (2, &b"b"[..], Some(20)), "{separator:?}");
        }
    }

    #[test]
    fn numbers_and_times_are_read_as_data_frames_write_them() {
        let text = "time,op,key,value_size\n2026-11-28 04:00:00.000Z,get,a,333.0\n2026-11-28T04:00:00.007Z,set,b,101.00\n\
                    2026-11-28T05:00:01+01:00,get,a,333\n";
        let rows = events(text).unwrap();
        assert_eq!(rows.iter().map(|row| row.2).collect::<Vec<_>>(), [Some(333), Some(101), Some(333)]);
        let times: Vec<f64> = rows.iter().map(|row| row.3.unwrap()).collect();
        assert!((times[1] - times[0] - 0.007).abs() < 1e-6 && (times[2] - times[0] - 1.0).abs() < 1e-6, "{times:?}");
        assert!(events("op,key,value_size\nget,a,333.5\n").unwrap_err().contains("a whole number"));
        assert!(events("op,key,value_size,time\nget,a,3,yesterday\n").unwrap_err().contains("2026-01-31T23:59:59.5Z"));
    }

    #[test]
    fn dates_without_a_zone_are_of_the_zone_that_is_named() {
        let text = "time,op,key,value_size\n2026-10-25 02:30:00,get,a,1\n2026-10-25 03:00:00,get,a,1\n";
        let duration = |zone: Option<&str>| {
            let time_zone = zone.map(|name| Zone::named(name).unwrap());
            let options = ReadOptions { time_zone, ..ReadOptions::default() };
            let mut trace = Trace::new(text.as_bytes(), &options).unwrap();
            let first = trace.next_event().unwrap().unwrap().time_s.unwrap();
            let last = trace.next_event().unwrap().unwrap().time_s.unwrap();
            (last - first, trace.lacks_zone())
        };
        assert_eq!(duration(None), (1800.0, true));
        assert_eq!(duration(Some("Europe/Zurich")), (5400.0, false), "an hour came twice there");
        assert!(Zone::named("Europe/Atlantis").is_none());
        for (one, other) in [("2026-11-28 04:00:00", "2026-11-28T04:00:00.007Z"), ("1795838400", "2026-11-28 04:00:00")]
        {
            let why = events(&format!("op,key,size,time\nget,a,1,{one}\nget,a,1,{other}\n")).unwrap_err();
            assert!(why.contains("all dates with a zone, or all dates without one"), "{why}");
        }
    }

    fn with(text: &str, ignore: &[&str], key_prefix: &str) -> Result<(Vec<Row>, Omitted), String> {
        let ignore = ignore.iter().map(|name| (*name).to_owned()).collect();
        let options = ReadOptions { ignore, key_prefix: key_prefix.into(), ..ReadOptions::default() };
        let mut trace = Trace::new(text.as_bytes(), &options).map_err(|why| why.to_string())?;
        let mut rows = Vec::new();
        while let Some(event) = trace.next_event().map_err(|why| why.to_string())? {
            rows.push((event.key.to_vec(), event.key_bytes, event.value_bytes, event.time_s));
        }
        Ok((rows, trace.omitted().clone()))
    }

    #[test]
    fn what_does_not_matter_is_ignored_and_counted() {
        let text = "op,key,value_size,batch_id,time\nget,a,1,7,5\nfetch,b,1,7,4\nscan,c,,8,3\nset,d,2,8,2\n";
        let (rows, omitted) = with(text, &["batch_id", "fetch", "SCAN", "time"], "").unwrap();
        assert_eq!(rows, [(b"a".to_vec(), 1, Some(1), None), (b"d".to_vec(), 1, Some(2), None)]);
        assert_eq!((omitted.without_record, omitted.unread), (2, 0));
        let why = with(text, &["batch_id", "fetch"], "").unwrap_err();
        assert!(why.contains("sort the trace by time, or leave times out with --ignore time"), "{why}");
        assert!(with("op,key,size\ngte,a,1\n", &[], "").unwrap_err().contains("(did you mean `get`?)"));
    }

    #[test]
    fn text_in_utf_16_is_recognised() {
        let bytes: Vec<u8> = "\u{feff}op,key,size\nget,a,1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let why = Trace::new(&bytes[..], &ReadOptions::default()).err().unwrap();
        assert!(matches!(why, TraceError::Utf16) && why.to_string().contains("iconv -f UTF-16"), "{why}");
    }

    #[test]
    fn columns_that_are_not_read_are_named() {
        let text = "Unnamed: 0,op,key,value_size,ttl,latency_us,pid,notable\n0,get,a,1,60,5,7,x\n";
        assert_eq!(with(text, &["pid"], "").unwrap().1.columns, ["ttl", "latency_us", "notable"]);
        assert!(with("op,key,value_len\nexists,a,\nstore,a,1\nerase,a,\n", &[], "").unwrap().1.columns.is_empty());
        for (name, unit) in
            [("time_ms", " and give --time-unit ms"), ("ts-us", " and give --time-unit us"), ("timestamps", "")]
        {
            let why = with(&format!("op,key,value_size,{name}\nget,a,1,7\n"), &[], "").unwrap_err();
            assert!(why.contains(&format!("Rename it{unit}, or leave it out with --ignore {name}")), "{why}");
        }
        let logged = "asctime,op,key,value_size\n\"2026-11-28 04:00:00,123\",get,a,1\n";
        assert!(with(logged, &[], "").unwrap().0[0].3.is_some(), "as Python's logging writes times");
    }

    #[test]
    fn keys_of_one_prefix_are_taken_without_it() {
        let text = "op,key,key_size,value_size\nget,users/1,12,1\nget,notes/2,7,1\nset,users/,6,1\nset,users/3,7,9\n";
        let (rows, omitted) = with(text, &[], "users/").unwrap();
        assert_eq!(rows, [(b"1".to_vec(), 6, Some(1), None), (b"3".to_vec(), 1, Some(9), None)]);
        assert_eq!(omitted.other_keys, 2);
    }

    /// For Meta's kvcache traces, whose rows count.
    #[test]
    fn a_row_says_how_many_of_its_reads_found_something() {
        let text = "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n\
                    604038471,4ccc6e0fdd163416,87,GET,3,8,2,0,1,2\n604038471,82131353f9ddc8c6,48,SET,1,87,0,7200,1,2\n\
                    604038472,a54f88ab02ece24d,24,GET_LEASE,2,0,0,0,3,3\n604038472,a54f88ab02ece24d,24,DELETE,1,0,0,0,3,3\n";
        let sizes = |text: &str| events(text).unwrap().into_iter().map(|row| row.2).collect::<Vec<_>>();
        let expected = [Some(8), Some(8), Some(0), Some(87), Some(0), Some(0), Some(0)];
        assert_eq!(sizes(text), expected);
        assert_eq!(events(text).unwrap()[0].1, 87, "keys are hashes, and longer than those");
        let renamed = text.replace("op_time", "time").replace(",size,", ",value_size,").replace("cache_hits", "hits");
        assert_eq!(sizes(&renamed), expected);
        let words = sizes("op,key,size,found\nget,a,5,true\nget,a,5,MISS\nget,a,5,\nget,b,0,1\n");
        assert_eq!(words, [Some(5), Some(0), Some(5), None], "what is empty and was found has a length of 0 or more");
        assert!(events("op,key,size,hit\nget,a,5,2\n").unwrap_err().contains("hits is `2`"));
    }

    /// Two minutes became 33 hours.
    #[test]
    fn a_unit_that_makes_next_to_no_operations_a_second_is_asked_for() {
        let text = "op,key,value_size,time\nget,a,100,0\nset,b,20,7\nget,a,100,14\nget,b,20,1000\n";
        let why = events(text).unwrap_err();
        assert!(why.contains("4 operations in 1,000 seconds") && why.contains("--time-unit ms"), "{why}");
        let last = |unit| of(text, Some(unit)).unwrap()[3].3.unwrap();
        assert_eq!([TimeUnit::Milliseconds, TimeUnit::Seconds].map(last), [1.0, 1000.0]);
        assert!(events("op,key,value_size,time\nget,a,1,1700000000000\n").unwrap_err().contains("--time-unit ms"));
        assert!(
            events("op,key,value_size,time\nget,a,1,5\nget,a,1,4\n").unwrap_err().contains("sort the trace by time")
        );
    }

    #[test]
    fn a_key_in_hexadecimal_digits_is_as_long_as_its_bytes() {
        let rows =
            events("op,key,key_size,value_size\nset,0x00000000000000ff,8,100\nget,00000000000000FF,8,100\n").unwrap();
        assert!(rows.iter().all(|row| row.0 == [0, 0, 0, 0, 0, 0, 0, 255] && row.1 == 8), "{rows:?}");
        let why = events("op,key,key_size,value_size\nset,user:1,3,100\n").unwrap_err();
        assert!(why.contains("at least the 6 bytes of the key, or half of its hexadecimal digits"), "{why}");
    }

    /// One word of a line made a trace of SQL one of YCSB, without its SELECTs.
    #[test]
    fn statements_of_sql_are_no_log_of_ycsb() {
        let inserted = events("INSERT INTO notes VALUES ('n/1','aaaa')\n").unwrap();
        assert_eq!((&inserted[0].0[..], inserted[0].2), (&b"n/1"[..], Some(4)));
        for (statement, name) in [("SELECT v FROM notes", "other-select"), ("UPDATE notes SET v='b'", "other-update")] {
            let why = events(&format!("{statement}\n")).unwrap_err();
            assert!(why.contains(&format!("--ignore {name} leaves them out")), "{statement}: {why}");
        }
        let log = |others: usize| {
            let read = "READ usertable user1 [ <all fields>]\n";
            format!(
                "Loading workload...\n{}{}DELETE usertable user1\n[OVERALL], RunTime(ms), 12\n",
                read.repeat(150),
                "what?\n".repeat(others)
            )
        };
        assert_eq!(of_ycsb(&log(1)).unwrap(), 151);
        let why = of_ycsb(&log(2)).unwrap_err();
        let words = "2 lines next to 151 operations cannot be read as operations, more than one in a hundred. The first is line 152, `what?`";
        assert!(why.contains(words), "{why}");
    }

    fn of_ycsb(text: &str) -> Result<usize, String> {
        let mut trace = Trace::new(text.as_bytes(), &Form::Ycsb.into()).map_err(|why| why.to_string())?;
        let mut count = 0;
        while trace.next_event().map_err(|why| why.to_string())?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}
