//! How fast a trace is read, in lines a second: `cargo bench -p bakeoff-trace`.

use std::fmt::Write;
use std::time::Instant;

use bakeoff_trace::{Summary, Trace};

/// Lines of the trace, and different keys in it.
const LINES: u64 = 10_000_000;
const KEYS: u64 = 1_000_000;

fn main() {
    let mut text = "op,key,value_size,time\n".to_owned();
    for line in 0..LINES {
        let key = line.wrapping_mul(0x9E37_79B9_7F4A_7C15) % KEYS;
        let operation = if line % 5 == 0 { "set" } else { "get" };
        let _ = writeln!(text, "{operation},user{key:012},{},{}", 100 + line % 900, line / 1000);
    }
    for _ in 0..3 {
        let begin = Instant::now();
        let summary = Trace::new(text.as_bytes(), None).and_then(Summary::read);
        let rate = LINES as f64 / begin.elapsed().as_secs_f64();
        assert!(summary.is_ok_and(|summary| summary.operations == LINES));
        println!("{:.2} million lines a second", rate / 1e6);
    }
}
