//! Data that never leaves the memory in which a store collects writes.

mod common;

use common::{Place, tiny_suite, unwrapped};

/// Whether LevelDB with such a write buffer is warned of, and what its table files held after a phase that read.
fn with_write_buffer(bytes: &str) -> (bool, u64) {
    let place = Place::new();
    let suite = tiny_suite("\"leveldb\", \"sqlite\"", &format!("[settings.leveldb]\nwrite-buffer = \"{bytes}\"\n"));
    // A batch as large as all data is in memory as a whole.
    let suite = suite.replace("batch = \"all\"", "batch = 10");
    place.write("suite.toml", &suite.replace("10B..100B", "10KiB").replace("[200]", "[800]"));
    let shown = unwrapped(&place.run(&["run", "suite.toml", "--full"]).expect(0).stdout);
    let lines = place.lines();
    let of = |store: &str| {
        let is_it = |line: &&serde_json::Value| line["store"] == store && line["result"]["phase"] == "get";
        lines.iter().find(is_it).expect("a phase").get("table_bytes").cloned()
    };
    assert_eq!(of("sqlite"), None, "its writes go to its files at once");
    let is_warned = shown.contains("all data was still in the write buffer of leveldb (10KiB × 800)");
    (is_warned, of("leveldb").and_then(|bytes| bytes.as_u64()).expect("bytes in table files"))
}

#[test]
fn a_store_whose_data_never_left_its_write_buffer_is_warned_of() {
    let (is_warned, bytes) = with_write_buffer("64MiB");
    // Next to the data that is nothing.
    assert!(is_warned && bytes < 64 << 10, "{bytes}");
    let (is_warned, bytes) = with_write_buffer("1MiB");
    // Flushed in the background, so not all of it: at least a twentieth.
    assert!(!is_warned && bytes > 400 << 10, "{bytes}");
}
