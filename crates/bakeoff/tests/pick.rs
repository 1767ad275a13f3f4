//! `bakeoff pick` end to end: an answer, and clear words where there can be none.

mod common;

use common::{Place, operations_of, unwrapped};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const SMALL: [&str; 8] =
    ["pick", "--full", "--records", "300", "--value-size", "10B..100B", "--stores", "sqlite,lmdb,flat-folder"];

fn picked(place: &Place, more: &[&str]) -> String {
    let arguments: Vec<_> = SMALL.iter().chain(more).copied().collect();
    place.run(&arguments).expect(0).stdout
}

#[test]
fn an_answer_with_settings_costs_and_questions() {
    let place = Place::new();
    let mix = ["--mix", "get=60,update=30,scan=5,scan-prefix=5"];
    let shown = picked(&place, &[&["--budget", "15s", "--must", "ordered"][..], &mix].concat());
    for word in [
        "Answer",
        "Settings",
        "What it costs",
        "When the answer would change",
        "Values twice as long",
        "Cannot do this",
    ] {
        assert!(shown.contains(word), "{word}:\n{shown}");
    }
    // What follows the answer are paths, which may be long.
    let answer = shown.split("\nResults: ").next().unwrap_or_default();
    assert!(answer.lines().all(|line| line.chars().count() <= 100), "{answer}");
    let run = place.only_run();
    let file = place.run_file();
    assert_eq!(file["pick"]["excluded"][0]["store"], "flat-folder");
    let questions = file["pick"]["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 7);
    assert_eq!(questions[0]["variant"], "memory-default", "what is cheap is asked first");
    assert!(run.join("report.html").exists() && place.leftovers().is_empty(), "{:?}", place.leftovers());
    let asked = place.cells().into_iter().filter(|cell| cell["variant"] == "asked");
    assert!(asked.clone().count() >= 4 && asked.clone().all(|cell| cell["status"] == "ok"));
    // The answer again, and the run's other verbs.
    let again = place.run(&["report", "--full"]).expect(0).stdout;
    assert!(again.contains("When the answer would change"), "{again}");
    let path = run.to_str().unwrap();
    place.run(&["run", "--resume", path]).expect(2).says(&["is a pick"]);
    let cell = asked.clone().next().unwrap()["cell"].as_str().unwrap().to_owned();
    assert!(place.run(&["request", &cell, "--run", path]).expect(0).stdout.contains("\"protocol\""));
}

#[test]
fn what_promises_more_than_was_asked_takes_part() {
    let place = Place::new();
    let arguments = [
        "pick",
        "--full",
        "--records",
        "300",
        "--value-size",
        "10B..100B",
        "--mix",
        "get=99,update=1",
        "--stores",
        "lmdb,redb",
    ];
    // redb does not offer process.
    let shown = place.run(&[&arguments[..], &["--budget", "20s", "--durability", "process"]].concat()).expect(0).stdout;
    assert!(shown.contains("redb (consistent)") && !shown.contains("Cannot do this"), "{shown}");
    assert!(
        shown.contains("Durability consistent: ") && !shown.contains("Durability consistent: not measured"),
        "{shown}"
    );
    let asked: Vec<_> = place.cells().into_iter().filter(|cell| cell["store"] == "redb").collect();
    assert!(asked.iter().all(|cell| cell["durability"] == "consistent"), "{asked:?}");
    for variant in ["asked", "durability-consistent"] {
        assert!(asked.iter().any(|cell| cell["variant"] == variant), "{variant}: {asked:?}");
    }
    let place = Place::new();
    // A busy disk takes milliseconds for a flush: three rounds of the variant then take 20 s, of the 24 s that variants have. The time
    // may still be too short for an answer, which this test does not need.
    let shown = place.run(&[&arguments[..], &["--budget", "60s", "--durability", "none"]].concat()).stdout;
    assert!(shown.contains("Durability process") && !shown.contains("redb cannot do this"), "{shown}");
    let other =
        place.cells().into_iter().filter(|cell| cell["store"] == "redb" && cell["variant"] == "durability-process");
    assert!(other.clone().count() > 0 && other.clone().all(|cell| cell["durability"] == "consistent"), "{shown}");
}

#[test]
fn a_change_that_cannot_be_measured_is_told() {
    let place = Place::new();
    let need = ["--records", "200", "--value-size", "10B", "--key-size", "1", "--mix", "get=9,update=1"];
    let rest = ["pick", "--full", "--stores", "sqlite,lmdb", "--budget", "10s"];
    let shown = unwrapped(&place.run(&[&rest[..], &need].concat()).expect(0).stdout);
    assert!(shown.contains("Ten times the records, 2,000: not measured, since such keys name no more than"), "{shown}");
}

#[test]
fn a_need_from_a_file_with_flags_over_it() {
    let place = Place::new();
    place.write(
        "need.toml",
        "records = 300\nvalue-size = \"50B\"\nstores = [\"lmdb\", \"sqlite\"]\nbudget = \"1h\"\nmix = { get = 1 }\ndir = \"disk\"\n",
    );
    place.run(&["pick", "--need", "need.toml"]).expect(2).says(&["need.toml:6: dir disk: there is no such directory"]);
    std::fs::create_dir(place.path().join("disk")).unwrap();
    let shown =
        place.run(&["pick", "--full", "--need", "need.toml", "--budget", "20s", "--optimize", "p99"]).expect(0).stdout;
    assert!(shown.contains("mix get=1") && shown.contains("99th percentile"), "{shown}");
    let facts = place.run_file();
    assert!(facts["media"].to_string().contains("/disk"), "{}", facts["media"]);
}

#[test]
fn a_budget_too_short_says_so() {
    let place = Place::new();
    let shown = place
        .run(&["pick", "--records", "20M", "--value-size", "10B", "--stores", "sqlite", "--budget", "1s"])
        .expect(1)
        .stdout;
    assert!(shown.contains("too short"), "{shown}");
    // Long enough for some rounds of some stores, and too short for a proof.
    let four = ["pick", "--records", "20k", "--stores", "sqlite,lmdb,flat-folder,fjall", "--budget", "1s"];
    let shown = place.run(&four).expect(1).stdout;
    let shown = unwrapped(&shown);
    assert!(shown.contains("Three rounds of all stores"), "{shown}");
}

#[test]
fn wrong_words_are_told_and_nothing_is_made() {
    let place = Place::new();
    let wrong: [(&[&str], &[&str]); 29] = [
        (&["--records", "-5"], &["--records -5"]),
        (&["--records", "0"], &["--records 0", "out of range"]),
        (&["--records", "4294967295"], &["--records 4294967295", "2,000,000,000"]),
        (&["--mix", "\u{1b}[31mget=1"], &["unknown operation `\\u{1b}[31mget`"]),
        (&["--value-size", "9TiB"], &["--value-size", "at most 1GiB"]),
        (&["--value-size", "10K"], &["--value-size", "10KiB"]),
        (&["--key-size", "129"], &["--key-size 129", "keys of 1 to 128 bytes"]),
        (&["--key-size", "1"], &["--key-size 1B: integer keys of 1B name at most 256 records"]),
        (&["--mix", "gte=1"], &["did you mean `get`?"]),
        (&["--mix", "get"], &["has no weight"]),
        (&["--mix", "get=-1"], &["weight of `get`"]),
        (&["--access", "zipf"], &["did you mean `zipfian`?"]),
        (&["--durability", "powr"], &["did you mean `power`?"]),
        (&["--must", "orderd"], &["did you mean `ordered`?"]),
        (&["--stores", "sqlit"], &["did you mean `sqlite`?"]),
        (&["--stores", "built,lmdb"], &["--stores built,lmdb: `built` goes with nothing else"]),
        (&["--must", "nothing,ordered"], &["--must nothing,ordered: `nothing` goes with nothing else"]),
        (&["--mix", "get=-1", "--must", "orderd"], &["weight of `get`", "did you mean `ordered`?"]),
        (&["--language", "any,jvm"], &["--language any,jvm: `any` goes with nothing else"]),
        (&["--records", "3", "--threads", "4"], &["--threads 4", "at least 4 records"]),
        (&["--threads", "4", "--mix", "scan=1,insert=1"], &["use update and upsert as writes, leave scans out"]),
        (&["--batch", "0"], &["--batch 0", "give 1 to 1,000,000"]),
        (&["--batch", "10", "--mix", "get=1"], &["--batch 10: the mix writes nothing"]),
        (&["--missing", "1.1"], &["--missing 1.1", "from 0 to 1"]),
        (&["--missing", "0.5", "--mix", "update=1"], &["--missing 0.5: the mix asks for no record"]),
        (&["--optimize", "slowest-comit"], &["did you mean `slowest-commit`?"]),
        (&["--optimize", "slowest-commit"], &["there are no commits", "such as --batch 100"]),
        (&["--optimize", "recovery", "--durability", "none"], &["choose --durability process, or open"]),
        (
            &["--records", "30", "--mix", "delete=1", "--optimize", "p999"],
            &["--optimize p999: with 30 records a round has", "takes 3,334 at least"],
        ),
    ];
    for (arguments, words) in wrong {
        let arguments: Vec<_> = ["pick", "--budget", "5s"].iter().chain(arguments).copied().collect();
        place.run(&arguments).expect(2).says(words);
    }
    place.run(&["pick", "--need", "missing.toml"]).expect(2).says(&["missing.toml"]);
    place.run(&["pick", "--trace", "."]).expect(2).says(&[". is a directory", "goes with --tape"]);
    assert!(place.runs().is_empty() && place.leftovers().is_empty());
}

#[test]
fn that_no_store_can_do_it_is_an_answer_and_advises_none_that_was_not_wanted() {
    let place = Place::new();
    for (arguments, words) in [
        (["--stores", "flat-folder", "--must", "ordered"], "flat-folder: does not offer ordered"),
        (["--stores", "sqlite,lmdb", "--language", "jvm"], "sqlite, lmdb: for native programs only"),
    ] {
        let shown = place.run(&[&["pick"], &arguments[..]].concat()).expect(1).stdout;
        assert!(shown.starts_with("None: no store can do all that is needed:") && shown.contains(words), "{shown}");
        assert!(!shown.contains("Not built"), "{shown}");
    }
    // Of the stores that are not built, the advice names only what the language allows.
    let shown = place.run(&["pick", "--language", "jvm", "--license", "CDDL-1.0"]).expect(1).stdout;
    let advice: String = shown.lines().filter(|line| line.starts_with("Not built")).collect();
    assert!(!advice.contains("libmdbx"), "{shown}");
    assert!(place.runs().is_empty() && place.leftovers().is_empty());
    let help = unwrapped(&place.run(&["pick", "--help"]).expect(0).stdout);
    assert!(
        help.contains("Exit status: 0 with an answer") && help.contains(" tape summary --help` lists the forms"),
        "{help}"
    );
}

#[test]
fn a_need_from_a_trace() {
    let place = Place::new();
    let mut trace = "op,key,value_size\n".to_owned();
    for number in 0..3000_u32 {
        // As often to a key above the last one as to one below.
        let key = if number % 2 == 0 { number / 2 % 150 } else { 149 - number / 2 % 150 };
        trace += &format!("{},user{key:012},{}\n", if number % 4 == 0 { "set" } else { "get" }, 50 + number % 51);
    }
    place.write("app.csv", &trace);
    let shown = place.run(&["tape", "summary", "app.csv"]).expect(0).stdout;
    for word in [
        "3,000: upsert 25.00 %, get 75.00 %",
        "150 different, 16.0 bytes",
        "--records 150",
        "--access uniform",
        "--key-size 16B",
    ] {
        assert!(shown.contains(word), "{word:?} is not in:\n{shown}");
    }
    let shown = place
        .run(&["pick", "--full", "--trace", "app.csv", "--stores", "lmdb,sqlite", "--budget", "8s"])
        .expect(0)
        .stdout;
    assert!(shown.contains("records 150") && shown.contains("mix upsert=750,get=2250"), "{shown}");
    // A key that is too long for a store is there once: nobody who measures its mean would see it.
    let long: String = (0..99).map(|number| format!("set,k{number},9\n")).collect();
    place.write("long.csv", &format!("op,key,value_size\n{long}set,{},9\n", "k".repeat(600)));
    let told = place.run(&["tape", "summary", "long.csv"]).expect(0).stdout;
    assert!(told.contains("--longest-key 600B"), "{told}");
    let none = place.run(&["pick", "--trace", "long.csv", "--stores", "lmdb", "--budget", "5s"]).expect(1).stdout;
    assert!(none.contains("takes no keys of 600B"), "{none}");
    // Of nine keys nothing can be told: what is assumed is said.
    let nine: String = (0..9).map(|number| format!("get,k{number},9\n")).collect();
    place.write("nine.csv", &format!("op,key,value_size\n{nine}"));
    let shown = place.run(&["tape", "summary", "nine.csv"]).expect(0).stdout;
    assert!(shown.contains("access zipfian unless --access sets another"), "{shown}");
    let nine = ["pick", "--trace", "nine.csv", "--stores", "lmdb", "--budget", "1s"];
    place.run(&nine).says(&["nine.csv: too few keys", "access zipfian is assumed unless --access sets another"]);
    let threads: String = (0..400).map(|number| format!("set,k{},9,t{}\n", number % 100, number % 4)).collect();
    place.write("threads.csv", &format!("op,key,value_size,thread\n{threads}"));
    let shown = place.run(&["tape", "summary", "threads.csv"]).expect(0).stdout;
    assert!(shown.contains("--threads 4"), "{shown}");
    place.write("bad.csv", "op,key,value_size\nget,a,1\nfetch,a,1\n");
    place.run(&["pick", "--trace", "bad.csv"]).expect(2).says(&["bad.csv", "line 3: op is `fetch`"]);
    place.run(&["tape", "summary", "missing.csv"]).expect(2).says(&["missing.csv"]);
}

/// A queue of a hundred records, to which 3,100 were added in all.
fn queue_trace() -> String {
    let mut trace = "op,key,value_size\n".to_owned();
    for number in 0..3_100_u32 {
        trace += &format!("set,log/{number:016},10240\n");
        if let Some(oldest) = number.checked_sub(100) {
            trace += &format!("delete,log/{oldest:016},\n");
        }
    }
    trace
}

/// LMDB's bytes on disk per byte of data, after closing and at most, in each round of the variant `asked`. Also how many records are
/// alive at the end.
fn lmdb_on_disk(place: &Place) -> Vec<([f64; 2], u64)> {
    let of_lmdb =
        |cell: &serde_json::Value| cell["store"] == "lmdb" && cell["variant"] == "asked" && cell["status"] == "ok";
    let figure = |value: &serde_json::Value| value.as_f64().expect("a figure");
    let cells = place.cells().into_iter().filter(of_lmdb);
    cells
        .map(|cell| {
            let disk = figure(&cell["finished"]["disk_after_close"]["allocated_bytes"]);
            let by_data = |bytes: f64| bytes / figure(&cell["data_bytes"]);
            let sizes = [by_data(disk), by_data(figure(&cell["disk_peak_allocated_bytes"]))];
            (sizes, cell["records_alive"].as_u64().expect("a number"))
        })
        .collect()
}

/// Asked as a trace, all 3,100 keys were taken for records, and LMDB's file for ten times the data that is ever there.
#[test]
fn a_queue_has_one_answer_asked_as_a_mix_as_a_trace_and_as_a_tape() {
    let trace = queue_trace();
    let of_queue = |arguments: &[&str], words: &[&str]| {
        let place = Place::new();
        place.write("queue.csv", &trace);
        if arguments.contains(&"queue.tape") {
            place.run(&["tape", "import", "queue.csv"]).expect(0);
        }
        let common = [
            "pick",
            "--full",
            "--stores",
            "lmdb,sqlite",
            "--budget",
            "12s",
            "--durability",
            "process",
            "--optimize",
            "space",
        ];
        let shown = unwrapped(&place.run(&[&common[..], arguments].concat()).expect(0).stdout);
        for word in words {
            assert!(shown.contains(word), "{word}:\n{shown}");
        }
        let rounds = lmdb_on_disk(&place);
        assert!(rounds.len() >= 2, "{rounds:?}");
        let last = rounds[rounds.len() - 1];
        let best =
            shown.split("Answer").nth(1).and_then(|answer| answer.split_whitespace().next()).unwrap_or("").to_owned();
        (best, last)
    };
    let mix = ["--records", "100", "--value-size", "10KiB", "--key-size", "20", "--access", "insertion", "--mix"];
    let asked = [
        of_queue(
            &[&mix[..], &["insert=50,delete=50"]].concat(),
            &["A round has 26,214 operations", "as values are long"],
        ),
        of_queue(
            &[&mix[..], &["insert=50,delete=50", "--operations", "6k"]].concat(),
            &["A round has 6,000 operations of"],
        ),
        of_queue(
            &["--trace", "queue.csv"],
            &["records 101", "mix insert=3000,delete=3000", "access insertion", "A round has 6,000 operations of"],
        ),
        of_queue(&["--tape", "queue.tape"], &["tape queue.tape"]),
    ];
    for (best, (sizes, alive)) in &asked {
        assert_eq!(best, &asked[0].0, "{asked:?}");
        assert!((100..=101).contains(alive), "{asked:?}");
        for (size, first) in sizes.iter().zip(asked[0].1.0) {
            assert!((1.2..4.0).contains(size) && (0.8..1.25).contains(&(size / first)), "{asked:?}");
        }
    }
}

/// Neighbours lie on one page, and records drawn one by one do not.
#[test]
fn a_trace_that_figures_do_not_represent_is_replayed() {
    let place = Place::new();
    let rows: String = (0..6_000_u32).map(|number| format!("get,{:05},100\n", number * 3 % 1_000)).collect();
    place.write("walk.csv", &format!("op,key,value_size\n{rows}"));
    let shown = unwrapped(&place.run(&["tape", "summary", "walk.csv"]).expect(0).stdout);
    assert!(shown.contains("only a tape") && shown.contains("so operations fall on neighbours"), "{shown}");
    let common = ["pick", "--full", "--trace", "walk.csv", "--stores", "lmdb,sqlite", "--budget", "8s"];
    // Whether so short a race tells the stores apart depends on what else runs here.
    let done = place.run(&common);
    let (told, shown) = (unwrapped(&done.stderr), unwrapped(&done.stdout));
    assert!(told.contains("So the trace itself is replayed, as with --tape bakeoff-results/walk.tape"), "{told}");
    assert!(shown.contains("tape bakeoff-results/walk.tape"), "{shown}");
    // A question that differs from the trace gets a workload that is drawn.
    let done = place.run(&[&common[..], &["--access", "uniform"]].concat());
    assert!(unwrapped(&done.stderr).contains("It is drawn all the same, as --access changes it"), "{}", done.stderr);
    assert!(unwrapped(&done.stdout).contains("records 1000"), "{}", done.stdout);
    // What values are made of, a trace does not say. A second tape takes another name.
    let done = place.run(&[&common[..], &["--data", "random"]].concat());
    assert!(unwrapped(&done.stderr).contains("bakeoff-results/walk.2.tape"), "{}", done.stderr);
}

#[test]
fn reads_that_find_nothing_are_part_of_a_need() {
    let place = Place::new();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let rows: String = (0..4_000)
        .map(|_| match random.random_range(0..4_000) {
            key if key % 4 == 0 => format!("get,{:05}absent,0\n", key / 4 % 500),
            key => format!("get,{:05}there,100\n", key / 4),
        })
        .collect();
    place.write("app.csv", &format!("op,key,value_size\n{rows}"));
    let shown = place.run(&["tape", "summary", "app.csv"]).expect(0).stdout;
    let missing = shown.split("--missing ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("");
    assert!(missing.parse::<f64>().is_ok_and(|part| (0.2..0.3).contains(&part)), "{shown}");
    place.run(&["pick", "--trace", "app.csv", "--stores", "lmdb,sqlite", "--budget", "8s"]);
    let gets = |line: &serde_json::Value| {
        let operations = line["result"]["operations"].as_array()?;
        let get = operations.iter().find(|of| of["operation"] == "get")?;
        let (operations, bytes) = (get["operations"].as_f64()?, get["bytes"].as_f64()?);
        (line["result"]["phase"] == "application" && line["variant"] == "asked").then_some(bytes / operations)
    };
    let lines = place.lines();
    let bytes: Vec<f64> = lines.iter().filter_map(gets).collect();
    // Keys of 10 bytes and more, values of 100: three quarters of the gets deliver something.
    assert!(!bytes.is_empty() && bytes.iter().all(|mean| (70.0..90.0).contains(mean)), "{bytes:?}");
}

#[test]
fn what_is_committed_together_is_measured_so() {
    let place = Place::new();
    let common = ["pick", "--full", "--stores", "lmdb,sqlite", "--budget", "15s", "--durability", "process"];
    let batched =
        ["--records", "300", "--value-size", "100B", "--mix", "update=1", "--batch", "20", "--operations", "2k"];
    let goal = ["--optimize", "slowest-commit"];
    // Whether so few rounds tell whose slowest commit is quicker depends on what else runs here.
    let shown = unwrapped(&place.run(&[&common[..], &batched, &goal].concat()).stdout);
    assert!(shown.contains("batch 20") && shown.contains("latency of the slowest commit"), "{shown}");
    assert!(shown.contains("commit rate disk/data"), "a column in place of p99.9: {shown}");
    let commits = |line: &serde_json::Value| {
        let operations = line["result"]["operations"].as_array()?;
        let of_kind = operations.iter().find(|of| of["operation"] == "commit")?;
        of_kind["operations"].as_u64().filter(|_| line["result"]["phase"] == "application")
    };
    // 2,000 updates in batches of 20.
    let all: Vec<_> = place.lines().iter().filter_map(commits).collect();
    assert!(!all.is_empty() && all.iter().all(|count| *count == 100), "{all:?}");
    let full = place.run(&["report", "--full"]).expect(0).stdout;
    let table = full.split("\nCommits\n").nth(1).unwrap_or_else(|| panic!("{full}"));
    assert!(unwrapped(table).contains("store commits mean p50 p99 p99.9 max"), "{table}");
    // A trace whose commits end batches of 20 asks the same.
    let mut trace = "op,key,value_size\n".to_owned();
    for number in 0..4_000_u32 {
        let key = number / 2 * 7 % 300;
        trace += &format!("update,k{:03},100\n", if number % 2 == 0 { key } else { 299 - key });
        if number % 20 == 19 {
            trace += "commit,,\n";
        }
    }
    for asked in [["--trace", "batches.csv"], ["--tape", "batches.tape"]] {
        let place = Place::new();
        place.write("batches.csv", &trace);
        let summary = unwrapped(&place.run(&["tape", "summary", "batches.csv"]).expect(0).stdout);
        assert!(summary.contains("commits 200, of 20.0 writes each") && summary.contains("--batch 20"), "{summary}");
        let imported = place.run(&["tape", "import", "batches.csv"]).expect(0).stdout;
        assert!(imported.contains("4,000 operations, 200 commits, after loading 300 records"), "{imported}");
        place.run(&[&common[..], &asked, &goal].concat());
        let lines = place.lines();
        let commits: Vec<_> = lines.iter().filter_map(&commits).collect();
        assert!(!commits.is_empty() && commits.iter().all(|count| *count == 200), "{asked:?}: {commits:?}");
    }
}

#[test]
fn opening_recovery_and_the_peak_of_the_disk_are_goals() {
    for (goal, label) in
        [("open", "time to open"), ("recovery", "time to recover"), ("peak-disk", "peak disk by bytes of data")]
    {
        let place = Place::new();
        let small = [
            "pick",
            "--full",
            "--records",
            "300",
            "--value-size",
            "100B",
            "--stores",
            "lmdb,sqlite",
            "--budget",
            "10s",
        ];
        let shown = place.run(&[&small[..], &["--durability", "process", "--optimize", goal]].concat()).stdout;
        let text = unwrapped(&shown);
        assert!(text.contains(label) && text.contains("What it costs"), "{goal}: {shown}");
        let column = if goal == "peak-disk" { "peak/data" } else { goal };
        assert!(text.contains(column), "{goal}: {shown}");
        let cells = place.cells();
        assert!(cells.iter().all(|cell| (cell["killed"] == true) == (goal == "recovery")), "{goal}: {cells:?}");
        let answer = shown.split("\nResults: ").next().unwrap_or_default();
        assert!(answer.lines().all(|line| line.chars().count() <= 100), "{answer}");
    }
}

#[test]
fn a_mix_that_cannot_last_is_cut_and_says_so() {
    let place = Place::new();
    let pick = |mix, budget| {
        [
            "pick",
            "--full",
            "--records",
            "100",
            "--value-size",
            "10B",
            "--stores",
            "lmdb",
            "--budget",
            budget,
            "--mix",
            mix,
        ]
    };
    let said = |mix| unwrapped(&place.run(&pick(mix, "5s")).stderr);
    let grows = said("get=80,insert=20");
    assert!(grows.contains("A round has 250 operations of this mix instead of 50,000"), "{grows}");
    assert!(grows.contains("more inserts than deletes, and the store would grow by more than half."), "{grows}");
    let shrinks = said("get=50,insert=20,delete=30");
    assert!(
        shrinks.contains("A round has 500 operations") && shrinks.contains("shrink by more than half."),
        "{shrinks}"
    );
    let place = Place::new();
    let turning =
        [&pick("get=50,insert=25,delete=25", "20s")[..], &["--durability", "process", "--threads", "2"]].concat();
    let shown = unwrapped(&place.run(&turning).expect(0).stdout);
    assert!(shown.contains("A round has 50,000 operations of this mix."), "{shown}");
    let done = |kind: &str| -> u64 {
        let lines = place.phases("application");
        operations_of(lines.iter().find(|line| line["variant"] == "asked").expect("a phase"), kind)
    };
    assert!(done("insert").abs_diff(done("delete")) <= 2 && done("delete") > 12_000, "the data turns over");
}

#[test]
fn words_that_are_nearly_right_are_told() {
    let place = Place::new();
    let refused = |arguments: &[&str], words: &[&str]| {
        place.run(&[&["pick", "--stores", "lmdb,sqlite"], arguments].concat()).expect(2).says(words);
    };
    refused(&["--language", ""], &["--language is empty: give a value, or leave it out"]);
    refused(&["--license", "permisive"], &["--license: unknown word `permisive`", "did you mean `permissive`?"]);
    refused(&["--language", "natve"], &["unknown word `natve`", "did you mean `native`?"]);
    refused(&["--access", "hot:2/3"], &["--access hot:2/3: give a number above 0, up to 1, in place of `2`"]);
    refused(&["--need", "/dev/null"], &["/dev/null: is a device, and must be a file", "docs/PICK.md"]);
    place.write("need.toml", "durability = \"powr\"\n\nrecords = \"lots\"\n");
    refused(&["--need", "need.toml"], &["need.toml:1: durability", "need.toml:3: records lots"]);
    place.write("\u{1b}[31m.toml", "records = \"\u{1b}[31m\"\n");
    refused(&["--need", "\u{1b}[31m.toml"], &["\\u{1b}[31m.toml is not a need"]);
    refused(&["--dir", "need.toml"], &["--dir need.toml: this is not a directory"]);
    refused(&["--must", ","], &["--must ,: names nothing: leave it out, or write `nothing`"]);
    refused(&["--records", "-5"], &["--records -5: `-5` is below zero"]);
    refused(&["--memory", "60TiB"], &["--memory 60TiB: more memory than there is; give less than"]);
    let mixed = place.run(&["pick", "--stores", "lmdb,all"]).expect(2);
    mixed.says(&["--stores lmdb,all: `all` goes with nothing else"]);
    std::fs::write(place.path().join("need.toml"), [0xff]).expect("a file that is no text");
    let not_text = place.run(&["pick", "--need", "need.toml"]).expect(2);
    assert!(!not_text.stderr.contains("suite"), "{}", not_text.stderr);
}

/// Not built where nobody has asked for a store on the JVM.
#[test]
fn a_binding_for_the_jvm_is_no_library_for_native_programs() {
    if !common::jvm_is_built() {
        return;
    }
    let native = ["pick", "--stores", "lmdbjava", "--language", "native"];
    let shown = Place::new().run(&native).expect(1).stdout;
    assert!(shown.contains("lmdbjava: for programs on the JVM only"), "{shown}");
    // A store without batches races where records can be loaded one by one.
    let hash = [
        "pick",
        "--full",
        "--records",
        "300",
        "--stores",
        "chronicle-map",
        "--durability",
        "process",
        "--budget",
        "40s",
    ];
    // Whether the time is enough for an answer depends on what else runs here. A cell, which may take half of it, took over 10 s next to
    // other work.
    let shown = Place::new().run(&hash).stdout;
    assert!(shown.contains("What it costs") && shown.contains("Chronicle Map"), "{shown}");
}

#[test]
fn a_store_that_promises_less_is_left_out_with_the_reason() {
    if !common::jvm_is_built() {
        return;
    }
    let place = Place::new();
    let shown = place.run(&[
        "pick",
        "--full",
        "--records",
        "300",
        "--mix",
        "get=99,update=1",
        "--stores",
        "chronicle-map,sqlite-jdbc",
        "--durability",
        "power",
        "--budget",
        "60s",
    ]);
    let cells = place.cells();
    let classes = |store| cells.iter().filter(move |cell| cell["store"] == store).map(|cell| &cell["durability"]);
    assert!(classes("sqlite-jdbc").any(|class| class == "power"), "{cells:?}");
    // It offers none and process, and with power the pick asks consistent too.
    assert_eq!(classes("chronicle-map").count(), 0, "{cells:?}");
    let shown = unwrapped(&shown.stdout);
    assert!(shown.contains("durability power is not offered"), "{shown}");
}

#[test]
fn a_store_may_have_transactions_in_some_classes_alone() {
    let place = Place::new();
    let asked = |class| {
        place.run(&[
            "pick",
            "--full",
            "--records",
            "300",
            "--stores",
            "berkeley-db",
            "--must",
            "transactions",
            "--durability",
            class,
        ])
    };
    let shown = asked("none").expect(1).stdout;
    assert!(shown.contains("berkeley-db: does not offer transactions at durability level none"), "{shown}");
    let shown = asked("process").expect(0).stdout;
    let alone = "Values twice as long, 2KiB: not measured, as no other store was asked";
    assert!(shown.contains("Berkeley DB") && shown.contains(alone), "{shown}");
    assert!(place.cells().iter().all(|cell| cell["variant"] == "asked"), "no time goes to changes of a single store");
}

#[test]
fn only_stores_that_can_do_it_are_said_to_be_able_to_join() {
    let place = Place::new();
    let need = [
        "pick",
        "--full",
        "--records",
        "300",
        "--must",
        "ordered,multi-process",
        "--language",
        "native",
        "--budget",
        "20s",
    ];
    let shown = place.run(&need).expect(0).stdout;
    let (answer, after) = shown.split_once("\nResults: ").expect("a run that is kept");
    let (_, listed) = answer.split_once("Cannot do this").expect("a list of stores that cannot");
    let (_, behind) = listed.split_once("redb").expect("redb is in it");
    let (with_it, lacks) = behind.split_once(": ").expect("with what it lacks");
    assert!(!with_it.contains(':') && lacks.starts_with("does not offer multi-process"), "{answer}");
    assert!(!after.contains("redb") && !after.contains("flat-folder"), "{after}");
    assert!(!after.contains("mvstore"), "a store of Java's: {after}");
}

#[test]
fn a_directory_that_cannot_be_written_is_told_before_anything_is_made() {
    let place = Place::new();
    // Not even root can write there.
    place
        .run(&["pick", "--records", "300", "--dir", "/proc", "--budget", "10s"])
        .expect(2)
        .says(&["cannot write in /proc"]);
    assert!(place.runs().is_empty() && place.leftovers().is_empty());
}
