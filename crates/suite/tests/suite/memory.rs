//! Memory that every store gets, and memory limits of cells.

use std::collections::BTreeMap;

use crate::common::{changed, files, tree};
use bakeoff_protocol::{MemoryShare, MemorySplit, Overhead, Room, SettingKind, StoreDescription};
use bakeoff_suite::{Overrides, Plan, PlanMedium, Suite, check_memory, memory_left, plan};

/// A store that gives its cache half the memory in two pieces, or, per thread, all of it.
fn dividing(percent: u32, pieces: u32, per_thread: bool) -> StoreDescription {
    let share = MemoryShare { setting: "cache".to_owned(), percent, pieces, per_thread, mapped: false, overhead: None };
    let memory = MemorySplit { how: String::new(), source: String::new(), shares: vec![share] };
    StoreDescription { memory: Some(memory), ..tree() }
}

fn parse(from: &str, to: &str) -> Suite {
    let text = changed("[settings.tree]\ncache = \"64MiB\"", "").replace(from, to);
    Suite::parse("base.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn planned(suite: &Suite, stores: &[StoreDescription]) -> Plan {
    let media =
        BTreeMap::from([("default".to_owned(), PlanMedium { directory: "/tmp".into(), ..PlanMedium::default() })]);
    plan(suite, stores, &media).unwrap_or_else(|errors| panic!("{errors}"))
}

fn skipped(plan: &Plan) -> Vec<String> {
    plan.skipped.iter().map(ToString::to_string).collect()
}

#[test]
fn every_store_divides_the_same_memory_in_its_own_way() {
    let plan = planned(&parse("seed = 7", "seed = 7\nmemory = \"64MiB\""), &[dividing(50, 2, false), files()]);
    assert_eq!(skipped(&plan), [""; 0]);
    for workload in &plan.workloads {
        let [tree, files] = &workload.cells[..] else { panic!("{:?}", workload.cells) };
        assert_eq!((tree.axes.memory_bytes, files.axes.memory_bytes), (Some(64 << 20), Some(64 << 20)));
        assert_eq!(tree.settings["cache"], 16 << 20, "half of it, in two pieces");
        assert_eq!(tree.memory_settings, tree.settings);
        assert!(tree.axes.settings.is_empty(), "what the suite did not set itself does not look as if it had");
        assert!(files.settings.is_empty() && files.memory_settings.is_empty());
    }
}

#[test]
fn threads_share_what_each_of_them_has_by_itself() {
    let suite = parse("seed = 7", "seed = 7\nmemory = \"64MiB\"");
    let threads = Overrides::default().with("threads", ["1", "4"]);
    let suite = suite.with_overrides(&threads).unwrap_or_else(|errors| panic!("{errors}"));
    let plan = planned(&suite, &[dividing(100, 1, true), files()]);
    let caches: Vec<_> = plan.workloads[..2].iter().map(|each| each.cells[0].settings["cache"].clone()).collect();
    assert_eq!(caches, [64 << 20, 16 << 20]);
}

#[test]
fn what_a_suite_sets_itself_stays() {
    let suite = Suite::parse("base.toml", &changed("seed = 7", "seed = 7\nmemory = \"8MiB\"")).unwrap();
    let cell = &planned(&suite, &[dividing(50, 1, false), files()]).workloads[0].cells[0];
    assert_eq!(cell.settings["cache"], 64 << 20);
    assert!(cell.memory_settings.is_empty());
}

#[test]
fn memory_changes_the_cells_of_stores_that_use_it_alone() {
    let stores = [dividing(50, 1, false), files()];
    let ids = |suite: &Suite| -> Vec<String> {
        planned(suite, &stores).workloads[0].cells.iter().map(|cell| cell.id.clone()).collect()
    };
    let without = ids(&parse("seed = 7", "seed = 7"));
    let with = ids(&parse("seed = 7", "seed = 7\nmemory = \"8MiB\""));
    assert_ne!(without[0], with[0]);
    assert_eq!(without[1], with[1], "nothing is different for a store that leaves its files to the page cache");
}

#[test]
fn stores_are_given_no_more_than_a_cell_may_have() {
    let limited = |limits: &str| {
        let text = changed("seed = 7", "seed = 7\nmemory = \"64MiB\"");
        Suite::parse("base.toml", &text.replace("threads = [1]", &format!("threads = [1]\nmemory-limit = {limits}")))
    };
    assert!(limited("[\"none\", \"64MiB\"]").is_ok());
    let refused = limited("[\"none\", \"32MiB\"]").err().unwrap().to_string();
    assert!(refused.contains("`memory` gives every store 64MiB, and a cell may have less"), "{refused}");
    assert!(refused.contains("memory-limit = [\"none\", \"32MiB\"]"), "the line is shown: {refused}");
}

#[test]
fn a_share_that_a_setting_does_not_take_skips_the_store_or_is_cut() {
    let with = |memory: &str| parse("seed = 7", &format!("seed = 7\nmemory = \"{memory}\""));
    let plan = planned(&with("1MiB"), &[dividing(50, 1, false), files()]);
    assert_eq!(
        skipped(&plan),
        ["tree: memory 1MiB is too little: `cache` would get 512KiB, and takes no less than 1MiB"]
    );
    let plan = planned(&with("1MiB"), &[tree(), files()]);
    assert_eq!(skipped(&plan), ["tree: its driver does not describe how the store divides memory"]);
    let stores = [dividing(100, 1, false), files()];
    let plan = planned(&with("1TiB"), &stores);
    assert_eq!(plan.workloads[0].cells[0].settings["cache"], 1 << 30, "the most that the setting takes");
    assert_eq!(
        memory_left(&plan, &stores),
        ["tree uses 1.00 GiB of its 1.00 TiB: `cache` 1.00 GiB, as the suite sets them or at their maximum"]
    );
    assert_eq!(memory_left(&planned(&with("1GiB"), &stores), &stores), [""; 0], "nothing is left");
}

/// A store that gives its cache half the memory, at most 1 GiB, and the rest to two buffers of up to this many bytes.
fn dividing_in_two(buffer_bytes_max: u64) -> StoreDescription {
    let mut store = dividing(50, 1, false);
    let mut buffer = store.settings.iter().find(|setting| setting.name == "cache").unwrap().clone();
    buffer.name = "buffer".to_owned();
    buffer.kind = SettingKind::Bytes { min: 1, max: buffer_bytes_max };
    store.settings.push(buffer);
    let shares = &mut store.memory.as_mut().unwrap().shares;
    shares.push(MemoryShare { setting: "buffer".to_owned(), pieces: 2, ..shares[0].clone() });
    store
}

#[test]
fn what_one_part_cannot_take_goes_to_the_others() {
    let settings = |memory: &str, buffer_bytes_max| {
        let stores = [dividing_in_two(buffer_bytes_max), files()];
        let plan = planned(&parse("seed = 7", &format!("seed = 7\nmemory = \"{memory}\"")), &stores);
        let settings = &plan.workloads[0].cells[0].settings;
        let bytes = |name: &str| settings[name].as_u64().unwrap();
        (bytes("cache") >> 20, bytes("buffer") >> 20, memory_left(&plan, &stores).len())
    };
    assert_eq!(settings("512MiB", 64 << 20), (384, 64, 0), "128 MiB in buffers, and not 256, so more for the cache");
    assert_eq!(settings("8GiB", 16 << 30), (1_024, 3_584, 0), "1 GiB in the cache, and not 4, so more for the buffers");
    assert_eq!(settings("8GiB", 1 << 30), (1_024, 1_024, 1), "3 GiB are all that they take");
}

#[test]
fn what_a_store_adds_by_itself_is_part_of_its_memory() {
    let mut store = dividing(100, 1, false);
    let added = Overhead { percent: 25, below_bytes: 500 << 20 };
    store.memory.as_mut().unwrap().shares[0].overhead = Some(added);
    for (memory, cache) in [("100MiB", 80), ("475MiB", 380), ("500MiB", 500), ("800MiB", 800)] {
        let stores = [store.clone(), files()];
        let plan = planned(&parse("seed = 7", &format!("seed = 7\nmemory = \"{memory}\"")), &stores);
        assert_eq!(plan.workloads[0].cells[0].settings["cache"], cache << 20_u64, "of {memory}");
        assert_eq!(memory_left(&plan, &stores), [""; 0], "{memory}");
    }
}

#[test]
fn a_cache_without_room_for_its_pages_is_refused_before_anything_runs() {
    let mut store = dividing(100, 1, false);
    let room = Room { setting: "page".to_owned(), otherwise_bytes: 64 << 20, pieces: 1, pieces_per_thread: 1 };
    store.settings.iter_mut().find(|setting| setting.name == "cache").unwrap().room = Some(room);
    let media =
        BTreeMap::from([("default".to_owned(), PlanMedium { directory: "/tmp".into(), ..PlanMedium::default() })]);
    let with_threads = |suite: &Suite, threads: &[&str]| {
        suite.with_overrides(&Overrides::default().with("threads", threads.iter().copied())).unwrap()
    };
    let sized = Suite::parse("base.toml", &changed("seed = 7", "seed = 7")).unwrap();
    let stores = [store, files()];
    assert!(plan(&with_threads(&sized, &["1"]), &stores, &media).is_ok());
    let error = plan(&with_threads(&sized, &["1", "2"]), &stores, &media).unwrap_err().to_string();
    let expected = "`cache` is 64MiB, less than 2 times `page` (64MiB), which tree needs for 2 threads";
    assert!(error.contains(expected) && error.contains("give 128MiB at least"), "{error}");

    let divided = parse("seed = 7", "seed = 7\nmemory = \"100MiB\"");
    let plan = planned(&with_threads(&divided, &["1", "2"]), &stores);
    let too_little = "tree: memory 100MiB is too little: `cache` would get 100MiB, and takes no less than 128MiB";
    assert_eq!(skipped(&plan), [too_little]);
}

#[test]
fn a_limit_is_an_axis_and_part_of_a_cells_identity() {
    let stores = [tree(), files()];
    let limited = parse("threads = [1]", "threads = [1]\nmemory-limit = [\"none\", \"64MiB\"]");
    let mut plan = planned(&limited, &stores);
    let free = planned(&parse("seed = 7", "seed = 7"), &stores);
    assert_eq!(plan.workloads.len(), 2 * free.workloads.len());
    let ids = |plan: &Plan, limit| -> Vec<String> {
        let of_limit = plan.workloads.iter().filter(|workload| workload.conditions.memory_limit_bytes == limit);
        of_limit.flat_map(|workload| &workload.cells).map(|cell| cell.id.clone()).collect()
    };
    assert_eq!(ids(&plan, None), ids(&free, None), "cells without a limit are what they always were");
    assert!(ids(&plan, Some(64 << 20)).iter().all(|id| !ids(&free, None).contains(id)));
    plan.skip_limited("no control groups");
    assert_eq!(ids(&plan, None), ids(&free, None));
    assert_eq!(skipped(&plan), ["memory-limit 64MiB: memory cannot be limited here: no control groups"]);
}

#[test]
fn what_the_machine_does_not_have_is_refused_where_it_stands() {
    let errors = |suite: &Suite, store: StoreDescription, usable_bytes| {
        check_memory(suite, &[store, files()], usable_bytes).map_err(|errors| errors.to_string())
    };
    let suite = parse("seed = 7", "seed = 7\nmemory = \"2TiB\"");
    let error = errors(&suite, dividing(80, 1, false), 8 << 30).unwrap_err();
    assert!(
        error.contains("memory = \"2TiB\"") && error.contains("`memory` is 2TiB, more memory than there is"),
        "{error}"
    );
    assert!(error.contains("give less than 8.00 GiB: a process can have 8.00 GiB here"), "{error}");
    assert_eq!(errors(&suite, dividing(80, 1, false), 2 << 40), Ok(()));

    let suite = Suite::parse("base.toml", &changed("seed = 7", "seed = 7")).unwrap();
    let error = errors(&suite, dividing(50, 2, false), 100 << 20).unwrap_err();
    assert!(error.contains("`cache` is 64MiB for each of 2 pieces") && error.contains("less than 50.0 MiB"), "{error}");
    assert_eq!(errors(&suite, dividing(50, 2, false), 128 << 20), Ok(()));
    let mut mapping = dividing(50, 2, false);
    mapping.memory.as_mut().unwrap().shares[0].mapped = true;
    assert_eq!(errors(&suite, mapping, 1), Ok(()), "what is only mapped may be longer than memory");
}

#[test]
fn a_heap_that_is_no_share_of_the_memory_is_refused_above_it_all_the_same() {
    let suite = Suite::parse("base.toml", &changed("seed = 7", "seed = 7")).unwrap();
    let mut heap = tree();
    heap.settings[0].memory = true;
    let error = check_memory(&suite, &[heap.clone(), files()], 60 << 20).unwrap_err().to_string();
    assert!(
        error.contains("cache = \"64MiB\"") && error.contains("`cache` is 64MiB, more memory than there is"),
        "{error}"
    );
    assert!(error.contains("give less than 60.0 MiB"), "{error}");
    assert_eq!(check_memory(&suite, &[heap, files()], 64 << 20).map_err(|errors| errors.to_string()), Ok(()));
}
