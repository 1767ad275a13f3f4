//! How fast a trace is read, in lines a second, and how fast it becomes tapes: `cargo bench -p bakeoff-trace`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use bakeoff_tape::Data;
use bakeoff_trace::{ImportOptions, Summary, Trace, import};

/// Lines of the trace, and different keys in it.
const LINES: u64 = 10_000_000;
const KEYS: u64 = 1_000_000;

/// Lines where the benchmark is only to be seen to run.
const LINES_SMALL: u64 = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lines = if std::env::args().any(|argument| argument == "--bench") { LINES } else { LINES_SMALL };
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("trace.csv");
    write_trace(&path, lines)?;
    for _ in 0..3 {
        let begin = Instant::now();
        let summary = Summary::read(Trace::open(&path, None)?)?;
        told("summed up", lines, begin);
        assert_eq!(summary.operations, lines);
    }
    for round in 0..3 {
        let begin = Instant::now();
        let into = directory.path().join(round.to_string());
        std::fs::create_dir(&into)?;
        let options = ImportOptions { data: Data::Random, seed: 1, ..ImportOptions::default() };
        let imported = import(&path, &into, &options, &mut |_| ControlFlow::Continue(()))?;
        told("imported", lines, begin);
        assert_eq!(imported.operations, lines);
        std::fs::remove_dir_all(&into)?;
    }
    Ok(())
}

fn told(what: &str, lines: u64, begin: Instant) {
    println!("{:.2} million lines a second {what}", lines as f64 / begin.elapsed().as_secs_f64() / 1e6);
}

fn write_trace(path: &Path, lines: u64) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "op,key,value_size,time")?;
    for line in 0..lines {
        let key = line.wrapping_mul(0x9E37_79B9_7F4A_7C15) % KEYS;
        let operation = if line % 5 == 0 { "set" } else { "get" };
        writeln!(file, "{operation},user{key:012},{},{}", 100 + line % 900, line / 1000)?;
    }
    file.flush()
}
