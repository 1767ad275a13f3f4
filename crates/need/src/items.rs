//! The items of a need. Each is declared once: its flag, its key in a file, its question, and how it is parsed.

use anyhow::Result;
use bakeoff_engine::pick::{BATCH_MAX, MUSTS, Need, RECORDS_MAX};
use bakeoff_protocol::Durability;
use bakeoff_results::goal::Goal;
use bakeoff_results::language::Language;
use bakeoff_tape::LANES_MAX;
use bakeoff_text::{format_count, parse_count};

use crate::plain;
use crate::word::{
    AUTO, NONE, RESULTS, Word, accesses, budget, choice, data, dir, key_bytes, key_form, longest_key, memory, mix,
    part, prefix_bytes, stores, texts, value_bytes, within, words,
};

/// The answer of a switch that is off.
pub(crate) const NO: &str = "no";
/// The answer of a switch that is on.
pub const YES: &str = "yes";

/// The access if none is given.
pub(crate) const ACCESS_ASSUMED: &str = "zipfian";

/// The maximum number of operations of a round.
const OPERATIONS_MAX: u64 = 1_000_000_000;

/// A number of threads; 0 for none.
fn threads_or_none(word: &Word) -> Result<u64> {
    if word.text == NONE { Ok(0) } else { within(word, parse_count, (1, u64::from(LANES_MAX)), format_count) }
}

/// An item of a need.
#[derive(Debug)]
pub struct Item {
    /// Its name: of the flag, in a file, and in `run.json`.
    pub key: &'static str,
    /// The placeholder for its value in the help.
    pub value_name: &'static str,
    /// The help of the flag.
    pub help: &'static str,
    /// Its question.
    pub question: &'static str,
    /// Examples of answers.
    pub examples: &'static str,
    /// The default.
    pub default: &'static str,
    /// The default in the help, if the text differs.
    pub default_label: Option<&'static str>,
    /// Whether it may have several values, which flags separate by commas.
    pub is_list: bool,
    /// Whether it is `yes` or `no`. The flag alone is `yes`, and `no` is not shown.
    pub is_switch: bool,
    /// Whether a tape determines it, so that it cannot be combined with one.
    pub is_of_a_tape: bool,
    /// The answer that Enter gives to its question, if it is not the default.
    pub usual: Option<&'static str>,
    /// What people type for it, as `read` takes it; `None` if that is the same.
    pub plain: fn(&str) -> Option<String>,
    /// Parses what was typed.
    pub read: fn(&Word, &mut Need) -> Result<()>,
}

const fn item(read: fn(&Word, &mut Need) -> Result<()>) -> Item {
    Item {
        key: "",
        value_name: "",
        help: "",
        question: "",
        examples: "",
        default: "",
        default_label: None,
        is_list: false,
        is_switch: false,
        is_of_a_tape: false,
        usual: None,
        plain: |_| None,
        read,
    }
}

/// The items that are asked for first.
pub const FIRST: [&str; 6] = ["language", "value-size", "records", "mix", "durability", "dir"];

/// All items of a need.
pub static ITEMS: [Item; 27] = [
    Item {
        key: "records",
        value_name: "COUNT",
        help: "Number of records, e.g. 100k",
        question: "How many records are alive at one time?",
        examples: "5000, 50k, 2M",
        default: "100k",
        is_of_a_tape: true,
        ..item(|word, need| {
            need.records = within(word, parse_count, (1, RECORDS_MAX), format_count)?;
            Ok(())
        })
    },
    Item {
        key: "value-size",
        value_name: "SIZE",
        help: "Size or range of sizes of values, e.g. 1KiB..10KiB; several with weights, e.g. 70% 200B, 30% 20KiB, and which sizes are popular, e.g. 70% 200B, 30% 20KiB, popular small",
        question: "How large is a record?",
        examples: "200B; 1-5 KiB; 1-5 KiB json",
        default: "1KiB",
        is_of_a_tape: true,
        plain: plain::sizes,
        ..item(|word, need| {
            need.value_bytes = value_bytes(word)?;
            Ok(())
        })
    },
    Item {
        key: "key-size",
        value_name: "SIZE",
        help: "Length or range of lengths of keys, 1 to 128 bytes, e.g. 8B, 16, 8..40",
        question: "How long is a key, in bytes?",
        examples: "8, 16, 32; 8..40 if lengths differ",
        default: "16",
        is_of_a_tape: true,
        ..item(|word, need| {
            need.key_bytes = key_bytes(word)?;
            Ok(())
        })
    },
    Item {
        key: "key-form",
        value_name: "WORD",
        help: "Form of keys: integer (big-endian), decimal (digits), sha1 (hexadecimal digits of a hash, 20 bytes or more); `auto`: integer below 10 bytes, sha1 from 20 on unless keys ascend, else decimal",
        question: "What are keys?",
        examples: "integer (big-endian), decimal (digits), sha1 (of a hash); or auto, which depends on their length",
        default: AUTO,
        is_of_a_tape: true,
        ..item(|word, need| {
            need.key_form = key_form(word)?;
            Ok(())
        })
    },
    Item {
        key: "longest-key",
        value_name: "SIZE",
        help: "Length of the longest key; stores that cannot take it are skipped, but keys of --key-size are measured",
        question: "Are some keys longer than that? How long is the longest?",
        examples: "600B, 2KiB; or none",
        default: NONE,
        is_of_a_tape: true,
        ..item(|word, need| {
            need.key_bytes_longest = longest_key(word)?;
            Ok(())
        })
    },
    Item {
        key: "mix",
        value_name: "KIND=WEIGHT,…",
        help: "Operations with weights: get, insert, update, upsert, delete, scan, scan-prefix, exists, first. Or the percentage of reads, such as 95%; of the other operations three quarters update and a quarter inserts",
        question: "Of 100 operations, how many only read?",
        examples: "95; get=90,scan=5,delete=5",
        default: "get=80,update=15,insert=5",
        is_list: true,
        is_of_a_tape: true,
        usual: Some("80"),
        plain: plain::mix,
        ..item(|word, need| {
            need.mix = mix(word)?;
            Ok(())
        })
    },
    Item {
        key: "prefix",
        value_name: "SIZE",
        help: "How many bytes keys begin alike in a scan-prefix, or in a first that is not the first of all, e.g. 8; `auto`: as many as about a hundred records have in common, and the first of all",
        question: "How many bytes do the keys of a prefix scan begin alike?",
        examples: "4, 8; or auto, as many as about a hundred records have in common",
        default: AUTO,
        is_of_a_tape: true,
        ..item(|word, need| {
            need.prefix_bytes = prefix_bytes(word)?;
            Ok(())
        })
    },
    Item {
        key: "missing",
        value_name: "PART",
        help: "Share of the gets and existence checks that find nothing, e.g. 0.2",
        question: "Which share of the gets finds nothing?",
        examples: "0, 0.2, 20%",
        default: "0",
        is_of_a_tape: true,
        plain: plain::part,
        ..item(|word, need| {
            need.missing = part(word)?;
            Ok(())
        })
    },
    Item {
        key: "batch",
        value_name: "COUNT",
        help: "Writes that a transaction commits together, e.g. 100; 1 if each is acknowledged separately",
        question: "How many writes does a transaction commit together?",
        examples: "1 (each is acknowledged separately), 10, 100",
        default: "1",
        is_of_a_tape: true,
        ..item(|word, need| {
            need.batch = within(word, parse_count, (1, BATCH_MAX), format_count)?;
            Ok(())
        })
    },
    Item {
        key: "access",
        value_name: "WORD",
        help: "Which records: uniform, zipfian, zipfian:0.8, latest, latest:1.2, hot:0.1/0.9 (a tenth has nine tenths), sequential, insertion. With latest and the last two, new records have ascending keys, else keys in random order. One kind may differ: zipfian,delete=insertion deletes the oldest, as records expire",
        question: "Which records?",
        examples: "uniform, zipfian, zipfian:0.8, latest, hot:0.1/0.9, sequential; zipfian,delete=insertion if the oldest expire",
        default: ACCESS_ASSUMED,
        is_list: true,
        is_of_a_tape: true,
        ..item(|word, need| {
            (need.access, need.access_of) = accesses(word)?;
            Ok(())
        })
    },
    Item {
        key: "data",
        value_name: "TYPE",
        help: "Content of values: random, text, json, half",
        question: "What do values contain?",
        examples: "random (incompressible), text, json, half",
        default: "text",
        is_of_a_tape: true,
        ..item(|word, need| {
            need.data = data(word)?;
            Ok(())
        })
    },
    Item {
        key: "durability",
        value_name: "LEVEL",
        help: "What an acknowledged write must survive: none (nothing), process (a crash of the program), consistent (the same, and a power cut leaves an earlier state), power (a power cut). Or what a power cut may lose: nothing, the last moments, everything",
        question: "What may a power cut lose?",
        examples: "nothing, the last moments, everything",
        default: "consistent",
        usual: Some("the last moments"),
        plain: plain::durability,
        ..item(|word, need| {
            need.durability = choice(word, &Durability::ALL.map(|class| (class.name(), class)))?;
            Ok(())
        })
    },
    Item {
        key: "memory",
        value_name: "SIZE",
        help: "Memory for the store's caches and buffers; `equal`: enough for the data, for each store; `default`: each store's default",
        question: "How much memory may the store's caches take?",
        examples: "64MiB, 1GiB, equal (enough for the data, for each store), default (each store's default)",
        default: "equal",
        ..item(|word, need| {
            need.memory = memory(word)?;
            Ok(())
        })
    },
    Item {
        key: "cold",
        value_name: "yes|no",
        help: "Begin with the store's files dropped from the page cache, as after the machine was started",
        question: "Does it begin with none of the store's files in memory, as after the machine was started?",
        examples: "yes, no",
        default: NO,
        is_switch: true,
        is_of_a_tape: true,
        plain: plain::switch,
        ..item(|word, need| {
            need.cold = choice(word, &[(NO, false), (YES, true)])?;
            Ok(())
        })
    },
    Item {
        key: "threads",
        value_name: "COUNT",
        help: "Threads that use the store at the same time",
        question: "How many threads use it at the same time?",
        examples: "1, 4",
        default: "1",
        is_of_a_tape: true,
        ..item(|word, need| {
            need.threads = within(word, parse_count, (1, u64::from(LANES_MAX)), format_count)?;
            Ok(())
        })
    },
    Item {
        key: "readers",
        value_name: "COUNT",
        help: "Threads that only read, next to --writers that only write (the rest of --threads, or 1): each does its part of the mix",
        question: "Do some threads only read, and others only write? How many only read?",
        examples: "3, 15; or none if all do the same",
        default: NONE,
        is_of_a_tape: true,
        ..item(|word, need| {
            need.readers = threads_or_none(word)?;
            Ok(())
        })
    },
    Item {
        key: "writers",
        value_name: "COUNT",
        help: "Threads that only write, next to --readers (the rest of --threads, or 1)",
        question: "How many threads only write?",
        examples: "1, 2; or none if all do the same",
        default: NONE,
        is_of_a_tape: true,
        ..item(|word, need| {
            need.writers = threads_or_none(word)?;
            Ok(())
        })
    },
    Item {
        key: "must",
        value_name: "WORD,…",
        help: "Required capabilities: ordered, transactions, multi-process, parallel-writes",
        question: "Which capabilities are required?",
        examples: "ordered, transactions, multi-process, parallel-writes; or nothing",
        default: "nothing",
        is_list: true,
        ..item(|word, need| {
            need.must = words(word, "nothing")?.iter().map(|each| choice(each, &MUSTS)).collect::<Result<_>>()?;
            Ok(())
        })
    },
    Item {
        key: "language",
        value_name: "WORD,…",
        help: "Language of your program: rust, c, c++, go, python, node, java, kotlin, scala. `native` is any that calls libraries in C, C++ or Rust, and `jvm` any on the Java virtual machine",
        question: "Which language is your program in?",
        examples: "rust, c, go, python, node, java",
        default: "any",
        is_list: true,
        usual: Some("rust"),
        plain: plain::languages,
        ..item(|word, need| {
            let known = Language::ALL.map(|language| (language.name(), language));
            need.languages = words(word, "any")?.iter().map(|each| choice(each, &known)).collect::<Result<_>>()?;
            Ok(())
        })
    },
    Item {
        key: "written-in",
        value_name: "WORD,…",
        help: "Languages that the store itself may be written in, such as rust,c",
        question: "Which languages may the store itself be written in?",
        examples: "rust, c; or any",
        default: "any",
        is_list: true,
        ..item(|word, need| {
            need.written_in = texts(word, "any")?.iter().map(|text| text.to_lowercase()).collect();
            Ok(())
        })
    },
    Item {
        key: "license",
        value_name: "WORD,…",
        help: "Licences it may have: permissive, weak-copyleft, or SPDX names such as MIT",
        question: "Under which licences?",
        examples: "permissive, weak-copyleft, MIT; or any",
        default: "any",
        is_list: true,
        ..item(|word, need| {
            need.licenses = texts(word, "any")?;
            Ok(())
        })
    },
    Item {
        key: "optimize",
        value_name: "WORD",
        help: "Measure to be best at: mean, p50, p99, p999, slowest-commit, throughput, space, peak-disk, memory, cpu, open (time to open with the data), recovery (the same after a kill)",
        question: "Which measure decides?",
        examples: "mean, p50, p99, p999, slowest-commit, throughput, space, peak-disk, memory, cpu, open, recovery",
        default: "mean",
        ..item(|word, need| {
            need.optimize = choice(word, &Goal::ALL.map(|goal| (goal.name(), goal)))?;
            Ok(())
        })
    },
    Item {
        key: "stores",
        value_name: "NAME,…",
        help: "Candidates: names, `built` for all stores that are built, `all` to build the others first",
        question: "Which stores are candidates?",
        examples: "sqlite,lmdb; built for all that are built, all to build the others first",
        default: "built",
        is_list: true,
        ..item(|word, need| {
            need.stores = stores(word)?;
            Ok(())
        })
    },
    Item {
        key: "budget",
        value_name: "TIME",
        help: "Time for measuring, e.g. 90s, 5m",
        question: "How long may the measuring take?",
        examples: "1m, 5m",
        default: "3m",
        ..item(|word, need| {
            need.budget = budget(word)?;
            Ok(())
        })
    },
    Item {
        key: "operations",
        value_name: "COUNT",
        help: "Maximum number of operations in a round, e.g. 200k",
        question: "How many operations may a round have?",
        examples: "10k, 200k",
        default: "50k",
        is_of_a_tape: true,
        ..item(|word, need| {
            need.operations = within(word, parse_count, (1, OPERATIONS_MAX), format_count)?;
            Ok(())
        })
    },
    Item {
        key: "dir",
        value_name: "DIR",
        help: "Directory on the disk to measure",
        question: "Which disk? A directory on it, or `here`",
        examples: "/data, ~/app",
        default: RESULTS,
        default_label: Some("the --out directory"),
        usual: Some("here"),
        plain: |text| (text == "here").then(|| RESULTS.to_owned()),
        ..item(|word, need| {
            need.dir = dir(word)?;
            Ok(())
        })
    },
    Item {
        key: "seed",
        value_name: "NUMBER",
        help: "Seed of every random choice",
        question: "Which seed do random choices use?",
        examples: "1, 42",
        default: "1",
        ..item(|word, need| {
            need.seed = within(word, parse_count, (0, i64::MAX.unsigned_abs()), format_count)?;
            Ok(())
        })
    },
];
