//! A disk that fills up while a store is measured on it. Regardless of how the store reacts, the cell has failed for lack of space.

mod common;

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use common::{Finished, Place, SmallMount, tiny_suite};
use serde_json::Value;

/// Stores of all sorts. LMDB says "Input/output error", and in class `none` dies of the file that it maps.
const NATIVE: &str = r#""sqlite", "lmdb", "fjall", "leveldb", "flat-folder""#;

/// LMDB's bindings report "Input/output error". MapDB maps its file, so the JVM throws an `Error`.
const ON_JVM: &str = r#""lmdbjava", "lmdbjni", "lwjgl-lmdb", "mapdb", "mvstore", "xodus""#;

/// Writes zeros into a file until `left_bytes` are free.
fn fill(filler: &mut File, left_bytes: u64) {
    let free = |file: &File| rustix::fs::fstatvfs(file).map_or(0, |room| room.f_bavail * room.f_frsize);
    while free(filler) > left_bytes {
        let piece = vec![0; usize::try_from((free(filler) - left_bytes).min(1 << 20)).expect("a piece")];
        if filler.write_all(&piece).is_err() {
            break;
        }
    }
}

/// The failures of a suite's cells on a small file system. From when the first cell is measured there, only `left_bytes` are kept free.
/// In any order of the cells, all have failed when their second round is done.
fn on_filled(place: &Place, suite: &str, left_bytes: u64) -> Option<Vec<Value>> {
    let small = SmallMount::new(place, "stores on a disk that fills up")?;
    let suite = suite.replace("durability =", "media = [\"disk\"]\ndurability =");
    place.write("tiny.toml", &suite);
    let mut run = place.spawn(&["run", "tiny.toml", "--medium", "disk=small", "--rounds", "2", "--timeout", "5m"]);
    let begin = Instant::now();
    let measured = |scratch: std::fs::DirEntry| scratch.path().join("store").exists();
    while !std::fs::read_dir(small.path()).expect("the mount").flatten().any(measured) {
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing is measured on the small file system");
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut filler = File::create(small.path().join("filler")).expect("a file");
    while run.try_wait().expect("it can be waited for").is_none() {
        fill(&mut filler, left_bytes);
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(filler);
    Finished::of(run.wait_with_output().expect("it ends")).expect(1).says(&[]);
    let left: Vec<_> = std::fs::read_dir(small.path()).expect("the mount").flatten().map(|left| left.path()).collect();
    assert_eq!(left, [small.path().join("filler")], "stores and copies are removed");
    assert!(small.unmount(), "the run left files open on the mount");
    Some(place.cells().into_iter().filter(|cell| cell["status"] == "failed").collect())
}

/// Values of which a few writes exceed the free space.
fn large(stores: &str) -> String {
    tiny_suite(stores, "").replace(r#"value-size = ["10B..100B"]"#, r#"value-size = ["40KiB"]"#)
}

/// Asserts that each of these stores failed `times` times for lack of space, and that its own message is kept.
fn are_full(failures: &[Value], stores: &str, times: usize) {
    for store in stores.split(", ").map(|name| name.trim_matches('"')) {
        let of: Vec<_> = failures.iter().filter(|cell| cell["store"] == store).collect();
        assert_eq!(of.len(), times, "{store}: {failures:?}");
        for cell in of {
            assert_eq!(cell["failure"], "disk-full", "{cell}");
            let message = cell["failure_message"].as_str().unwrap_or_default();
            // Who gives back what it wrote and says why needs no help.
            let (left, words) = message.split_once(" bytes free: ").unwrap_or(("0", message));
            let left: Option<u64> = left.rsplit(' ').next().and_then(|left| left.replace(',', "").parse().ok());
            assert!(message.to_lowercase().contains("space") && left.is_some_and(|left| left < 1 << 20), "{cell}");
            assert!(!words.starts_with("(again"), "{cell}");
        }
    }
}

#[test]
fn whatever_a_native_store_says_of_a_full_disk() {
    let place = Place::new();
    let suite = large(NATIVE).replace(r#"durability = ["process"]"#, r#"durability = ["none", "process"]"#);
    // LevelDB has no class `none`.
    let Some(failures) = on_filled(&place, &suite, 3 << 20) else { return };
    are_full(&failures, &NATIVE.replace(r#", "leveldb""#, ""), 2);
    are_full(&failures, r#""leveldb""#, 1);
    let died = |cell: &Value| cell["failure_message"].as_str().unwrap_or_default().contains("SIGBUS");
    assert!(failures.iter().any(|cell| cell["store"] == "lmdb" && died(cell)), "{failures:?}");
}

#[test]
fn whatever_a_store_on_the_jvm_says_of_a_full_disk() {
    if !common::jvm_is_built() {
        return;
    }
    // With room for what libraries unpack, and without: one JVM dies of a library that it unpacked in part.
    for (stores, left_bytes) in [(ON_JVM, 6 << 20), (r#""lmdbjava", "lwjgl-lmdb", "mvstore""#, 0)] {
        let place = Place::new();
        let suite = format!("warm-up = \"0s\"\n{}", large(stores));
        let Some(failures) = on_filled(&place, &suite, left_bytes) else { return };
        are_full(&failures, stores, 1);
    }
}

#[test]
fn a_compacted_copy_that_finds_no_room_fails_the_cell_and_is_removed() {
    let place = Place::new();
    let mut stores = r#""sqlite", "lmdb""#.to_owned();
    if common::jvm_is_built() {
        stores += r#", "lmdbjava", "lmdbjni", "lwjgl-lmdb", "sqlite-jdbc""#;
    }
    let suite = large(&stores).replace(r#"durability = ["process"]"#, r#"durability = ["none"]"#);
    let suite = format!("warm-up = \"0s\"\ncompacted-copy = true\n{suite}");
    // Room for a store of 8 MiB and what its library unpacks, and not for another.
    let Some(failures) = on_filled(&place, &suite, 14 << 20) else { return };
    are_full(&failures, &stores, 1);
    for cell in &failures {
        assert_eq!(cell["failure_phase"], "verify", "{cell}");
        assert!(cell["failure_message"].as_str().is_some_and(|words| words.contains("the compacted copy: ")), "{cell}");
    }
}
