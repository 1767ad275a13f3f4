//! What the harness itself costs: gets replayed into the `null` store, against bare pairs of clock readings; and what explaining slow operations
//! makes of the median of a store's.
//!
//! They are run in turn, many times, and medians are compared, since the machine's speed drifts. `cargo bench -p
//! bakeoff-driver` measures; `cargo test` runs the same code on a small tape.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bakeoff_driver::{Buffers, LaneJob, LaneOutcome, Reporter, replay_lane};
use bakeoff_measure::{Clock, DeviceId, rss_bytes};
use bakeoff_protocol::{DataHints, Durability, Mode, Settings};
use bakeoff_store::{OpenRequest, SessionPlan, Store, resolve_settings};
use bakeoff_tape::{
    Access, Data, KeyForm, LaneNeeds, Measure, Operation, PhaseSpec, Pool, Shape, SizeRange, TapeReader, Workload,
    record,
};

/// A peer's harness with its empty database costs 200–250 ns an operation; ours may cost 1.5 pairs of clock readings.
const LATENCY_RATIO_MAX: f64 = 1.5;

/// Nanoseconds an operation in throughput mode may cost.
const THROUGHPUT_NS_MAX: f64 = 10.0;

/// By what explaining slow operations may lengthen an operation, at most.
const WATCH_RATIO_MAX: f64 = 1.02;

/// Records on the tapes, at most.
const RECORDS: u64 = 1_000_000;

/// Memory for each record that is alive, at most, beyond what a short tape takes, bytes.
const RECORD_BYTES_MAX: u64 = 16;

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (operations, repeats) = if full { (1_000_000, 21) } else { (2_000, 1) };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let recording =
        record(&gets(operations, true), &directory.path().join("tapes"), None, &mut |_| ControlFlow::Continue(()))
            .expect("tapes can be recorded");
    let tape = &recording.phases[1].path;
    let pool = Pool::open(&recording.pool).expect("the pool opens");
    let clock = Clock::new();

    let (mut pairs, mut latency, mut blind, mut throughput) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..repeats {
        pairs.push(bare_pairs(&clock, operations));
        latency.push(replay(tape, &pool, &clock, Mode::Latency, true));
        blind.push(replay(tape, &pool, &clock, Mode::Latency, false));
        throughput.push(replay(tape, &pool, &clock, Mode::Throughput, true));
    }
    let (pairs, latency, blind, throughput) = (median(&pairs), median(&latency), median(&blind), median(&throughput));
    println!(
        "replay of {operations} gets of 16-byte keys that find nothing, into `null`, medians of {repeats}, clock {}",
        clock.name()
    );
    println!("  two clock readings        {pairs:6.1} ns");
    println!("  latency mode, whole cost  {latency:6.1} ns = {:.2} × (at most {LATENCY_RATIO_MAX} ×)", latency / pairs);
    println!(
        "  no slow ones explained    {blind:6.1} ns: explaining them takes {:.1} % (at most {:.0} %)",
        (latency / blind - 1.0) * 100.0,
        (WATCH_RATIO_MAX - 1.0) * 100.0
    );
    println!("  throughput mode           {throughput:6.1} ns (at most {THROUGHPUT_NS_MAX} ns)");
    println!(
        "medians of 1,000 operations with slow ones explained and without (at most {:+.0} %)",
        (WATCH_RATIO_MAX - 1.0) * 100.0
    );
    let mut largest: f64 = 0.0;
    for store in ["lmdb", "sqlite", "flat-folder"] {
        for (operation, watched, unwatched) in
            medians_of(store, &directory.path().join(store), &clock, if full { 301 } else { 1 })
        {
            let ratio = watched / unwatched;
            println!(
                "  {store:<12} {operation:<7} {watched:7.0} ns  {unwatched:7.0} ns  {:+.1} %",
                (ratio - 1.0) * 100.0
            );
            largest = largest.max(ratio);
        }
    }
    if full {
        let flat = flat_memory(directory.path());
        let watch_is_cheap = latency <= WATCH_RATIO_MAX * blind && largest <= WATCH_RATIO_MAX;
        let within = latency <= LATENCY_RATIO_MAX * pairs && watch_is_cheap;
        if !within || throughput > THROUGHPUT_NS_MAX || !flat {
            println!(
                "OVER THE LIMIT: measure again on a quiet machine; if it stays so, the harness has become too slow"
            );
            std::process::exit(1);
        }
    }
}

/// Loads some records, then gets as many at random, or keys that are `missing`.
fn gets(operations: u64, missing: bool) -> Workload {
    let phase = |name: &str, operation, access, measure, count| PhaseSpec {
        access,
        measure,
        // `null` finds nothing, and of keys that are not there that is the right answer: each is compared and found right.
        missing: if missing && operation == Operation::Get { 1.0 } else { 0.0 },
        scan_entries: SizeRange { min: 1, max: 1 },
        ..PhaseSpec::new(name, [(operation, 1.0)], count)
    };
    Workload {
        seed: 1,
        key: KeyForm::Decimal,
        key_bytes: None,
        key_bytes_max: None,
        records: operations.min(RECORDS),
        value_bytes: SizeRange { min: 100, max: 100 }.into(),
        value_shape: Shape::Uniform,
        data: Data::Random,
        pool_bytes: 1 << 20,
        lanes: 1,
        tree: None,
        import: None,
        phases: vec![
            phase("load", Operation::Insert, Access::Sequential, Measure::Throughput, None),
            phase("get", Operation::Get, Access::Uniform, Measure::Latency, Some(operations)),
        ],
    }
}

/// Nanoseconds for each pair of bare clock readings.
fn bare_pairs(clock: &Clock, count: u64) -> f64 {
    let begin = Instant::now();
    for _ in 0..count {
        black_box(clock.now());
        black_box(clock.now());
    }
    begin.elapsed().as_nanos() as f64 / count as f64
}

/// Nanoseconds an operation for everything the replay into `null` does: reading the tape, calling the store, checking, recording.
fn replay(tape: &Path, pool: &Pool, clock: &Clock, mode: Mode, watch: bool) -> f64 {
    let (elapsed_ns, outcome) = replay_into(&*open("null", Path::new("/nonexistent")), tape, pool, clock, mode, watch);
    assert_eq!(outcome.answers_checked, outcome.operations(&[])[0].operations, "every answer is compared, even null's");
    elapsed_ns
}

/// Of a store's gets and updates, medians of the medians of a thousand, each timed, with slow ones explained and without, in turn.
fn medians_of(name: &str, directory: &Path, clock: &Clock, repeats: usize) -> Vec<(String, f64, f64)> {
    let tapes = directory.join("tapes");
    let mut workload = gets(1_000, false);
    workload.phases.push(PhaseSpec {
        access: Access::Uniform,
        measure: Measure::Latency,
        ..PhaseSpec::new("update", [(Operation::Update, 1.0)], Some(1_000))
    });
    let recording = record(&workload, &tapes, None, &mut |_| ControlFlow::Continue(())).expect("tapes can be recorded");
    let pool = Pool::open(&recording.pool).expect("the pool opens");
    let store = directory.join("store");
    std::fs::create_dir(&store).expect("a directory");
    let store = open(name, &store);
    let once = |phase: usize, watch| {
        let outcome = replay_into(&*store, &recording.phases[phase].path, &pool, clock, Mode::Latency, watch).1;
        let latency = outcome.operations(&[])[0].latency.as_ref().map(|latency| latency.latency_ns_p50);
        latency.expect("each was timed") as f64
    };
    once(0, true);
    // Updates last: after them gets would find other values than their tape says.
    let medians = workload.phases.iter().enumerate().skip(1).map(|(phase, spec)| {
        let (watched, unwatched): (Vec<_>, Vec<_>) =
            (0..repeats).map(|_| (once(phase, true), once(phase, false))).unzip();
        (spec.name.clone(), median(&watched), median(&unwatched))
    });
    medians.collect()
}

fn open(name: &str, directory: &Path) -> Box<dyn Store> {
    let entry = bakeoff_stores::find(name).expect("there is such a store");
    let settings = resolve_settings(&(entry.describe)(), &Settings::new()).expect("defaults are right");
    let request =
        OpenRequest { directory, durability: Durability::None, settings: &settings, hints: &DataHints::default() };
    (entry.open)(&request).expect("it opens")
}

/// Replays a tape's only lane: nanoseconds an operation for the whole of it, and what was measured.
fn replay_into(
    store: &dyn Store,
    tape: &Path,
    pool: &Pool,
    clock: &Clock,
    mode: Mode,
    watch: bool,
) -> (f64, LaneOutcome) {
    let stop = AtomicBool::new(false);
    let reporter = Reporter::new(|_| {});
    let mut buffers = Buffers::new(LaneNeeds::default(), 0).expect("there is memory");
    let tape = TapeReader::open(tape).expect("the tape opens");
    tape.check().expect("the tape is whole");
    let mut lane = tape.lane(0).expect("the tape has a lane");
    let operations = tape.facts().operations;
    let job = LaneJob {
        pool,
        clock,
        mode,
        speed: None,
        value_sizes: &[],
        steady: None,
        check: true,
        watch,
        operations,
        alone: true,
        device: DeviceId::of(&std::env::temp_dir()),
        reporter: &reporter,
        stop: &stop,
    };
    let mut replayed = None;
    store
        .session(&SessionPlan::default(), &mut |session| {
            let begin = Instant::now();
            let outcome = replay_lane(&job, &mut lane, session, &mut buffers).expect("no errors");
            let elapsed_ns = begin.elapsed().as_nanos() as f64;
            assert_eq!(outcome.answers_wrong, 0, "every answer is right");
            replayed = Some((elapsed_ns / operations as f64, outcome));
            Ok(())
        })
        .expect("it opens a session");
    replayed.expect("it was replayed")
}

/// The median, of figures that are never none.
fn median(figures: &[f64]) -> f64 {
    bakeoff_stats::median(figures).expect("there are figures")
}

/// Whether replaying a tape a hundred times as long takes no more memory.
fn flat_memory(directory: &Path) -> bool {
    let clock = Clock::new();
    let mut peaks = Vec::new();
    for operations in [1_000_000_u64, 100_000_000] {
        let place = directory.join(operations.to_string());
        let recording = record(&gets(operations, true), &place, None, &mut |_| ControlFlow::Continue(()))
            .expect("tapes can be recorded");
        let pool = Pool::open(&recording.pool).expect("the pool opens");
        let before = rss_bytes().unwrap_or(0);
        bakeoff_measure::reset_peak_rss();
        let ns = replay(&recording.phases[1].path, &pool, &clock, Mode::Throughput, true);
        let snapshot = bakeoff_measure::Snapshot::take(None);
        let peak = snapshot.resources_since(&snapshot, Some(before)).rss_peak_above_baseline_bytes.unwrap_or(0);
        println!(
            "  {operations:>11} gets: {ns:5.1} ns each, {:.1} MiB of memory above the start",
            peak as f64 / 1048576.0
        );
        std::fs::remove_dir_all(place).expect("our own directory can be removed");
        peaks.push(peak);
    }
    peaks[1] <= peaks[0] + RECORD_BYTES_MAX * RECORDS
}
