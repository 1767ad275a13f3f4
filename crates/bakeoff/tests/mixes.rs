//! Who does what with which records, end to end: records that expire, readers next to writers.

mod common;

use common::{Place, unwrapped};
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
    let common = ["pick", "--stores", "lmdb,sqlite", "--budget", "4s", "--value-size", "100B"];
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
    for line in place.lines().iter().filter(|line| line["result"]["phase"] == "mixed") {
        let count = |kinds: &[&str]| {
            let operations = line["result"]["operations"].as_array().unwrap().iter();
            let of_kind = operations.filter(|of| kinds.contains(&of["operation"].as_str().unwrap()));
            of_kind.map(|of| of["operations"].as_u64().unwrap()).sum::<u64>()
        };
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

#[test]
fn a_pick_has_readers_next_to_a_writer() {
    let place = Place::new();
    let common = ["pick", "--stores", "lmdb,sqlite", "--budget", "4s", "--value-size", "100B", "--records", "300"];
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
