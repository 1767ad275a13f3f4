//! How fast a trace is read, in lines a second, and how fast it becomes tapes, as medians. Also that the memory for
//! importing a long one depends only on its keys. The other forms of text are measured in turn with the CSV. Ends with
//! status 1 if importing is too slow or takes too much.
//!
//! `cargo bench -p bakeoff-trace`

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bakeoff_measure::rss_bytes;
use bakeoff_stats::median;
use bakeoff_trace::{ImportOptions, ReadOptions, Summary, Trace, import};

/// Lines of the trace, and different keys in it.
const LINES: u64 = 10_000_000;
const KEYS: u64 = 1_000_000;

/// Lines where the benchmark is only to be seen to run.
const LINES_SMALL: u64 = 10_000;

/// Of each form a trace of this part of the lines.
const FORMS_SHARE: u64 = 10;

/// Lines that are imported in a second, at least, millions.
const IMPORTED_MIN: f64 = 2.0;

/// The most bytes of memory for each different key, while the table of keys moves to one of twice the size; and for
/// buffers, regardless of the trace's length.
const KEY_BYTES_MAX: u64 = 96;
const BUFFER_BYTES_MAX: u64 = 16 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (lines, repeats) = if full { (LINES, 5) } else { (LINES_SMALL, 1) };
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("trace.csv");
    write_trace(&path, lines)?;
    let (mut summed_up, mut imported, mut memory) = (Vec::new(), Vec::new(), 0);
    for _ in 0..repeats {
        imported.push(time_import(&path, &directory.path().join("tape"), lines, &mut memory)?);
        let begin = Instant::now();
        let summary =
            Summary::read(Trace::open(&path, &ReadOptions::default(), &|_| ControlFlow::Continue(()))?, &|_| {
                ControlFlow::Continue(())
            })?;
        summed_up.push(lines as f64 / begin.elapsed().as_secs_f64() / 1e6);
        assert_eq!(summary.operations, lines);
    }
    let (summed_up, imported) = (median(&summed_up).unwrap_or(0.0), median(&imported).unwrap_or(0.0));
    let memory_max = KEYS * KEY_BYTES_MAX + BUFFER_BYTES_MAX;
    println!("{lines} lines over {KEYS} keys, medians of {repeats}");
    println!("  summed up  {summed_up:6.2} million lines a second");
    println!("  imported   {imported:6.2} million lines a second (at least {IMPORTED_MIN})");
    println!("  memory     {:6} MiB more while importing (at most {} MiB)", memory >> 20, memory_max >> 20);
    let is_slow = !time_forms(directory.path(), lines / FORMS_SHARE, repeats)?;
    if full && (is_slow || imported < IMPORTED_MIN || memory > memory_max) {
        println!(
            "OVER THE LIMIT: measure again on a quiet machine; if it stays so, importing has become too slow or too large"
        );
        std::process::exit(1);
    }
    Ok(())
}

/// Imports a trace, and gives million lines a second, the pool and the ends of the tapes included. `memory` becomes the most memory that
/// any import took more than before it, bytes.
fn time_import(path: &Path, into: &Path, lines: u64, memory: &mut u64) -> Result<f64, Box<dyn std::error::Error>> {
    std::fs::create_dir(into)?;
    let (before, most) = (rss_bytes().unwrap_or(0), AtomicU64::new(*memory));
    let begin = Instant::now();
    let imported = import(path, into, &ImportOptions::default(), &|_| {
        most.fetch_max(rss_bytes().unwrap_or(0).saturating_sub(before), Ordering::Relaxed);
        ControlFlow::Continue(())
    })?;
    *memory = most.into_inner();
    let speed = lines as f64 / begin.elapsed().as_secs_f64() / 1e6;
    assert_eq!(imported.operations, lines);
    std::fs::remove_dir_all(into)?;
    Ok(speed)
}

fn write_trace(path: &Path, lines: u64) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "op,key,value_size,time,thread")?;
    for line in 0..lines {
        let key = line.wrapping_mul(0x9E37_79B9_7F4A_7C15) % KEYS;
        let operation = if line % 5 == 0 { "set" } else { "get" };
        // Threads write keys of each other's, so that they are dealt.
        writeln!(file, "{operation},user{key:012},{},{},worker-{}", 100 + line % 900, line / 1000, line % 7)?;
    }
    file.flush()
}

/// A line of a form: number, key, whether it writes.
type WriteLine = fn(&mut dyn Write, u64, u64, bool) -> std::io::Result<()>;

/// Lines as short as each form has them.
const FORMS: [(&str, WriteLine); 11] = [
    ("csv", |out, _, key, writes| writeln!(out, "{},user{key:08},100", if writes { "set" } else { "get" })),
    ("json", |out, _, key, writes| {
        writeln!(out, r#"{{"op":"{}","key":"user{key:08}","value_size":100}}"#, if writes { "set" } else { "get" })
    }),
    ("twitter", |out, line, key, writes| {
        writeln!(out, "{},user{key:08},12,100,1,{},0", line / 1000, if writes { "set" } else { "get" })
    }),
    ("ycsb", |out, _, key, writes| {
        writeln!(out, "{} t user{key:08} [ field0=0123456789 ]", if writes { "INSERT" } else { "READ" })
    }),
    ("redis", |out, line, key, writes| {
        let time = (1_700_000_000 + line / 1_000_000, line % 1_000_000);
        write!(out, "{}.{:06} [0 127.0.0.1:60866] ", time.0, time.1)?;
        if writes {
            writeln!(out, r#""SET" "user{key:08}" "0123456789""#)
        } else {
            writeln!(out, r#""GET" "user{key:08}""#)
        }
    }),
    ("memcached", |out, _, key, writes| {
        // Two lines for each operation: an answer is one.
        if writes {
            writeln!(out, "<28 set user{key:08} 0 0 100\n>28 STORED")
        } else {
            writeln!(out, "<28 get user{key:08}\n>28 END")
        }
    }),
    ("rocksdb", |out, line, key, writes| {
        writeln!(out, "0x{key:016X} {} 0 100 {}", u8::from(writes), 1_700_000_000_000_000 + line)
    }),
    ("web", |out, line, key, writes| {
        let (time, method) = (line / 1000, if writes { "DELETE" } else { "GET" });
        let (minute, second) = (time / 60 % 60, time % 60);
        writeln!(
            out,
            r#"192.0.2.1 - - [28/Nov/2026:04:{minute:02}:{second:02} +0000] "{method} /{key:08} HTTP/1.1" 200 100 "-" "-""#
        )
    }),
    ("s3", |out, line, key, writes| {
        let (time, method) = (line / 1000, if writes { "PUT" } else { "GET" });
        let (minute, second) = (time / 60 % 60, time % 60);
        writeln!(
            out,
            r#"79a59 shop [06/Feb/2019:00:{minute:02}:{second:02} +0000] 192.0.2.3 79a59 DD6C REST.{method}.OBJECT {key:08} "{method} /shop/{key:08} HTTP/1.1" 200 - 100 100 41 28 "-" "-" -"#
        )
    }),
    ("strace", |out, line, key, _| {
        // Three lines for each operation.
        let time = 1_700_000_000.0 + line as f64 / 1e5;
        writeln!(out, r#"13 {time:.6} openat(AT_FDCWD, "/d/{key:08}", O_RDONLY) = 3</d/{key:08}>"#)?;
        writeln!(out, r#"13 {time:.6} read(3</d/{key:08}>, ""..., 4096) = 100"#)?;
        writeln!(out, "13 {time:.6} close(3</d/{key:08}>) = 0")
    }),
    ("sql", |out, _, key, writes| {
        if writes {
            writeln!(out, "INSERT INTO t VALUES({key},'0123456789');")
        } else {
            writeln!(out, "SELECT v FROM t WHERE k={key};")
        }
    }),
];

/// Imports a trace of each form in turn, several times, and says whether all are fast enough.
fn time_forms(directory: &Path, operations: u64, repeats: usize) -> Result<bool, Box<dyn std::error::Error>> {
    let mut traces = Vec::new();
    for (form, write_line) in FORMS {
        let path = directory.join(form);
        let mut file = BufWriter::new(File::create(&path)?);
        if form == "csv" {
            writeln!(file, "op,key,value_size")?;
        }
        for line in 0..operations {
            let key = line.wrapping_mul(0x9E37_79B9_7F4A_7C15) % (KEYS / FORMS_SHARE);
            write_line(&mut file, line, key, line % 5 == 0)?;
        }
        file.flush()?;
        let lines = std::fs::read(&path)?.iter().filter(|byte| **byte == b'\n').count();
        traces.push((form, path, lines as f64, Vec::new()));
    }
    for _ in 0..repeats {
        for (_, path, lines, speeds) in &mut traces {
            let into = directory.join("tape");
            std::fs::create_dir(&into)?;
            let options = ImportOptions { value_bytes: Some(100), ..ImportOptions::default() };
            let begin = Instant::now();
            import(path, &into, &options, &|_| ControlFlow::Continue(()))?;
            speeds.push(*lines / begin.elapsed().as_secs_f64() / 1e6);
            std::fs::remove_dir_all(&into)?;
        }
    }
    let mut is_fast = true;
    println!("imported, of {operations} operations each, million lines a second (at least {IMPORTED_MIN})");
    for (form, _, _, speeds) in &traces {
        let speed = median(speeds).unwrap_or(0.0);
        is_fast &= speed >= IMPORTED_MIN;
        println!("  {form:<10} {speed:6.2}");
    }
    Ok(is_fast)
}
