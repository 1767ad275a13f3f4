//! Runs that were profiled show figures and flame graphs, and rank nobody anywhere.

use std::path::Path;

use bakeoff_protocol::{Profile, ProfileOutcome};
use bakeoff_report::{
    ComparisonReport, TerminalOptions, render_against, render_terminal, write_csv, write_json, write_markdown,
    write_page, write_parquet, write_xlsx,
};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::published::Published;
use bakeoff_results::run::Run;
use serde_json::{Value, json};

use bakeoff_testing::made_up::{axes, edit, gets, run, stores};

/// Two stores that differ beyond doubt, profiled.
fn profiled(kind: Profile, graph: &str) -> Run {
    let mut cells = Vec::new();
    for (store, mean_ns) in [("lmdb", 1_000), ("sqlite", 9_000)] {
        let mut axes = axes(store);
        axes.profile = Some(kind);
        cells.append(&mut gets(&axes, &[mean_ns, mean_ns + 1, mean_ns + 2]));
    }
    for cell in &mut cells {
        cell.end.profiled =
            Some(ProfileOutcome { flame_graph: Some(graph.to_owned()), samples: Some(2_048), trouble: None });
    }
    let mut run = run(cells, stores());
    edit(&mut run, |info| info["profile"] = json!({ "kind": kind }));
    run
}

fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn figures_are_shown_and_nobody_wins() {
    let run = profiled(Profile::Cpu, "logs/x-1.svg");
    let options = TerminalOptions { width: 100, color: false, full: true };
    let terminal = render_terminal(&Analysis::new(&run), &options);
    assert!(terminal.contains("LMDB (not ranked)") && terminal.contains("1.00 µs"), "{terminal}");
    assert!(terminal.contains("2,048 samples") && terminal.contains("results/made-up/logs/x-1.svg"), "{terminal}");
    let markdown = written(|out| write_markdown(&Analysis::new(&run), None, out).unwrap());
    let page = written(|out| write_page(&[Analysis::new(&run)], None, Path::new("results/made-up"), out).unwrap());
    // Behind that are scripts, which know what to call winners.
    let first_screen = page.split("<script").next().unwrap();
    for shown in [terminal.as_str(), &markdown, first_screen] {
        assert!(shown.contains("NOT RANKED"), "{shown}");
        for word in ["fastest:", "is fastest", "best: ", "Overall", "competitor", "first by its figures"] {
            assert!(!shown.contains(word), "{word}");
        }
    }
    assert!(page.contains("href=\"./logs/x-1.svg\""));
    let json: Value = serde_json::from_str(&written(|out| write_json(&Analysis::new(&run), out).unwrap())).unwrap();
    let verdicts = json["verdicts"].as_array().unwrap();
    assert!(verdicts.iter().all(|each| each["best"].is_null() && each["order"] == json!([])), "{verdicts:?}");
    assert!(verdicts.iter().any(|each| each["unranked"] == json!(["lmdb", "sqlite"])), "{verdicts:?}");
    let csv = written(|out| write_csv(&run, out).unwrap());
    let named = |name: &str| csv.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
    let first: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((first[named("profile")], first[named("flame_graph")]), ("cpu", "logs/x-1.svg"));
    assert!(!written(|out| write_xlsx(&Analysis::new(&run), out).unwrap()).is_empty());
    assert!(!written(|out| write_parquet(&run, out).unwrap()).is_empty());
}

#[test]
fn a_profiled_run_is_compared_with_nothing() {
    let (run, plain) = (profiled(Profile::Cpu, "logs/x-1.svg"), run(gets(&axes("lmdb"), &[1, 2, 3]), stores()));
    let published = Published::find("hines-2023").unwrap();
    let options = TerminalOptions { width: 100, color: false, full: true };
    let refusals = [
        ComparisonReport::new(&run, &plain).map(drop),
        ComparisonReport::new(&plain, &run).map(drop),
        render_against(&Analysis::new(&run), &published, &options).map(drop),
        write_page(&[Analysis::new(&run)], Some(&published), Path::new("."), &mut Vec::new()),
    ];
    for refusal in refusals {
        let words = refusal.unwrap_err().to_string();
        assert!(words.contains("was profiled (--profile cpu)") && words.contains("without --profile"), "{words}");
    }
}

#[test]
fn a_page_of_both_answers_from_the_measurement_alone() {
    let run = profiled(Profile::Alloc, "../../etc/passwd");
    let plain = bakeoff_testing::made_up::run(gets(&axes("lmdb"), &[1_000, 1_001, 1_002]), stores());
    let page = written(|out| write_page(&Analysis::of_all(&[plain, run]), None, Path::new("."), out).unwrap());
    assert!(page.contains("LMDB</span> was measured without a competitor") && page.contains("PROFILED (alloc)"));
    assert!(!page.contains("etc/passwd\""), "a name that leads out of the run is no link");
    assert!(page.contains("2.00 KiB"), "allocations are weighed in bytes");
}
