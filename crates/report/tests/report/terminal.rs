//! What a person sees: whole reports as snapshots, and figures computed by hand.

use std::path::Path;

use bakeoff_protocol::{Axes, CompactedCopy, DiskUsage, Durability, FailureKind, Leaves, Mode, PhaseResult};
use bakeoff_report::{ComparisonReport, TerminalOptions, render_terminal, write_markdown, write_page};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::read_note::ReadNote;
use bakeoff_results::run::Run;
use bakeoff_testing::made_up::*;
use proptest::prelude::*;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

const PLAIN: TerminalOptions = TerminalOptions { width: 100, color: false, full: false };
const FULL: TerminalOptions = TerminalOptions { full: true, ..PLAIN };

/// SQLite wins one workload, ties with LMDB in another, fails in none; plain files cannot scan.
fn three_stores() -> Vec<CellRound> {
    let mut cells = Vec::new();
    for (data, records) in [("random", 1000), ("random", 10_000), ("text", 1000), ("text", 10_000)] {
        for (name, means, scan) in [
            ("sqlite", [3_100, 3_200, 3_150], Some(2_000_000)),
            ("lmdb", [3_120, 3_250, 3_100], Some(800_000)),
            ("flat-folder", [9_000, 9_100, 9_050], None),
        ] {
            let axes = Axes { data: data.to_owned(), records, ..axes(name) };
            for (round, mean) in means.into_iter().enumerate() {
                let faster = if records == 10_000 && name == "lmdb" { mean / 2 } else { mean };
                let mut phases = vec![phase_result("get", vec![operation("get", faster)])];
                if let Some(timed_ns) = scan {
                    let mut whole = operation("scan-all", 0);
                    (whole.operations, whole.latency, whole.timed_ns) = (3, None, Some(timed_ns + round as u64));
                    let mut result = phase_result("scan", vec![whole]);
                    result.mode = Mode::Throughput;
                    phases.push(result);
                }
                let mut cell = good(&axes, round as u32 + 1, phases);
                if scan.is_none() {
                    cell.end.not_offered.push(("scan".to_owned(), "it has no order".to_owned()));
                }
                cells.push(cell);
            }
        }
    }
    cells
}

#[test]
fn winners_ties_and_what_is_not_offered() {
    insta::assert_snapshot!(render_terminal(&Analysis::new(&run(three_stores(), stores())), &PLAIN));
}

#[test]
fn what_a_power_cut_leaves_is_shown_with_the_winner() {
    let mut stores = stores();
    for (store, leaves) in stores.iter_mut().zip([Leaves::Kept, Leaves::EarlierState, Leaves::EarlierState]) {
        store.durability = [(Durability::Process, support(leaves))].into();
    }
    let shown = |stores| render_terminal(&Analysis::new(&run(three_stores(), stores)), &PLAIN);
    let report = shown(stores.clone());
    assert!(report.contains("after a power cut  Flat folder: kept; LMDB and SQLite: an earlier state"), "{report}");
    stores[0].durability.clear();
    let report = shown(stores.clone());
    assert!(report.contains("LMDB and SQLite: an earlier state; Flat folder: not described"), "{report}");
    stores.iter_mut().for_each(|store| store.durability.clear());
    assert!(!shown(stores).contains("after a power cut  "));
}

#[test]
fn everything_in_full() {
    let cells = three_stores().into_iter().filter(|cell| cell.end.axes.data == "text").collect();
    insta::assert_snapshot!(render_terminal(&Analysis::new(&run(cells, stores())), &FULL));
}

#[test]
fn what_a_store_counted_itself_is_told_in_full() {
    let counted = |round, bytes, misses| {
        let mut cell = good(&axes("lmdb"), round, vec![phase_result("get", vec![operation("get", 1_000)])]);
        let properties = [("rocksdb.bytes.written", bytes), ("rocksdb.cache.miss", misses), ("rocksdb.stalls", 0)];
        cell.end.finished.as_mut().unwrap().store_properties =
            properties.map(|(name, number)| (name.to_owned(), number)).into();
        cell
    };
    let run = run(vec![counted(1, 1_000_000, 1), counted(2, 1_400_000, 2)], stores());
    let full = render_terminal(&Analysis::new(&run), &FULL);
    assert!(full.contains("What stores counted themselves"), "{full}");
    assert!(full.contains("    rocksdb.bytes.written 1,200,000, rocksdb.cache.miss 1.5\n"), "{full}");
    assert!(full.lines().all(|line| line.width() <= 100), "{full}");
    assert!(!render_terminal(&Analysis::new(&run), &PLAIN).contains("counted themselves"), "only asked for");
}

#[test]
fn recovery_is_told_unasked_and_the_quickest_first() {
    let reopened = |store: &str, reopen_ns| {
        let mut cell = good(&axes(store), 1, vec![phase_result("get", vec![operation("get", 1_000)])]);
        cell.end.axes.killed = true;
        cell.end.verified.as_mut().unwrap().reopen_ns = reopen_ns;
        cell
    };
    let text = render_terminal(
        &Analysis::new(&run(vec![reopened("lmdb", 9_000_000), reopened("sqlite", 2_000_000)], stores())),
        &PLAIN,
    );
    let section = text.split("Time to reopen").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(section.contains("killed, then recovered"), "{text}");
    let (first, second) = (section.find("2.00 ms"), section.find("9.00 ms"));
    assert!(first.is_some() && first < second, "{text}");
    // Closed in an orderly way, it is one figure among others.
    assert!(!render_terminal(&Analysis::new(&run(three_stores(), stores())), &PLAIN).contains("Time to reopen"));
}

#[test]
fn what_the_jvm_collected_is_told_in_full_alone() {
    let round = |number, collections, wall_ns| {
        let mut phase = phase_result("get", vec![operation("get", 1_000), operation("commit", 5)]);
        phase.wall_ns = wall_ns;
        phase.resources.gc_collections = Some(collections);
        phase.resources.gc_ns = Some(collections * 2_000_000);
        phase.resources.allocated_bytes = Some(152_000);
        phase.resources.heap_peak_bytes = Some(collections << 20);
        phase.resources.buffers_peak_bytes = Some(collections << 10);
        good(&axes("mvstore"), number, vec![phase])
    };
    let mut cells = vec![round(1, 3, 60_000_000), round(2, 4, 80_000_000)];
    cells.append(&mut gets(&axes("lmdb"), &[1_000]));
    let run = run(cells, vec![store("lmdb", "LMDB"), store("mvstore", "MVStore")]);
    let full = render_terminal(&Analysis::new(&run), &FULL);
    let section = full.split("Heap of stores on the JVM").nth(1).and_then(|rest| rest.split("\n\n").next());
    insta::assert_snapshot!(section.unwrap_or_else(|| panic!("{full}")));
    assert!(full.lines().all(|line| line.width() <= 100), "{full}");
    assert!(!render_terminal(&Analysis::new(&run), &PLAIN).contains("Heap of stores"));
}

#[test]
fn the_java_that_stores_ran_with_was_in_no_report() {
    let java = "Some VM 17.0.13 (G1 Young Generation, G1 Old Generation)";
    let mut on_jvm = gets(&axes("mvstore"), &[1_000, 1_000, 1_000]);
    for cell in &mut on_jvm {
        cell.end.opened.as_mut().unwrap().runtime = Some(java.to_owned());
    }
    let native = gets(&axes("lmdb"), &[1_000, 1_000, 1_000]);
    let of = |cells| run(cells, vec![store("lmdb", "LMDB"), store("mvstore", "MVStore")]);
    let both = of([native.clone(), on_jvm].concat());
    let text = render_terminal(&Analysis::new(&both), &PLAIN);
    let origin = text.split("Where this comes from").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(origin.contains(&format!("  runtime   {java}: MVStore\n")), "{origin}");
    let mut page = Vec::new();
    write_page(&[Analysis::new(&both)], None, Path::new("."), &mut page).unwrap();
    assert!(String::from_utf8(page).unwrap().contains(&format!("<p>MVStore ran with {java}</p>")));
    assert!(!render_terminal(&Analysis::new(&of(native)), &PLAIN).contains("runtime "));
    let compared = |b: &Run| ComparisonReport::new(&both, b).unwrap();
    assert_eq!(compared(&both).notes, [format!("runtime of both: {java}")]);
    let mut newer = both.clone();
    newer.cells.last_mut().unwrap().end.opened.as_mut().unwrap().runtime = Some("Some VM 21".to_owned());
    assert_eq!(compared(&newer).differences, [format!("runtime: {java} → {java}, Some VM 21")]);
}

#[test]
fn compacted_copies_were_in_no_text() {
    let disk = |allocated_bytes| Some(DiskUsage { apparent_bytes: 1, allocated_bytes, files: 2 });
    let stored = |name: &str, copied| {
        let mut cell = good(&axes(name), 1, vec![phase_result("get", vec![operation("get", 1_000)])]);
        cell.end.finished.as_mut().unwrap().disk_before_close = disk(15_000_000);
        cell.end.finished.as_mut().unwrap().disk_after_close = disk(10_000_000);
        let copy = disk(6_000_000).map(|disk| CompactedCopy { copy_ns: 1, disk }).filter(|_| copied);
        cell.end.verified.as_mut().unwrap().compacted_copy = copy;
        cell
    };
    let run = run(vec![stored("lmdb", true), stored("sqlite", false)], stores());
    let mut markdown = Vec::new();
    write_markdown(&Analysis::new(&run), None, &mut markdown).unwrap();
    for text in [render_terminal(&Analysis::new(&run), &PLAIN), String::from_utf8(markdown).unwrap()] {
        let section = text.split("Space and memory").nth(1).unwrap_or_else(|| panic!("{text}"));
        let words = |store: &str| {
            let rows = section.lines().map(|line| unwrapped(&line.replace('|', " ")));
            rows.into_iter().find(|row| row.starts_with(store)).unwrap()
        };
        assert_eq!(words("LMDB"), "LMDB 14.3 MiB 9.54 MiB 5.72 MiB 4.77 MiB 2.00× 1.20× 2.00 MiB", "{text}");
        assert_eq!(words("SQLite"), "SQLite 14.3 MiB 9.54 MiB – 4.77 MiB 2.00× – 2.00 MiB", "{text}");
    }
    assert!(
        !render_terminal(
            &Analysis::new(&bakeoff_testing::made_up::run(vec![stored("sqlite", false)], stores())),
            &PLAIN
        )
        .contains("Space and memory")
    );
}

#[test]
fn slow_operations_are_explained() {
    let mut cells = three_stores();
    for (index, cell) in cells.iter_mut().enumerate() {
        let line = &mut cell.phases[0];
        line.result = with_course(line.result.clone(), 1_000 + index as u64);
    }
    let text = render_terminal(&Analysis::new(&run(cells, stores())), &PLAIN);
    assert!(text.contains("Why slow operations were slow"), "{text}");
    assert!(text.contains("disk 75.0 %, page faults 25.0 %"), "{text}");
    assert!(text.contains("waiting for the disk"), "{text}");
}

#[test]
fn nothing_was_said_of_phases_without_slow_operations() {
    let words = |cells: &[CellRound]| {
        let text = render_terminal(&Analysis::new(&run(cells.to_vec(), stores())), &PLAIN);
        unwrapped(&text)
    };
    let mut cells = three_stores();
    cells.iter_mut().flat_map(|cell| &mut cell.phases).for_each(|phase| phase.result.mode = Mode::Throughput);
    let text = words(&cells);
    assert!(text.contains("slow No operation has a time of its own: get and scan were timed as a whole."), "{text}");
    for line in cells.iter_mut().map(|cell| &mut cell.phases[0]) {
        line.result = PhaseResult { mode: Mode::Latency, ..with_course(line.result.clone(), 1_000) };
    }
    let text = words(&cells);
    assert!(text.contains("Not of all phases: scan was timed as a whole."), "{text}");
}

#[test]
fn an_open_loop_is_called_one() {
    let phase = opened(phase_result("get", vec![operation("get", 1_000)]), 1.0);
    let text = render_terminal(&Analysis::new(&run(vec![good(&axes("lmdb"), 1, vec![phase])], stores())), &FULL);
    let text = unwrapped(&text);
    assert!(text.contains("open loop: 1.00 k/s due"), "{text}");
    assert!(text.contains("times of get count from when operations were due"), "{text}");
    let closed = render_terminal(&Analysis::new(&run(gets(&axes("lmdb"), &[1_000]), stores())), &FULL);
    assert!(!closed.contains("open loop"), "{closed}");
}

#[test]
fn a_failed_store_is_never_ranked() {
    let mut cells = gets(&axes("lmdb"), &[5_000, 5_100, 5_050]);
    // The fastest by far in two rounds, and wrong in the third.
    let mut wrong = gets(&axes("sqlite"), &[1_000, 1_000, 1_000]);
    wrong[2] = failed(wrong[2].clone(), FailureKind::WrongAnswer, "get of key 61: the value differs at byte 7");
    cells.append(&mut wrong);
    insta::assert_snapshot!(render_terminal(&Analysis::new(&run(cells, stores())), &PLAIN));
}

#[test]
fn one_round_is_not_proven() {
    let mut cells = gets(&axes("lmdb"), &[5_000]);
    cells.append(&mut gets(&axes("sqlite"), &[4_000]));
    insta::assert_snapshot!(render_terminal(&Analysis::new(&run(cells, stores())), &PLAIN));
}

#[test]
fn stores_that_keep_nothing_or_are_for_tests_are_shown_and_not_ranked() {
    let (mut null, mut faulty) = (store("null", "Null"), store("faulty", "Faulty"));
    null.capabilities.keeps_data = false;
    faulty.test_only = true;
    let mut cells = gets(&axes("null"), &[10, 11, 10]);
    cells.append(&mut gets(&axes("faulty"), &[20, 21, 20]));
    let only = render_terminal(&Analysis::new(&run(cells.clone(), vec![null.clone(), faulty.clone()])), &PLAIN);
    assert!(only.contains("not ranked"), "{only}");
    cells.append(&mut gets(&axes("lmdb"), &[5_000, 5_000, 5_000]));
    let all = render_terminal(&Analysis::new(&run(cells, vec![null, faulty, store("lmdb", "LMDB")])), &PLAIN);
    assert!(all.contains("LMDB 5.00 µs"), "{all}");
    assert!(all.contains("LMDB has no competitor"), "{all}");
    assert!(all.contains("Null (not ranked)") && all.contains("Faulty (not ranked)"), "{all}");
}

#[test]
fn durability_classes_are_never_ranked_together() {
    let mut cells = gets(&axes("lmdb"), &[5_000, 5_100, 5_000]);
    let power = Axes { durability: Durability::Power, ..axes("sqlite") };
    let mut slow = gets(&power, &[900_000, 900_100, 900_000]);
    for cell in &mut slow {
        cell.end.cell.push('p');
        cell.phases.iter_mut().for_each(|phase| phase.cell.push('p'));
    }
    cells.append(&mut slow);
    let report = render_terminal(&Analysis::new(&run(cells, stores())), &PLAIN);
    assert_eq!(report.matches("has no competitor").count(), 2, "{report}");
    assert!(report.contains("durability process") && report.contains("durability power"), "{report}");
}

#[test]
fn a_run_without_results_says_so() {
    let mut empty = run(Vec::new(), stores());
    edit(&mut empty, |info| info["finished"] = serde_json::Value::Null);
    let report = render_terminal(&Analysis::new(&empty), &PLAIN);
    assert!(report.contains("0 cells measured · 0 answers"), "{report}");
    assert!(report.contains("NOT FINISHED"), "{report}");
}

#[test]
fn figures_are_those_computed_by_hand() {
    let mut cells = gets(&axes("lmdb"), &[1_000, 2_000, 6_000]);
    cells.append(&mut gets(&axes("sqlite"), &[30_000, 30_000, 30_000]));
    let report = render_terminal(&Analysis::new(&run(cells, stores())), &FULL);
    let line = report.lines().find(|line| line.starts_with("LMDB ")).unwrap();
    let fields: Vec<&str> = line.split("  ").map(str::trim).filter(|field| !field.is_empty()).collect();
    // Of 1, 2, 6 µs the median of the geometric means of all pairs lies between 2 and √6 µs: 2.21 µs. The rate of 2.21 µs: 452 thousand a second. Medians: those of the second
    // round (p50 2, p99 6 µs; of 3,000 operations only three lie beyond p99.9). Largest: 100 × 6 µs.
    assert_eq!([fields[0], fields[1], fields[2]], ["LMDB", "452 k/s", "2.21 µs"], "{line}");
    assert_eq!(fields[4..], ["2.00 µs", "6.00 µs", "too few", "600 µs"], "{line}");
    // 5,000,000 bytes of data in 6,250,000 allocated: 80 %. The peak was 2 MiB above the empty store.
    assert!(report.contains("80.0 %") && report.contains("2.00 MiB"), "{report}");
    // The slower store never varies, and takes 30, 15 and 5 times as long: between 15 and √150, 13.6.
    assert!(report.contains("SQLite 13.6×"), "{report}");
}

#[test]
fn a_batched_write_costs_its_commits() {
    // 1,000 inserts of 1 µs and one commit of 1 ms: 2 µs a write.
    let mut commit = operation("commit", 0);
    (commit.operations, commit.entries, commit.timed_ns, commit.latency) = (1, 1, Some(1_000_000), None);
    let load = phase_result("load", vec![operation("insert", 1_000), commit]);
    let cells = (1..=2).map(|round| good(&axes("lmdb"), round, vec![load.clone()])).collect();
    let report = render_terminal(&Analysis::new(&run(cells, stores())), &PLAIN);
    assert!(report.contains("LMDB 2.00 µs"), "{report}");
}

/// A row said that the slowest write took 0.2 ms, while its commits took up to 5 ms.
#[test]
fn the_slowest_commits_were_left_out() {
    let mut commit = operation("commit", 50_000);
    (commit.operations, commit.entries, commit.timed_ns) = (100, 100, Some(5_000_000));
    let edit = phase_result("edit", vec![operation("update", 2_000), commit]);
    let cells = (1..=2).map(|round| good(&axes("lmdb"), round, vec![edit.clone()])).collect();
    let run = run(cells, stores());
    let full = render_terminal(&Analysis::new(&run), &FULL);
    let row = |text: &str, section: &str| {
        let section = text.split(section).nth(1).unwrap_or_else(|| panic!("{text}"));
        let rows = section.lines().map(|line| unwrapped(&line.replace('|', " ")));
        rows.into_iter().find(|row| row.starts_with("LMDB ")).unwrap_or_else(|| panic!("{text}"))
    };
    let of_writes = row(&full, "Every store");
    assert!(of_writes.ends_with("2.00 µs 6.00 µs too few 5.00 ms"), "{of_writes}");
    let of_commits = "LMDB 100 50.0 µs 50.0 µs too few too few 5.00 ms";
    assert_eq!(row(&full, "\nCommits\n"), of_commits);
    let mut markdown = Vec::new();
    write_markdown(&Analysis::new(&run), None, &mut markdown).unwrap();
    assert_eq!(row(&String::from_utf8(markdown).unwrap(), "# Commits\n"), of_commits);
    let mut page = Vec::new();
    write_page(&[Analysis::new(&run)], None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("Commits") && page.contains("5.00 ms"), "{page}");
    let mut alone = run.clone();
    alone.cells.iter_mut().for_each(|cell| cell.phases[0].result.operations.truncate(1));
    assert!(!render_terminal(&Analysis::new(&alone), &FULL).contains("\nCommits\n"));
}

#[test]
fn latencies_of_sizes_follow_those_of_all() {
    let mixture = Some("70% 200B, 30% 20KiB".to_owned());
    let mixed = |store: &str| Axes {
        value_bytes_min: 200,
        value_bytes_max: 20_480,
        value_mixture: mixture.clone(),
        ..axes(store)
    };
    let cells = |store: &str, by_size| {
        let mut get = operation("get", 1_000);
        get.by_size = by_size;
        let round = |round| good(&mixed(store), round, vec![phase_result("get", vec![get.clone()])]);
        (1..=3).map(round).collect::<Vec<_>>()
    };
    let known = vec![of_size(200, 700, 500), of_size(20_480, 300, 2_000)];
    let run = run([cells("lmdb", known), cells("sqlite", Vec::new())].concat(), stores());
    let full = unwrapped(&render_terminal(&Analysis::new(&run), &FULL));
    let at = |words: &str| full.find(words).unwrap_or_else(|| panic!("{words}: {full}"));
    let tables = ["get · 200B..20KiB", "get 200B · 200B..20KiB", "get 20KiB · 200B..20KiB"].map(at);
    assert!(tables.is_sorted(), "{tables:?}: {full}");
    assert!(full.contains("values of 70% 200B, 30% 20KiB × 1,000 records"), "{full}");
    let usual = unwrapped(&render_terminal(&Analysis::new(&run), &PLAIN));
    assert!(usual.contains(" · values 70% 200B, 30% 20KiB"), "{usual}");
    assert!(full[tables[1]..].contains("LMDB 700 k/s 500 ns 500–500 ns 500 ns 1.50 µs too few 50.0 µs"), "{full}");
    assert!(full[tables[2]..].contains("LMDB 300 k/s 2.00 µs 2.00–2.00 µs 2.00 µs too few too few 200 µs"), "{full}");
    assert!(full[tables[1]..].contains("SQLite n/a – – – –"), "{full}");
    let mut markdown = Vec::new();
    write_markdown(&Analysis::new(&run), None, &mut markdown).unwrap();
    let markdown = String::from_utf8(markdown).unwrap();
    assert!(markdown.contains("## Latency by value size"), "{markdown}");
    assert!(markdown.contains("get 20KiB · 200B..20KiB"), "{markdown}");
    let mut page = Vec::new();
    write_page(&[Analysis::new(&run)], None, Path::new("."), &mut page).unwrap();
    assert!(String::from_utf8(page).unwrap().contains("get 20KiB · 200B..20KiB"));
}

#[test]
fn mixed_phases_have_a_row_for_each_kind() {
    let mixed = phase_result("mix", vec![operation("get", 1_000), operation("update", 4_000)]);
    let mut blocks = mixed.clone();
    blocks.phase = "blocks".to_owned();
    for each in &mut blocks.operations {
        (each.timed_ns, each.latency) = (None, None);
    }
    let cells = (1..=2).map(|round| good(&axes("lmdb"), round, vec![mixed.clone(), blocks.clone()])).collect();
    let report = render_terminal(&Analysis::new(&run(cells, stores())), &PLAIN);
    assert!(report.contains("mix: get") && report.contains("LMDB 1.00 µs"), "{report}");
    assert!(report.contains("mix: update") && report.contains("LMDB 4.00 µs"), "{report}");
    // 5 ms for 2,000 operations.
    assert!(report.contains("blocks: all") && report.contains("LMDB 2.50 µs"), "{report}");
}

#[test]
fn colours_only_when_asked_for() {
    let run = run(three_stores(), stores());
    let colored = render_terminal(&Analysis::new(&run), &TerminalOptions { color: true, ..PLAIN });
    assert!(colored.contains("\u{1b}[38;2;230;159;0mLMDB\u{1b}[0m"), "{colored:?}");
    assert!(!render_terminal(&Analysis::new(&run), &PLAIN).contains('\u{1b}'));
}

#[test]
fn hostile_texts_cannot_steer_the_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\r\n\u{202e}\u{9b}2J";
    let hostile = Axes { data: evil.to_owned(), medium: evil.to_owned(), key: evil.to_owned(), ..axes("lmdb") };
    let phases = vec![phase_result(evil, vec![operation("get", 1_000), operation(evil, 2_000)])];
    let mut cell = good(&hostile, 1, phases);
    cell.end.log = evil.to_owned();
    let broken = failed(good(&axes(evil), 1, Vec::new()), FailureKind::Crash, evil);
    let mut run = run(vec![cell, broken], vec![store("lmdb", evil)]);
    run.notes.push(ReadNote::ResultsAlone(evil.to_owned()));
    for path in
        ["/suite/title", "/suite/summary", "/suite/analysis", "/started", "/skipped/0/what", "/warnings/0/message"]
    {
        edit(&mut run, |info| *info.pointer_mut(path).unwrap() = evil.into());
    }
    for path in ["/machine/cpu_model", "/media/default/directory", "/pools/0/data", "/command_line/2"] {
        edit(&mut run, |info| *info.pointer_mut(path).unwrap() = evil.into());
    }
    for options in [PLAIN, FULL] {
        let report = render_terminal(&Analysis::new(&run), &options);
        let steering = report.chars().find(|c| *c != '\n' && (c.is_control() || *c == '\u{202e}'));
        assert_eq!(steering, None, "{report}");
        assert_width(&report, 100);
    }
}

#[test]
fn pools_that_read_the_same_are_told_once() {
    let mut run = run(vec![good(&axes("lmdb"), 1, Vec::new())], vec![store("lmdb", "LMDB")]);
    edit(&mut run, |info| {
        let pools = info["pools"].as_array_mut().unwrap();
        pools.extend([pools[0].clone(), pools[0].clone()]);
        pools[2]["zstd_ratio"] = 0.5.into();
    });
    let report = render_terminal(&Analysis::new(&run), &PLAIN);
    let values: Vec<&str> = report.lines().filter(|line| line.contains("compressible by")).map(str::trim).collect();
    let expected = [
        "values    random, compressible by snappy 1.00, lz4 1.00, zstd 0.50",
        "values    random, compressible by snappy 1.00, lz4 1.00, zstd 1.00",
    ];
    assert_eq!(values, expected);
}

fn assert_width(report: &str, width: usize) {
    for line in report.lines() {
        assert!(line.width() <= width, "{} columns: {line}\n\n{report}", line.width());
    }
}

/// A run with these titles in every combination of these columns.
fn wide_run(titles: &[String], sizes: &[(u64, u64)], records: &[u64], tie: bool) -> Run {
    let mut cells = Vec::new();
    let names: Vec<String> = (0..titles.len()).map(|index| format!("store-{index}")).collect();
    for (index, name) in names.iter().enumerate() {
        for (value_bytes_min, value_bytes_max) in sizes {
            for records in records {
                for data in ["random", "text"] {
                    let place =
                        Axes { value_bytes_min: *value_bytes_min, value_bytes_max: *value_bytes_max, ..axes(name) };
                    let axes = Axes { records: *records, data: data.to_owned(), ..place };
                    let base = if tie { 5_000 } else { 5_000 * (index as u64 + 1) };
                    cells.append(&mut gets(&axes, &[base, base + 10, base + 20]));
                }
            }
        }
    }
    let stores = names.iter().zip(titles).map(|(name, title)| store(name, title)).collect();
    run(cells, stores)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_line_is_wider_than_asked_for(
        titles in prop::collection::vec("\\PC{0,18}", 1..6),
        sizes in prop::collection::vec((0..u64::MAX, 0..u64::MAX), 1..3),
        records in prop::collection::vec(0..u64::MAX, 1..5),
        tie in any::<bool>(),
        full in any::<bool>(),
        width in 60_usize..140,
    ) {
        let report = render_terminal(&Analysis::new(&wide_run(&titles, &sizes, &records, tie)), &TerminalOptions { width, color: false, full });
        assert_width(&report, width);
    }
}

#[test]
fn five_record_counts_of_two_types_fit_a_hundred_columns() {
    let titles: Vec<String> = ["Berkeley DB", "SQLite", "Nested folder"].map(str::to_owned).to_vec();
    let run = wide_run(&titles, &[(1, 1024), (1024, 10_240)], &[100, 1_000, 10_000, 100_000, 1_000_000], false);
    let report = render_terminal(&Analysis::new(&run), &PLAIN);
    assert_width(&report, 100);
    assert_eq!(report.matches("Berkeley DB 5.01 µs").count(), 20, "{report}");
}

#[test]
fn long_commands_can_be_pasted_as_they_stand() {
    let mut run = run(gets(&axes("lmdb"), &[1_000]), stores());
    run.directory = "results of a machine with a long name/20260102-030405-quick".into();
    edit(&mut run, |info| {
        info["command_line"] =
            json!(["bakeoff", "run", "made up", "--directory", "/a/$HOME/x".repeat(5), "--rounds", "3"])
    });
    let again =
        "/usr/bin/bakeoff request 0f --run 'a b' | /usr/lib/bakeoff/bakeoff-driver-native --with many words run";
    // Results of older versions have no command.
    for (round, again) in [(2, None), (3, Some(again.to_owned()))] {
        let mut cell = failed(good(&axes("sqlite"), round, Vec::new()), FailureKind::Crash, "it broke");
        cell.end.failure_again = again;
        run.cells.push(cell);
    }
    let report = render_terminal(&Analysis::new(&run), &FULL);
    assert!(report.contains("\n  it broke\n"), "{report}");
    let command = |start: &str| {
        let mut words = Vec::new();
        for line in report.lines().skip_while(|line| !line.starts_with(start)) {
            words.push(line.trim_start_matches(start).trim().to_owned());
            if !line.ends_with(" \\") {
                break;
            }
        }
        assert!(words.len() > 1, "{start}: {report}");
        words.iter().map(|line| line.trim_end_matches(" \\")).collect::<Vec<_>>().join(" ")
    };
    let expected = "bakeoff request sqlite-1024-1000-random --run 'results of a machine with a long name/20260102-030405-quick' | \
                    bakeoff-driver run";
    assert_eq!(command("  again: "), expected);
    assert!(report.contains("  again: /usr/bin/bakeoff request 0f --run 'a b' | "), "{report}");
    assert_eq!(
        command("  command   "),
        format!("bakeoff run 'made up' --directory '{}' --rounds 3", "/a/$HOME/x".repeat(5))
    );
}

#[test]
fn what_several_threads_mean_for_figures_is_told() {
    let note = "with several threads, times are those of an operation in its thread";
    let told = |threads| {
        let axes = Axes { threads, ..axes("lmdb") };
        render_terminal(&Analysis::new(&run(gets(&axes, &[1_000, 1_010]), stores())), &PLAIN).contains(note)
    };
    assert!(told(4) && !told(1));
}
