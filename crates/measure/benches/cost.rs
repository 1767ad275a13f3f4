//! The overhead of the instruments: clock readings, recording a latency, taking a snapshot.
//!
//! The candidates of a group alternate, block by block, so a drift of the machine affects all of them. The medians of the blocks are shown.
//! Run with `cargo bench -p bakeoff-measure`.

use std::hint::black_box;
use std::time::Instant;

use bakeoff_measure::{Clock, DeviceId, Histogram, Snapshot, disk_usage, reset_peak_rss};
use bakeoff_stats::median;
use rustix::time::{ClockId, clock_gettime};

/// Work to repeat, with its name.
struct Candidate<'a> {
    name: &'static str,
    work: Box<dyn FnMut(u64) + 'a>,
}

impl<'a> Candidate<'a> {
    /// `work` loops as often as its argument says, so that the call itself is not measured.
    fn new(name: &'static str, work: impl FnMut(u64) + 'a) -> Self {
        Self { name, work: Box::new(work) }
    }
}

/// Median nanoseconds per repetition, for each candidate.
fn compare(title: &str, blocks: usize, repetitions: u64, candidates: &mut [Candidate<'_>]) {
    let mut costs = vec![Vec::with_capacity(blocks); candidates.len()];
    for block in 0..=blocks {
        for (candidate, costs) in candidates.iter_mut().zip(&mut costs) {
            let start = Instant::now();
            (candidate.work)(repetitions);
            let cost_ns = start.elapsed().as_nanos() as f64 / repetitions as f64;
            // The first block warms up.
            if block > 0 {
                costs.push(cost_ns);
            }
        }
    }
    println!("{title} (median of {blocks} blocks of {repetitions})");
    for (candidate, costs) in candidates.iter().zip(&costs) {
        println!("  {:<44} {:>12.1} ns", candidate.name, median(costs).unwrap_or(0.0));
    }
}

#[cfg(target_arch = "x86_64")]
fn bare_counter() -> u64 {
    // SAFETY: `rdtsc` only reads a counter.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn bare_counter() -> u64 {
    0
}

fn clocks() {
    let clock = Clock::new();
    let mut candidates = [
        Candidate::new("Clock: two readings", |repetitions| {
            for _ in 0..repetitions {
                black_box((clock.now(), clock.now()));
            }
        }),
        Candidate::new("Clock: two readings and ns()", |repetitions| {
            for _ in 0..repetitions {
                let start = clock.now();
                black_box(clock.ns(start, clock.now()));
            }
        }),
        Candidate::new("bare rdtsc: two (unordered, not usable)", |repetitions| {
            for _ in 0..repetitions {
                black_box((bare_counter(), bare_counter()));
            }
        }),
        Candidate::new("clock_gettime: two", |repetitions| {
            for _ in 0..repetitions {
                black_box((clock_gettime(ClockId::Monotonic), clock_gettime(ClockId::Monotonic)));
            }
        }),
    ];
    compare("clock", 101, 10_000, &mut candidates);
    println!("  in use: {}, which gives its own pair as {} ns", clock.name(), clock.pair_ns());
}

/// Latencies similar to a store's: a few hundred nanoseconds, sometimes a millisecond.
fn latencies() -> Vec<u64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    (0..4_096).map(|_| 100 + next() % 2_000 + if next() % 1_000 == 0 { 1_000_000 } else { 0 }).collect()
}

fn histogram() {
    let latencies = latencies();
    let clock = Clock::new();
    let (mut one, mut other) = (Histogram::new(), Histogram::new());
    let mut candidates = [
        Candidate::new("Histogram::record", |repetitions| {
            for index in 0..repetitions {
                one.record(black_box(latencies[index as usize % latencies.len()]));
            }
        }),
        Candidate::new("the same loop without record", |repetitions| {
            for index in 0..repetitions {
                black_box(latencies[index as usize % latencies.len()]);
            }
        }),
        Candidate::new("two readings, ns() and record", |repetitions| {
            for _ in 0..repetitions {
                let start = clock.now();
                other.record(clock.ns(start, clock.now()));
            }
        }),
    ];
    compare("histogram", 101, 10_000, &mut candidates);
    drop(candidates);
    let mut candidates = [
        Candidate::new("Histogram::new", |repetitions| {
            for _ in 0..repetitions {
                black_box(Histogram::new());
            }
        }),
        Candidate::new("Histogram::to_latency", |repetitions| {
            for _ in 0..repetitions {
                black_box(one.to_latency());
            }
        }),
    ];
    compare("whole histograms", 31, 20, &mut candidates);
}

fn snapshots() -> std::io::Result<()> {
    let directory = tempfile::tempdir()?;
    for number in 0..1_000 {
        std::fs::write(directory.path().join(number.to_string()), b"some bytes")?;
    }
    let device = DeviceId::of(directory.path());
    let mut candidates = [
        Candidate::new("Snapshot::take", |repetitions| {
            for _ in 0..repetitions {
                black_box(Snapshot::take(device));
            }
        }),
        Candidate::new("reset_peak_rss", |repetitions| {
            for _ in 0..repetitions {
                black_box(reset_peak_rss());
            }
        }),
        Candidate::new("disk_usage of 1,000 files", |repetitions| {
            for _ in 0..repetitions {
                black_box(disk_usage(directory.path()).is_ok());
            }
        }),
    ];
    compare("accounting", 31, 20, &mut candidates);
    Ok(())
}

fn main() -> std::io::Result<()> {
    clocks();
    histogram();
    snapshots()
}
