//! What only the suites of papers show: unequal promises, bars against a baseline, disturbances, the columns of Hines 2023.

use bakeoff_protocol::{Axes, Durability};
use bakeoff_report::{TerminalOptions, render_terminal, write_markdown, write_page};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::run::Run;
use serde_json::json;

use bakeoff_testing::made_up::{axes, edit, good, operation, phase_result, run, stores, unwrapped};

const PLAIN: TerminalOptions = TerminalOptions { width: 100, color: false, full: false };

/// Three rounds of a cell whose writes take this long.
fn writes(axes: &Axes, mean_ns: u64) -> Vec<CellRound> {
    writes_in(axes, [mean_ns; 3])
}

/// Rounds of a cell in which writes take so long.
fn writes_in(axes: &Axes, mean_ns: [u64; 3]) -> Vec<CellRound> {
    let phase = |mean_ns| phase_result("random-writes", vec![operation("insert", mean_ns)]);
    (1..).zip(mean_ns).map(|(round, mean_ns)| good(axes, round, vec![phase(mean_ns)])).collect()
}

fn variant(name: &str, store: &str, durability: Durability) -> Axes {
    let settings = [("cache".to_owned(), json!(name.len()))].into();
    Axes { variant: Some(name.to_owned()), unequal: true, durability, settings, ..axes(store) }
}

fn with_baseline() -> Run {
    with_large_cache([5_000; 3], [25_000; 3])
}

/// A baseline in which SQLite takes 10 µs and LMDB 20, and a variant in whose rounds they take so long.
fn with_large_cache(sqlite_ns: [u64; 3], lmdb_ns: [u64; 3]) -> Run {
    let mut cells = Vec::new();
    for (name, sqlite_ns, lmdb_ns) in [("baseline", [10_000; 3], [20_000; 3]), ("large-cache", sqlite_ns, lmdb_ns)] {
        cells.extend(writes_in(&variant(name, "sqlite", Durability::Power), sqlite_ns));
        cells.extend(writes_in(&variant(name, "lmdb", Durability::None), lmdb_ns));
    }
    for cell in &mut cells {
        cell.end.cell.push_str(cell.end.axes.variant.as_deref().unwrap_or_default());
    }
    let mut run = run(cells, stores());
    edit(&mut run, |info| info["suite"]["baseline"] = json!(["baseline"]));
    edit(&mut run, |info| {
        info["suite"]["variants"] = json!([
            { "name": "baseline", "summary": "1. Baseline" },
            { "name": "large-cache", "summary": "2E. A large cache" },
        ])
    });
    run
}

#[test]
fn variants_are_bars_beside_their_baseline() {
    let text = render_terminal(&Analysis::new(&with_baseline()), &PLAIN);
    let bars: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("1. Baseline")).take(9).collect();
    let full = "█".repeat(30);
    let expected = [
        "1. Baseline".to_owned(),
        "random-writes".to_owned(),
        format!("LMDB (none)     50.0 k/s  {}", "█".repeat(15)),
        format!("SQLite (power)   100 k/s  {full}"),
        String::new(),
        "2E. A large cache".to_owned(),
        "random-writes".to_owned(),
        format!("LMDB (none)     40.0 k/s  {}{}  (0.800× baseline)", "█".repeat(6), " ".repeat(24)),
        format!("SQLite (power)   200 k/s  {full}  (2.00× baseline)"),
    ];
    assert_eq!(bars, expected, "{text}");
    let mut markdown = Vec::new();
    write_markdown(&Analysis::new(&with_baseline()), None, &mut markdown).unwrap();
    let markdown = String::from_utf8(markdown).unwrap();
    for line in [
        "### 2E. A large cache",
        "### random-writes",
        &format!("| LMDB (none) | 40.0 k/s | {} | (0.800× baseline) |", "█".repeat(6)),
        &format!("| SQLite (power) | 200 k/s | {full} | (2.00× baseline) |"),
    ] {
        assert!(markdown.contains(line), "{line}: {markdown}");
    }
    assert!(text.contains("UNEQUAL"), "{text}");
    assert!(text.contains("LMDB (none): cache=11 [large-cache]"), "{text}");
}

#[test]
fn bars_that_rounds_cannot_tell_apart_are_marked() {
    let (tied, open) = ("=: as good as the best, within 1.25×.", "?: these rounds do not show which is better.");
    let text = render_terminal(&Analysis::new(&with_baseline()), &PLAIN);
    assert!(!text.contains(tied) && !text.contains(open), "{text}");
    // Now one of them is faster, now the other.
    let text = render_terminal(&Analysis::new(&with_large_cache([5_000, 8_000, 6_000], [6_000, 5_000, 8_200])), &PLAIN);
    let lines: Vec<&str> = text.lines().collect();
    let marked: Vec<_> = lines.iter().filter(|line| line.contains("  ? (")).collect();
    assert!(marked[0].starts_with("LMDB (none)") && marked[1].starts_with("SQLite (power)"), "{text}");
    assert!(marked.len() == 2 && lines.contains(&open), "{text}");
    let text = render_terminal(&Analysis::new(&with_large_cache([5_000, 5_100, 5_200], [5_010, 5_090, 5_210])), &PLAIN);
    assert!(text.matches("  = (").count() == 2 && text.contains(tied) && !text.contains(open), "{text}");
}

#[test]
fn headings_of_a_run_of_other_numbers_tell_those_of_the_whole_suite() {
    let mut run = with_baseline();
    assert!(!render_terminal(&Analysis::new(&run), &PLAIN).contains("Numbers in headings"));
    edit(&mut run, |info| info["suite"]["scale"] = 0.001.into());
    let text = render_terminal(&Analysis::new(&run), &PLAIN);
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    assert!(place("Numbers in headings are the whole suite's") < place("1. Baseline"), "{text}");
    assert!(unwrapped(&text).contains("this run has 0.100 %"), "{text}");
    edit(&mut run, |info| info["suite"]["numbers_given"] = json!(["--records 100", "--value-size 1KiB"]));
    let text = unwrapped(&render_terminal(&Analysis::new(&run), &PLAIN));
    assert!(text.contains("one at least; this run was given --records 100 and --value-size 1KiB."), "{text}");
    edit(&mut run, |info| info["suite"]["scale"] = json!(null));
    let text = unwrapped(&render_terminal(&Analysis::new(&run), &PLAIN));
    assert!(text.contains("the whole suite's: this run was given --records 100"), "{text}");
}

#[test]
fn unequal_stores_are_ranked_with_their_class_beside_them() {
    let mut run = with_baseline();
    edit(&mut run, |info| info["suite"]["baseline"] = json!([]));
    let text = render_terminal(&Analysis::new(&run), &PLAIN);
    assert!(text.contains("UNEQUAL: each store has the durability next to its name"), "{text}");
    assert!(text.contains("SQLite (power) 10.0 µs"), "{text}");
    assert!(text.contains("durability as set · variant large-cache"), "{text}");
}

#[test]
fn disturbed_stands_beside_undisturbed() {
    let mut cells = Vec::new();
    for (disturbance, sqlite_ns, lmdb_ns) in [(None, 10_000, 20_000), (Some("video"), 30_000, 22_000)] {
        for (store, mean_ns) in [("sqlite", sqlite_ns), ("lmdb", lmdb_ns)] {
            let axes = Axes { disturbance: disturbance.map(str::to_owned), ..axes(store) };
            cells.extend(writes(&axes, mean_ns));
        }
    }
    for cell in &mut cells {
        cell.end.cell.push_str(cell.end.axes.disturbance.as_deref().unwrap_or_default());
    }
    let run = run(cells, stores());
    let text = render_terminal(&Analysis::new(&run), &PLAIN);
    let (mut markdown, mut page) = (Vec::new(), Vec::new());
    write_markdown(&Analysis::new(&run), None, &mut markdown).unwrap();
    write_page(&[Analysis::new(&run)], None, std::path::Path::new("."), &mut page).unwrap();
    for other in [markdown, page] {
        let other = String::from_utf8(other).unwrap();
        assert!(
            other.contains("Undisturbed and disturbed, side by side") && other.contains("best undisturbed"),
            "{other}"
        );
    }
    let part: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("Disturbed by video")).collect();
    let row = unwrapped(part.iter().skip_while(|line| **line != "random-writes").nth(1).unwrap());
    assert!(row.contains("SQLite 10.0 µs") && row.contains("LMDB 22.0 µs"), "{text}");
    assert!(row.contains("2.20×") && row.ends_with('≠'), "{text}");
    assert!(text.contains("Mean time disturbed, undisturbed being 1: LMDB 1.10×, SQLite 3.00×"), "{text}");
}
