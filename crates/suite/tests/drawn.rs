//! What is on the tapes of the suites that come with bakeoff is what their sources say: mix, lengths, popularity, arrivals.

mod common;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use bakeoff_suite::Suite;
use bakeoff_tape::{Data, Operation, TapeReader};
use common::plan_with;

use Operation::{Delete, Get, Insert, Scan, Update, Upsert};

/// What a suite claims of its last phase but for `records`, which a source does not say.
struct Claim {
    suite: &'static str,
    phase: &'static str,
    mix: &'static [(Operation, f64)],
    key_bytes: usize,
    /// From, to.
    value_bytes: (u32, u32),
    /// Zipf's exponent over 100,000 records, which none is added to or taken from.
    theta: Option<f64>,
}

const YCSB_KEY: usize = 23;

/// After `../shared/research/peers.md` and the sources that the suites name.
const CLAIMS: [Claim; 17] = [
    Claim { suite: "ycsb-a", phase: "a", mix: &[(Get, 50.0), (Update, 50.0)], ..YCSB },
    Claim { suite: "ycsb-b", phase: "b", mix: &[(Get, 95.0), (Update, 5.0)], ..YCSB },
    Claim { suite: "ycsb-c", phase: "c", mix: &[(Get, 1.0)], ..YCSB },
    Claim { suite: "ycsb-d", phase: "d", mix: &[(Get, 95.0), (Insert, 5.0)], theta: None, ..YCSB },
    Claim { suite: "ycsb-e", phase: "e", mix: &[(Scan, 95.0), (Insert, 5.0)], theta: None, ..YCSB },
    // An update there is a read and then a write of the same record.
    Claim { suite: "ycsb-f", phase: "f", mix: &[(Get, 100.0), (Update, 50.0)], theta: None, ..YCSB },
    twitter("twitter-c4", &[(Get, 93.0), (Upsert, 7.0)], 67, 2439, Some(1.1004)),
    twitter("twitter-c12", &[(Upsert, 80.0), (Get, 20.0)], 44, 1030, Some(0.3048)),
    twitter("twitter-c14", &[(Get, 65.0), (Delete, 22.0), (Upsert, 13.0)], 96, 414, None),
    twitter("twitter-c19", &[(Get, 75.0), (Upsert, 25.0)], 42, 101, Some(0.735)),
    twitter("twitter-c29", &[(Get, 86.0), (Upsert, 13.0)], 36, 799, Some(1.2323)),
    Claim {
        suite: "linkbench",
        phase: "mixed",
        mix: &[(Scan, 50.71), (Get, 18.35), (Update, 15.38), (Insert, 11.56), (Delete, 4.0)],
        key_bytes: 32,
        value_bytes: (128, 128),
        theta: None,
    },
    Claim {
        suite: "mixgraph",
        phase: "mixed",
        mix: &[(Get, 83.0), (Update, 14.0), (Scan, 3.0)],
        key_bytes: 48,
        value_bytes: (10, 1 << 20),
        theta: None,
    },
    Claim {
        suite: "kvtest",
        phase: "update",
        mix: &[(Update, 1.0)],
        key_bytes: 4,
        value_bytes: (8000, 12_000),
        theta: None,
    },
    Claim {
        suite: "redb",
        phase: "removals",
        mix: &[(Delete, 1.0)],
        key_bytes: 24,
        value_bytes: (150, 150),
        theta: None,
    },
    Claim {
        suite: "rocksdb-benchmark",
        phase: "readwhilewriting",
        mix: &[(Get, 90.0), (Update, 10.0)],
        key_bytes: 20,
        value_bytes: (400, 400),
        theta: None,
    },
    Claim {
        suite: "open-loop",
        phase: "serve",
        mix: &[(Get, 90.0), (Upsert, 10.0)],
        key_bytes: 32,
        value_bytes: (100, 1024),
        theta: None,
    },
];

const YCSB: Claim =
    Claim { suite: "", phase: "", mix: &[], key_bytes: YCSB_KEY, value_bytes: (1000, 1000), theta: Some(0.99) };

const fn twitter(
    suite: &'static str,
    mix: &'static [(Operation, f64)],
    key_bytes: usize,
    value: u32,
    theta: Option<f64>,
) -> Claim {
    Claim { suite, phase: "mixed", mix, key_bytes, value_bytes: (value, value), theta }
}

/// What is on a tape.
#[derive(Default)]
struct Drawn {
    kinds: BTreeMap<Operation, f64>,
    keys: BTreeMap<Vec<u8>, u32>,
    values: Vec<u64>,
    due_ns: Vec<u64>,
}

/// Records the first workload of a suite as it is, but for what values are made of, and gives what is on the tape of a phase.
fn drawn(suite: &str, phase: &str) -> Drawn {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../suites/{suite}.toml"));
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find(|line| line.starts_with("stores = ")).unwrap();
    let suite = Suite::parse(suite, &text.replace(line, "stores = \"all\"")).unwrap();
    let mut workload = plan_with(&suite, None).unwrap().workloads.remove(0).workload;
    workload.data = Data::Random;
    workload.pool_bytes = 4 << 20;
    let directory = tempfile::tempdir().unwrap();
    let recording =
        bakeoff_tape::record(&workload, directory.path(), None, &mut |_| ControlFlow::Continue(())).unwrap();
    let phase = recording.phases.iter().find(|tape| tape.name == phase).unwrap();
    let tape = TapeReader::open(&phase.path).unwrap();
    let (mut drawn, mut lane) = (Drawn::default(), tape.lane(0).unwrap());
    while let Some(block) = lane.next_block().unwrap() {
        for record in block.records().filter(|record| !record.key.is_empty()) {
            *drawn.kinds.entry(record.operation).or_default() += 1.0;
            *drawn.keys.entry(record.key.to_vec()).or_default() += 1;
            drawn.due_ns.extend(record.due_ns);
            if record.operation.writes() && record.operation != Delete {
                drawn.values.push(u64::from(record.value_bytes));
            }
        }
    }
    drawn
}

#[test]
fn tapes_have_the_mix_and_the_lengths_that_suites_claim() {
    for claim in &CLAIMS {
        let drawn = drawn(claim.suite, claim.phase);
        assert_eq!(drawn.kinds.len(), claim.mix.len(), "{}: {:?}", claim.suite, drawn.kinds);
        let (total, weights) =
            (drawn.kinds.values().sum::<f64>(), claim.mix.iter().map(|(_, weight)| weight).sum::<f64>());
        for (kind, weight) in claim.mix {
            let (part, found) = (weight / weights, drawn.kinds[kind]);
            let deviation = (total * part * (1.0 - part)).sqrt();
            assert!((found - total * part).abs() <= 5.0 * deviation, "{}: {found} {kind:?} of {total}", claim.suite);
        }
        assert!(drawn.keys.keys().all(|key| key.len() == claim.key_bytes), "{}", claim.suite);
        let (least, most) = (u64::from(claim.value_bytes.0), u64::from(claim.value_bytes.1));
        assert!(drawn.values.iter().all(|bytes| (least..=most).contains(bytes)), "{}", claim.suite);
        if let Some(theta) = claim.theta {
            let counts: Vec<u32> = drawn.keys.values().copied().collect();
            assert!(fits_zipf(&counts, theta, 100_000), "{}: no Zipf of {theta}", claim.suite);
            // The same tape is no other distribution: the test could fail.
            assert!(!fits_zipf(&counts, theta + 0.1, 100_000), "{}: cannot be told", claim.suite);
        }
    }
}

#[test]
fn values_have_the_lengths_that_suites_claim_as_often() {
    assert_follows(drawn("kvtest", "update").values, |bytes| (bytes as f64 - 7999.0) / 4001.0);
    assert_follows(drawn("open-loop", "serve").values, |bytes| (bytes as f64 - 99.0) / 925.0);
    let pareto = |bytes: f64| 1.0 - (1.0 + 0.2615 * bytes / 25.45).powf(-1.0 / 0.2615);
    assert_follows(drawn("mixgraph", "mixed").values, |bytes| pareto((bytes + 1) as f64));
}

#[test]
fn arrivals_of_the_open_loop_are_independent_at_its_rate() {
    let due_ns = drawn("open-loop", "serve").due_ns;
    assert_eq!(due_ns.len(), 20_000);
    let gaps = due_ns.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_follows(gaps, |gap| 1.0 - (-(gap as f64) * 5e-6).exp());
}

/// The greatest distance from a law, after Kolmogorov and Smirnov: 0.1 % of fair samples lie further away.
fn assert_follows(mut drawn: Vec<u64>, law: impl Fn(u64) -> f64) {
    drawn.sort_unstable();
    let count = drawn.len() as f64;
    let distance = drawn.iter().map(|value| {
        let up_to = drawn.partition_point(|other| other <= value) as f64 / count;
        (up_to - law(*value)).abs()
    });
    let distance = distance.fold(0.0, f64::max);
    assert!(count > 1000.0 && distance < 1.95 / count.sqrt(), "{distance} for {count} draws");
}

/// Whether so many keys were drawn as often as Zipf's law expects, whichever key has which rank: how many of all ranks came not at all, once, twice,
/// …, each number within 5 of its standard deviations. A rank comes as often as Poisson's law says.
fn fits_zipf(counts: &[u32], theta: f64, ranks: usize) -> bool {
    let draws: f64 = counts.iter().copied().map(f64::from).sum();
    let weights: Vec<f64> = (1..=ranks).map(|rank| (rank as f64).powf(-theta)).collect();
    let sum: f64 = weights.iter().sum();
    let most = draws as usize + 1;
    let mut factorials = vec![0.0; most + 1];
    (1..=most).for_each(|number| factorials[number] = factorials[number - 1] + (number as f64).ln());
    // By the logarithm of a count, three to a doubling.
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
    found[0] = (ranks - counts.len()) as f64;
    let bins = expected.iter().zip(&variance).zip(&found).filter(|((expected, _), _)| **expected > 10.0);
    bins.clone().count() > 5
        && bins.into_iter().all(|((expected, variance), found)| (found - expected).abs() < 5.0 * variance.sqrt())
}
