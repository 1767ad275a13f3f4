//! How fast tapes are made and read, as medians over interleaved repeats, and that a long one takes no more memory than a short one.
//! Ends with status 1 if making one is too slow or takes too much.
//!
//! `cargo bench -p bakeoff-tape`

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use bakeoff_tape::{
    Access, Data, KeyForm, Operation, PhaseSpec, Shape, SizeRange, TapeReader, Workload, pool_bytes, record,
};

const RECORDS: u64 = 1_000_000;
const REPEATS: usize = 7;

/// Operations with 16-byte keys that are recorded in a second, at least, millions.
const RECORDED_MIN: f64 = 10.0;

/// Memory for each record that is alive, at most, beyond what a short tape takes, bytes.
const RECORD_BYTES_MAX: u64 = 16;

fn phase(name: &str, operation: Operation, access: Access, operations: u64) -> PhaseSpec {
    let spec = PhaseSpec::new(name, [(operation, 1.0)], Some(operations));
    PhaseSpec { access, scan_entries: SizeRange { min: 100, max: 100 }, ..spec }
}

fn workload(key: KeyForm, phases: Vec<PhaseSpec>) -> Workload {
    Workload {
        seed: 1,
        key,
        key_bytes: None,
        key_bytes_max: None,
        records: RECORDS,
        value_bytes: SizeRange { min: 50, max: 150 }.into(),
        value_shape: Shape::Uniform,
        data: Data::Random,
        pool_bytes: pool_bytes(&SizeRange { min: 50, max: 150 }.into()),
        lanes: 1,
        tree: None,
        import: None,
        phases,
    }
}

/// Samples, by name.
type Samples = BTreeMap<String, Vec<f64>>;

fn add(samples: &mut Samples, what: &str, sample: f64) {
    samples.entry(what.to_owned()).or_default().push(sample);
}

/// Records a workload, and adds the speed of each phase, its tape's last write included, in million operations a second.
fn time_recording(samples: &mut Samples, workload: &Workload, directory: &Path) {
    let _ = std::fs::remove_file(directory.join("recording.json"));
    let mut begins: Vec<(String, Instant, u64)> = Vec::new();
    record(workload, directory, None, &mut |progress| {
        if progress.done == 0 {
            begins.push((progress.what.to_owned(), Instant::now(), progress.total));
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    for pair in begins.windows(2).filter(|pair| pair[0].0 != "pool") {
        let (name, begin, operations) = &pair[0];
        let seconds = (pair[1].1 - *begin).as_secs_f64();
        let what = format!("record {} {name}, million operations/s", workload.key.name());
        add(samples, &what, *operations as f64 / seconds / 1e6);
    }
}

/// Reads a tape, and adds what a block's reading and checking, and what decoding alone cost, nanoseconds an operation.
fn time_reading(samples: &mut Samples, name: &str, path: &Path) {
    let tape = TapeReader::open(path).unwrap();
    let begin = Instant::now();
    tape.check().unwrap();
    let operations = tape.facts().operations as f64;
    add(samples, &format!("read and check {name}, ns/operation"), begin.elapsed().as_nanos() as f64 / operations);
    let mut lane = tape.lane(0).unwrap();
    let (mut decode_ns, mut sum) = (0, 0);
    while let Some(block) = lane.next_block().unwrap() {
        let begin = Instant::now();
        for record in block.records() {
            let key = u64::from(record.key.first().copied().unwrap_or_default()) + record.key.len() as u64;
            sum ^= record.value_offset + u64::from(record.value_bytes) + key + u64::from(record.flags);
            if record.operation == Operation::Scan {
                sum += record.scan().map_or(0, |scan| scan.limit);
            }
        }
        decode_ns += begin.elapsed().as_nanos();
    }
    black_box(sum);
    add(samples, &format!("decode {name}, ns/operation"), decode_ns as f64 / operations);
}

/// Prints the samples; says whether all that have a limit keep it.
fn print(samples: &mut Samples) -> bool {
    let mut fast = true;
    for (what, samples) in samples {
        samples.sort_by(f64::total_cmp);
        let (least, median, most) = (samples[0], samples[samples.len() / 2], samples[samples.len() - 1]);
        // A scan is answered by going through what it finds, and hashed keys take as long as the hash.
        let limited = what.starts_with("record decimal") && !what.contains("scans");
        fast &= !limited || median >= RECORDED_MIN;
        let limit = if limited { format!(", at least {RECORDED_MIN}") } else { String::new() };
        println!("{what:<52} {median:>8.2}   ({least:.2} to {most:.2}{limit})");
    }
    fast
}

/// The most memory the process had resident since the last call, bytes; absent where the system does not say.
fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    Some(kib << 10)
}

/// Prints what making and reading a tape take; returns the larger, bytes.
fn memory(operations: u64) -> Option<u64> {
    let directory = tempfile::tempdir().unwrap();
    let gets = phase("gets", Operation::Get, Access::Uniform, operations);
    let workload = workload(KeyForm::Decimal, vec![phase("load", Operation::Insert, Access::Insertion, RECORDS), gets]);
    peak_rss_bytes();
    let recording = record(&workload, directory.path(), None, &mut |_| ControlFlow::Continue(())).unwrap();
    let making = peak_rss_bytes();
    TapeReader::open(&recording.phases[1].path).unwrap().check().unwrap();
    let reading = peak_rss_bytes();
    let shown =
        |bytes: Option<u64>| bytes.map_or("unknown".to_owned(), |bytes| format!("{:.1} MiB", bytes as f64 / 1048576.0));
    println!(
        "peak resident memory, {operations} gets over {RECORDS} records: making {}, reading {}",
        shown(making),
        shown(reading)
    );
    making.max(reading)
}

fn main() {
    // `cargo test --benches` runs this too: there it only shows that it runs.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut samples = Samples::new();
    let zipfian = Access::Zipfian { theta: 0.99 };
    for _ in 0..REPEATS {
        for key in [KeyForm::Decimal, KeyForm::Sha1] {
            let phases = vec![
                phase("inserts", Operation::Insert, Access::Insertion, RECORDS),
                phase("gets-uniform", Operation::Get, Access::Uniform, RECORDS),
                phase("gets-zipfian", Operation::Get, zipfian, RECORDS),
                phase("gets-sequential", Operation::Get, Access::Sequential, RECORDS),
                phase("updates-uniform", Operation::Update, Access::Uniform, RECORDS),
                phase("scans", Operation::Scan, Access::Uniform, 10_000),
            ];
            time_recording(&mut samples, &workload(key, phases), directory.path());
            if key == KeyForm::Decimal {
                time_reading(&mut samples, "gets", &directory.path().join("02-gets-uniform.tape"));
                time_reading(&mut samples, "updates", &directory.path().join("05-updates-uniform.tape"));
            }
        }
    }
    println!("median (least to most) of {REPEATS} interleaved repeats");
    let fast = print(&mut samples);
    let (short, long) = (memory(1_000_000), memory(100_000_000));
    let flat = short.zip(long).is_none_or(|(short, long)| long <= short + RECORD_BYTES_MAX * RECORDS);
    if !fast || !flat {
        println!("OVER THE LIMIT: measure again on a quiet machine; if it stays so, making tapes has become worse");
        std::process::exit(1);
    }
}
