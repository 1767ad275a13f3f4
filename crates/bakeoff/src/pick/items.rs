//! Everything that can be said of a need: names, questions, examples and defaults.

/// The word for the directory in which results are kept.
pub(crate) const RESULTS: &str = "results";

/// The access where nothing is said.
pub(crate) const ACCESS_ASSUMED: &str = "zipfian";

/// Something that can be said of a need.
pub(crate) struct Item {
    /// Its name: of the flag, in a file, and in `run.json`.
    pub(crate) key: &'static str,
    /// How it is asked for.
    pub(crate) question: &'static str,
    /// Examples of answers.
    pub(crate) examples: &'static str,
    /// What holds if nothing is said.
    pub(crate) default: &'static str,
}

const fn item(key: &'static str, question: &'static str, examples: &'static str, default: &'static str) -> Item {
    Item { key, question, examples, default }
}

/// Everything that can be said of a need, in the order in which it is asked.
pub(crate) const ITEMS: [Item; 17] = [
    item("records", "How many records are there?", "5000, 100k, 2M", "100k"),
    item("value-size", "How large is a value?", "200B, 1KiB..10KiB", "1KiB"),
    item("key-size", "How long is a key, in bytes?", "4, 16, 32; 10 to 128; 24..600 if some are longer", "16"),
    item(
        "mix",
        "What is done, by weight? (get, insert, update, upsert, delete, scan)",
        "get=95,update=5",
        "get=80,update=15,insert=5",
    ),
    item("access", "Which records?", "uniform, zipfian, zipfian:0.8, latest, hot:0.1/0.9, sequential", ACCESS_ASSUMED),
    item("data", "What are values made of?", "random (incompressible), text, half", "text"),
    item(
        "durability",
        "What must an acknowledged write survive?",
        "none, process (its death), power (a power cut)",
        "process",
    ),
    item(
        "memory",
        "How much memory may the store's caches take?",
        "64MiB, 1GiB, or default for each store's own",
        "default",
    ),
    item("threads", "How many threads use it at the same time?", "1, 4", "1"),
    item(
        "must",
        "What must it be able to do?",
        "ordered, transactions, multi-process, parallel-writes; or nothing",
        "nothing",
    ),
    item(
        "language",
        "What is it to be a library for (native, jvm), or what may it be written in?",
        "native, jvm; rust, c; or any",
        "any",
    ),
    item("license", "Under which licences?", "permissive, weak-copyleft, MIT; or any", "any"),
    item("optimize", "What is it to be best at?", "mean, p50, p99, p999, throughput, space, memory, cpu", "mean"),
    item(
        "stores",
        "Which stores may take part?",
        "sqlite,lmdb; built for those that are built, all to build the rest",
        "built",
    ),
    item("budget", "How long may the measuring take?", "1m, 5m", "3m"),
    item("dir", "On which disk, by a directory on it?", "/data, .; or results, where results are kept", RESULTS),
    item("seed", "Which seed do random choices begin with?", "1, 42", "1"),
];

/// Items that may say several things, as flags separate by commas.
pub(crate) const LISTS: [&str; 5] = ["mix", "must", "language", "license", "stores"];
