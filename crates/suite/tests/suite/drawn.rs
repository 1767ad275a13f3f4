//! The tapes of the built-in suites have the mix, lengths, popularity and arrivals that the suites' sources name.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;

use crate::common::plan_with;
use bakeoff_suite::Suite;
use bakeoff_tape::{Data, Operation, Recording, TapeReader};
use tempfile::TempDir;

use Operation::{Delete, Get, Insert, Scan, Update, Upsert};

/// What a suite claims of a phase.
struct Claim {
    suite: &'static str,
    phase: &'static str,
    mix: &'static [(Operation, f64)],
    key_bytes: usize,
    /// From, to.
    value_bytes: (u32, u32),
    popularity: Popularity,
}

/// How often each record should occur.
#[derive(Clone, Copy)]
enum Popularity {
    /// By Zipf's law with this exponent (0: all alike) among this many records. Hardly any record is added, and none is
    /// removed.
    Zipf(f64, usize),
    /// The same, but records are deleted, and another record takes the rank then.
    Shifting(f64, usize),
    /// Tested separately, or each record occurs once.
    Else,
}

use Popularity::{Else, Shifting, Zipf};

/// Defaults for bakeoff's own suites.
const OURS: Claim = Claim { suite: "", phase: "", mix: &[], key_bytes: 32, value_bytes: (100, 1024), popularity: Else };

const YCSB_KEY: usize = 23;

/// From the sources that the suites name.
const CLAIMS: [Claim; 36] = [
    Claim { suite: "ycsb-a", phase: "a", mix: &[(Get, 50.0), (Update, 50.0)], ..YCSB },
    Claim { suite: "ycsb-b", phase: "b", mix: &[(Get, 95.0), (Update, 5.0)], ..YCSB },
    Claim { suite: "ycsb-c", phase: "c", mix: &[(Get, 1.0)], ..YCSB },
    Claim { suite: "ycsb-d", phase: "d", mix: &[(Get, 95.0), (Insert, 5.0)], popularity: Else, ..YCSB },
    Claim { suite: "ycsb-e", phase: "e", mix: &[(Scan, 95.0), (Insert, 5.0)], ..YCSB },
    // In YCSB's F, an update reads and then writes the same record.
    Claim { suite: "ycsb-f", phase: "f", mix: &[(Get, 100.0), (Update, 50.0)], ..YCSB },
    twitter("twitter-c4", &[(Get, 93.0), (Upsert, 7.0)], 67, 2439, Zipf(1.1004, 100_000)),
    twitter("twitter-c12", &[(Upsert, 80.0), (Get, 20.0)], 44, 1030, Zipf(0.3048, 100_000)),
    twitter("twitter-c14", &[(Get, 65.0), (Delete, 22.0), (Upsert, 13.0)], 96, 414, Shifting(1.2959, 100_000)),
    twitter("twitter-c19", &[(Get, 75.0), (Upsert, 25.0)], 42, 101, Zipf(0.735, 100_000)),
    twitter("twitter-c29", &[(Get, 86.0), (Upsert, 13.0)], 36, 799, Zipf(1.2323, 100_000)),
    Claim {
        suite: "linkbench",
        phase: "mixed",
        mix: &[(Scan, 50.71), (Get, 18.35), (Update, 15.38), (Insert, 11.56), (Delete, 4.0)],
        value_bytes: (128, 128),
        popularity: Shifting(0.8, 200_000),
        ..OURS
    },
    Claim {
        suite: "mixgraph",
        phase: "mixed",
        mix: &[(Get, 83.0), (Update, 14.0), (Scan, 3.0)],
        key_bytes: 48,
        value_bytes: (10, 1 << 20),
        ..OURS
    },
    kvtest("get-sequential", Get, Else),
    kvtest("get", Get, Zipf(0.0, 100_000)),
    kvtest("update", Update, Zipf(0.0, 100_000)),
    redb("random-reads", Get),
    redb("random-range-reads", Scan),
    redb("removals", Delete),
    rocksdb("readrandom", &[(Get, 1.0)]),
    rocksdb("overwrite", &[(Update, 1.0)]),
    rocksdb("fwdrange", &[(Scan, 1.0)]),
    rocksdb("revrange", &[(Scan, 1.0)]),
    rocksdb("readwhilewriting", &[(Get, 90.0), (Update, 10.0)]),
    Claim {
        suite: "open-loop",
        phase: "serve",
        mix: &[(Get, 90.0), (Upsert, 10.0)],
        popularity: Zipf(0.99, 20_000),
        ..OURS
    },
    Claim { suite: "delete-heavy", phase: "remove", mix: &[(Delete, 1.0)], ..OURS },
    Claim { suite: "delete-heavy", phase: "get", mix: &[(Get, 1.0)], ..OURS },
    Claim { suite: "delete-heavy", phase: "insert", mix: &[(Insert, 1.0)], ..OURS },
    // The oldest record is read and then deleted.
    Claim { suite: "queue", phase: "queue", mix: &[(Get, 50.0), (Delete, 50.0), (Insert, 50.0)], ..QUEUE },
    Claim { suite: "queue", phase: "drain", mix: &[(Get, 1.0), (Delete, 1.0)], ..QUEUE },
    Claim { suite: "reopen", phase: "update", mix: &[(Update, 1.0)], popularity: Zipf(0.0, 10_000), ..OURS },
    steady_state("overwrite", &[(Update, 1.0)], 0.0),
    steady_state("mixed", &[(Get, 50.0), (Update, 50.0)], 0.99),
    larger("get", Get, 0.0),
    larger("get-popular", Get, 0.99),
    larger("update", Update, 0.0),
];

const YCSB: Claim = Claim {
    suite: "",
    phase: "",
    mix: &[],
    key_bytes: YCSB_KEY,
    value_bytes: (1000, 1000),
    popularity: Zipf(0.99, 100_000),
};

const fn twitter(
    suite: &'static str,
    mix: &'static [(Operation, f64)],
    key_bytes: usize,
    value: u32,
    popularity: Popularity,
) -> Claim {
    Claim { suite, phase: "mixed", mix, key_bytes, value_bytes: (value, value), popularity }
}

const QUEUE: Claim = Claim { key_bytes: 16, value_bytes: (200, 2048), ..OURS };

const fn kvtest(phase: &'static str, operation: Operation, popularity: Popularity) -> Claim {
    Claim { suite: "kvtest", phase, mix: only(operation), key_bytes: 4, value_bytes: (8000, 12_000), popularity }
}

const fn redb(phase: &'static str, operation: Operation) -> Claim {
    Claim { suite: "redb", phase, mix: only(operation), key_bytes: 24, value_bytes: (150, 150), popularity: Else }
}

const fn rocksdb(phase: &'static str, mix: &'static [(Operation, f64)]) -> Claim {
    let popularity = Zipf(0.0, 500_000);
    Claim { suite: "rocksdb-benchmark", phase, mix, key_bytes: 20, value_bytes: (400, 400), popularity }
}

const fn steady_state(phase: &'static str, mix: &'static [(Operation, f64)], theta: f64) -> Claim {
    Claim { suite: "steady-state", phase, mix, value_bytes: (400, 400), popularity: Zipf(theta, 200_000), ..OURS }
}

const fn larger(phase: &'static str, operation: Operation, theta: f64) -> Claim {
    let popularity = Zipf(theta, 1_000_000);
    Claim { suite: "larger-than-memory", phase, mix: only(operation), value_bytes: (1024, 1024), popularity, ..OURS }
}

const fn only(operation: Operation) -> &'static [(Operation, f64)] {
    match operation {
        Get => &[(Get, 1.0)],
        Scan => &[(Scan, 1.0)],
        Delete => &[(Delete, 1.0)],
        _ => &[(Update, 1.0)],
    }
}

/// The content of a tape, in its order.
#[derive(Default)]
struct Drawn {
    kinds: BTreeMap<Operation, f64>,
    operations: Vec<(Operation, Vec<u8>)>,
    found: usize,
    values: Vec<u64>,
    scans: Vec<u64>,
    due_ns: Vec<u64>,
}

impl Drawn {
    /// How often each record was chosen. Inserts do not count, and a read followed by a write of the same record counts
    /// once.
    fn counts(&self) -> Vec<u32> {
        let mut counts: BTreeMap<&[u8], u32> = BTreeMap::new();
        let mut before: Option<&(Operation, Vec<u8>)> = None;
        let reads_first = self.reads_first();
        for now @ (operation, key) in &self.operations {
            let follows = reads_first && *operation != Get && before.is_some_and(|(_, read)| read == key);
            if *operation != Insert && !follows {
                *counts.entry(key).or_default() += 1;
            }
            before = Some(now);
        }
        counts.into_values().collect()
    }

    /// Whether every write follows a read of its record.
    fn reads_first(&self) -> bool {
        let pairs = self.operations.windows(2).filter(|pair| !matches!(pair[1].0, Get | Scan | Insert));
        pairs.clone().count() > 0 && pairs.into_iter().all(|pair| pair[0].0 == Get && pair[0].1 == pair[1].1)
    }

    /// How many choices fell on the same record as the one before, and how many could have.
    fn twice(&self) -> (f64, f64) {
        let pairs = self.operations.windows(2);
        let pairs: Vec<_> = pairs.filter(|pair| !matches!(pair[0].0, Insert | Delete) && pair[1].0 != Insert).collect();
        (pairs.iter().filter(|pair| pair[0].1 == pair[1].1).count() as f64, pairs.len() as f64)
    }
}

/// The tapes of a suite's first workload. Only the content of values differs from the suite.
struct Tapes {
    suite: &'static str,
    recording: Recording,
    _directory: TempDir,
}

impl Tapes {
    fn of(suite: &'static str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../suites/{suite}.toml"));
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find(|line| line.starts_with("stores = ")).unwrap();
        // The memory of a store has no effect on the tape.
        let lines = text.lines().filter(|line| !line.starts_with("memory"));
        let text =
            lines.map(|text| if text == line { "stores = \"all\"" } else { text }).collect::<Vec<_>>().join("\n");
        let parsed = Suite::parse(suite, &text).unwrap();
        let mut workload = plan_with(&parsed, None).unwrap().workloads.remove(0).workload;
        workload.data = Data::Random;
        workload.pool_bytes = 4 << 20;
        let directory = tempfile::tempdir().unwrap();
        let recording =
            bakeoff_tape::record(&workload, directory.path(), None, &mut |_| ControlFlow::Continue(())).unwrap();
        Self { suite, recording, _directory: directory }
    }

    fn drawn(&self, phase: &str) -> Drawn {
        let phase = self.recording.phases.iter().find(|tape| tape.name == phase).unwrap();
        let tape = TapeReader::open(&phase.path).unwrap();
        let (mut drawn, mut lane) = (Drawn::default(), tape.lane(0).unwrap());
        while let Some(block) = lane.next_block().unwrap() {
            for record in block.records().filter(|record| !record.key.is_empty()) {
                *drawn.kinds.entry(record.operation).or_default() += 1.0;
                drawn.operations.push((record.operation, record.key.to_vec()));
                drawn.found += usize::from(record.found());
                drawn.due_ns.extend(record.due_ns);
                drawn.scans.extend(record.scan().map(|scan| scan.limit));
                if record.operation.writes() && record.operation != Delete {
                    drawn.values.push(u64::from(record.value_bytes));
                }
            }
        }
        drawn
    }
}

fn drawn(suite: &'static str, phase: &str) -> Drawn {
    Tapes::of(suite).drawn(phase)
}

#[test]
fn tapes_have_the_mix_and_the_lengths_that_suites_claim() {
    let mut tapes: Option<Tapes> = None;
    for claim in &CLAIMS {
        if tapes.as_ref().is_none_or(|tapes| tapes.suite != claim.suite) {
            tapes = Some(Tapes::of(claim.suite));
        }
        let drawn = tapes.as_ref().unwrap().drawn(claim.phase);
        check(claim, &drawn);
    }
}

fn check(claim: &Claim, drawn: &Drawn) {
    let what = format!("{}, {}", claim.suite, claim.phase);
    assert_eq!(drawn.kinds.len(), claim.mix.len(), "{what}: {:?}", drawn.kinds);
    let (total, weights) = (drawn.kinds.values().sum::<f64>(), claim.mix.iter().map(|(_, weight)| weight).sum::<f64>());
    for (kind, weight) in claim.mix {
        let (part, found) = (weight / weights, drawn.kinds[kind]);
        let deviation = (total * part * (1.0 - part)).sqrt();
        assert!((found - total * part).abs() <= 5.0 * deviation, "{what}: {found} {kind:?} of {total}");
    }
    let lengths: BTreeSet<usize> = drawn.operations.iter().map(|(_, key)| key.len()).collect();
    assert_eq!(lengths, BTreeSet::from([claim.key_bytes]), "{what}");
    let (least, most) = (u64::from(claim.value_bytes.0), u64::from(claim.value_bytes.1));
    assert!(drawn.values.iter().all(|bytes| (least..=most).contains(bytes)), "{what}");
    // The same tape must not fit another distribution, or the test could not fail.
    let other = |theta: f64| if theta == 0.0 { 0.4 } else { theta + 0.1 };
    match claim.popularity {
        Zipf(theta, ranks) => {
            let counts = drawn.counts();
            assert!(fits_zipf(&counts, theta, ranks), "{what}: no Zipf of {theta}");
            assert!(!fits_zipf(&counts, other(theta), ranks), "{what}: cannot be told");
        }
        Shifting(theta, ranks) => {
            assert!(comes_twice(drawn, theta, ranks), "{what}: no Zipf of {theta}");
            assert!(!comes_twice(drawn, other(theta), ranks), "{what}: cannot be told");
        }
        Else => {}
    }
}

/// Whether consecutive choices fall on the same record as often as Zipf's law predicts.
fn comes_twice(drawn: &Drawn, theta: f64, ranks: usize) -> bool {
    let sum = |exponent: f64| (1..=ranks).map(|rank| (rank as f64).powf(-exponent)).sum::<f64>();
    let part = sum(2.0 * theta) / sum(theta).powi(2);
    let (found, of) = drawn.twice();
    (found - of * part).abs() < 5.0 * (of * part * (1.0 - part)).sqrt()
}

#[test]
fn new_records_are_popular_by_their_age_where_that_is_claimed() {
    let tapes = Tapes::of("ycsb-d");
    let mut written: Vec<Vec<u8>> = tapes.drawn("load").operations.into_iter().map(|(_, key)| key).collect();
    let mut place: BTreeMap<Vec<u8>, usize> =
        written.iter().cloned().enumerate().map(|(index, key)| (key, index)).collect();
    let mut ages = Vec::new();
    for (operation, key) in tapes.drawn("d").operations {
        match operation {
            Get => ages.push((written.len() - place[&key]) as u64),
            _ => {
                place.insert(key.clone(), written.len());
                written.push(key);
            }
        }
    }
    let part = |theta: f64| {
        let mut sum = 0.0;
        let sums: Vec<f64> = (1..=written.len())
            .map(|age| {
                sum += (age as f64).powf(-theta);
                sum
            })
            .collect();
        move |age: u64| sums[age as usize - 1] / sum
    };
    assert!(follows(ages.clone(), part(0.99)) && !follows(ages, part(1.09)));
}

#[test]
fn a_read_modify_write_reads_the_record_that_it_writes() {
    assert!(drawn("ycsb-f", "f").reads_first());
    assert!(!drawn("ycsb-a", "a").reads_first());
}

#[test]
fn scans_have_the_lengths_that_suites_claim_as_often() {
    assert_follows(drawn("ycsb-e", "e").scans, |entries| entries as f64 / 100.0);
    assert_follows(drawn("linkbench", "mixed").scans, |entries| entries as f64 / 20.0);
    let pareto = |entries: f64| 1.0 - (1.0 + 2.517 * entries / 14.236).powf(-1.0 / 2.517);
    assert_follows(drawn("mixgraph", "mixed").scans, |entries| pareto((entries + 1) as f64) / pareto(10_000.0));
    for suite in [("redb", "random-range-reads"), ("rocksdb-benchmark", "fwdrange")] {
        assert!(drawn(suite.0, suite.1).scans.iter().all(|entries| *entries == 10), "{suite:?}");
    }
}

#[test]
fn redb_reads_scans_and_removes_in_the_order_of_loading() {
    let tapes = Tapes::of("redb");
    let keys = |phase| tapes.drawn(phase).operations.into_iter().map(|(_, key)| key).collect::<Vec<_>>();
    let writes = ["bulk-load", "individual-writes", "batch-writes"].map(keys);
    assert_eq!(writes.each_ref().map(Vec::len), [500_000, 1_000, 100_000]);
    let elements = writes.concat();
    for (phase, operations) in
        [("random-reads", 100_000), ("random-range-reads", 50_000), ("removals", elements.len() / 2)]
    {
        assert!(keys(phase) == elements[..operations], "{phase}: not the first {operations} as they were loaded");
    }
    assert!(!elements.is_sorted(), "the order of loading is not that of keys");
}

#[test]
fn what_is_removed_is_gone_and_half_of_the_reads_look_for_it() {
    let tapes = Tapes::of("delete-heavy");
    let keys = |phase| tapes.drawn(phase).operations.into_iter().map(|(_, key)| key).collect::<BTreeSet<_>>();
    let (load, removed) = (keys("load"), keys("remove"));
    assert_eq!((load.len(), removed.len(), removed.difference(&load).count()), (100_000, 90_000, 0));
    let get = tapes.drawn("get");
    let (half, deviation) = (25_000.0, (50_000.0_f64 / 4.0).sqrt());
    assert!((get.found as f64 - half).abs() < 5.0 * deviation, "{} found", get.found);
    assert!(keys("insert").is_disjoint(&load) && keys("insert").len() == 50_000);
}

#[test]
fn a_queue_gives_its_oldest_record_and_gets_another_at_its_end() {
    let tapes = Tapes::of("queue");
    let mut queue: VecDeque<Vec<u8>> = VecDeque::new();
    for phase in ["load", "queue", "drain"] {
        let drawn = tapes.drawn(phase);
        assert!(phase == "load" || drawn.reads_first());
        for (operation, key) in drawn.operations {
            match operation {
                Insert => {
                    assert!(queue.back().is_none_or(|last| *last < key), "keys ascend");
                    queue.push_back(key);
                }
                Get => assert_eq!(queue.front(), Some(&key), "the oldest"),
                _ => assert_eq!(queue.pop_front(), Some(key)),
            }
        }
    }
    assert!((8_500..9_500).contains(&queue.len()), "it neither grows nor shrinks: {}", queue.len());
}

#[test]
fn ranges_of_keys_are_as_popular_as_mixgraph_claims() {
    let mut ranges = [0.0_f64; 30];
    let drawn = drawn("mixgraph", "mixed");
    for (_, key) in &drawn.operations {
        let index: u64 = std::str::from_utf8(key)
            .unwrap()
            .trim_start_matches(|letter: char| !letter.is_ascii_digit())
            .parse()
            .unwrap();
        ranges[(index * 30 / 500_000) as usize] += 1.0;
    }
    ranges.sort_by(|a, b| b.total_cmp(a));
    let weight = |x: f64| 14.18 * (-2.917 * x).exp() + 0.0164 * (-0.08082 * x).exp();
    let sum: f64 = (1..=30).map(|x| weight(f64::from(x))).sum();
    let expected = (1..=30).map(|x| weight(f64::from(x)) / sum * drawn.operations.len() as f64);
    let distance: f64 = expected.zip(ranges).map(|(expected, found)| (found - expected).powi(2) / expected).sum();
    // 29 degrees of freedom: 0.1 % of fair samples exceed this distance.
    assert!(distance < 58.3, "chi-square {distance}: {ranges:?}");
}

#[test]
fn values_have_the_lengths_that_suites_claim_as_often() {
    assert_follows(drawn("queue", "queue").values, |bytes| (bytes as f64 - 199.0) / 1849.0);
    assert_follows(drawn("delete-heavy", "insert").values, |bytes| (bytes as f64 - 99.0) / 925.0);
    assert_follows(drawn("reopen", "update").values, |bytes| (bytes as f64 - 99.0) / 925.0);
    assert_follows(drawn("kvtest", "update").values, |bytes| (bytes as f64 - 7999.0) / 4001.0);
    assert_follows(drawn("open-loop", "serve").values, |bytes| (bytes as f64 - 99.0) / 925.0);
    let pareto = |bytes: f64| 1.0 - (1.0 + 0.2615 * bytes / 25.45).powf(-1.0 / 0.2615);
    assert_follows(drawn("mixgraph", "mixed").values, |bytes| pareto((bytes + 1) as f64));
}

#[test]
fn arrivals_of_the_open_loop_are_independent_at_its_rate() {
    let due_ns = drawn("open-loop", "serve").due_ns;
    assert_eq!(due_ns.len(), 100_000);
    let gaps = due_ns.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_follows(gaps, |gap| 1.0 - (-(gap as f64) * 1e-5).exp());
}

fn assert_follows(drawn: Vec<u64>, law: impl Fn(u64) -> f64) {
    let count = drawn.len();
    assert!(follows(drawn, law), "{count} draws follow another law");
}

/// The Kolmogorov-Smirnov test: 0.1 % of fair samples exceed this greatest distance from the law.
fn follows(mut drawn: Vec<u64>, law: impl Fn(u64) -> f64) -> bool {
    drawn.sort_unstable();
    let count = drawn.len() as f64;
    let distance = drawn.iter().map(|value| {
        let up_to = drawn.partition_point(|other| other <= value) as f64 / count;
        (up_to - law(*value)).abs()
    });
    let distance = distance.fold(0.0, f64::max);
    count > 1000.0 && distance < 1.95 / count.sqrt()
}

/// Whether keys were drawn as often as Zipf's law predicts, no matter which key has which rank. It compares how many
/// ranks were drawn 0, 1, 2, … times. Each number must be within 5 standard deviations. The draws of a rank follow
/// Poisson's law.
fn fits_zipf(counts: &[u32], theta: f64, ranks: usize) -> bool {
    let draws: f64 = counts.iter().copied().map(f64::from).sum();
    let weights: Vec<f64> = (1..=ranks).map(|rank| (rank as f64).powf(-theta)).collect();
    let sum: f64 = weights.iter().sum();
    let most = draws as usize + 1;
    let mut factorials = vec![0.0; most + 1];
    (1..=most).for_each(|number| factorials[number] = factorials[number - 1] + (number as f64).ln());
    // Logarithmic bins, three per doubling of the count.
    let bin = |count: usize| if count < 4 { count } else { 4 + (((count as f64) / 4.0).log2() * 3.0) as usize };
    let (mut expected, mut variance) = (vec![0.0; bin(most) + 1], vec![0.0; bin(most) + 1]);
    for weight in &weights {
        let mean = weight / sum * draws;
        let (from, to) =
            ((mean - 9.0 * mean.sqrt() - 9.0).max(0.0) as usize, (mean + 9.0 * mean.sqrt() + 9.0) as usize);
        let mut parts: BTreeMap<usize, f64> = BTreeMap::new();
        for (count, factorial) in factorials.iter().enumerate().take(to + 1).skip(from) {
            *parts.entry(bin(count)).or_default() += (count as f64 * mean.ln() - mean - factorial).exp();
        }
        for (bin, part) in parts {
            expected[bin] += part;
            variance[bin] += part * (1.0 - part);
        }
    }
    let mut found = vec![0.0; expected.len()];
    counts.iter().for_each(|count| found[bin(*count as usize)] += 1.0);
    found[0] = ranks.saturating_sub(counts.len()) as f64;
    let bins = expected.iter().zip(&variance).zip(&found).filter(|((expected, _), _)| **expected > 10.0);
    bins.clone().count() > 2
        && bins.into_iter().all(|((expected, variance), found)| (found - expected).abs() < 5.0 * variance.sqrt())
}

/// A suite with three readers and a writer, and these axes.
fn readers_and_a_writer(axes: &str) -> Result<Suite, String> {
    let text = format!(
        r#"
        [axes]
        stores = "null"
        value-size = "1KiB"
        records = 1000
        {axes}
        [[phases]]
        name = "load"
        operation = "insert"
        [[phases]]
        name = "mixed"
        roles = [
            {{ threads = 3, share = 90, operation = "get" }},
            {{ threads = 1, share = 10, mix = {{ insert = 3, delete = 1 }} }},
        ]
        operations = 1000
        "#
    );
    Suite::parse("roles.toml", &text).map_err(|errors| errors.to_string())
}

#[test]
fn roles_say_how_many_threads_there_are_and_the_axis_takes_multiples() {
    let suite = readers_and_a_writer("").unwrap();
    assert_eq!(suite.threads(), [4]);
    let phase = &suite.phases()[1];
    let mix: Vec<_> = phase.mix.iter().map(|(kind, weight)| (kind.name(), *weight)).collect();
    assert_eq!(mix, [("insert", 7.5), ("get", 90.0), ("delete", 2.5)]);
    assert_eq!(readers_and_a_writer("threads = [4, 12]").unwrap().threads(), [4, 12]);
    assert_eq!([0, 8, 9, 11].map(|lane| phase.of_lane(lane, 12, 1000).operations), [100, 100, 34, 33].map(Some));
    let told = readers_and_a_writer("threads = [4, 6]").unwrap_err();
    assert!(
        told.contains("the roles of phase `mixed` have 4 threads") && told.contains("or leave `threads` out"),
        "{told}"
    );
}
