//! The time to read a serialised directory, without a store: medians over interleaved repeats. `./bakeoff bench jvm` measures the same in
//! Java.
//!
//! `cargo bench -p bakeoff-tree`

use std::hint::black_box;
use std::time::Instant;

use bakeoff_tree::{Codec, Directory, Encoder, read};

const REPEATS: usize = 21;
const OPERATIONS: u32 = 100_000;

/// Nanoseconds per reading of `value`.
fn time_ns(codec: Codec, value: &[u8], all: bool) -> f64 {
    let begin = Instant::now();
    let mut state = 0;
    for _ in 0..OPERATIONS {
        let id = read(codec, black_box(value), all.then_some(&mut state));
        assert!(black_box(id).is_some());
    }
    black_box(state);
    begin.elapsed().as_nanos() as f64 / f64::from(OPERATIONS)
}

fn main() {
    // `cargo test --benches` also runs this, only to show that it works.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let directory = Directory { object_id: 12_207_030, parent_id: 2_441_405 };
    let (mut encoder, mut samples) = (Encoder::default(), Vec::new());
    for (codec, all) in
        [Codec::FlatBuffers, Codec::Protobuf].into_iter().flat_map(|codec| [(codec, false), (codec, true)])
    {
        let mut value = Vec::new();
        encoder.encode(codec, &directory, &mut value);
        samples.push((codec, all, value, Vec::new()));
    }
    for _ in 0..REPEATS {
        for (codec, all, value, times) in &mut samples {
            times.push(time_ns(*codec, value, *all));
        }
    }
    println!("median (least to most) of {REPEATS} interleaved repeats, ns");
    for (codec, all, value, times) in &mut samples {
        times.sort_by(f64::total_cmp);
        let what =
            format!("{}, {} bytes, {}", codec.name(), value.len(), if *all { "all fields" } else { "one field" });
        println!("{what:<40} {:>8.1}   ({:.1} to {:.1})", times[REPEATS / 2], times[0], times[REPEATS - 1]);
    }
}
