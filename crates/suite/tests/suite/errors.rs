//! Mistakes in a suite: every kind, with the message for it.

use std::fmt::Write;

use crate::common::{SUITE, changed, plan_with};
use bakeoff_suite::{Overrides, Suite};

/// The replaced text of the good suite, and its replacement.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("not TOML", "title = \"Base\"", "title = Base"),
    ("the same key twice", "seed = 7", "seed = 7\nseed = 8"),
    ("an unknown key", "rounds = 3", "round = 3"),
    ("an unknown key of a table", "value-size = [", "value-sizes = ["),
    ("an unknown key of a phase", "operations = 500", "operatoins = 500"),
    ("a wrong type", "title = \"Base\"", "title = 5"),
    ("a wrong type for a number", "rounds = 3", "rounds = [3]"),
    ("a wrong type for a flag", "restore = true", "restore = \"yes\""),
    ("a wrong type for a table", "[limits]\nmax-db-size = \"1GiB\"\ntimeout = \"5m\"", ""),
    ("no rounds", "rounds = 3", "rounds = 0"),
    ("too many rounds", "rounds = 3", "rounds = 1_000_000"),
    ("a negative number", "seed = 7", "seed = -7"),
    ("a number beyond 64 bits", "seed = 7", "seed = 99999999999999999999"),
    ("no axis", "records = [1_000, \"10k\"]\n", ""),
    ("an empty axis", "records = [1_000, \"10k\"]", "records = []"),
    ("a value twice", "records = [1_000, \"10k\"]", "records = [1_000, \"1k\"]"),
    ("no records", "records = [1_000, \"10k\"]", "records = [0]"),
    ("a count that is none", "\"10k\"", "\"ten\""),
    ("a size without its unit", "\"10B\"", "\"10K\""),
    ("a size with an unknown unit", "\"10B\"", "\"10 bytes\""),
    ("a value that is too large", "\"10B\"", "\"2GiB\""),
    ("a weight without a size", "\"10B\"", "\"70%, 30% 20KiB\""),
    ("a size without a weight", "\"10B\"", "\"100B, 1KiB\""),
    ("percentages beyond a hundred", "\"10B\"", "\"70% 200B, 31% 20KiB\""),
    ("a size with a weight of nothing", "\"10B\"", "\"0 200B, 30 20KiB\""),
    ("a size with a weight below zero", "\"10B\"", "\"-1 200B, 30 20KiB\""),
    ("percentages beside weights", "\"10B\"", "\"70% 200B, 30 20KiB\""),
    ("a size of a mixture that is too large", "\"10B\"", "\"70% 200B, 30% 2GiB\""),
    ("the same mixture twice", "\"10B\"", "\"70% 200B, 30% 1KiB\", \"30 1KiB, 70 200B\""),
    ("sizes with weights and a distribution", "[\"10B\", \"1KiB..10KiB\"]", "\"1 10B, 1 20B\""),
    ("parts of a distribution", "rounds = 3", "rounds = 3\nvalue-distribution = { parts = [[\"1B..400KiB\", 0.7]] }"),
    ("a range that runs backwards", "1KiB..10KiB", "10KiB..1KiB"),
    ("an unknown word", "\"text\"", "\"txt\""),
    ("an unknown durability", "\"process\"", "\"proces\""),
    ("all among others", "[\"tree\", \"files\"]", "[\"tree\", \"all\"]"),
    ("no time", "timeout = \"5m\"", "timeout = \"0s\""),
    ("a time without its unit", "timeout = \"5m\"", "timeout = \"300\""),
    ("a time that is a number", "timeout = \"5m\"", "timeout = 300"),
    ("a pool that is too small", "rounds = 3", "rounds = 3\npool-size = \"1KiB\""),
    ("no phases", "[[phases]]\nname = \"load\"", "[[phase]]\nname = \"load\""),
    ("no name", "name = \"read\"\n", ""),
    ("a name that cannot be", "\"read\"", "\"../Read\""),
    ("a name twice", "\"list\"", "\"read\""),
    ("no operation", "operation = \"get\"\n", ""),
    ("an unknown operation", "\"get\"", "\"gets\""),
    ("an operation that batches make", "\"get\"", "\"commit\""),
    ("an operation and a mix", "operation = \"get\"", "operation = \"get\"\nmix = { get = 1 }"),
    ("a phase that is all warm-up", "operation = \"get\"", "operation = \"get\"\nsteady-within = 1"),
    ("a warm-up that never is", "operation = \"get\"", "operation = \"get\"\nsteady-within = nan"),
    ("a steady rate that is given", "operation = \"get\"", "operation = \"get\"\nrate = 100\nsteady-within = 0.5"),
    ("an unknown operation of a mix", "operation = \"get\"", "mix = { get = 1, updat = 1 }"),
    ("a weight of nothing", "operation = \"get\"", "mix = { get = 1, update = 0 }"),
    ("an empty mix", "operation = \"get\"", "mix = {}"),
    ("no operations", "operations = 500\n", ""),
    ("a first phase that reads", "operation = \"insert\"", "operation = \"get\""),
    ("a first phase with cold caches", "operation = \"insert\"", "operation = \"insert\"\ncache = \"cold\""),
    ("cold caches of an open store", "operation = \"get\"", "operation = \"get\"\ncache = \"cold\"\nreopen = false"),
    ("an unknown cache", "operation = \"get\"", "operation = \"get\"\ncache = \"hot\""),
    ("a first phase that opens again", "operation = \"insert\"", "operation = \"insert\"\nreopen = true"),
    ("a first phase that removes what it loads", "operation = \"insert\"", "operation = \"insert\"\nrestore = true"),
    ("a first phase that counts for itself", "operation = \"insert\"", "operation = \"insert\"\noperations = 5"),
    ("an unknown access", "\"zipfian\"", "\"zipf\""),
    ("an exponent that is none", "\"zipfian\"", "{ zipfian = -1 }"),
    ("hot without saying how", "\"zipfian\"", "\"hot\""),
    ("hot with a wrong part", "\"zipfian\"", "{ hot = { records = 0.1, operations = 9 } }"),
    ("two kinds of access", "\"zipfian\"", "{ zipfian = 1, latest = 1 }"),
    ("an access of a kind that is not there", "access = \"zipfian\"", "access-of = { delete = \"insertion\" }"),
    ("an access of an unknown kind", "access = \"zipfian\"", "access-of = { gets = \"uniform\" }"),
    ("an access that every kind passes over", "missing = 0.1", "access-of = { get = \"insertion\" }"),
    ("an access of no kind", "missing = 0.1", "access-of = {}"),
    ("an access of a kind that is none", "missing = 0.1", "access-of = \"insertion\""),
    (
        "popular inserts among others",
        "operation = \"get\"",
        "mix = { get = 1, insert = 1 }\naccess-of = { insert = \"latest\" }",
    ),
    (
        "roles and an operation",
        "operation = \"get\"",
        "operation = \"get\"\nroles = [{ threads = 3, operation = \"get\" }, { threads = 1, operation = \"update\" }]",
    ),
    (
        "roles that do not fit the threads",
        "operation = \"get\"",
        "roles = [{ threads = 3, operation = \"get\" }, { threads = 1, operation = \"update\" }]",
    ),
    ("one role", "operation = \"get\"", "roles = [{ threads = 1, operation = \"get\" }]"),
    ("roles that are no list", "operation = \"get\"", "roles = { threads = 1 }"),
    (
        "roles without threads, with a share of nothing, with an unknown key and without a mix",
        "operation = \"get\"",
        "roles = [{ mix = { get = 1 } }, { threads = 1, share = 0, operation = \"get\" }, { threads = 1, mixes = 1 }, { threads = 1 }]",
    ),
    (
        "roles that load",
        "operation = \"insert\"",
        "roles = [{ threads = 1, operation = \"insert\" }, { threads = 1, operation = \"insert\" }]",
    ),
    ("a part above one", "missing = 0.1", "missing = 10"),
    ("popular inserts", "operation = \"insert\"", "operation = \"insert\"\naccess = \"zipfian\""),
    ("a key without effect", "missing = 0.1", "restore = true"),
    ("a throughput that restores", "restore = true", "restore = true\nmeasure = \"throughput\""),
    ("a batch that restores", "restore = true", "restore = true\nbatch = 10"),
    ("a batch of nothing", "restore = true", "batch = 0"),
    ("a scan in any order", "operation = \"scan-all\"", "operation = \"scan\""),
    ("any order in reverse", "order = \"any\"", "order = \"any\"\nreverse = true"),
    ("copies in any order", "order = \"any\"", "order = \"any\"\nconsumer = \"copy\""),
    (
        "too few records to delete",
        "restore = true",
        "restore = false\nbatch = 1\nmeasure = \"latency\"\n[[phases]]\nname = \"more\"\noperation = \"delete\"\noperations = \"501\"",
    ),
    (
        "more deletes than inserts for good",
        "operation = \"delete\"\noperations = 500\nrestore = true",
        "mix = { insert = 40, delete = 60 }\noperations = 10_000",
    ),
    (
        "a walk without a tree",
        "operation = \"get\"\noperations = 500\naccess = \"zipfian\"\nmissing = 0.1",
        "operation = \"walk\"\noperations = 5",
    ),
    (
        "serialised values with padding, and names that are too short",
        "[limits]",
        "[tree]\nfanout = 300\nlevels = 2\npadding = 5\nvalues = \"protobuf-long\"\nname-size = 4\n\n[limits]\n",
    ),
    ("an unknown form of values", "[limits]", "[tree]\nfanout = 3\nlevels = 2\nvalues = \"protobufs\"\n\n[limits]\n"),
    ("a tree without its keys", "[limits]", "[tree]\nfanout = 3\nlevels = 2\n\n[limits]\n"),
    ("keys without their tree", "threads = [1]", "key = \"directory\""),
    (
        "fewer records than threads",
        "records = [1_000, \"10k\"]\ndata = [\"random\", \"text\"]\ndurability = [\"process\"]\nthreads = [1]",
        "records = 3\nthreads = 4",
    ),
    (
        "more records than keys",
        "operation = \"scan-all\"\noperations = 1\norder = \"any\"",
        "operation = \"insert\"\noperations = \"5G\"",
    ),
    ("more records than short keys", "threads = [1]", "threads = [1]\nkey = \"decimal:2\""),
    ("a key of no bytes", "threads = [1]", "threads = [1]\nkey = \"integer:0\""),
    ("a hash that is too short", "threads = [1]", "threads = [1]\nkey = \"sha1:10..30\""),
    (
        "a scan of no prefix",
        "operation = \"scan-all\"\noperations = 1\norder = \"any\"",
        "operation = \"scan-prefix\"\noperations = 1",
    ),
    ("settings of a store that is not compared", "[settings.tree]", "[settings.tre]"),
];

#[test]
fn every_mistake_is_shown_with_its_place_and_its_remedy() {
    let mut shown = String::new();
    for (mistake, from, to) in MISTAKES {
        let text = match *mistake {
            "a wrong type for a table" => format!("limits = 5\n{}", changed(from, to)),
            "a tree without its keys" => {
                changed("threads = [1]", "threads = [1]\nkey = \"sha1\"").replacen(from, to, 1)
            }
            "more records than keys" => changed("threads = [1]", "key = \"integer\"")
                .replacen("1_000, \"10k\"", "1_000", 1)
                .replacen(from, to, 1),
            "sizes with weights and a distribution" => {
                let text = changed(from, to);
                text.replacen("rounds = 3", "rounds = 3\nvalue-distribution = { pareto = { shape = 0, scale = 9 } }", 1)
            }
            _ => changed(from, to),
        };
        let errors = Suite::parse("base.toml", &text).expect_err(mistake);
        writeln!(shown, "## {mistake}\n{errors}\n").expect("writing to a string");
    }
    insta::assert_snapshot!("mistakes", shown);
}

#[test]
fn mistakes_that_only_stores_know_are_shown_with_their_place() {
    let mistakes = [
        ("an unknown store", "\"files\"", "\"fils\""),
        ("an unknown setting", "cache =", "cach ="),
        ("a setting of a store that takes none", "[settings.tree]", "[settings.files]"),
        ("a setting that is too small", "\"64MiB\"", "\"64KiB\""),
        ("a setting that is no power of two", "cache = \"64MiB\"", "page = 5000"),
        ("a setting that is no multiple of what it must be", "cache = \"64MiB\"", "extent = \"5KiB\""),
        ("a setting of the wrong type", "cache = \"64MiB\"", "readers = \"many\""),
        ("a setting that is no integer in its limits", "cache = \"64MiB\"", "readers = 127"),
        ("a setting that is neither true nor false", "cache = \"64MiB\"", "mapped = 1"),
        ("a setting with an unknown word", "cache = \"64MiB\"", "table = \"row-id\""),
        ("a medium without a directory", "threads = [1]", "media = [\"default\", \"disk\"]"),
    ];
    let mut shown = String::new();
    for (mistake, from, to) in mistakes {
        let errors = plan_with(&crate::common::suite(from, to), None).expect_err(mistake);
        writeln!(shown, "## {mistake}\n{errors}\n").expect("writing to a string");
    }
    insta::assert_snapshot!("mistakes_of_plans", shown);
}

#[test]
fn a_wrong_flag_is_named_as_a_wrong_line_is() {
    let flags = [
        Overrides::default().with("stores", ["tree,files"]),
        Overrides::default().with("stores", Vec::<String>::new()),
        Overrides::default().with("records", ["many"]),
        Overrides::default().with("records", ["400"]),
        Overrides::default().with("value-size", ["9KiB..1KiB"]),
        Overrides::default().with("data", ["rndom"]),
        Overrides::default().with("durability", ["powr"]),
        Overrides::default().with("threads", ["0"]),
        Overrides::default().with("rounds", ["0"]),
        Overrides::default().with("seed", ["-1"]),
        Overrides::default().with("max-db-size", ["1G"]),
        Overrides::default().with("timeout", ["5"]),
    ];
    let suite = crate::common::suite("restore = true", "restore = false");
    let mut shown = String::new();
    for overrides in flags {
        let errors = match suite.with_overrides(&overrides) {
            Err(errors) => errors,
            Ok(changed) => plan_with(&changed, None).expect_err("a wrong flag"),
        };
        writeln!(shown, "{errors}\n").expect("writing to a string");
    }
    insta::assert_snapshot!("mistakes_of_flags", shown);
}

#[test]
fn all_mistakes_are_shown_at_once_in_the_order_of_the_file() {
    let text =
        SUITE.replace("rounds = 3", "rounds = 0").replace("\"process\"", "\"disk\"").replace("\"get\"", "\"read\"");
    let errors = Suite::parse("base.toml", &text).unwrap_err();
    let lines: Vec<_> = errors.errors().iter().map(|error| error.line().unwrap()).collect();
    assert_eq!(lines, [4, 11, 24]);
}

#[test]
fn a_thousand_mistakes_are_not_all_shown() {
    let text = format!("{}\n{SUITE}", (0..1_000).map(|n| format!("unknown-{n} = 1\n")).collect::<String>());
    let errors = Suite::parse("base.toml", &text).unwrap_err();
    assert_eq!(errors.errors().len(), 100);
    assert!(errors.to_string().ends_with("… and 980 more like these"), "{errors}");
}

#[test]
fn a_long_line_of_mistakes_is_refused_as_fast_as_a_short_one() {
    let keys: String = (0..80_000).map(|n| format!("k{n}=1,")).collect();
    for text in [format!("axes={{{keys}}}"), keys.replace(',', "\n"), format!("settings={{{keys}}}\n{SUITE}")] {
        let errors = Suite::parse("long.toml", &text).unwrap_err();
        assert!(errors.to_string().len() < 20_000);
    }
}

#[test]
fn a_file_that_is_no_suite_is_refused_by_name() {
    let folder = std::env::temp_dir().join(format!("bakeoff-suite-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let refused = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        Suite::load(&path).unwrap_err().to_string()
    };
    assert!(refused("long.toml", &vec![b'#'; (1 << 20) + 1]).contains("long.toml: is longer than 1MiB"));
    assert!(refused("binary.toml", b"title = \xff").contains("binary.toml: is not text: byte 8 is not UTF-8"));
    assert!(Suite::load(&folder.join("none.toml")).unwrap_err().to_string().contains("none.toml: cannot be read"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn settings_may_be_those_of_a_store_that_only_the_flag_names() {
    let text = include_str!("../../../../suites/quick.toml").to_owned() + "\n[settings.files]\n";
    let told = Suite::parse("q.toml", &text).expect_err("not compared").to_string();
    assert!(told.contains("settings for `files`, which the suite does not compare"), "{told}");
    let flag = |stores: &[&str]| Overrides::default().with("stores", stores.iter().copied());
    Suite::parse_with("q.toml", &text, &flag(&["files", "tree"])).expect("the flag names it");
}

#[test]
fn a_suite_that_runs_out_of_records_by_a_flag_names_the_flag_that_works() {
    let text = include_str!("../../../../suites/delete-heavy.toml");
    let told =
        |overrides| Suite::parse_with("delete-heavy", text, &overrides).map(drop).map_err(|told| told.to_string());
    let records = told(Overrides::default().with("records", ["2000"]));
    assert!(records.as_ref().is_err_and(|told| told.contains("--scale 0.02")), "{records:?}");
    assert_eq!(told(Overrides::default().with("scale", ["0.02"])), Ok(()));
}

/// It was refused as if records ran out.
#[test]
fn inserts_refill_what_deletes_take_on_one_thread_and_on_several() {
    let queue = r#"
        [axes]
        stores = "null"
        value-size = "10KiB"
        records = 100
        key = "decimal"
        threads = [1, 3]
        [[phases]]
        name = "load"
        operation = "insert"
        [[phases]]
        name = "log"
        mix = { insert = 50, delete = 50 }
        access = "insertion"
        operations = 6000
        [[phases]]
        name = "drain"
        operation = "delete"
        operations = 99
    "#;
    Suite::parse("queue.toml", queue).unwrap_or_else(|errors| panic!("{errors}"));
    let longer = queue.replace("operations = 99", "operations = 103");
    let told = Suite::parse("queue.toml", &longer).expect_err("more than are left").to_string();
    assert!(told.contains("`drain` runs out of records: with records = 100 and threads = 1"), "{told}");
}
