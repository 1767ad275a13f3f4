//! Who does what with which records, end to end: records that expire, readers next to writers.

mod common;

use common::{Place, operations_of, unwrapped};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The suite that a run has, as text.
fn suite_of(place: &Place) -> String {
    place.run_file()["suite"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn sessions_expire_next_to_reads_of_popular_ones() {
    let place = Place::new();
    let sessions = r#"
        title = "Sessions"
        [axes]
        stores = ["sqlite", "lmdb", "leveldb", "flat-folder"]
        value-size = "100B"
        records = 100
        threads = [1, 2]
        [[phases]]
        name = "load"
        operation = "insert"
        [[phases]]
        name = "sessions"
        mix = { get = 80, insert = 10, delete = 10 }
        access = "zipfian"
        access-of = { delete = "insertion" }
        operations = 3_000
    "#;
    place.write("sessions.toml", sessions);
    place.run(&["run", "sessions.toml", "--rounds", "1"]).expect(0);
    let cells = place.cells();
    assert!(cells.len() == 8 && cells.iter().all(|cell| cell["status"] == "ok"), "{cells:?}");
    // All that were loaded are gone, and as many are there as before, or one more for each thread.
    assert!(cells.iter().all(|cell| (100..=102).contains(&cell["records_alive"].as_u64().unwrap())), "{cells:?}");
}

/// Sessions of random names that are read now and then, some often, and end in the order in which they began.
fn sessions() -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut alive = std::collections::VecDeque::new();
    let mut trace = "op,key,value_size\n".to_owned();
    for _ in 0..2_000 {
        let key = format!("{:016x}", random.random::<u64>());
        trace += &format!("insert,{key},100\n");
        alive.push_back(key);
        if alive.len() > 300 {
            trace += &format!("delete,{},\n", alive.pop_front().unwrap());
        }
        for _ in 0..8 {
            let at = (random.random::<f64>().powi(4) * alive.len() as f64) as usize;
            trace += &format!("get,{},100\n", alive[at]);
        }
    }
    trace
}

#[test]
fn a_pick_asks_for_records_that_expire_in_one_line_and_finds_them_in_a_trace() {
    let place = Place::new();
    let common = ["pick", "--full", "--stores", "lmdb,sqlite", "--budget", "4s", "--value-size", "100B"];
    let asked = ["--records", "300", "--mix", "get=90,insert=5,delete=5", "--access", "zipfian,delete=insertion"];
    let shown = unwrapped(&place.run(&[&common[..], &asked].concat()).expect(0).stdout);
    assert!(shown.contains("access zipfian,delete=insertion"), "{shown}");
    let suite = suite_of(&place);
    assert!(suite.contains("access-of") && suite.contains("delete = \"insertion\""), "{suite}");
    let refused = |access: &str, words: &[&str]| drop(place.run(&["pick", "--access", access]).expect(2).says(words));
    refused("zipfian,delete=insertion", &["--access zipfian,delete=insertion: the mix has no delete"]);
    refused("delete=insertion", &["say first which records all kinds choose"]);
    refused("zipfian,latest", &["two accesses for all kinds"]);
    refused("zipfian,insert=uniform", &["unknown word `insert`"]);
    place.write("sessions.csv", &sessions());
    let shown = unwrapped(&place.run(&["tape", "summary", "sessions.csv"]).expect(0).stdout);
    assert!(shown.contains("mostly the oldest") && shown.contains(",delete=insertion"), "{shown}");
}

#[test]
fn readers_and_writers_run_next_to_each_other_with_right_answers() {
    let place = Place::new();
    let roles = r#"
        title = "Roles"
        [axes]
        stores = ["sqlite", "lmdb", "leveldb", "flat-folder"]
        value-size = "100B"
        records = 200
        [[phases]]
        name = "load"
        operation = "insert"
        [[phases]]
        name = "mixed"
        roles = [
            { threads = 2, share = 3, mix = { get = 9, exists = 1 } },
            { threads = 1, share = 1, mix = { update = 2, insert = 1, delete = 1 } },
        ]
        operations = 2_000
        access = "zipfian"
    "#;
    place.write("roles.toml", roles);
    place.run(&["run", "roles.toml", "--rounds", "1"]).expect(0);
    let cells = place.cells();
    assert!(cells.len() == 4 && cells.iter().all(|cell| cell["status"] == "ok" && cell["threads"] == 3), "{cells:?}");
    for line in place.phases("mixed") {
        let count = |kinds: &[&str]| kinds.iter().map(|kind| operations_of(&line, kind)).sum::<u64>();
        assert_eq!((count(&["get", "exists"]), count(&["update", "insert", "delete"])), (1_500, 500));
        assert_eq!(line["result"]["answers_wrong"], 0);
    }
    let full = unwrapped(&place.run(&["report", "--full"]).expect(0).stdout);
    let told =
        "mixed: 2 of 3 threads get, exists (75.0 % of the operations); 1 of 3 threads insert, update, delete (25.0 %)";
    assert!(full.contains(told) && full.contains("mixed: get"), "{full}");
    let plan = place.run(&["run", "roles.toml", "--plan", "--threads", "6"]).expect(0).stdout;
    assert!(plan.contains("6 threads"), "{plan}");
    place.run(&["run", "roles.toml", "--threads", "4"]).expect(2).says(&["--threads 4", "have 3 threads"]);
}

/// They were refused, and readers read other records than the writer wrote.
#[test]
fn scans_and_reads_of_what_a_writer_writes_are_compared() {
    let place = Place::new();
    let shared = r#"
        title = "Shared"
        [axes]
        stores = ["sqlite", "lmdb", "redb", "fjall", "leveldb", "flat-folder"JVM]
        value-size = "100B..1KiB"
        records = 300
        [[phases]]
        name = "load"
        operation = "insert"
        [[phases]]
        name = "reads"
        roles = [
            { threads = 2, share = 3, mix = { get = 9, exists = 1 } },
            { threads = 1, share = 1, mix = { update = 3, insert = 1 } },
        ]
        operations = 2_000
        access = "zipfian"
        shared = true
        [[phases]]
        name = "scans"
        roles = [
            { threads = 2, share = 1, mix = { scan = 9, get = 1 } },
            { threads = 1, share = 1, operation = "update" },
        ]
        operations = 1_000
        shared = true
        [[phases]]
        name = "mixed"
        mix = { scan = 1, scan-all = 0.1, upsert = 3, get = 2 }
        operations = 1_000
        shared = true
    "#;
    let shared = &shared.replace("JVM", if common::jvm_is_built() { ", \"mvstore\", \"rocksdb-jni\"" } else { "" });
    place.write("shared.toml", shared);
    place.run(&["run", "shared.toml", "--rounds", "1"]).expect(0);
    let cells = place.cells();
    assert!(cells.iter().all(|cell| cell["status"] == "ok" && cell["threads"] == 3), "{cells:?}");
    let stores: Vec<_> = cells.iter().map(|cell| cell["store"].as_str().unwrap()).collect();
    assert!(["sqlite", "lmdb", "redb", "fjall"].iter().all(|store| stores.contains(store)), "{stores:?}");
    for (phase, least) in [("reads", 1_500), ("scans", 500), ("mixed", 400)] {
        let lines = place.phases(phase);
        assert!(lines.len() >= 4, "{phase}");
        assert!(lines.iter().all(|line| line["result"]["answers_checked"].as_u64() >= Some(least)), "{lines:?}");
    }
    let refused = |from: &str, to: &str, words: &[&str]| {
        place.write("wrong.toml", &shared.replace(from, to));
        place.run(&["run", "wrong.toml", "--plan"]).expect(2).says(words);
    };
    refused(
        "operation = \"update\"",
        "operation = \"delete\"",
        &["`scans` has delete, and nobody knows", "updates and upserts"],
    );
    refused("operation = \"update\"", "operation = \"insert\"", &["`scans` has insert, and nobody knows"]);
    refused(
        "upsert = 3, get = 2 }",
        "upsert = 3 }\nconsumer = \"touch\"",
        &["scans cannot compare it", "keys or count"],
    );
    refused("scan = 1, scan-all = 0.1, ", "", &["`shared` has no effect in phase `mixed`"]);
    let last = shared.rfind("shared = true").unwrap();
    place.write("wrong.toml", &shared[..last]);
    place.run(&["run", "wrong.toml", "--plan"]).expect(2).says(&["mixes scan with writes", "shared = true"]);
}

/// A store that gives what no thread wrote is found, though what was written last is not known.
#[test]
fn what_nobody_wrote_is_no_answer_next_to_a_writer() {
    for (fault, words) in
        [("wrong-value", "gave a wrong value"), ("missing-key", "found nothing, but the key is there")]
    {
        let place = Place::new();
        let suite = format!(
            r#"
            rounds = 1
            [axes]
            stores = ["faulty"]
            value-size = "100B"
            records = 100
            [[phases]]
            name = "load"
            operation = "insert"
            [[phases]]
            name = "reads"
            roles = [{{ threads = 1, operation = "get" }}, {{ threads = 1, operation = "update" }}]
            operations = 2_000
            shared = true
            [settings.faulty]
            fault = "{fault}"
            at = 100
            "#
        );
        place.write("faulty.toml", &suite);
        place.run(&["run", "faulty.toml"]).expect(1);
        let cells = place.cells();
        let message = cells[0]["failure_message"].as_str().unwrap_or_default();
        // Half of the reads are of what the writer writes.
        assert!(message.contains("1000 of 1000") && message.contains(words), "{message}");
    }
}

#[test]
fn a_pick_has_readers_next_to_a_writer() {
    let place = Place::new();
    let common =
        ["pick", "--full", "--stores", "lmdb,sqlite", "--budget", "4s", "--value-size", "100B", "--records", "300"];
    let asked = ["--mix", "get=90,update=8,insert=1,delete=1", "--readers", "2"];
    let shown = unwrapped(&place.run(&[&common[..], &asked].concat()).expect(0).stdout);
    assert!(shown.contains("readers 2 · writers 1") && shown.contains("threads 3"), "{shown}");
    let cells = place.cells();
    let asked: Vec<_> = cells.iter().filter(|cell| cell["variant"] == "asked").collect();
    assert!(asked.len() >= 2 && asked.iter().all(|of| of["status"] == "ok" && of["threads"] == 3), "{asked:?}");
    let refused = |more: &[&str], words: &[&str]| drop(place.run(&[&["pick"], more].concat()).expect(2).says(words));
    refused(&["--readers", "2", "--writers", "1", "--threads", "4"], &["2 readers and 1 writers are 3 threads"]);
    refused(&["--readers", "2", "--writers", "1", "--mix", "get=1"], &["need a mix with both reads and writes"]);
}
