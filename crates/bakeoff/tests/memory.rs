//! Memory that stores are given, and cells that are held to an amount of it.

mod common;

use common::{Place, doctor_says_possible, jvm_is_built, tiny_suite, unwrapped};

const STORES: &str = r#""sqlite", "lmdb", "leveldb", "flat-folder""#;

#[test]
fn every_store_is_given_the_same_memory_and_told_how_it_divides_it() {
    let place = Place::on_disk();
    place.write("tiny.toml", &tiny_suite(STORES, ""));
    let finished =
        place.run(&["run", "tiny.toml", "--rounds", "1", "--memory", "8MiB", "--threads", "1,2", "--full"]).expect(0);
    let cells = place.cells();
    let shares = |store: &str, threads: u32| {
        let of = |cell: &&serde_json::Value| cell["store"] == store && cell["threads"] == threads;
        let cell = cells.iter().find(of).expect("a cell");
        assert_eq!(cell["memory_bytes"], 8 << 20);
        let (given, opened) = (&cell["memory_settings"], &cell["opened"]["settings"]);
        for (name, value) in given.as_object().into_iter().flatten() {
            assert_eq!(&opened[name], value, "what {store} was opened with");
        }
        assert!(cell["finished"]["page_cache_bytes"].is_u64(), "{cell}");
        given.clone()
    };
    assert_eq!(shares("sqlite", 1)["cache"], 8 << 20);
    assert_eq!(shares("sqlite", 2)["cache"], 4 << 20, "a cache for each thread");
    assert_eq!(shares("leveldb", 1)["cache"], 4 << 20);
    assert_eq!(shares("leveldb", 1)["write-buffer"], 2 << 20);
    assert!(shares("lmdb", 1).is_null() && shares("flat-folder", 1).is_null());
    assert!(finished.stdout.contains("Every store was given 8.00 MiB"), "{}", finished.stdout);
    assert!(finished.stdout.contains("page cache alone"), "{}", finished.stdout);
}

#[test]
fn what_a_jvm_cannot_tell_of_the_page_cache_is_said_and_not_left_as_a_dash() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::on_disk();
    place.write("tiny.toml", &format!("warm-up = \"0s\"\n{}", tiny_suite(r#""lmdb", "lmdbjava""#, "")));
    let told = |stores| {
        let run = ["run", "tiny.toml", "--rounds", "1", "--memory", "64MiB", "--stores", stores, "--full"];
        unwrapped(&place.run(&run).expect(0).stdout)
    };
    let words = "not known, as on the JVM";
    let (with, without) = (told("lmdb,lmdbjava"), told("lmdb"));
    assert!(with.contains(words) && !without.contains(words), "{with}\n{without}");
}

#[test]
fn a_cell_is_held_to_its_limit_or_skipped_where_none_can_be_set() {
    let place = Place::on_disk();
    place.write("tiny.toml", &tiny_suite(STORES, ""));
    let can = doctor_says_possible(&place, "memory-limit", "cells with limited memory");
    let finished =
        place.run(&["run", "tiny.toml", "--rounds", "1", "--memory-limit", "none,64MiB", "--full"]).expect(0);
    let cells = place.cells();
    let limited: Vec<_> = cells.iter().filter(|cell| cell["memory_limit_bytes"] == 64 << 20).collect();
    if !can {
        assert!(limited.is_empty(), "{limited:?}");
        assert!(finished.stderr.contains("memory cannot be limited here"), "{}", finished.stderr);
        return;
    }
    assert_eq!((cells.len(), limited.len()), (8, 4));
    for cell in limited {
        let peak = cell["memory_peak_bytes"].as_u64().expect("the kernel tells the peak");
        assert!(peak > 0 && peak <= 64 << 20, "{cell}");
    }
    assert!(finished.stdout.contains("at most 64.0 MiB of memory"), "{}", finished.stdout);
}

#[test]
fn a_cell_that_needs_more_than_its_limit_fails_and_says_why() {
    let place = Place::on_disk();
    if !doctor_says_possible(&place, "memory-limit", "cells with limited memory") {
        return;
    }
    // Takes all the memory there is, once it has begun.
    place.write(
        "tiny.toml",
        &tiny_suite(r#""faulty", "lmdb""#, "\n[settings.faulty]\nfault = \"out-of-memory\"\nat = 250\n"),
    );
    place.run(&["run", "tiny.toml", "--rounds", "1", "--memory-limit", "32MiB"]).expect(1);
    let cells = place.cells();
    let of = |store: &str| cells.iter().find(|cell| cell["store"] == store).expect("a cell");
    assert_eq!(of("lmdb")["status"], "ok", "{}", of("lmdb"));
    assert_eq!(of("faulty")["failure"], "out-of-memory", "{}", of("faulty"));
    let message = of("faulty")["failure_message"].as_str().unwrap_or_default();
    assert!(message.contains("memory-limit"), "{message}");
}
