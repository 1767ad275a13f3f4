//! How fast a trace is read, in lines a second, and how fast it becomes tapes, as medians, and that importing a long one takes memory for
//! its keys alone. Ends with status 1 if importing is too slow or takes too much.
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
use bakeoff_trace::{ImportOptions, Summary, Trace, import};

/// Lines of the trace, and different keys in it.
const LINES: u64 = 10_000_000;
const KEYS: u64 = 1_000_000;

/// Lines where the benchmark is only to be seen to run.
const LINES_SMALL: u64 = 10_000;

/// Lines that are imported in a second, at least, millions.
const IMPORTED_MIN: f64 = 2.0;

/// Memory for each different key, at most, while the table of keys moves to one of twice the size, bytes; and for buffers, however long
/// the trace is.
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
        let summary = Summary::read(Trace::open(&path, None)?, &|_| ControlFlow::Continue(()))?;
        summed_up.push(lines as f64 / begin.elapsed().as_secs_f64() / 1e6);
        assert_eq!(summary.operations, lines);
    }
    let (summed_up, imported) = (median(&summed_up).unwrap_or(0.0), median(&imported).unwrap_or(0.0));
    let memory_max = KEYS * KEY_BYTES_MAX + BUFFER_BYTES_MAX;
    println!("{lines} lines over {KEYS} keys, medians of {repeats}");
    println!("  summed up  {summed_up:6.2} million lines a second");
    println!("  imported   {imported:6.2} million lines a second (at least {IMPORTED_MIN})");
    println!("  memory     {:6} MiB more while importing (at most {} MiB)", memory >> 20, memory_max >> 20);
    if full && (imported < IMPORTED_MIN || memory > memory_max) {
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
