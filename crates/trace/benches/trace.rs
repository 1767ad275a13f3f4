//! How fast a trace is read, in lines a second: `cargo bench -p bakeoff-trace`.

use std::fmt::Write;
use std::time::Instant;

use bakeoff_trace::{Summary, Trace};

/// Lines of the trace, and different keys in it.
const LINES: u64 = 10_000_000;
const KEYS: u64 = 1_000_000;

/// Lines where the benchmark is only to be seen to run.
const LINES_SMALL: u64 = 10_000;

fn main() {
    let lines = if std::env::args().any(|argument| argument == "--bench") { LINES } else { LINES_SMALL };
    let mut text = "op,key,value_size,time\n".to_owned();
    for line in 0..lines {
        let key = line.wrapping_mul(0x9E37_79B9_7F4A_7C15) % KEYS;
        let operation = if line % 5 == 0 { "set" } else { "get" };
        let _ = writeln!(text, "{operation},user{key:012},{},{}", 100 + line % 900, line / 1000);
    }
    for _ in 0..3 {
        let begin = Instant::now();
        let summary = Trace::new(text.as_bytes(), None).and_then(Summary::read);
        let rate = lines as f64 / begin.elapsed().as_secs_f64();
        assert!(summary.is_ok_and(|summary| summary.operations == lines));
        println!("{:.2} million lines a second", rate / 1e6);
    }
}
