//! Reading runs: whole, cut short, damaged, foreign.

use std::fs;

use bakeoff_protocol::{Axes, Durability, FailureKind, PhaseResult};
use bakeoff_report::{TerminalOptions, describe_note, render_terminal, write_page};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::{CellRound, phase_order};
use bakeoff_results::contender::Contenders;
use bakeoff_results::error::RunError;
use bakeoff_results::leaders::live_leaders;
use bakeoff_results::read_note::ReadNote;
use bakeoff_results::results_file::{ResultsFile, parse_results};
use bakeoff_results::run::Run;
use bakeoff_testing::made_up::*;
use proptest::prelude::*;
use serde_json::json;

/// What the notes say.
fn said(notes: &[ReadNote]) -> Vec<String> {
    notes.iter().map(describe_note).collect()
}

/// The rounds of a text, and what the notes on it say.
fn parsed(text: &str) -> (Vec<CellRound>, Vec<String>) {
    let (cells, notes) = parse_results(text);
    (cells, said(&notes))
}

#[test]
fn what_was_written_is_read() {
    let cells = gets(&axes("lmdb"), &[1_000, 2_000]);
    assert_eq!(parse_results(&text(&cells)), (cells, Vec::new()));
}

#[test]
fn every_cut_leaves_whole_rounds_only() {
    let cells = gets(&axes("lmdb"), &[1_000, 2_000, 3_000]);
    let whole = text(&cells);
    let ends: Vec<usize> = (1..=3).map(|rounds| text(&cells[..rounds]).len()).collect();
    for cut in (0..=whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
        let (read, notes) = parsed(&whole[..cut]);
        // A last line is whole even without its line end.
        let finished = ends.iter().filter(|end| **end <= cut + 1).count();
        assert_eq!(read, cells[..finished], "cut at {cut}");
        let at_an_end = cut == 0 || ends.iter().any(|end| *end == cut || *end == cut + 1);
        assert_eq!(notes.is_empty(), at_an_end, "cut at {cut}: {notes:?}");
    }
}

#[test]
fn rounds_of_other_tapes_are_left_out() {
    let mut cells = gets(&axes("lmdb"), &[1_000, 2_000, 3_000]);
    cells[1].phases[0].tape.tape_checksum = "fedcba9876543210".to_owned();
    let (read, notes) = parsed(&text(&cells));
    assert_eq!(read, [cells[0].clone(), cells[2].clone()]);
    assert!(notes.len() == 1 && notes[0].starts_with("1 round(s) replayed other tapes"), "{notes:?}");
}

#[test]
fn stores_of_a_workload_that_replayed_different_things_are_not_set_against_each_other() {
    let (lmdb, mut other) = (gets(&axes("lmdb"), &[1_000]), gets(&axes("sqlite"), &[2_000]));
    other[0].phases[0].tape.tape_checksum = "fedcba9876543210".to_owned();
    let (read, notes) = parsed(&text(&[lmdb.clone(), other].concat()));
    assert_eq!(read, lmdb);
    assert!(notes.len() == 1 && notes[0].starts_with("1 round(s) replayed other tapes"), "{notes:?}");
    let open = |store: &str, speed| {
        good(&axes(store), 1, vec![opened(phase_result("get", vec![operation("get", 1_000)]), speed)])
    };
    let (read, notes) = parsed(&text(&[open("lmdb", 1.0), open("sqlite", 1.0), open("redb", 2.0)]));
    assert_eq!(read.len(), 2);
    assert!(notes.len() == 1 && notes[0].contains("at another speed"), "{notes:?}");
    let variant = Axes { variant: Some("other".to_owned()), ..axes("lmdb") };
    let mut other = gets(&variant, &[1_000]);
    other[0].phases[0].tape.tape_checksum = "fedcba9876543210".to_owned();
    other[0].phases[0].cell.push('v');
    other[0].end.cell.push('v');
    assert_eq!(
        parse_results(&text(&[lmdb, other].concat())).1,
        Vec::<ReadNote>::new(),
        "variants have tapes of their own"
    );
}

#[test]
fn a_round_cut_short_and_done_again_counts_once() {
    let cells = gets(&axes("lmdb"), &[1_000]);
    let half = text(&cells).lines().next().unwrap().to_owned() + "\n";
    let (read, notes) = parsed(&(half + &text(&cells)));
    assert_eq!(read, cells);
    assert_eq!(notes, Vec::<String>::new());
}

#[test]
fn the_first_of_two_ends_counts() {
    let first = gets(&axes("lmdb"), &[1_000]);
    let second = gets(&axes("lmdb"), &[2_000]);
    let (read, notes) = parsed(&(text(&first) + &text(&second)));
    assert_eq!(read, first);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("twice"), "{notes:?}");
}

/// Only a round that the machine failed gives way to another end of it, wherever that stands.
#[test]
fn a_round_that_lacked_room_is_replaced_when_it_was_tried_again() {
    let well = gets(&axes("lmdb"), &[1_000]);
    let full = vec![failed(well[0].clone(), FailureKind::DiskFull, "no space is left")];
    assert_eq!(parse_results(&(text(&full) + &text(&well))), (well.clone(), Vec::new()));
    let (read, notes) = parse_results(&(text(&well) + &text(&full)));
    assert_eq!((read, notes), (well.clone(), vec![ReadNote::RoundsRepeated(1)]));
    let wrong = vec![failed(well[0].clone(), FailureKind::StoreError, "broken")];
    assert_eq!(parse_results(&(text(&wrong) + &text(&well))).0, wrong);
}

#[test]
fn a_resumed_run_tries_again_what_lacked_room_and_nothing_else() {
    let [full, broken, well] = ["lmdb", "sqlite", "redb"].map(|store| gets(&axes(store), &[1_000]).remove(0));
    let cells = [&full, &broken, &well].map(|round| round.end.cell.clone());
    let full = failed(full, FailureKind::DiskFull, "no space is left");
    let broken = failed(broken, FailureKind::StoreError, "broken");
    let run = directory(None, Some(text(&[full.clone(), broken, well]).as_bytes()));
    let (mut results, put_aside) = ResultsFile::open(run.path()).unwrap();
    assert_eq!(put_aside, None, "nothing is removed");
    let is_due = |results: &ResultsFile, cell: &str| results.status(cell, 1).is_none() && !results.has_failed(cell);
    assert_eq!(cells.clone().map(|cell| is_due(&results, &cell)), [true, false, false]);
    assert_eq!((results.failed(), results.retried()), (2, 1));
    // What fails now is not tried for ever.
    results.append(lines(std::slice::from_ref(&full))).unwrap();
    assert!(!is_due(&results, &cells[0]) && results.rounds().len() == 3);
}

#[test]
fn unknown_lines_are_left_out_and_counted() {
    let cells = gets(&axes("lmdb"), &[1_000]);
    let foreign = "{\"line\":\"picture\",\"cell\":\"x\"}\nnot json\n\n";
    let (read, notes) = parsed(&(foreign.to_owned() + &text(&cells)));
    assert_eq!(read, cells);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("2 line(s)") && notes[0].contains("line 1: "), "{notes:?}");
}

#[test]
fn figures_that_cannot_be_true_are_left_out_and_counted() {
    let cells = gets(&axes("lmdb"), &[1_000, 2_000]);
    let whole = text(&cells);
    let largest = u64::MAX.to_string();
    for (figure, absurd) in [
        ("\"timed_ns\":2000000,", format!("\"timed_ns\":{largest},")),
        ("\"operations\":1000,\"entries\"", format!("\"operations\":{largest},\"entries\"")),
        ("\"entries\":1000,\"bytes\"", "\"entries\":2000000000001,\"bytes\"".to_owned()),
        ("\"latency_ns_max\":200000,", format!("\"latency_ns_max\":{largest},")),
        ("\"rss_peak_above_baseline_bytes\":2097152", format!("\"rss_peak_above_baseline_bytes\":{largest}")),
    ] {
        // In the second round alone.
        let place = whole.rfind(figure).unwrap_or_else(|| panic!("{figure} is not in {whole}"));
        let damaged = format!("{}{absurd}{}", &whole[..place], &whole[place + figure.len()..]);
        let (read, notes) = parsed(&damaged);
        assert_eq!(read[0], cells[0]);
        assert_eq!(read.len(), 1, "{absurd}");
        let expected =
            "1 line(s) of results.jsonl have figures that cannot be true and are left out; the first is line 3: ";
        assert!(notes.len() == 2 && notes[0].starts_with("1 round(s) of cells lack lines"), "{notes:?}");
        assert!(notes[1].starts_with(expected), "{notes:?}");
        let name = absurd.split('"').nth(1).unwrap();
        assert!(notes[1].contains(&format!("{name} ")), "{notes:?}");
    }
}

#[test]
fn figures_that_contradict_each_other_are_left_out() {
    let cells = gets(&axes("lmdb"), &[1_000, 2_000]);
    type Damage = fn(&mut PhaseResult);
    let damages: [(Damage, &str); 5] = [
        (|result| (result.timed_ns, result.operations[0].timed_ns) = (0, None), "operations 1000 in 0 ns"),
        (|result| result.operations[0].timed_ns = Some(1), "latency_ns_mean 2000 of 1000 gets that took 1 ns"),
        (|result| result.operations[0].timed_ns = Some(1_000_000), "latency_ns_mean 2000 of 1000 gets"),
        (|result| result.threads_timed_ns = Some(1_000_000), "timed_ns 2000000 of all operations"),
        (|result| result.operations[0].latency.as_mut().unwrap().latency_ns_p50 = 1 << 40, "percentiles of get"),
    ];
    for (damage, words) in damages {
        let mut damaged = cells.clone();
        damage(&mut damaged[1].phases[0].result);
        let (read, notes) = parsed(&text(&damaged));
        assert_eq!(read, cells[..1], "{words}");
        assert!(notes.len() == 2 && notes[1].contains(words), "{words}: {notes:?}");
    }
}

#[test]
fn a_round_with_a_wrong_answer_has_failed_whatever_its_end_says() {
    let mut cells = gets(&axes("lmdb"), &[1_000, 2_000]);
    cells[1].phases[0].result.answers_wrong = 7;
    let (read, _) = parse_results(&text(&cells));
    assert!(read[0].is_ok() && !read[1].is_ok());
    assert!(read[1].end.failure_message.as_ref().unwrap().starts_with("7 of "));
}

#[test]
fn large_figures_that_can_be_true_are_kept() {
    let mut cells = gets(&axes("lmdb"), &[(1 << 60) / 1_000]);
    cells[0].phases[0].result.wall_ns = 1 << 60;
    let operation = &mut cells[0].phases[0].result.operations[0];
    operation.timed_ns = Some(1 << 60);
    operation.bytes = 1 << 50;
    let finished = cells[0].end.finished.as_mut().unwrap();
    // What a store says by its own names may be a way to say "no limit".
    finished.store_properties.insert("limit".to_owned(), u64::MAX);
    cells[0].end.opened.as_mut().unwrap().settings.insert("limit".to_owned(), u64::MAX.into());
    assert_eq!(parse_results(&text(&cells)), (cells, Vec::new()));
}

#[test]
fn a_phase_of_another_round_is_not_mixed_in() {
    let cells = gets(&axes("lmdb"), &[1_000, 2_000]);
    let stray = text(&cells[..1]).lines().next().unwrap().to_owned() + "\n";
    let (read, notes) = parsed(&(stray + &text(&cells[1..])));
    assert_eq!(read, cells[1..]);
    assert!(notes[0].starts_with("1 unfinished"), "{notes:?}");
}

/// Rounds of two stores with two phases each, and a failed round with a single phase.
fn several() -> Vec<CellRound> {
    let round = |store: &str, round: u32| {
        let phase = |name: &str, mean_ns| phase_result(name, vec![operation("get", mean_ns + u64::from(round))]);
        good(&axes(store), round, vec![phase("get", 1_000), phase("again", 2_000)])
    };
    let mut all: Vec<CellRound> = (1..=3).flat_map(|number| [round("lmdb", number), round("sqlite", number)]).collect();
    let broken = good(&axes("redb"), 1, vec![phase_result("get", vec![operation("get", 3_000)])]);
    all.push(failed(broken, FailureKind::StoreError, "it broke"));
    all
}

#[test]
fn a_round_without_its_phases_is_left_out_though_its_end_is_there() {
    let cells = several();
    let whole = text(&cells);
    let lines: Vec<&str> = whole.lines().collect();
    // Each line in turn is lost: it costs its own round.
    for lost in 0..lines.len() {
        let rest: Vec<&str> = lines.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, line)| *line).collect();
        let (read, notes) = parsed(&(rest.join("\n") + "\n"));
        assert_eq!(read.len(), cells.len() - 1, "line {lost}");
        assert!(read.iter().all(|round| cells.contains(round)), "line {lost}");
        assert_eq!(notes.len(), 1, "{notes:?}");
    }
    // Ends of older versions have no number of phases. A good round has at least one.
    let older = whole.replace(r#""phases_measured":2,"#, "");
    let ends: String =
        older.lines().filter(|line| line.contains(r#""line":"cell""#)).map(|line| format!("{line}\n")).collect();
    assert!(!ends.contains("\"phases_measured\":2") && parse_results(&ends).0.is_empty());
    assert_eq!(parse_results(&older).0.len(), cells.len());
}

/// A round with these phases, each with one `get`.
fn round_of(store: &str, names: &[&str]) -> CellRound {
    good(&axes(store), 1, names.iter().map(|name| phase_result(name, vec![operation("get", 1_000)])).collect())
}

/// The sealed lines that bakeoff writes for these rounds, one after the other.
fn sealed(rounds: &[CellRound]) -> Vec<String> {
    let run = directory(None, None);
    let (mut results, _) = ResultsFile::open(run.path()).unwrap();
    rounds.iter().for_each(|round| results.append(lines(std::slice::from_ref(round))).unwrap());
    let text = fs::read_to_string(run.path().join("results.jsonl")).unwrap();
    text.lines().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_round_that_was_tried_again_is_read_from_lines_in_any_order() {
    let well = round_of("lmdb", &["load", "get", "again"]);
    let full = failed(round_of("lmdb", &["load", "get"]), FailureKind::DiskFull, "no space is left");
    let mut lines = sealed(&[full.clone(), full, well.clone()]);
    let attempts = ["", r#""attempt":2,"#, r#""attempt":3,"#];
    let of_attempt = |attempt: &str| lines.iter().filter(|line| line.contains(attempt)).count();
    assert_eq!(attempts.map(of_attempt), [10, 3, 4], "the first try has no number");
    let check = |lines: &[String], what: &str| {
        let (read, notes) = parse_results(&lines.concat());
        assert_eq!(notes, [], "{what}");
        assert_eq!(read.len(), 1, "{what}");
        assert!(read[0].is_ok() && read[0].phases.len() == 3, "{what}");
        assert!(read[0].phases.iter().all(|phase| well.phases.iter().any(|of| of.result == phase.result)), "{what}");
        let run = directory(None, Some(lines.concat().as_bytes()));
        let (results, put_aside) = ResultsFile::open(run.path()).unwrap();
        assert_eq!((put_aside, results.retried(), results.rounds().len()), (None, 0, 1), "{what}");
        assert_eq!(results.status(&well.end.cell, 1), Some(well.end.status), "{what}: nothing is measured again");
    };
    check(&lines, "as written");
    lines.reverse();
    check(&lines, "reversed");
    lines.sort();
    check(&lines, "sorted");
    for turn in 1..lines.len() {
        lines.rotate_left(turn);
        lines.swap(0, turn);
        check(&lines, "shuffled");
    }
}

#[test]
fn a_line_that_stands_twice_counts_once() {
    let cells = several();
    let lines = sealed(&cells);
    let each: String = lines.iter().flat_map(|line| [line.as_str(), line]).collect();
    for text in [each, lines.concat().repeat(2)] {
        let (read, notes) = parse_results(&text);
        assert_eq!((read.as_slice(), notes), (cells.as_slice(), vec![ReadNote::LinesRepeated(lines.len())]));
        let run = directory(None, Some(text.as_bytes()));
        let (results, put_aside) = ResultsFile::open(run.path()).unwrap();
        assert_eq!((results.rounds(), put_aside), (cells.as_slice(), None));
    }
}

/// Without the number of its phases a round must have those of others, but for what its store does not offer.
#[test]
fn a_round_of_an_older_version_that_lacks_a_phase_is_left_out() {
    let (all, part) = (["load", "get", "again"], ["load", "again"]);
    let mut offers_less = round_of("redb", &part);
    offers_less.end.not_offered = vec![("get".to_owned(), "it has no get".to_owned())];
    let cells = [round_of("lmdb", &part), round_of("sqlite", &all), offers_less.clone(), round_of("fjall", &part)];
    let older = text(&cells).replace(r#""phases_measured":2,"#, "").replace(r#""phases_measured":3,"#, "");
    let (read, notes) = parse_results(&older);
    assert_eq!(notes, [ReadNote::RoundsIncomplete(2)]);
    let stores = |rounds: &[CellRound]| rounds.iter().map(|round| round.end.axes.store.clone()).collect::<Vec<_>>();
    assert_eq!(stores(&read), ["sqlite", "redb"]);
    let run = directory(None, Some(older.as_bytes()));
    let (results, put_aside) = ResultsFile::open(run.path()).unwrap();
    assert_eq!(put_aside.map(|aside| aside.rounds), Some(2));
    assert_eq!((stores(results.rounds()), results.ended()), (stores(&read), 2));
    assert_eq!(results.status(&cells[0].end.cell, 1), None, "it is measured again");
    assert_eq!(parse_results(&fs::read_to_string(run.path().join("results.jsonl")).unwrap()), (read, Vec::new()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn lines_in_any_order_are_the_same_rounds(order in Just((0..20_usize).collect::<Vec<_>>()).prop_shuffle()) {
        let cells = several();
        let whole = text(&cells);
        let lines: Vec<&str> = whole.lines().collect();
        prop_assert_eq!(lines.len(), order.len());
        let shuffled: String = order.iter().map(|at| format!("{}\n", lines[*at])).collect();
        let (read, notes) = parsed(&shuffled);
        prop_assert_eq!(notes, Vec::<String>::new());
        let sorted = |mut rounds: Vec<CellRound>| {
            for round in &mut rounds {
                round.phases.sort_by(|a, b| a.result.phase.cmp(&b.result.phase));
            }
            rounds.sort_by(|a, b| (&a.end.cell, a.end.round).cmp(&(&b.end.cell, b.end.round)));
            rounds
        };
        prop_assert_eq!(sorted(read), sorted(cells));
    }

    #[test]
    fn no_text_is_too_strange(text in "\\PC*") {
        parse_results(&text);
    }

    #[test]
    fn no_damage_is_too_strange(place in any::<prop::sample::Index>(), byte in any::<u8>(), twice in any::<bool>()) {
        let mut bytes = text(&gets(&axes("lmdb"), &[1_000, 2_000])).into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        if twice {
            bytes.extend_from_within(..place);
        }
        let (read, _) = parse_results(&String::from_utf8_lossy(&bytes));
        prop_assert!(read.len() <= 4);
    }
}

fn directory(info: Option<&str>, results: Option<&[u8]>) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    if let Some(info) = info {
        fs::write(directory.path().join("run.json"), info).unwrap();
    }
    if let Some(results) = results {
        fs::write(directory.path().join("results.jsonl"), results).unwrap();
    }
    directory
}

/// `sort results.jsonl` put the load behind the gets, and the stores of a table in another order.
#[test]
fn rounds_and_phases_have_the_order_of_the_run_wherever_their_lines_stand() {
    let phases = ["load", "get", "each"];
    let cell = |variant: &str, store: &str, round: u32, names: [&str; 3]| {
        let axes = Axes { variant: Some(variant.to_owned()), ..axes(store) };
        let phases = names.map(|name| phase_result(name, vec![operation("get", 1_000 + u64::from(round))]));
        good(&axes, round, phases.to_vec())
    };
    let other_way = ["load", "each", "get"];
    let mut cells: Vec<CellRound> = (1..=2)
        .flat_map(|round| ["sqlite", "lmdb"].map(|store| cell("plain", store, round, phases)))
        .chain([cell("turned", "lmdb", 1, other_way)])
        .collect();
    for (second, cell) in cells.iter_mut().enumerate() {
        // The second round begins within a second.
        cell.end.started = format!("2026-01-02T03:04:0{}Z", second / 2);
        cell.end.cell = format!("{}-{}", cell.end.cell, cell.end.axes.variant.as_deref().unwrap_or_default());
        cell.phases.iter_mut().for_each(|phase| phase.cell.clone_from(&cell.end.cell));
    }
    let mut info = info(&stores());
    info["cells"] = json!([0, 1, 4].map(|at| cells[at].end.cell.clone()));
    info["suite"]["phases"] =
        json!([{ "variant": "plain", "phases": phases }, { "variant": "turned", "phases": other_way }]);
    let whole = text(&cells);
    let written: Vec<&str> = whole.lines().collect();
    let sorted = |mut lines: Vec<&str>| {
        lines.sort_unstable();
        lines.join("\n")
    };
    let reversed = written.iter().rev().copied().collect::<Vec<_>>().join("\n");
    for lines in [whole.clone(), sorted(written.clone()), reversed] {
        let run = Run::read(directory(Some(&info.to_string()), Some(lines.as_bytes())).path()).unwrap();
        assert_eq!(run.cells, cells, "{lines}");
        assert_eq!(phase_order(&run.cells), phases);
    }
}

/// Rows of a table had the same name, or none.
#[test]
fn titles_differ_for_people_in_spite_of_descriptions() {
    let long = "x".repeat(300);
    let cut = format!("{}…", &long[..120]);
    let titles = [
        ("a", "Same", "Same [a]"),
        ("b", " same ", "same [b]"),
        ("c", "SAME", "SAME [c]"),
        ("d", "Same [a]", "Same [a] [d]"),
        ("e", " \u{200b}", "e"),
        ("f", "", "f"),
        ("g", long.as_str(), cut.as_str()),
        ("h", "Other", "Other"),
    ];
    let described: Vec<_> = titles.iter().map(|(name, title, _)| store(name, title)).collect();
    let cells: Vec<_> = titles.iter().flat_map(|(name, ..)| gets(&axes(name), &[1_000])).collect();
    let contenders = Contenders::new(&cells, &described);
    let shown: Vec<String> =
        titles.iter().map(|(name, ..)| contenders.of(&axes(name)).unwrap().title.clone()).collect();
    assert_eq!(shown, titles.map(|(.., shown)| shown.to_owned()));
    let info = info(&described).to_string();
    let run = Run::read(directory(Some(&info), Some(text(&cells).as_bytes())).path()).unwrap();
    assert_eq!(run.stores().iter().map(|store| store.title.clone()).collect::<Vec<_>>(), shown, "also in lists");
}

#[test]
fn a_page_of_suites_whose_titles_look_alike_names_both() {
    let runs = [("a.toml", "Same"), ("b.toml", "same")].map(|(name, title)| {
        let mut run = run(gets(&axes("lmdb"), &[1_000]), stores());
        edit(&mut run, |info| info["suite"] = json!({ "name": name, "title": title }));
        run
    });
    let mut page = Vec::new();
    write_page(&Analysis::of_all(&runs), None, std::path::Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("Same [a.toml] and same [b.toml]"));
}

#[test]
fn a_run_is_read_with_its_stores() {
    let cells = gets(&axes("lmdb"), &[1_000]);
    let mut results = text(&cells).into_bytes();
    results.extend(b"{\"line\":\"ph\xff");
    let directory = directory(Some(&info(&stores()).to_string()), Some(&results));
    let run = Run::read(directory.path()).unwrap();
    assert_eq!(run.cells, cells);
    assert_eq!(run.stores(), stores());
    assert_eq!(run.notes, [ReadNote::TornLine, ReadNote::ResultsUnsealed]);
}

#[test]
fn cells_of_another_run_are_noted() {
    let notes = |cells: &[&str]| {
        let mut info = info(&stores());
        info["cells"] = cells.into();
        let directory = directory(Some(&info.to_string()), Some(text(&gets(&axes("lmdb"), &[1_000])).as_bytes()));
        let mut notes = Run::read(directory.path()).unwrap().notes;
        notes.retain(|note| *note != ReadNote::ResultsUnsealed);
        said(&notes)
    };
    assert_eq!(notes(&["lmdb-1024-1000-random"]), Vec::<String>::new());
    assert_eq!(notes(&[]), Vec::<String>::new(), "a run that tells of no cells has no foreign ones");
    let foreign = notes(&["another"]);
    assert!(foreign.len() == 1 && foreign[0].starts_with("1 cell(s) in results.jsonl are not among"), "{foreign:?}");
}

/// Another run's lines changed the winners of a search for rates, and no note said so.
#[test]
fn rounds_that_were_added_to_a_finished_search_are_noted() {
    let notes = |finished: Option<&str>, ended: u64| {
        let mut info = info(&stores());
        (info["cells"], info["finished"], info["rounds_ended"]) =
            (Vec::<&str>::new().into(), finished.into(), ended.into());
        let rounds = text(&gets(&axes("lmdb"), &[1_000, 2_000]));
        let directory = directory(Some(&info.to_string()), Some(rounds.as_bytes()));
        let mut notes = Run::read(directory.path()).unwrap().notes;
        notes.retain(|note| *note != ReadNote::ResultsUnsealed);
        notes
    };
    let at = Some("2026-01-02T03:04:06Z");
    assert_eq!(notes(at, 1), [ReadNote::RoundsAdded(1)]);
    assert_eq!(notes(at, 2), []);
    assert_eq!(notes(at, 3), [ReadNote::RoundsMissing(1)]);
    assert_eq!(notes(None, 1), [], "a run that was killed when it was resumed has more");
}

#[test]
fn directories_that_are_no_runs_are_refused() {
    for info in [None, Some("{}"), Some("[1]"), Some("garbage"), Some("{\"name\":\"someone's package\"}")] {
        let directory = directory(info, Some(b"my own data"));
        let error = Run::read(directory.path()).unwrap_err();
        assert!(matches!(error, RunError::NotARun { .. }), "{error:?}");
        assert!(error.to_string().contains("is not a bakeoff run"), "{error}");
    }
    let missing = Run::read(std::path::Path::new("/nonexistent/run")).unwrap_err();
    assert!(missing.to_string().contains("/nonexistent/run is not a bakeoff run: there is no run.json"), "{missing}");
}

#[test]
fn emptied_results_are_told() {
    let whole = text(&gets(&axes("lmdb"), &[1_000]));
    let info = info(&stores()).to_string();
    let notes =
        |results: &str| said(&Run::read(directory(Some(&info), Some(results.as_bytes())).path()).unwrap().notes);
    assert!(notes("").iter().any(|note| note.contains("results.jsonl is empty")), "{:?}", notes(""));
    assert!(!notes(&whole).iter().any(|note| note.contains("is empty")));
}

#[test]
fn results_beside_a_half_written_run_file_are_shown_alone() {
    let results = text(&gets(&axes("lmdb"), &[1_000, 1_010]));
    for (info, why) in
        [(Some("{\"protocol\":1,\"bakeoff_ver"), "its run.json is no JSON"), (None, "there is no run.json in it")]
    {
        let directory = directory(info, Some(results.as_bytes()));
        let run = Run::read(directory.path()).unwrap();
        assert_eq!(run.cells.len(), 2);
        let report = render_terminal(&Analysis::new(&run), &TerminalOptions { width: 100, color: false, full: false });
        let report = unwrapped(&report);
        for words in [why, "the results are shown alone", "lmdb 1.00 µs"] {
            assert!(report.contains(words), "{words} is not in {report}");
        }
        assert!(!report.contains("NOT FINISHED"), "nobody knows: {report}");
    }
}

#[test]
fn other_versions_and_missing_results_are_noted() {
    let directory = directory(Some("{\"protocol\":7,\"stores\":[{\"name\":\"x\"}]}"), None);
    let notes = said(&Run::read(directory.path()).unwrap().notes).join("\n");
    for words in ["no results.jsonl", "1 store description(s)", "version 7"] {
        assert!(notes.contains(words), "{notes}");
    }
}

#[test]
fn leaders_of_the_workload_asked_for() {
    let mut cells = gets(&axes("lmdb"), &[2_000, 4_000]);
    cells.append(&mut gets(&axes("sqlite"), &[3_600]));
    let other = Axes { durability: Durability::Power, ..axes("flat-folder") };
    cells.append(&mut gets(&other, &[1]));
    let leaders = live_leaders(&cells, &stores(), &axes("sqlite"));
    let [leader] = leaders.as_slice() else { panic!("{leaders:?}") };
    let (next, times) = leader.next.as_ref().expect("another store");
    assert_eq!((leader.place.0.label().as_str(), leader.title.as_str(), leader.ns.round()), ("get", "LMDB", 2_828.0));
    assert_eq!((next.as_str(), (times * 100.0).round()), ("SQLite", 127.0));
    assert!(live_leaders(&[], &stores(), &axes("sqlite")).is_empty());
}
