//! Applications of different behaviour, described by figures. Figures that a source gives are the source's. Numbers of keys and steps are
//! assumptions.

use crate::application_trace::{Application, Arrival, KeyShape, Lengths, Popular, Step};

/// The defaults of an application.
const PLAIN: Application = Application {
    name: "",
    source: "",
    seed: 0,
    steps: 50_000,
    records: 0,
    keys: 0,
    key: KeyShape::Hash("", 16),
    mix: &[],
    popularity: Popular::Zipf(0.99),
    values: Lengths::One(100),
    fills: false,
    capacity: None,
    lifetime_steps: None,
    commit: None,
    run: (1, 1),
    drift_steps: None,
    arrival: Arrival::Independent(10_000.0),
};

/// Sources of several applications.
const ATIKOGLU: &str = "Atikoglu et al., SIGMETRICS 2012";
const FAST_20: &str = "Cao et al., FAST 2020";
const OSDI_20: &str = "Yang et al., OSDI 2020";
const YCSB: &str = "Cooper et al., SoCC 2010";
const OWN: &str = "our own choice";

/// All applications.
pub const APPLICATIONS: [Application; 18] = [
    // Memcached at Facebook, pool ETC: 30 reads per write, generalised Pareto values, four of five reads hit. The exponent is an
    // assumption.
    Application {
        name: "facebook-etc",
        source: ATIKOGLU,
        seed: 101,
        records: 20_000,
        keys: 60_000,
        key: KeyShape::Hash("etc:", 28),
        mix: &[(Step::Get, 95), (Step::Set, 3), (Step::Delete, 2)],
        popularity: Popular::Zipf(0.99),
        values: Lengths::Pareto(0.348_238, 214.476, 1 << 20),
        fills: true,
        capacity: Some(25_000),
        ..PLAIN
    },
    // Pool USR: keys of 16 or 21 bytes, values of 2 bytes, 99.8 % reads. The exponent is an assumption.
    Application {
        name: "facebook-usr",
        source: ATIKOGLU,
        seed: 102,
        records: 60_000,
        keys: 60_000,
        key: KeyShape::Hash("", 21),
        mix: &[(Step::Get, 998), (Step::Set, 2)],
        popularity: Popular::Zipf(0.8),
        values: Lengths::One(2),
        ..PLAIN
    },
    // Pool VAR: four of five operations write, values are short. The exponent and the lengths are assumptions.
    Application {
        name: "facebook-var",
        source: ATIKOGLU,
        seed: 103,
        records: 20_000,
        keys: 25_000,
        key: KeyShape::Hash("var:", 28),
        mix: &[(Step::Set, 82), (Step::Get, 18)],
        popularity: Popular::Zipf(0.9),
        values: Lengths::Even(20, 120),
        ..PLAIN
    },
    // ZippyDB on RocksDB: 78 % get, 13 % put, 6 % delete, keys of 48 bytes, generalised Pareto values of `db_bench`'s mixgraph. Its 3 % of
    // iterators are omitted, because a trace does not show what they find. That 2 % of the keys are hot is an assumption.
    Application {
        name: "zippydb",
        source: FAST_20,
        seed: 104,
        records: 50_000,
        keys: 60_000,
        key: KeyShape::Hash("zippy", 43),
        mix: &[(Step::Get, 78), (Step::Set, 13), (Step::Delete, 6)],
        popularity: Popular::Hot(0.02, 0.7),
        values: Lengths::Pareto(0.2615, 25.45, 1 << 20),
        ..PLAIN
    },
    // UP2X on RocksDB: 92 % merges, which are updates here, keys of 10 bytes, values of 47. The exponent is an assumption.
    Application {
        name: "up2x",
        source: FAST_20,
        seed: 105,
        records: 50_000,
        keys: 50_000,
        key: KeyShape::Hash("", 10),
        mix: &[(Step::Update, 92), (Step::Get, 8)],
        popularity: Popular::Zipf(0.7),
        values: Lengths::Even(20, 74),
        ..PLAIN
    },
    // Twitter's caches: half of the clusters have keys below 38 bytes and values below 230. Many have exponents above 1. A cluster in front
    // of a database is almost read-only.
    Application {
        name: "twitter-storage",
        source: OSDI_20,
        seed: 106,
        records: 30_000,
        keys: 30_000,
        key: KeyShape::Hash("tw:", 35),
        mix: &[(Step::Get, 99), (Step::Set, 1)],
        popularity: Popular::Zipf(1.25),
        values: Lengths::LogNormal(230.0, 0.6, 16 << 10),
        fills: true,
        ..PLAIN
    },
    // A Twitter cache of computed results writes more than it reads, and its records expire. The lifetime, the bursts and the drift are
    // assumptions.
    Application {
        name: "twitter-computation",
        source: OSDI_20,
        seed: 107,
        keys: 40_000,
        key: KeyShape::Hash("tw:", 35),
        mix: &[(Step::Get, 40), (Step::Set, 60)],
        popularity: Popular::Zipf(0.9),
        values: Lengths::LogNormal(900.0, 0.5, 32 << 10),
        lifetime_steps: Some(15_000),
        drift_steps: Some(5_000),
        arrival: Arrival::Bursts(50_000.0, 1_000, 0.2),
        ..PLAIN
    },
    // A Twitter cache of transient data, such as rate limiters: short-lived counters of a few bytes.
    Application {
        name: "twitter-transient",
        source: OSDI_20,
        seed: 108,
        keys: 20_000,
        key: KeyShape::Hash("rl:", 13),
        mix: &[(Step::Get, 50), (Step::Set, 50)],
        popularity: Popular::Zipf(1.1),
        values: Lengths::Even(8, 16),
        lifetime_steps: Some(3_000),
        ..PLAIN
    },
    // A look-aside cache with one-hit wonders and invalidations, after CacheLib's kvcache workloads. Its figures are assumptions.
    Application {
        name: "kvcache",
        source: "Berg et al., OSDI 2020",
        seed: 109,
        records: 15_000,
        keys: 120_000,
        key: KeyShape::Hash("kv", 40),
        mix: &[(Step::Get, 88), (Step::Set, 7), (Step::Delete, 5)],
        popularity: Popular::Zipf(0.85),
        values: Lengths::LogNormal(150.0, 1.2, 64 << 10),
        fills: true,
        capacity: Some(20_000),
        drift_steps: Some(10_000),
        ..PLAIN
    },
    // YCSB's core workloads A, D and F: records of ten fields of 100 bytes, exponent 0.99.
    Application {
        name: "ycsb-a",
        source: YCSB,
        seed: 110,
        records: 20_000,
        keys: 20_000,
        key: KeyShape::Hash("user", 16),
        mix: &[(Step::Get, 50), (Step::Update, 50)],
        values: Lengths::One(1_000),
        steps: 40_000,
        ..PLAIN
    },
    Application {
        name: "ycsb-d",
        source: YCSB,
        seed: 111,
        records: 20_000,
        keys: 20_000,
        key: KeyShape::Hash("user", 16),
        mix: &[(Step::Get, 95), (Step::Insert, 5)],
        popularity: Popular::Latest(0.99),
        values: Lengths::One(1_000),
        ..PLAIN
    },
    Application {
        name: "ycsb-f",
        source: YCSB,
        seed: 112,
        records: 20_000,
        keys: 20_000,
        key: KeyShape::Hash("user", 16),
        mix: &[(Step::Get, 50), (Step::Modify, 50)],
        values: Lengths::One(1_000),
        steps: 40_000,
        ..PLAIN
    },
    // A queue of jobs: one in, one out, a thousand waiting.
    Application {
        name: "queue",
        source: OWN,
        seed: 113,
        records: 1_000,
        keys: 1_000,
        key: KeyShape::Number("", 12),
        mix: &[(Step::Insert, 1), (Step::DeleteOldest, 1)],
        values: Lengths::Even(100, 1_000),
        steps: 60_000,
        arrival: Arrival::Bursts(20_000.0, 500, 0.1),
        ..PLAIN
    },
    // Sessions of a web site: read and written at every request, removed when idle for long.
    Application {
        name: "sessions",
        source: OWN,
        seed: 114,
        records: 10_000,
        keys: 10_000,
        key: KeyShape::Hash("session:", 32),
        mix: &[(Step::Modify, 60), (Step::Get, 30), (Step::Insert, 10)],
        popularity: Popular::Latest(0.7),
        values: Lengths::Even(400, 1_600),
        lifetime_steps: Some(20_000),
        steps: 35_000,
        ..PLAIN
    },
    // A notes app in a browser: read far more often than written, saved a few at a time.
    Application {
        name: "notes",
        source: OWN,
        seed: 115,
        records: 3_000,
        keys: 3_000,
        key: KeyShape::Number("note/", 8),
        mix: &[(Step::Get, 80), (Step::Update, 17), (Step::Insert, 2), (Step::Delete, 1)],
        popularity: Popular::Zipf(1.0),
        values: Lengths::Even(2_000, 20_000),
        commit: Some((1, 5)),
        ..PLAIN
    },
    // A log of events: written in order, a batch at a time; the newest are read sometimes.
    Application {
        name: "events",
        source: OWN,
        seed: 116,
        records: 20_000,
        keys: 20_000,
        key: KeyShape::Number("event/2026-11-29/", 10),
        mix: &[(Step::Insert, 90), (Step::Get, 10)],
        popularity: Popular::Latest(1.0),
        values: Lengths::Even(100, 300),
        commit: Some((10, 100)),
        ..PLAIN
    },
    // The index of a block device: short records by number, in runs, with large commits.
    Application {
        name: "blocks",
        source: OWN,
        seed: 117,
        records: 60_000,
        keys: 60_000,
        key: KeyShape::Number("", 8),
        mix: &[(Step::Get, 60), (Step::Update, 40)],
        popularity: Popular::Zipf(0.6),
        values: Lengths::One(32),
        commit: Some((20, 60)),
        run: (1, 16),
        steps: 8_000,
        ..PLAIN
    },
    // Objects of a version control system by their hash: written once, most of them short, some very long.
    Application {
        name: "objects",
        source: OWN,
        seed: 118,
        records: 5_000,
        keys: 5_000,
        key: KeyShape::Hash("", 40),
        mix: &[(Step::Insert, 55), (Step::Get, 45)],
        popularity: Popular::Zipf(0.5),
        values: Lengths::LogNormal(300.0, 1.5, 256 << 10),
        commit: Some((5, 200)),
        ..PLAIN
    },
];
