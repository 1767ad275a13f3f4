//! The short answers: what they say, that they fit a screen, and that nothing in them is cut or broken.

use std::collections::BTreeSet;

use bakeoff_protocol::{Axes, Durability, FailureKind, Leaves, Profile, ProfileOutcome, StoreDescription};
use bakeoff_report::{
    ComparisonReport, Further, TerminalOptions, render_answer, render_comparison, render_comparison_answer,
    render_comparison_notices, render_notices, render_terminal,
};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::goal::Goal;
use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_facts::PickFacts;
use bakeoff_results::run::Run;
use bakeoff_testing::made_up::*;
use bakeoff_testing::picks::{facts, picked, question, rounds};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::pick::a_faster_and_a_smaller;

/// The most lines of an answer on 80 columns.
const LINES_MAX: usize = 20;

const FURTHER: Further<'_> = Further {
    program: "bakeoff",
    again: "bakeoff report",
    page: Some("bakeoff-results/20260102-030405-quick/report.html"),
};

/// Stores whose names begin alike.
const TITLES: [&str; 12] = [
    "Berkeley DB",
    "Berkeley DB hash",
    "Fjall",
    "Flat folder",
    "LMDB",
    "LmdbJava (Agrona)",
    "LmdbJava (buffers)",
    "LmdbJava (Netty)",
    "RocksDB",
    "RocksDB JNI",
    "SQLite",
    "SQLite JDBC",
];

fn plain(width: usize) -> TerminalOptions {
    TerminalOptions { width, color: false, full: false }
}

fn answer(run: &Run, width: usize) -> String {
    render_answer(&Analysis::new(run), &plain(width), &FURTHER)
}

/// All words but the counts of omitted parts of a table.
fn words(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().filter(|word| !word.starts_with('…')).collect()
}

/// Asserts that it fits a screen, at each width, and that each of its words is one of the same answer on endless lines.
fn assert_fits(shown: impl Fn(usize) -> String) {
    let (endless, usual) = (shown(1_000), shown(80));
    assert!(usual.lines().count() <= LINES_MAX, "{} lines:\n{usual}", usual.lines().count());
    for width in [60, 80, 120] {
        let text = shown(width);
        for line in text.lines() {
            assert!(line.width() <= width || !line.trim().contains(' '), "{width} columns: {line}\n{text}");
        }
        let known = words(&endless);
        // How many rows and columns are left out depends on the room.
        let is_count = |word: &&str| word.parse::<usize>().is_ok() || ["and", "more", "more:", "--full"].contains(word);
        let broken: Vec<&str> = words(&text).difference(&known).copied().filter(|word| !is_count(word)).collect();
        assert_eq!(broken, Vec::<&str>::new(), "{width}:\n{text}\n{endless}");
    }
}

fn described() -> Vec<StoreDescription> {
    (0..TITLES.len()).map(|at| store(&format!("store-{at}"), TITLES[at])).collect()
}

/// Twelve stores in 14 workloads of six operations each.
fn large() -> Run {
    let mut cells = Vec::new();
    for at in 0..TITLES.len() {
        for size in 0..7_u64 {
            for data in ["random", "text"] {
                let mut axes = axes(&format!("store-{at}"));
                axes.value_bytes_max += size * 1024;
                axes.data = data.to_owned();
                for round in 1..=3_u32 {
                    let phases = ["load", "insert", "get", "update", "scan", "remove"].iter().enumerate();
                    let phase = |(number, name): (usize, &&str)| {
                        // Another store is first in each operation, and another in some sizes.
                        let place = (at + number + usize::from(size > 4)) % TITLES.len();
                        phase_result(name, vec![operation(name, 1_000 + 700 * place as u64)])
                    };
                    cells.push(good(&axes, round, phases.map(phase).collect()));
                }
            }
        }
    }
    run(cells, described())
}

fn three(means: [[u64; 3]; 3]) -> Run {
    let stores_named = ["lmdb", "sqlite", "flat-folder"];
    run(stores_named.iter().zip(means).flat_map(|(name, means)| gets(&axes(name), &means)).collect(), stores())
}

const APART: [[u64; 3]; 3] = [[1_000, 1_010, 990], [2_000, 2_020, 1_980], [9_000, 9_090, 8_910]];

#[test]
fn the_answer_of_twelve_stores_in_fourteen_workloads_fits_a_screen() {
    let run = large();
    assert_fits(|width| answer(&run, width));
    let text = answer(&run, 80);
    for words in ["load ", "insert ", "get ", "update ", "scan ", "remove ", "disk ", "memory ", " more\n"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(
        text.contains("of 14 workloads")
            && text.contains("12 stores · values of 1KiB..16KiB × 1,000 records · on ext4"),
        "{text}"
    );
    assert!(text.ends_with("Page: bakeoff-results/20260102-030405-quick/report.html\n"), "{text}");
}

#[test]
fn the_answer_reads_well() {
    insta::assert_snapshot!(answer(&three(APART), 80));
}

#[test]
fn ties_doubts_and_one_store_alone_are_told() {
    let of = |means| unwrapped(&answer(&three(means), 80));
    let tie = of([APART[0], APART[0], APART[2]]);
    assert!(tie.contains("are the fastest of 3 stores, tied within 1.25×: 9.00× ("), "{tie}");
    assert!(tie.contains("LMDB = SQLite 9.00× Flat") || tie.contains("SQLite = LMDB 9.00× Flat"), "{tie}");
    let open = of([[1_000, 2_000, 1_500], [1_100, 1_900, 1_600], [90_000, 90_900, 89_100]]);
    assert!(open.contains("is first of 3 stores, not proven against") && open.contains("may be as good"), "{open}");
    let once = run(
        ["lmdb", "sqlite"].iter().zip([1_000, 9_000]).flat_map(|(name, mean)| gets(&axes(name), &[mean])).collect(),
        stores(),
    );
    assert_fits(|width| answer(&once, width));
    let once = unwrapped(&answer(&once, 80));
    assert!(once.contains("LMDB is first of 2 stores: too few rounds to prove it."), "{once}");
    assert!(once.contains("Every cell was measured in one round only"), "{once}");
    let alone = run(gets(&axes("lmdb"), &APART[0]), stores());
    assert_fits(|width| answer(&alone, width));
    let alone = answer(&alone, 80);
    assert!(alone.starts_with("LMDB was measured alone.\n") && alone.contains("get     1.00 µs\n"), "{alone}");
    let nothing = answer(&run(Vec::new(), stores()), 80);
    assert!(nothing.starts_with("Nothing was measured.\n"), "{nothing}");
}

#[test]
fn an_interval_wider_than_a_factor_of_ten_reads_too_few_rounds() {
    let wide = unwrapped(&answer(&three([[1_000, 100_000, 10_000], [1_000_000, 5_000, 40_000], APART[2]]), 80));
    assert!(wide.contains("too few rounds") && !wide.contains("≥1000×"), "{wide}");
}

#[test]
fn what_a_power_cut_leaves_is_one_sentence() {
    let mut run = three(APART);
    let told = |run: &Run| unwrapped(&answer(run, 80));
    assert!(
        told(&run).contains("After a power cut every store here may be corrupt (durability process)."),
        "{}",
        told(&run)
    );
    for (store, leaves) in run.record.stores.iter_mut().zip([Leaves::Kept, Leaves::EarlierState, Leaves::EarlierState])
    {
        store.durability = [(Durability::Process, support(leaves))].into();
    }
    let mixed =
        "After a power cut Flat folder keeps every acknowledged write; LMDB and SQLite open with an earlier state";
    assert!(told(&run).contains(mixed), "{}", told(&run));
    run.record.stores.iter_mut().for_each(|store| store.durability.clear());
    assert!(told(&run).contains("durability process: an acknowledged write survives"), "{}", told(&run));
}

#[test]
fn warnings_and_skips_are_counted_here_and_shown_once_where_they_are_asked_for() {
    let mut run = large();
    let long = "the data fits into memory: reads come from the page cache and not from the disk ".repeat(3);
    edit(&mut run, |info| {
        info["warnings"] = json!([{ "code": "a", "message": long.trim() }, { "code": "b", "message": "it is busy" }]);
        info["skipped"] = (0..9).map(|at| json!({ "what": format!("part {at}"), "why": "too large" })).collect();
        info["given_up"] = json!([{ "what": "the rest", "why": "no time" }]);
        info["finished"] = serde_json::Value::Null;
    });
    let broken = failed(run.cells[0].clone(), FailureKind::Crash, "it broke");
    run.cells[0] = broken;
    assert_fits(|width| answer(&run, width));
    let text = unwrapped(&answer(&run, 80));
    assert!(text.contains("2 warnings, 9 skips, 1 left out for time: bakeoff report --notes"), "{text}");
    assert!(
        text.contains("NOT FINISHED") && text.contains("Failed somewhere, and not ranked there: Berkeley DB."),
        "{text}"
    );
    assert!(!text.contains("it is busy") && !text.contains("too large"), "{text}");
    let notices = unwrapped(&render_notices(&Analysis::new(&run), &plain(80)));
    for words in [long.trim(), "it is busy", "part 8: too large", "the rest: no time", "it broke"] {
        assert_eq!(notices.matches(words).count(), 1, "{words}: {notices}");
    }
    assert!(!notices.contains("fastest"), "{notices}");
    let full = TerminalOptions { full: true, ..plain(80) };
    let full = unwrapped(&render_terminal(&Analysis::new(&run), &full));
    assert_eq!(full.matches("it is busy").count(), 1, "{full}");
    edit(&mut run, |info| {
        for list in ["warnings", "skipped", "given_up"] {
            info[list] = json!([]);
        }
    });
    run.cells.retain(CellRound::is_ok);
    assert!(answer(&run, 80).contains("No warnings."), "{}", answer(&run, 80));
    let none = render_notices(&Analysis::new(&run), &plain(80));
    assert!(none.contains("No warnings, and nothing was skipped."), "{none}");
}

#[test]
fn several_conditions_have_a_line_each() {
    let mut cells = Vec::new();
    for threads in [1, 2, 4] {
        for (store, factor) in [("lmdb", 1), ("sqlite", if threads == 4 { 2 } else { 0 })] {
            let axes = Axes { threads, ..axes(store) };
            let mean = if factor == 1 { 3_000 } else { 1_000 + 4_000 * factor };
            cells.append(&mut gets(&axes, &[mean, mean + 10, mean - 10]));
        }
    }
    for cell in &mut cells {
        cell.end.cell += &format!("-{}", cell.end.axes.threads);
        cell.phases.iter_mut().for_each(|phase| phase.cell.clone_from(&cell.end.cell));
    }
    let run = run(cells, stores());
    assert_fits(|width| answer(&run, width));
    let text = answer(&run, 80);
    assert!(text.starts_with("SQLite is fastest in 2 of 3 conditions, LMDB in 1.\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("process · ")).count(), 3, "{text}");
}

#[test]
fn the_answer_of_a_pick_names_the_store_to_take() {
    let mut cells = a_faster_and_a_smaller();
    cells.extend(rounds("flat-folder", PICK_ASKED, &[9_000, 9_010, 8_990]));
    cells.extend(rounds("lmdb", "same", &[1_000, 1_010, 990]));
    cells.extend(rounds("sqlite", "same", &[2_000, 2_020, 1_980]));
    cells.extend(rounds("lmdb", "other", &[4_000, 4_010, 3_990]));
    cells.extend(rounds("sqlite", "other", &[1_000, 1_010, 990]));
    let questions = vec![question("same", None), question("other", None), question("late", Some("no time"))];
    let run = picked(cells, &PickFacts { questions, ..facts() });
    assert_fits(|width| answer(&run, width));
    insta::assert_snapshot!(answer(&run, 80));
}

#[test]
fn the_answer_of_a_pick_of_many_stores_fits_and_cuts_no_name() {
    let mut cells = Vec::new();
    for at in 0..TITLES.len() {
        let mean = 1_000 + 500 * at as u64;
        cells.extend(rounds(&format!("store-{at}"), PICK_ASKED, &[mean, mean + 10, mean - 10]));
    }
    let mut run = run(cells, described());
    let raced = (0..TITLES.len()).map(|at| format!("store-{at}")).collect();
    edit(&mut run, |info| info["pick"] = json!(PickFacts { raced, ..facts() }));
    assert_fits(|width| answer(&run, width));
    let full = |width| render_terminal(&Analysis::new(&run), &TerminalOptions { full: true, ..plain(width) });
    for width in [60, 80, 120] {
        let text = full(width);
        for title in TITLES {
            let is_whole = title.split(' ').all(|word| text.contains(word));
            assert!(is_whole && !text.contains("LmdbJ…") && !text.contains("SQLit…"), "{width}, {title}: {text}");
        }
    }
}

#[test]
fn a_pick_that_has_no_answer_says_what_it_lacks() {
    let cells = [rounds("lmdb", PICK_ASKED, &[1_000]), rounds("sqlite", PICK_ASKED, &[1_100])].concat();
    for cells in [Vec::new(), cells[..1].to_vec(), cells] {
        let run = picked(cells, &PickFacts { out_of_time: true, ..facts() });
        assert_fits(|width| answer(&run, width));
        let text = answer(&run, 80);
        assert!(!text.contains("Take ") && text.contains("--budget"), "{text}");
    }
    let full = rounds("lmdb", PICK_ASKED, &[1_000]).into_iter().map(|cell| failed(cell, FailureKind::DiskFull, "x"));
    let text = answer(&picked(full.collect(), &facts()), 80);
    assert!(text.contains("the disk was full for every store") && text.contains("1 store failed"), "{text}");
}

#[test]
fn a_pick_by_another_goal_shows_that_one_first() {
    let run = picked(a_faster_and_a_smaller(), &PickFacts { optimize: Goal::Space, ..facts() });
    let text = answer(&run, 80);
    assert!(text.starts_with("Take SQLite: space on disk by bytes of data 0.625×, 2.00× ("), "{text}");
    assert!(text.contains("store   disk/data  compared"), "{text}");
}

/// The large run in which one store is slower, or another time.
fn compared(factor: u64) -> (Run, Run) {
    let (mut before, mut after) = (large(), large());
    before.record.name = Some("before".to_owned());
    after.record.name = Some("after".to_owned());
    let slower = after.cells.iter_mut().filter(|cell| cell.end.axes.store == "store-4");
    for operation in slower.flat_map(|cell| &mut cell.phases).flat_map(|phase| &mut phase.result.operations) {
        operation.timed_ns = operation.timed_ns.map(|ns| ns * factor);
    }
    (before, after)
}

#[test]
fn a_comparison_fits_a_screen_and_begins_with_what_is_worse() {
    let (before, after) = compared(3);
    let comparison = ComparisonReport::new(&before, &after).unwrap();
    let further = Further { again: "bakeoff compare before after", page: None, ..FURTHER };
    let shown = |width| render_comparison_answer(&comparison, None, &plain(width), &further);
    assert_fits(shown);
    let text = shown(80);
    assert!(text.starts_with("Worse in B: LMDB, time (all 84 timed), 3.00× ("), "{text}");
    assert!(text.contains("A: before · B: after · 12 stores"), "{text}");
    let first = text.lines().skip_while(|line| !line.starts_with("store")).nth(1).unwrap();
    assert!(first.starts_with("LMDB ") && first.contains(" worse"), "{text}");
    assert!(unwrapped(&text).contains("2 warnings: bakeoff compare before after --notes"), "{text}");
    assert!(!text.contains("Only 3 rounds.") && !text.contains("Inconclusive"), "{text}");
    let notices = render_comparison_notices(&comparison, &plain(80));
    assert_eq!(notices.matches("Only 3 rounds.").count(), 2, "one of each run: {notices}");
    let full = render_comparison(&comparison, &TerminalOptions { full: true, ..plain(80) });
    assert!(full.contains("Each workload") && full.lines().count() > 500, "{full}");
}

#[test]
fn a_comparison_that_tells_nothing_says_why() {
    let once = |mean| run(gets(&axes("lmdb"), &[mean]), stores());
    let comparison = ComparisonReport::new(&once(1_000), &once(9_000)).unwrap();
    let shown = |width| render_comparison_answer(&comparison, None, &plain(width), &FURTHER);
    assert_fits(shown);
    let text = unwrapped(&shown(80));
    let words = "Inconclusive: 3 figures with too few rounds; bakeoff compare --run measures both in turn.";
    assert!(text.contains(words), "{text}");
    assert!(text.contains("LMDB – too few rounds cannot tell"), "{text}");
}

#[test]
fn a_profiled_run_ranks_nobody_and_leads_to_its_flame_graphs() {
    let mut run = large();
    for cell in &mut run.cells {
        cell.end.axes.profile = Some(Profile::Cpu);
        let flame_graph = Some(format!("logs/{}-{}.svg", cell.end.cell, cell.end.round));
        cell.end.profiled = Some(ProfileOutcome { flame_graph, samples: Some(2_048), trouble: None });
    }
    edit(&mut run, |info| info["profile"] = json!({ "kind": "cpu" }));
    let text = answer(&run, 80);
    assert!(text.lines().count() <= LINES_MAX && text.contains("NOT RANKED") && text.contains(".svg"), "{text}");
    assert!(!text.contains("fastest"), "{text}");
}

#[test]
fn nothing_in_an_answer_steers_a_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\r\n\u{202e}";
    let mut run = run(gets(&axes("lmdb"), &APART[0]), vec![store("lmdb", evil)]);
    run.record.name = Some(evil.to_owned());
    edit(&mut run, |info| info["media"]["default"]["file_system"] = evil.into());
    let comparison = ComparisonReport::new(&run, &run).unwrap();
    let shown = answer(&run, 80) + &render_comparison_answer(&comparison, None, &plain(80), &FURTHER);
    assert_eq!(shown.chars().find(|of| *of != '\n' && (of.is_control() || *of == '\u{202e}')), None, "{shown:?}");
}
