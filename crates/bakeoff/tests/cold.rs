//! Phases that begin with the store's files dropped from the page cache.

mod common;

use common::{Place, SmallMount, unwrapped};
use serde_json::Value;

/// Warm, then cold, then cold again: every record is read each time.
fn suite(stores: &str, rest: &str) -> String {
    format!(
        r#"
rounds = 1
warm-up = "0s"

[axes]
stores = [{stores}]
value-size = "8KiB"
records = 1_000
{rest}
[[phases]]
name = "load"
operation = "insert"
batch = 500
measure = "throughput"

[[phases]]
name = "warm"
operation = "get"
operations = "records"
access = "sequential"
reopen = true

[[phases]]
name = "cold"
operation = "get"
operations = "records"
access = "sequential"
cache = "cold"

[[phases]]
name = "again"
operation = "update"
operations = 20
cache = "cold"
"#
    )
}

/// What a phase had the device read.
fn block_read_bytes(line: &Value) -> u64 {
    line["result"]["resources"]["block_read_bytes"].as_u64().expect("bytes read")
}

#[test]
fn reads_after_the_drop_come_from_the_device() {
    let place = Place::on_disk();
    let jvm = if common::jvm_is_built() { ", \"mvstore\", \"rocksdb-jni\"" } else { "" };
    let stores = format!("\"sqlite\", \"lmdb\", \"redb\", \"flat-folder\", \"null\"{jvm}");
    place.write("cold.toml", &suite(&stores, ""));
    let shown = place.run(&["run", "cold.toml", "--full"]).expect(0).stdout;
    let lines = place.lines();
    let of = |store: &str, phase: &str| {
        let is_it = |line: &&Value| line["store"] == store && line["result"]["phase"] == phase;
        lines.iter().filter(|line| line["line"] == "phase").find(is_it).expect("a phase").clone()
    };
    let cells = place.cells();
    for store in cells.iter().filter_map(|cell| cell["store"].as_str()) {
        let [warm, cold, again] = ["warm", "cold", "again"].map(|phase| of(store, phase));
        assert!(warm.get("dropped_cache").is_none(), "{warm}");
        if store == "null" {
            assert!(cold.get("dropped_cache").is_none() && cold["result"].get("reopen_ns").is_none(), "{cold}");
            continue;
        }
        for line in [&cold, &again] {
            let dropped = &line["dropped_cache"];
            let [before, after] =
                ["before", "after"].map(|when| dropped[format!("resident_{when}_bytes")].as_u64().expect("bytes"));
            assert!(before > 4 << 20 && after <= before / 100, "{store}: {dropped}");
            assert!(line["result"]["reopen_ns"].as_u64() > Some(0), "{store}: {line}");
        }
        // Its 8 MiB of values do not compress.
        assert!(block_read_bytes(&cold) > 7_000_000, "{store}: {cold}");
        assert!(block_read_bytes(&warm) < 4_000_000, "{store}: {warm}");
        assert!(cold["result"]["answers_checked"] == 1_000, "{store}: {cold}");
    }
    assert_eq!(cells.len(), if jvm.is_empty() { 5 } else { 7 });
    let section = shown.split("Cold caches").nth(1).unwrap_or_else(|| panic!("{shown}"));
    assert!(section.contains("stayed") && section.contains("cold · 8KiB"), "{section}");
}

#[test]
fn a_pick_may_begin_cold() {
    let place = Place::on_disk();
    let small = ["pick", "--records", "1000", "--value-size", "8KiB", "--data", "random", "--mix", "get=1"];
    let rest =
        ["--operations", "500", "--stores", "lmdb,sqlite", "--budget", "15s", "--optimize", "open", "--cold", "--full"];
    // Whether so short a race tells the stores apart depends on what else runs here.
    let done = place.run(&[&small[..], &rest].concat());
    let shown = unwrapped(&done.stdout);
    assert!(shown.contains("cold yes"), "{}\n{shown}", done.stderr);
    assert!(place.run(&["report", "--full"]).expect(0).stdout.contains("Cold caches"));
    let need = &place.run_file()["pick"]["need"];
    assert!(need.as_array().unwrap().contains(&serde_json::json!(["cold", "yes"])), "{need}");
    let lines = place.lines();
    let applications = || lines.iter().filter(|line| line["result"]["phase"] == "application");
    assert!(applications().count() >= 2);
    for line in applications() {
        let dropped = &line["dropped_cache"];
        let [before, after] =
            ["before", "after"].map(|when| dropped[format!("resident_{when}_bytes")].as_u64().expect("bytes"));
        assert!(before > 1 << 20 && after <= before / 100, "{line}");
        assert!(block_read_bytes(line) > 1 << 20, "{line}");
    }
    place.run(&["pick", "--cold", "--tape", "app.tape"]).expect(2).says(&["--cold", "--tape", "cannot be used with"]);
    place.run(&["pick", "--cold", "very"]).expect(2).says(&["--cold", "use no, yes"]);
    let Some(memory) = SmallMount::new(&place, "a cold pick in memory") else { return };
    let dir = memory.path().to_str().expect("text");
    let in_memory = ["pick", "--cold", "--dir", dir, "--stores", "lmdb", "--records", "300"];
    place.run(&in_memory).expect(2).says(&["caches cannot be cold"]);
}

#[test]
fn on_a_file_system_in_memory_cold_caches_are_not_available() {
    let place = Place::on_disk();
    let Some(small) = SmallMount::new(&place, "cold caches in memory") else { return };
    place.write("cold.toml", &suite("\"lmdb\"", "media = [\"disk\", \"memory\"]"));
    let medium = |name: &str, directory: &std::path::Path| format!("{name}={}", directory.display());
    let media = [medium("disk", place.path()), medium("memory", small.path())];
    let plan = ["run", "cold.toml", "--plan", "--medium", &media[0], "--medium", &media[1]];
    let shown = unwrapped(&place.run(&plan).expect(0).stdout);
    let why = "cache = \"cold\" on medium memory: n/a: caches cannot be cold, since tmpfs keeps files in memory";
    assert!(shown.contains(why), "{shown}");
    assert_eq!(shown.matches("8KiB × 1,000 random").count(), 1, "{shown}");
}
