//! Traces as Parquet say the same as the same rows as CSV; damaged ones are refused.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bakeoff_trace::{ReadOptions, Summary, Trace, TraceError};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

const CSV: &str = "time,op,key,value_size,thread\n0,get,7,10,a\n0.5,set,8,300,b\n2,get,7,,a\n";

/// A column's values, a row each.
enum Values {
    Text(&'static [&'static str]),
    Float(&'static [f32]),
    Double(&'static [f64]),
    Int(&'static [i32]),
    /// Rows without one of these numbers are null.
    IntOrNull(&'static [i32], &'static [i16]),
    Long(&'static [i64]),
    Bool(&'static [bool]),
}

/// A file of columns with these declarations.
fn write_columns(path: &Path, compression: Compression, columns: &[(&str, Values)]) {
    let declarations: String = columns.iter().map(|(declaration, _)| format!("{declaration} ")).collect();
    let schema = Arc::new(parse_message_type(&format!("message trace {{ {declarations} }}")).unwrap());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut file = SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(properties)).unwrap();
    let mut group = file.next_row_group().unwrap();
    for (_, values) in columns {
        let mut column = group.next_column().unwrap().unwrap();
        let written = match values {
            Values::Text(texts) => {
                let texts: Vec<_> = texts.iter().map(|text| ByteArray::from(*text)).collect();
                // A repeated column has one value in each row. Levels of required columns are ignored.
                let levels = (vec![1; texts.len()], vec![0; texts.len()]);
                column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels.0), Some(&levels.1))
            }
            Values::Float(numbers) => column.typed::<FloatType>().write_batch(numbers, None, None),
            Values::Double(numbers) => column.typed::<DoubleType>().write_batch(numbers, None, None),
            Values::Int(numbers) => column.typed::<Int32Type>().write_batch(numbers, None, None),
            Values::IntOrNull(numbers, levels) => column.typed::<Int32Type>().write_batch(numbers, Some(levels), None),
            Values::Long(numbers) => column.typed::<Int64Type>().write_batch(numbers, None, None),
            Values::Bool(answers) => column.typed::<BoolType>().write_batch(answers, None, None),
        };
        assert!(written.unwrap() > 0);
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
}

/// The rows of [`CSV`].
fn write(path: &Path, compression: Compression) {
    let columns = [
        ("required double time;", Values::Double(&[0.0, 0.5, 2.0])),
        ("required binary op (STRING);", Values::Text(&["get", "set", "get"])),
        ("required int64 key;", Values::Long(&[7, 8, 7])),
        ("optional int32 value_size;", Values::IntOrNull(&[10, 300], &[1, 1, 0])),
        ("required binary thread (STRING);", Values::Text(&["a", "b", "a"])),
    ];
    write_columns(path, compression, &columns);
}

/// Every operation, in a form that a test can compare.
fn events<R: std::io::Read>(mut trace: Trace<R>) -> Vec<String> {
    assert!(trace.has_threads());
    let mut events = Vec::new();
    while let Some(event) = trace.next_event().unwrap() {
        let (key, thread) = (event.key.escape_ascii(), event.thread.unwrap_or_default().escape_ascii());
        events.push(format!("{:?} {key} {:?} {:?} {thread}", event.operation, event.value_bytes, event.time_s));
    }
    events
}

#[test]
fn rows_are_those_of_the_same_csv() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.parquet");
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, zstd] {
        write(&path, compression);
        let expected = events(Trace::new(CSV.as_bytes(), &ReadOptions::default()).unwrap());
        assert_eq!(
            events(Trace::open(&path, &ReadOptions::default(), &|_| ControlFlow::Continue(())).unwrap()),
            expected
        );
        assert_eq!(expected.len(), 3);
    }
}

/// A file as data frames are written: time stamps in nanoseconds, sizes that may be missing as numbers with a fraction.
fn write_frame(path: &Path, compression: Compression) {
    let times = &[1_700_000_000_000_000_000, 1_700_000_000_500_000_000, 1_700_000_002_000_000_000];
    let columns = [
        ("required int64 time (TIMESTAMP(NANOS, true));", Values::Long(times)),
        ("required binary op (STRING);", Values::Text(&["get", "set", "get"])),
        ("required int64 key;", Values::Long(&[7, 8, 7])),
        ("required double value_size;", Values::Double(&[10.0, 300.0, f64::NAN])),
        ("required binary thread (STRING);", Values::Text(&["a", "b", "a"])),
    ];
    write_columns(path, compression, &columns);
}

#[test]
fn what_data_frames_write_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("frame.parquet");
    write_frame(&path, Compression::SNAPPY);
    let csv = "time,op,key,value_size,thread\n1700000000,get,7,10,a\n1700000000.5,set,8,300,b\n1700000002,get,7,,a\n";
    assert_eq!(
        events(Trace::open(&path, &ReadOptions::default(), &|_| ControlFlow::Continue(())).unwrap()),
        events(Trace::new(csv.as_bytes(), &ReadOptions::default()).unwrap())
    );
}

#[test]
fn numbers_and_times_of_every_kind_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kinds.parquet");
    let csv = "time,op,key,value_size\n1.5,get,7,10\n2,set,8,300\n";
    let mut expected = Vec::new();
    let mut trace = Trace::new(csv.as_bytes(), &ReadOptions::default()).unwrap();
    while let Some(event) = trace.next_event().unwrap() {
        expected.push((event.key.to_vec(), event.value_bytes, event.time_s));
    }
    let times = [
        ("required int32 time (TIME(MILLIS, true));", Values::Int(&[1_500, 2_000])),
        ("required int64 time (TIME(MICROS, true));", Values::Long(&[1_500_000, 2_000_000])),
        ("required int64 time (TIME(NANOS, true));", Values::Long(&[1_500_000_000, 2_000_000_000])),
        ("required int64 time (TIMESTAMP(MILLIS, true));", Values::Long(&[1_500, 2_000])),
        ("required int64 time (TIMESTAMP(MICROS, true));", Values::Long(&[1_500_000, 2_000_000])),
    ];
    let sizes = [
        ("required float value_size;", Values::Float(&[10.0, 300.0])),
        ("required int32 value_size (DECIMAL(9, 0));", Values::Int(&[10, 300])),
        ("required int64 value_size (DECIMAL(10, 0));", Values::Long(&[10, 300])),
        ("required int64 value_size (INTEGER(64, false));", Values::Long(&[10, 300])),
        ("required int32 value_size (INTEGER(16, true));", Values::Int(&[10, 300])),
    ];
    for (time, size) in times.into_iter().zip(sizes) {
        let kinds = format!("{} {}", time.0, size.0);
        let (op, key) = (("optional binary op (STRING);", Values::Text(&["get", "set"])), Values::Long(&[7, 8]));
        write_columns(&path, Compression::UNCOMPRESSED, &[time, op, ("required int64 key;", key), size]);
        let mut trace = Trace::open(&path, &ReadOptions::default(), &|_| ControlFlow::Continue(())).unwrap();
        for expected in &expected {
            let event = trace.next_event().unwrap_or_else(|why| panic!("{kinds}: {why}")).unwrap();
            assert_eq!(&(event.key.to_vec(), event.value_bytes, event.time_s), expected, "{kinds}");
        }
    }
}

#[test]
fn columns_that_cannot_be_read_are_refused_with_their_kind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kinds.parquet");
    let refused = |key: (&'static str, Values), words: &str| {
        let op = ("optional binary op (STRING);", Values::Text(&["get", "set"]));
        write_columns(
            &path,
            Compression::UNCOMPRESSED,
            &[op, key, ("required int32 value_size;", Values::Int(&[1, 2]))],
        );
        let why = read(&path).unwrap_err().to_string();
        assert!(why.contains(words) && why.contains("expected text, bytes, numbers or times"), "{why}");
    };
    refused(("required boolean key;", Values::Bool(&[true, false])), "its column key has nothing but true and false");
    refused(("repeated binary key (STRING);", Values::Text(&["a", "b"])), "its column key has lists");
    let of_parts = ("optional group KEY { required binary name (STRING); }", Values::Text(&["a", "b"]));
    refused(of_parts, "its column KEY has fields of several parts");
}

#[test]
fn where_something_is_wrong_is_a_row_and_no_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rows.parquet");
    let op = ("optional binary op (STRING);", Values::Text(&["get", "fetch"]));
    let size = ("required int32 value_size;", Values::Int(&[1, 2]));
    write_columns(&path, Compression::UNCOMPRESSED, &[op, ("required int64 key;", Values::Long(&[7, 8])), size]);
    let why = read(&path).unwrap_err().to_string();
    assert!(why.starts_with("row 2: op is `fetch`"), "{why}");
    write_columns(&path, Compression::UNCOMPRESSED, &[("required int64 key;", Values::Long(&[7, 8]))]);
    let why = read(&path).unwrap_err().to_string();
    assert!(why.contains("its columns are `key`, expected a column named op"), "{why}");
}

#[test]
fn a_time_before_1970_is_told_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("early.parquet");
    let columns = [
        ("required int64 time (TIMESTAMP(MICROS, true));", Values::Long(&[-2_499_946])),
        ("required binary op (STRING);", Values::Text(&["get"])),
        ("required int64 key;", Values::Long(&[7])),
        ("required int32 value_size;", Values::Int(&[10])),
    ];
    write_columns(&path, Compression::UNCOMPRESSED, &columns);
    let why = Trace::open(&path, &ReadOptions::default(), &|_| ControlFlow::Continue(()))
        .unwrap()
        .next_event()
        .unwrap_err()
        .to_string();
    assert!(why.contains("time is `-2.499946`"), "{why}");
}

#[test]
fn other_compressions_are_refused_with_those_that_work() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.parquet");
    write(&path, Compression::UNCOMPRESSED);
    let mut bytes = std::fs::read(&path).unwrap();
    assert!(Trace::open(&path, &ReadOptions::default(), &|_| ControlFlow::Continue(())).is_ok());
    // No writer for another compression is built in, so the test changes the name in the file: field 4 of every
    // column's metadata.
    let marks: Vec<_> = (0..bytes.len() - 1).filter(|&at| bytes[at..].starts_with(b"\x15\x00\x16\x06")).collect();
    assert!(!marks.is_empty(), "where the metadata names the compression");
    marks.into_iter().for_each(|at| bytes[at + 1] = 4);
    std::fs::write(&path, &bytes).unwrap();
    let why = read(&path).unwrap_err().to_string();
    assert!(why.contains("GZIP") && why.contains("Snappy, Zstandard or none"), "{why}");
}

#[test]
fn damage_is_told_with_its_place_and_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.parquet");
    write(&path, Compression::UNCOMPRESSED);
    let whole = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8], words: &str| {
        std::fs::write(&path, bytes).unwrap();
        let why = read(&path).unwrap_err().to_string();
        assert!(why.contains(words) && why.contains("copy it again, or write it again and close it"), "{why}");
        assert!(!why.contains("but need"), "{why}");
    };
    refused(&whole[..508], "its 508 bytes do not end as they should: expected a footer");
    refused(&whole[..5], "its 5 bytes do not end");
    let mut long = whole.clone();
    let at = long.len() - 5;
    long[at] = 0xff;
    refused(&long, "do not end as they should");
    let mut footer = whole.clone();
    let bytes = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize;
    let begin = whole.len() - 8 - bytes;
    footer[begin..begin + bytes].fill(0xff);
    refused(&footer, "its footer, which says where everything is, is damaged");
    let mut pages = whole.clone();
    pages[4..begin].fill(0xff);
    refused(&pages, "is damaged");
    // The library panics at some, and a program's panic hook learns that it will be an error.
    static TOLD: AtomicU32 = AtomicU32::new(0);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if bakeoff_trace::panics_are_errors() {
            TOLD.fetch_add(1, Ordering::Relaxed);
        } else {
            usual(panic);
        }
    }));
    write_frame(&path, Compression::UNCOMPRESSED);
    let whole = std::fs::read(&path).unwrap();
    for (at, bytes) in (4..whole.len() - 8).flat_map(|at| [1, 4, 12, 24].map(|bytes| (at, bytes))) {
        let mut damaged = whole.clone();
        damaged[at..(at + bytes).min(whole.len() - 8)].fill(0xff);
        std::fs::write(&path, &damaged).unwrap();
        let _ = read(&path);
    }
    assert!(TOLD.load(Ordering::Relaxed) > 0, "no damage made the library panic");
    assert!(!bakeoff_trace::panics_are_errors(), "it is over");
}

fn read(path: &Path) -> Result<Summary, TraceError> {
    Summary::read(Trace::open(path, &ReadOptions::default(), &|_| ControlFlow::Continue(()))?, &|_| {
        ControlFlow::Continue(())
    })
}

proptest! {
    #[test]
    fn damaged_files_are_refused_or_read(at in 4..1000_usize, flip in 1..=255_u8, cut in prop::option::of(4..1000_usize)) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace.parquet");
        write(&path, Compression::SNAPPY);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at % bytes.len();
        bytes[at.max(4)] ^= flip;
        bytes.truncate(cut.unwrap_or(usize::MAX).min(bytes.len()));
        std::fs::write(&path, &bytes).unwrap();
        if let Err(why) = read(&path) {
            prop_assert!(!why.to_string().is_empty());
        }
    }
}
