//! What people store: keys of any length, of many lengths, JSON; and how they look for it. Each on real stores, every answer checked.

mod common;

use common::Place;
use serde_json::Value;

/// Stores in one process of each kind: a B+ tree, SQL, an LSM tree, files without order; and one on the JVM, if it is built.
fn stores() -> String {
    let jvm = if common::jvm_is_built() { r#", "mvstore""# } else { "" };
    format!(r#"["lmdb", "sqlite", "fjall", "flat-folder"{jvm}]"#)
}

fn suite(key: &str, rest: &str) -> String {
    let stores = stores();
    format!(
        "rounds = 1\nwarm-up = \"0s\"\n[axes]\nstores = {stores}\nvalue-size = \"8B..200B\"\nrecords = 250\nkey = {key}\n\
         [[phases]]\nname = \"load\"\noperation = \"insert\"\naccess = \"uniform\"\n{rest}"
    )
}

/// Runs a suite all of whose cells must be right, and returns the results of its phases.
fn phases(place: &Place, suite: &str) -> Vec<Value> {
    place.write("stored.toml", suite);
    place.run(&["run", "stored.toml"]).expect(0);
    for cell in place.cells() {
        assert_eq!(cell["status"], "ok", "{cell}");
    }
    place.lines().into_iter().filter(|line| line["line"] == "phase").collect()
}

#[test]
fn keys_have_any_length_and_many_lengths() {
    let place = Place::new();
    let mixed = "[[phases]]\nname = \"mixed\"\nmix = { get = 70, update = 20, delete = 10 }\nrestore = true\noperations = 500\nmissing = 0.1\n";
    let keys = ["integer:8", "integer:2", "decimal:3", "sha1:20..64", "integer:8..24"];
    let lines = phases(&place, &suite(&format!("{keys:?}"), mixed));
    for key in keys {
        let of_key = lines.iter().filter(|line| line["key"] == key).count();
        assert!(of_key >= 8, "{key} was measured on each store: {of_key}");
    }
    // One byte names 256 records, and no more than that.
    let (place, one_byte) = (Place::new(), suite("\"integer:1\"", ""));
    assert!(phases(&place, &one_byte).len() >= 4);
    place.write("more.toml", &one_byte);
    let too_many = ["run", "more.toml", "--records", "257"];
    place.run(&too_many).expect(2).says(&["257 records", "name at most 256", "integer:2"]);
    place.run(&["run", "more.toml", "--records", "300", "--key", "integer:8", "--plan"]).expect(0);
}

#[test]
fn records_are_found_by_prefix_and_at_the_head() {
    let place = Place::new();
    let rest = r#"
[[phases]]
name = "exists"
operation = "exists"
operations = 400
missing = 0.5

[[phases]]
name = "prefix"
operation = "scan-prefix"
prefix = "2B"
operations = 50

[[phases]]
name = "queue"
mix = { first = 1, delete = 1, insert = 1 }
access = "insertion"
operations = 1_500

[[phases]]
name = "last"
operation = "first"
reverse = true
operations = 20
consumer = "copy"
"#;
    let lines = phases(&place, &suite(r#""integer:8""#, rest).replace("access = \"uniform\"\n", ""));
    for line in &lines {
        let (store, result) = (&line["store"], &line["result"]);
        let checked = match result["phase"].as_str() {
            Some("exists") => 400,
            Some("prefix") => 50,
            Some("last") => 20,
            _ => continue,
        };
        assert_eq!(result["answers_checked"], checked, "{store}: {result}");
    }
    let of = |phase: &str| -> Vec<String> {
        let lines = lines.iter().filter(|line| line["result"]["phase"] == phase);
        lines.map(|line| line["store"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(of("exists").contains(&"lmdb".to_owned()) && of("prefix").contains(&"lmdb".to_owned()));
    assert!(!of("exists").contains(&"flat-folder".to_owned()), "a phase that writes needs an order: no cell");
}

#[test]
fn values_of_json_are_stored_and_compress() {
    let place = Place::new();
    let json = suite(r#""sha1""#, "").replace("[axes]\n", "[axes]\ndata = \"json\"\n");
    let lines = phases(&place, &json);
    assert!(lines.len() >= 4 && lines.iter().all(|line| line["data"] == "json"));
}

#[test]
fn a_trace_asks_for_keys_of_its_own_length() {
    let place = Place::new();
    let rows: String =
        (0..500).map(|number| format!("set,{:08},100\nget,{:08},100\n", number * 7919, number * 7919)).collect();
    place.write("ids.csv", &format!("op,key,value_size\n{rows}"));
    let shown = place.run(&["tape", "summary", "ids.csv"]).expect(0).stdout;
    assert!(shown.contains("--key-size 8B"), "{shown}");
    // Of many lengths: a range with their mean, and the longest, which a store must take.
    let rows: String = (1..=200).map(|number| format!("set,{},100\n", "k".repeat(number))).collect();
    place.write("lengths.csv", &format!("op,key,value_size\n{rows}"));
    let shown = place.run(&["tape", "summary", "lengths.csv"]).expect(0).stdout;
    assert!(shown.contains("--key-size 10B..128B") && shown.contains("--longest-key 200B"), "{shown}");
}

#[test]
fn a_need_has_keys_of_eight_bytes() {
    let place = Place::new();
    let asked = [
        "pick",
        "--records",
        "1k",
        "--value-size",
        "20B",
        "--key-size",
        "8B",
        "--stores",
        "lmdb,sqlite",
        "--budget",
        "5s",
    ];
    let finished = place.run(&asked);
    assert!(finished.status.is_some_and(|status| status < 2), "{}", finished.stderr);
    assert!(place.cells().iter().all(|cell| cell["key"] == "integer:8"));
    let wrong: [(&[&str], &[&str]); 5] = [
        (&["--key-size", "1B"], &["--key-size 1B: integer keys of 1B name at most 256 records", "use"]),
        (&["--key-size", "0B"], &["keys of 1 to 128 bytes are measured"]),
        (&["--key-size", "24..600"], &["longest-key"]),
        (&["--key-size", "8", "--key-form", "sha1"], &["sha1 keys have 20 to 128 bytes"]),
        (&["--key-form", "hash"], &["unknown word `hash`"]),
    ];
    for (arguments, words) in wrong {
        let arguments: Vec<_> = ["pick", "--budget", "5s"].iter().chain(arguments).copied().collect();
        place.run(&arguments).expect(2).says(words);
    }
}
