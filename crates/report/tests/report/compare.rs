//! Two runs compared: better, worse and undecided figures, and the text around them.

use bakeoff_protocol::{Axes, Durability, FailureKind, Structure};
use bakeoff_report::{
    ComparisonReport, ReportError, TerminalOptions, render_comparison, write_comparison_html, write_comparison_markdown,
};
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::comparison::{Change, Line, Verdict};
use bakeoff_results::error::RunError;
use bakeoff_results::read_note::ReadNote;
use bakeoff_results::run::Run;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use bakeoff_testing::made_up::*;

/// A run in a directory of this name.
fn named(name: &str, cells: Vec<CellRound>) -> Run {
    let mut run = run(cells, stores());
    run.directory = name.into();
    run
}

fn cells(lmdb: &[u64], sqlite: &[u64]) -> Vec<CellRound> {
    [gets(&axes("lmdb"), lmdb), gets(&axes("sqlite"), sqlite)].concat()
}

fn before() -> Run {
    named("before", cells(&[1_000, 1_010, 1_020], &[2_000, 2_020, 2_040]))
}

fn text(comparison: &ComparisonReport, full: bool) -> String {
    render_comparison(comparison, &TerminalOptions { width: 100, color: false, full })
}

/// Store, measure, ratio to two decimals and what it says, for every workload's time.
fn times(comparison: &ComparisonReport) -> Vec<(String, String, Change)> {
    let lines = comparison.found.lines.iter().map(|line| (line, comparison.labels_of(line)));
    let ratio = |line: &Line| format!("{:.2}", line.ratio.unwrap().estimate);
    lines
        .filter(|(_, labels)| labels.measure == "get")
        .map(|(line, labels)| (labels.store, ratio(line), line.change))
        .collect()
}

#[test]
fn no_note_on_a_run_steers_a_terminal() {
    let mut odd = before();
    odd.notes.push(ReadNote::ResultsAlone("a line of kind \u{1b}]0;pwned\u{7} is left out".to_owned()));
    let comparison = ComparisonReport::new(&odd, &before()).unwrap();
    let shown = text(&comparison, true);
    assert!(shown.contains("pwned") && !shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
}

#[test]
fn a_run_with_the_older_durability_levels_is_not_compared_silently() {
    let mut older = before();
    older.record.protocol = 1;
    let differences = ComparisonReport::new(&older, &before()).unwrap().differences;
    assert_eq!(differences, ["durability levels: version 1 (process says nothing about power cuts) → version 2"]);
    assert!(ComparisonReport::new(&older, &older).unwrap().differences.is_empty());
}

#[test]
fn what_is_twice_as_slow_is_worse_and_the_other_way_round_better() {
    let after = named("after", cells(&[2_000, 2_020, 2_040], &[2_000, 2_020, 2_040]));
    let comparison = ComparisonReport::new(&before(), &after).unwrap();
    let expected = [("LMDB".into(), "2.00".into(), Change::Worse), ("SQLite".into(), "1.00".into(), Change::Same)];
    assert_eq!(times(&comparison), expected);
    assert_eq!(comparison.found.lines.len(), 6, "time, space and memory of two stores");
    assert_eq!(comparison.found.worse_by(0.05).len(), 3, "the workload, all workloads, and all that was timed");
    assert_eq!(comparison.found.worse_by(1.5).len(), 0, "twice is not worse by 150 %");
    // All that LMDB does takes 1.58 to 2.53 times as long.
    let verdicts = [None, Some(0.05), Some(1.5), Some(2.0)].map(|part| comparison.found.verdict(part));
    assert_eq!(verdicts, [Verdict::Worse, Verdict::Worse, Verdict::Inconclusive, Verdict::SameOrBetter]);
    let back = ComparisonReport::new(&after, &before()).unwrap();
    assert_eq!([None, Some(0.0)].map(|part| back.found.verdict(part)), [Verdict::SameOrBetter; 2]);
    assert_eq!(times(&back)[0], ("LMDB".into(), "0.50".into(), Change::Better));
    assert_eq!(back.found.worse_by(0.0).len(), 0);
}

#[test]
fn a_run_is_not_worse_than_itself() {
    let comparison = ComparisonReport::new(&before(), &before()).unwrap();
    assert!(comparison.found.lines.iter().chain(&comparison.found.overall).all(|line| !line.change.is_proven()));
    assert_eq!((comparison.differences.len(), comparison.notes.len()), (0, 0));
    assert_eq!(comparison.found.verdict(Some(0.0)), Verdict::SameOrBetter);
    assert!(
        text(&comparison, false)
            .contains("6 figures: 0 better in B, 0 worse, 6 the same, 0 not told apart. Over all workloads")
    );
}

#[test]
fn an_interval_that_says_nothing_is_not_shown() {
    let of = |name: &str, means: &[u64]| {
        let mut run = named(name, Vec::new());
        for threads in [1, 2] {
            let axes = Axes { threads, variant: Some("r20000".to_owned()), ..axes("lmdb") };
            run.cells.append(&mut gets(&axes, means));
        }
        run
    };
    let comparison = ComparisonReport::new(&of("a", &[1_000, 1_000_000]), &of("b", &[1_000_000, 1_000])).unwrap();
    let text = text(&comparison, true);
    assert!(text.contains("too few rounds  cannot tell"), "{text}");
    assert!(text.contains("1 workload, variant r20000, 2 threads"), "{text}");
}

#[test]
fn an_interval_beyond_a_thousand_times_has_its_ends_in_order() {
    let of = |name: &str, means: &[u64]| Run { cells: gets(&axes("lmdb"), means), ..named(name, Vec::new()) };
    let (fast, slow) = (of("a", &[1_000, 1_010, 990]), of("b", &[5_000_000, 5_010_000, 4_990_000]));
    for (a, b, words) in [(&fast, &slow, "≥1000×"), (&slow, &fast, "≤0.001×")] {
        let text = text(&ComparisonReport::new(a, b).unwrap(), true);
        assert!(text.contains(words) && !text.contains(&format!("–{words}")), "{text}");
    }
}

#[test]
fn other_operations_are_told() {
    let mut after = before();
    for line in after.cells.iter_mut().flat_map(|cell| &mut cell.phases) {
        line.tape.tape_checksum = "fedcba9876543210".to_owned();
    }
    let comparison = ComparisonReport::new(&before(), &after).unwrap();
    assert_eq!(comparison.differences, ["operations: 1 of 1 phase replayed another tape, or at another speed"]);
}

#[test]
fn one_round_proves_nothing() {
    let once = |mean| named("once", gets(&axes("lmdb"), &[mean]));
    let comparison = ComparisonReport::new(&once(1_000), &once(9_000)).unwrap();
    assert!(comparison.found.lines.iter().all(|line| line.ratio.is_none() && line.change == Change::CannotTell));
    assert!(text(&comparison, true).contains("too few rounds"));
    assert_eq!(comparison.found.worse_by(0.0).len(), 0);
    assert_eq!(comparison.found.untold(), comparison.found.lines.len(), "a gate cannot close on it");
    assert_eq!(comparison.found.verdict(None), Verdict::Inconclusive);
    assert_eq!(comparison.found.undecided_by(0.05).len(), comparison.found.lines.len());
}

#[test]
fn what_may_be_worse_unproven_is_counted_and_what_is_missing_too() {
    let noisy = named("noisy", cells(&[700, 1_010, 1_400], &[2_000, 2_020, 2_040]));
    let comparison = ComparisonReport::new(&before(), &noisy).unwrap();
    assert!(comparison.found.untold() == 0 && comparison.found.worse_by(0.05).is_empty());
    // A run cut short: one store has all its rounds, the other a single one.
    let cut = named("cut", cells(&[1_000, 1_010, 1_020], &[9_000]));
    assert!(
        ComparisonReport::new(&before(), &cut).unwrap().found.untold() > 0,
        "what the gate cannot judge it must not pass"
    );
    let open: Vec<_> = comparison.found.undecided_by(0.05).iter().map(|line| comparison.labels_of(line)).collect();
    let has = |measure: &str| open.iter().any(|labels| labels.store == "LMDB" && labels.measure == measure);
    assert!(has("get") && !has("space on disk"), "{open:?}");
    assert_eq!(comparison.found.missing(), 0);
    let fewer = named("fewer", gets(&axes("lmdb"), &[1_000, 1_010, 1_020]));
    assert_eq!(
        ComparisonReport::new(&before(), &fewer).unwrap().found.missing(),
        3,
        "time, space and memory of SQLite"
    );
    let verdict = |a: &Run, b: &Run| ComparisonReport::new(a, b).unwrap().found.verdict(Some(1.0));
    assert_eq!(verdict(&before(), &fewer), Verdict::Inconclusive);
    assert_eq!(verdict(&fewer, &before()), Verdict::SameOrBetter, "what B has besides is no loss");
    assert_eq!(ComparisonReport::new(&fewer, &before()).unwrap().found.missing(), 0);
    assert_eq!(comparison.warnings, ["before: Only 3 rounds.", "noisy: Only 3 rounds."]);
}

#[test]
fn figures_nearer_than_the_clock_tells_are_the_same() {
    let flat = |mean| named("flat", gets(&axes("lmdb"), &[mean; 4]));
    let mut close = flat(12);
    close.cells.iter_mut().for_each(|cell| cell.phases[0].result.operations[0].timed_ns = Some(12_400));
    let comparison = ComparisonReport::new(&flat(12), &close).unwrap();
    assert_eq!(times(&comparison)[0].2, Change::Same);
}

/// Thirty workloads in which times and peaks of memory scatter by a few percent around `scale` units.
fn thirty_workloads(name: &str, scale: u64) -> Run {
    let sizes = (0..30_u64).flat_map(|size| {
        let mut axes = axes("lmdb");
        axes.value_bytes_max += size;
        let noise = |round: u64| 100 * scale * (100 + (size * 7 + round * 13) % 11) / 10;
        let mut cells = gets(&axes, &[noise(0), noise(1), noise(2)]);
        for (round, cell) in (0..).zip(&mut cells) {
            cell.phases[0].result.resources.rss_peak_above_baseline_bytes = Some(1000 * noise(round));
        }
        cells
    });
    named(name, sizes.collect())
}

#[test]
fn over_all_workloads_small_changes_add_up() {
    let (before, after) = (thirty_workloads("a", 25), thirty_workloads("b", 26));
    let comparison = ComparisonReport::new(&before, &after).unwrap();
    assert!(comparison.found.lines.iter().all(|line| !line.change.is_proven()), "no single one is proven");
    // What is called worse over all of them must hold over more rounds, though no single one may be worse by ten times.
    let cell = &before.cells[0].end.axes;
    assert!(comparison.found.needs_rounds(cell, 10.0));
    assert!(!ComparisonReport::new(&after, &before).unwrap().found.needs_rounds(cell, 10.0), "it is better");
    let overall = |measure: &str| {
        let line = comparison.found.overall.iter().find(|line| comparison.labels_of(line).measure == measure).unwrap();
        assert!((line.ratio.unwrap().estimate - 1.04).abs() < 0.01, "{line:?}");
        (line.change, comparison.labels_of(line).workload)
    };
    assert_eq!(overall("peak memory"), (Change::Worse, "30 workloads".to_owned()));
    assert_eq!(overall("get"), (Change::CannotTell, "30 workloads".to_owned()), "sessions differ by as much");
}

#[test]
fn what_failed_since_and_what_differs_is_said() {
    let mut after = before();
    after.directory = "after".into();
    let broken = failed(after.cells[5].clone(), FailureKind::WrongAnswer, "found nothing");
    after.cells[5] = broken;
    edit(&mut after, |info| info["machine"]["kernel"] = "6.2".into());
    after.record.stores[1].version = "9.9.9".into();
    let comparison = ComparisonReport::new(&before(), &after).unwrap();
    assert_eq!(comparison.found.verdict(Some(1e6)), Verdict::Worse, "nothing may fail anew");
    assert_eq!(comparison.newly_failed, ["SQLite, 1KiB..10KiB × 1,000 random, durability process: wrong answer"]);
    assert_eq!(comparison.differences, ["machine kernel: 6.1 → 6.2", "version of LMDB: 1.2.3 → 9.9.9"]);
    assert_eq!(comparison.notes, ["only in before: 3 figures"]);
    assert!(times(&comparison).iter().all(|(store, _, _)| store == "LMDB"), "a failed store has no figures");
}

#[test]
fn nothing_in_common_is_an_error_that_helps() {
    let mut other = axes("lmdb");
    other.durability = Durability::Power;
    let error = ComparisonReport::new(&before(), &named("other", gets(&other, &[1, 2]))).unwrap_err();
    assert!(matches!(error, ReportError::Run(RunError::NothingToCompare { .. })));
    assert!(error.to_string().contains("before and other have no figure in common: compare runs of the same suite"));
}

#[test]
fn it_reads_well_and_fits() {
    let after = named("after", cells(&[2_000, 2_020, 2_040], &[1_000, 1_010, 1_020]));
    let comparison = ComparisonReport::new(&before(), &after).unwrap();
    let text = text(&comparison, false);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
    let mut markdown = Vec::new();
    write_comparison_markdown(&comparison, &mut markdown).unwrap();
    insta::assert_snapshot!(String::from_utf8(markdown).unwrap());
}

#[test]
fn no_name_is_taken_for_markup() {
    let evil = "<script>x</script>|`*";
    let run = |mean| {
        let mut run = run(gets(&axes("evil"), &[mean, mean + 1, mean + 2]), vec![store("evil", evil)]);
        run.directory = evil.into();
        run
    };
    let comparison = ComparisonReport::new(&run(1_000), &run(5_000)).unwrap();
    let (mut html, mut markdown) = (Vec::new(), Vec::new());
    write_comparison_html(&comparison, &mut html).unwrap();
    write_comparison_markdown(&comparison, &mut markdown).unwrap();
    let (html, markdown) = (String::from_utf8(html).unwrap(), String::from_utf8(markdown).unwrap());
    assert_eq!(html.matches("<script").count(), 1, "its own switch between light and dark: {html}");
    assert!(!html.contains("<script>x") && html.contains("&lt;script&gt;x&lt;/script&gt;|`*"), "{html}");
    assert!(html.contains("default-src 'none'") && html.contains("class=\"bad\">worse"));
    assert!(!markdown.contains("<script") && markdown.contains("&lt;script>x&lt;/script>\\|\\`\\*"), "{markdown}");
}

#[test]
fn between_equal_runs_hardly_ever_anything_is_called_different() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut run = |name: &str| {
        let cells = (0..20_u64).flat_map(|size| {
            let mut axes = axes("lmdb");
            axes.value_bytes_max += size;
            // The product of many small influences: skewed, as times are.
            let mut mean = || (0..12).fold(10_000.0, |mean, _| mean * random.random_range(0.9..1.12)) as u64;
            gets(&axes, &[mean(), mean(), mean()])
        });
        named(name, cells.collect())
    };
    let wrong = (0..60).filter(|_| {
        let comparison = ComparisonReport::new(&run("a"), &run("b")).unwrap();
        comparison.found.lines.iter().any(|line| line.change.is_proven())
    });
    let wrong = wrong.count();
    assert!(wrong <= 6, "{wrong} of 60 tables, each of 20 workloads, call something different; 3 are expected at most");
}

/// A run of three stores with twelve workloads of four phases. Each figure scatters by 4 % around its store's factor.
/// All figures of a store in a round scatter by 1 % together, and all those of a store in a run by 6 %, as on a quiet
/// machine.
fn scattered(name: &str, random: &mut Xoshiro256PlusPlus, rounds: u32, lmdb: f64) -> Run {
    let mut near = |part: f64| (0..12).map(|_| random.random_range(-0.5..0.5)).sum::<f64>() * part;
    let mut all = Vec::new();
    for (store, factor) in [("lmdb", lmdb), ("sqlite", 1.0), ("flat-folder", 1.0)] {
        let session = near(0.06);
        for round in 1..=rounds {
            let common = session + near(0.01);
            let mut phase = |name: &&str| {
                let mean = 100_000.0 * factor * (common + near(0.04)).exp();
                phase_result(name, vec![operation(name, mean as u64)])
            };
            for size in 0..12_u64 {
                let mut axes = axes(store);
                axes.value_bytes_max += size;
                all.push(good(&axes, round, ["insert", "get", "update", "remove"].iter().map(&mut phase).collect()));
            }
        }
    }
    named(name, all)
}

#[test]
fn a_store_that_takes_1_6_times_as_long_is_caught_and_another_session_fails_no_run() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut fails = |rounds, lmdb, part, times: usize| {
        let failed = (0..times).filter(|_| {
            let (before, after) = (scattered("a", &mut random, rounds, 1.0), scattered("b", &mut random, rounds, lmdb));
            !ComparisonReport::new(&before, &after).unwrap().found.worse_by(part).is_empty()
        });
        failed.count() * 100 / times
    };
    let caught = [(3, 200), (5, 100), (10, 50)].map(|(rounds, times)| fails(rounds, 1.6, 0.05, times));
    // At a part of zero, which is the strictest: every line marked worse fails.
    let wrong = [(3, 200), (5, 100), (10, 50)].map(|(rounds, times)| fails(rounds, 1.0, 0.0, times));
    assert!(caught.iter().all(|percent| *percent >= 88), "{caught:?} % caught in 3, 5, 10 rounds");
    assert!(wrong.iter().all(|percent| *percent <= 5), "{wrong:?} % failed without a reason");
}

#[test]
fn the_headline_names_what_got_worse_and_the_scale_tells_ten_times_from_four() {
    let after =
        |factor: u64| named("after", cells(&[1_000 * factor, 1_010 * factor, 1_020 * factor], &[1_000, 1_010, 1_020]));
    let page = |factor| {
        let mut html = Vec::new();
        write_comparison_html(&ComparisonReport::new(&before(), &after(factor)).unwrap(), &mut html).unwrap();
        String::from_utf8(html).unwrap()
    };
    let ten = page(10);
    let headline = ten.split("class=\"headline\">").nth(1).unwrap().split('<').next().unwrap();
    assert!(headline.starts_with("Worse in B: LMDB, time (all 1 timed), 10.0× ("), "{headline}");
    assert!(headline.contains("Better in B: SQLite, time (all 1 timed), 0.500× ("), "{headline}");
    let dot = |page: &str| -> f64 {
        let (_, row) = page.split_once("LMDB</span>").unwrap();
        row.split("<i class=\"dot")
            .nth(1)
            .unwrap()
            .split("left:")
            .nth(1)
            .unwrap()
            .split('%')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    assert!(
        dot(&ten) < 100.0 && ten.contains(">16×</span>"),
        "ten times is on its scale, not at its end: {}",
        dot(&ten)
    );
    assert!((dot(&page(4)) - 100.0).abs() < 0.1 && page(4).contains(">4×</span>"));
}

#[test]
fn plain_files_have_a_warning_of_their_own() {
    let warns =
        |run: &Run| text(&ComparisonReport::new(run, run).unwrap(), false).contains("plain files are as fast as");
    let mut run = before();
    assert!(!warns(&run));
    run.record.stores[0].structure = Structure::Files;
    assert!(warns(&run));
}
