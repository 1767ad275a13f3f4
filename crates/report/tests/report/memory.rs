//! Memory given and limited: what the report says, and what it must not mix.

use bakeoff_protocol::{Axes, MemoryShare, MemorySplit, Settings, StoreDescription};
use bakeoff_report::{TerminalOptions, render_terminal, write_csv};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;

use bakeoff_testing::made_up::*;

const PLAIN: TerminalOptions = TerminalOptions { width: 100, color: false, full: false };

/// A store that divides 64 MiB and one with its files in the page cache; fast without a limit, slow with one.
fn cells() -> Vec<CellRound> {
    let mut cells = Vec::new();
    for (limit, mean_ns) in [(None, 1_000), (Some(96 << 20), 9_000)] {
        for name in ["lmdb", "sqlite"] {
            let axes = Axes { memory_bytes: Some(64 << 20), memory_limit_bytes: limit, threads: 4, ..axes(name) };
            for mut cell in gets(&axes, &[mean_ns, mean_ns + 1, mean_ns + 2]) {
                cell.end.cell = format!("{}-{limit:?}", cell.end.cell);
                cell.phases.iter_mut().for_each(|phase| phase.cell = cell.end.cell.clone());
                cell.end.memory_peak_bytes = limit.map(|limit| limit - (1 << 20));
                if name == "sqlite" {
                    cell.end.memory_settings = Settings::from([("cache".to_owned(), (16_u64 << 20).into())]);
                }
                cells.push(cell);
            }
        }
    }
    cells
}

fn cache_of_each_thread() -> MemoryShare {
    MemoryShare {
        setting: "cache".to_owned(),
        percent: 100,
        pieces: 1,
        per_thread: true,
        mapped: false,
        overhead: None,
    }
}

/// The usual stores, each of which divides its memory so.
fn stores_with_a_cache_for_each_thread() -> Vec<StoreDescription> {
    let mut stores = stores();
    for store in &mut stores {
        store.memory =
            Some(MemorySplit { how: String::new(), source: String::new(), shares: vec![cache_of_each_thread()] });
    }
    stores
}

#[test]
fn memory_is_told_and_limits_are_never_mixed() {
    let mut stores = stores();
    let split = |how: &str, shares| Some(MemorySplit { how: how.to_owned(), source: String::new(), shares });
    for store in &mut stores {
        store.memory = match store.name.as_str() {
            "sqlite" => split("all of it for page caches, one for each thread", vec![cache_of_each_thread()]),
            _ => split("none of its own: pages are in the page cache", Vec::new()),
        };
        store.capabilities.parallel_writers = store.name == "flat-folder";
    }
    stores.retain(|store| store.name != "flat-folder");
    let report = render_terminal(&Analysis::new(&run(cells(), stores)), &PLAIN);
    assert_eq!(report.matches("overall").count(), 2, "{report}");
    insta::assert_snapshot!(report);
}

#[test]
fn a_store_whose_cells_have_not_ended_is_not_told_of() {
    let begun = |cells: Vec<CellRound>| {
        render_terminal(&Analysis::new(&run(cells, stores_with_a_cache_for_each_thread())), &PLAIN)
    };
    assert!(begun(cells()).contains("  LMDB: what the suite sets"));
    let sqlite_alone = cells().into_iter().filter(|cell| cell.end.axes.store == "sqlite").collect();
    let report = begun(sqlite_alone);
    assert!(report.contains("  SQLite: cache 16.0 MiB") && !report.contains("  LMDB: "), "{report}");
}

#[test]
fn no_more_is_claimed_than_was_split() {
    let stores = stores_with_a_cache_for_each_thread();
    let report = |cache_bytes: u64| {
        let mut cells = cells();
        for cell in cells.iter_mut().filter(|cell| cell.end.axes.store == "sqlite") {
            cell.end.memory_settings = Settings::from([("cache".to_owned(), cache_bytes.into())]);
        }
        cells.retain(|cell| cell.end.axes.store == "sqlite");
        let report = render_terminal(&Analysis::new(&run(cells, stores.clone())), &PLAIN);
        unwrapped(&report)
    };
    let whole = report(16 << 20);
    assert!(whole.contains("cache 16.0 MiB (") && !whole.contains("MiB in all"), "{whole}");
    let part = report(4 << 20);
    assert!(part.contains("amount to more or less than that"), "{part}");
    assert!(part.contains("cache 4.00 MiB, 16.0 MiB in all ("), "four threads with 4 MiB each: {part}");
}

#[test]
fn a_store_that_holds_far_more_than_it_was_given_misses_it() {
    let report = |anonymous_bytes: u64, settings: Settings| {
        let mut cells = cells();
        cells.retain(|cell| cell.end.axes.memory_limit_bytes.is_none());
        for cell in cells.iter_mut().filter(|cell| cell.end.axes.store == "sqlite") {
            cell.end.axes.settings = settings.clone();
            cell.phases[0].result.resources.rss_anonymous_bytes = Some(anonymous_bytes);
        }
        let run = run(cells, stores_with_a_cache_for_each_thread());
        unwrapped(&render_terminal(&Analysis::new(&run), &PLAIN))
    };
    // 10 MB were resident when the store was empty.
    let missed = report(10_000_000 + (97 << 20), Settings::new());
    assert!(missed.contains("SQLite held more than 1.5 times what was given"), "{missed}");
    assert!(missed.contains("97.0 MiB of 64.0 MiB, missed"), "{missed}");
    let kept = report(10_000_000 + (96 << 20), Settings::new());
    assert!(kept.contains("96.0 MiB of 64.0 MiB ") && !kept.contains("missed"), "{kept}");
    let as_set = report(10_000_000 + (97 << 20), Settings::from([("cache".to_owned(), (128_u64 << 20).into())]));
    assert!(!as_set.contains("held"), "the suite says itself how much memory SQLite has: {as_set}");
}

#[test]
fn exports_have_what_was_given_and_what_was_taken() {
    let mut csv = Vec::new();
    write_csv(&run(cells(), stores()), &mut csv).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_slice());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name}"));
    let places =
        ["memory_bytes", "memory_limit_bytes", "memory_settings", "memory_peak_bytes", "page_cache_bytes"].map(place);
    let rows: Vec<_> = reader.records().map(|row| places.map(|at| row.as_ref().unwrap()[at].to_owned())).collect();
    assert_eq!(rows.first().unwrap(), &["67108864", "", "{}", "", "3145728"]);
    assert_eq!(rows.last().unwrap(), &["67108864", "100663296", "{\"cache\":16777216}", "99614720", "3145728"]);
}

#[test]
fn what_several_threads_were_given_did_not_say_to_how_many() {
    let stores = stores_with_a_cache_for_each_thread();
    let mut cells = cells();
    cells.retain(|cell| cell.end.axes.store == "sqlite");
    let mut of_two = cells.clone();
    for cell in &mut of_two {
        cell.end.axes.threads = 2;
        cell.end.memory_settings = Settings::from([("cache".to_owned(), (32_u64 << 20).into())]);
    }
    cells.extend(of_two);
    let report = unwrapped(&render_terminal(&Analysis::new(&run(cells, stores)), &PLAIN));
    assert!(report.contains("cache 32.0 MiB with 2 threads; cache 16.0 MiB with 4 threads ("), "{report}");
}
