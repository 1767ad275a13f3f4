//! Damage to a run, in its files and by kills: nothing panics, no whole round is lost, and no winner changes without a note.

mod common;
mod damages;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, sink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_report::{
    ComparisonReport, TerminalOptions, render_comparison, render_terminal, write_csv, write_json, write_markdown,
    write_page, write_parquet, write_xlsx,
};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::overall::Overall;
use bakeoff_results::rate_results::rate_results;
use bakeoff_results::read_note::ReadNote;
use bakeoff_results::results_file::ResultsFile;
use bakeoff_results::run::Run;
use common::{Place, exactly_once, rate_suite, scale, tiny_suite};
use damages::{Damaged, KINDS};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

/// Mutations of a run's files, which `test long` multiplies by forty.
const MUTATIONS: u64 = 250;

/// Kills of a run, which `test long` multiplies by forty.
const KILLS: u64 = 25;

/// The program resumes one mutated run in this many, and measures again what is missing.
const RESUMED_OF: u64 = 50;

const FILES: [&str; 2] = ["results.jsonl", "run.json"];

/// Who is best at what: the stores of each ranking in their order, and who shares its first place.
fn winners(of: &Analysis) -> Vec<String> {
    let told = |overall: &Overall| {
        let order: Vec<&str> = overall.ranking.order.iter().map(|place| place.name.as_str()).collect();
        format!("{:?} {:?} {order:?}", overall.ranking.verdict, overall.ranking.tied)
    };
    let rankings = of.ranked().flat_map(|ranked| {
        let workloads = ranked.workloads().iter().map(|(_, overall)| overall);
        ranked.answer().into_iter().chain(ranked.measures().iter().flatten()).chain(workloads)
    });
    let pick = of.pick().into_iter().flat_map(|pick| {
        let questions = pick.facts.questions.iter().map(|question| pick.question(&question.variant));
        [pick.asked()]
            .into_iter()
            .chain(questions)
            .map(|ranking| format!("{:?}", ranking.map(|it| (&it.verdict, &it.tied))))
    });
    let rates = of.run.find_rate().map(|facts| rate_results(of.run, facts)).unwrap_or_default().into_iter().flatten();
    let rates = rates.map(|rate| format!("{} {:?}", rate.search.store, rate.bracket.held));
    let mut winners: Vec<_> = rankings.map(told).chain(pick).chain(rates).collect();
    // Workloads come in the order in which they began, which means nothing.
    winners.sort();
    winners
}

/// Renders and exports a run in every form; what cannot be written is an error and no panic.
fn show(of: &Analysis) {
    let terminal = render_terminal(of, &TerminalOptions { width: 80, color: false, full: true });
    assert!(!terminal.is_empty());
    let place = of.run.directory.clone();
    let mut sink = sink();
    let out: &mut dyn Write = &mut sink;
    let _ = write_markdown(of, None, out);
    let _ = write_page(std::slice::from_ref(of), None, &place, out);
    let _ = write_csv(of.run, out);
    let _ = write_json(of, out);
    let _ = write_parquet(of.run, out);
    let _ = write_xlsx(of, out);
}

/// A copy of a run's files in another directory.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.join("logs")).expect("a directory");
    for name in FILES {
        std::fs::copy(from.join(name), to.join(name)).expect("copied");
    }
    std::fs::write(to.join(".bakeoff"), "bakeoff results\n").expect("a marker");
}

/// A run, and what comes of it undamaged.
struct Whole {
    kind: &'static str,
    run: Run,
    files: [Vec<u8>; 2],
    right: Vec<String>,
    /// Whether it can be taken up again.
    resumes: bool,
}

/// A run to make: its kind, suite, arguments, the statuses it may end with, and whether it can be resumed.
type Wanted<'a> = (&'static str, String, &'a [&'a str], &'a [i32], bool);

/// Real runs of every sort, in places of their own.
fn real_runs() -> Vec<(Place, Whole)> {
    let stores = tiny_suite(r#""sqlite", "lmdb", "flat-folder""#, "").replace("rounds = 2", "rounds = 4");
    let mix = "\n[[phases]]\nname = \"mix\"\noperations = 100\nreopen = true\nmix = { get = 0.5, update = 0.5 }\n\
               [settings.faulty]\nfault = \"wrong-value\"\nat = 300\n";
    let failures = tiny_suite(r#""faulty", "lmdb", "nested-folder""#, mix)
        .replace("durability = [\"process\"]", "durability = [\"none\", \"process\"]\nthreads = [1, 2]");
    let rates = rate_suite(300, "rate = 1000", "");
    let pick = ["pick", "--records", "100", "--value-size", "10B", "--stores", "lmdb,sqlite", "--budget", "20s"];
    let turns = ["compare", "--run", "tiny.toml", "other.toml"];
    // A busy machine may leave a pick undecided, and call equals different.
    let runs: [Wanted<'_>; 5] = [
        ("stores", stores.clone(), &["run", "tiny.toml"], &[0], true),
        ("failures, levels and threads", failures, &["run", "tiny.toml"], &[1], true),
        ("a search for rates", rates, &["run", "tiny.toml", "--rounds", "1", "--find-rate", "p90<50ms"], &[0], true),
        ("a pick", stores.clone(), &pick, &[0, 1], false),
        ("a side of a comparison", stores, &turns, &[0, 1, 3], false),
    ];
    let make = |(kind, suite, arguments, statuses, resumes): Wanted<'_>| {
        let place = Place::new();
        place.write("tiny.toml", &suite);
        place.write("other.toml", &suite);
        let finished = place.run(arguments);
        let status = finished.status.filter(|status| statuses.contains(status));
        finished.expect(status.unwrap_or(statuses[0]));
        let directory = place.runs().into_iter().min().expect("a run");
        let run = Run::read(&directory).expect("a run");
        assert_eq!(run.notes, [], "{kind}");
        let right = winners(&Analysis::new(&run));
        let files = FILES.map(|name| std::fs::read(directory.join(name)).expect("a file"));
        (place, Whole { kind, run, files, right, resumes })
    };
    runs.into_iter().map(make).collect()
}

/// The rounds by their cells and numbers, and the phases of each by their names.
fn in_order(rounds: &[CellRound]) -> Vec<CellRound> {
    let mut rounds = rounds.to_vec();
    rounds.iter_mut().for_each(|round| round.phases.sort_by(|a, b| a.result.phase.cmp(&b.result.phase)));
    rounds.sort_by(|a, b| (&a.end.cell, a.end.round).cmp(&(&b.end.cell, b.end.round)));
    rounds
}

/// What a resumed run would keep: as much as readers take, and the file as it was if that is less than there was.
fn check_kept(directory: &Path, what: &str) {
    let Ok(before) = Run::read(directory) else { return };
    // A missing file counts as empty.
    let text = std::fs::read(directory.join("results.jsonl")).unwrap_or_default();
    let (results, put_aside) = ResultsFile::open(directory).unwrap_or_else(|why| panic!("{what}: {why}"));
    // Readers put rounds and phases in the order in which they ran.
    assert_eq!(in_order(results.rounds()), in_order(&before.cells), "{what}");
    drop(results);
    let after = std::fs::read(directory.join("results.jsonl")).expect("results");
    match put_aside {
        Some(aside) => assert!(std::fs::read(aside.copy).expect("a copy") == text, "{what}"),
        // A missing line end is added.
        None => assert!(after.starts_with(&text), "{what}"),
    }
}

/// Lines of a text, by the cell and the number of their round. Lines that cannot be read are left out.
fn lines_by_round(text: &[u8]) -> BTreeMap<(String, u64), BTreeSet<&[u8]>> {
    let mut rounds = BTreeMap::<_, BTreeSet<&[u8]>>::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(read) = serde_json::from_slice::<Value>(line) else { continue };
        if let (Some(cell), Some(round)) = (read["cell"].as_str(), read["round"].as_u64()) {
            rounds.entry((cell.to_owned(), round)).or_default().insert(line);
        }
    }
    rounds
}

/// Every round whose lines all stand intact in the damaged file is read, and how many did. Left out are rounds with other lines of the same name,
/// which nobody can tell from theirs, and files mixed with those of another run.
fn check_intact(directory: &Path, whole: &Whole, what: &str) -> usize {
    let Ok(read) = Run::read(directory) else { return 0 };
    let text = std::fs::read(directory.join("results.jsonl")).unwrap_or_default();
    if read.notes.iter().any(|note| matches!(note, ReadNote::RoundsOfOtherTapes(_))) {
        return 0;
    }
    let there = lines_by_round(&text);
    let expected = lines_by_round(&whole.files[0]);
    let intact = whole.run.cells.iter().filter(|round| {
        let key = (round.end.cell.clone(), u64::from(round.end.round));
        there.get(&key) == expected.get(&key)
    });
    let known = in_order(&read.cells);
    let check = |round: &CellRound| {
        let (end, sorted) = (&round.end, in_order(std::slice::from_ref(round)));
        assert!(known.contains(&sorted[0]), "{what}: {} {} is lost: {:?}", end.axes.store, end.round, read.notes);
    };
    intact.map(check).count()
}

#[test]
fn damaged_results_lose_no_whole_round_and_change_no_winner_without_a_note() {
    let wholes = real_runs();
    assert!(wholes.iter().map(|(_, whole)| whole.right.len()).sum::<usize>() > 10);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    // By kind: mutations, with a note, refused, with another winner.
    let mut counts: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    let (mut resumed, mut intact, mut of_runs) = (0, 0, BTreeMap::<&str, u64>::new());
    for mutation in 0..MUTATIONS * scale() {
        let (place, whole) = &wholes[random.random_range(0..wholes.len())];
        let (_, another) = &wholes[random.random_range(0..wholes.len())];
        let directory = place.path().join("bakeoff-results").join(format!("20260102-030405-{mutation}"));
        copy(&whole.run.directory, &directory);
        // Each kind as often as any other; seldom in the smaller file, whose damage is easily seen, and seldom with another one.
        let mut kinds = vec![&KINDS[(mutation % KINDS.len() as u64) as usize]];
        if random.random_range(0..5) == 0 {
            kinds.push(&KINDS[random.random_range(0..KINDS.len())]);
        }
        let mut what = format!("{mutation}: {}", whole.kind);
        for (name, damage, _) in &kinds {
            let number = usize::from(random.random_range(0..6) == 0);
            let file = directory.join(FILES[number]);
            let mut text = std::fs::read(&file).expect("a file");
            // Nothing is left to be damaged.
            if text.is_empty() {
                continue;
            }
            damage(&mut Damaged { text: &mut text, other: &another.files[number], random: &mut random });
            std::fs::write(&file, &text).expect("written");
            what += &format!(": {}: {name}", FILES[number]);
        }
        if random.random_range(0..100) == 0 {
            let number = usize::from(random.random_range(0..4) == 0);
            std::fs::remove_file(directory.join(FILES[number])).expect("removed");
            what += &format!(": {} is gone", FILES[number]);
        }
        let must_note = kinds.iter().all(|(_, _, must_note)| *must_note);
        let count = counts.entry(kinds[0].0).or_default();
        *of_runs.entry(whole.kind).or_default() += 1;
        count[0] += 1;
        match Run::read(&directory) {
            Err(_) => count[2] += 1,
            Ok(read) => {
                let of = Analysis::new(&read);
                let is_changed = winners(&of) != whole.right;
                let is_silent = must_note && is_changed && read.notes.is_empty();
                assert!(!is_silent, "{what}: {:?} instead of {:?}", winners(&of), whole.right);
                count[1] += u64::from(!read.notes.is_empty());
                count[3] += u64::from(is_changed);
                show(&of);
                for sides in [[&whole.run, &read], [&read, &whole.run]] {
                    if let Ok(comparison) = ComparisonReport::new(sides[0], sides[1]) {
                        let options = TerminalOptions { width: 80, color: false, full: true };
                        assert!(!render_comparison(&comparison, &options).is_empty());
                    }
                }
            }
        }
        intact += check_intact(&directory, whole, &what);
        check_kept(&directory, &what);
        if mutation % RESUMED_OF == 0 {
            let name = directory.to_str().expect("a path");
            let finished = place.run(&["run", "--resume", name]);
            // A damaged run.json is refused. A run that is resumed ends with every round.
            if finished.status == Some(0) && whole.resumes && whole.run.find_rate().is_none() {
                let read = Run::read(&directory).expect("a run");
                // What another run had appended may stand there too, with a note.
                let key = |round: &CellRound| (round.end.cell.clone(), round.end.round);
                let there: BTreeSet<_> = read.cells.iter().map(key).collect();
                let all_there = whole.run.cells.iter().all(|cell| there.contains(&key(cell)));
                assert!(all_there, "{what}: {}", finished.stderr);
            }
            assert!(finished.status.is_some_and(|status| status <= 2), "{what}: {finished:?}");
            resumed += 1;
        }
        std::fs::remove_dir_all(&directory).expect("removed");
    }
    println!("{} mutations, {resumed} resumed, {intact} rounds intact; by run: {of_runs:?}", MUTATIONS * scale());
    println!("kind: mutations, with a note, refused, with another winner");
    counts.iter().for_each(|(kind, count)| println!("{kind}: {count:?}"));
    let sum = |index: usize| counts.values().map(|count| count[index]).sum::<u64>();
    println!("all: {:?}", [0, 1, 2, 3].map(sum));
    assert!(intact > 1_000 && counts.len() == KINDS.len() && sum(1) > 0 && sum(3) > 0);
}

fn driver_is_running(place: &std::path::Path) -> bool {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    processes.map(|process| process.path().join("cwd")).any(|cwd| {
        let is_here = std::fs::read_link(&cwd).is_ok_and(|cwd| cwd.starts_with(place));
        let name = std::fs::read_to_string(cwd.with_file_name("comm")).unwrap_or_default();
        is_here && name.starts_with("bakeoff-driver")
    })
}

/// Kills hit the start, the recording of tapes, the replay, and the writing of results.
#[test]
fn killed_at_random_moments_each_cell_is_there_exactly_once() {
    let place = Place::new();
    let suite = tiny_suite(r#""faulty", "lmdb", "sqlite""#, "\n[settings.faulty]\npause-ns = 300_000\n");
    place.write("tiny.toml", &suite);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let rounds = (40 * scale()).min(1_000);
    let shown = rounds.to_string();
    let mut arguments = vec!["run", "tiny.toml", "--rounds", &shown];
    let mut kills = 0;
    for _ in 0..KILLS * scale() {
        let mut child = place.spawn(&arguments);
        std::thread::sleep(Duration::from_millis(random.random_range(20..550)));
        kills += u64::from(child.try_wait().expect("a status").is_none());
        let _ = child.kill();
        child.wait().expect("it ends");
        if !place.runs().is_empty() {
            arguments = vec!["run", "--resume"];
        }
    }
    println!("{kills} kills of {}", KILLS * scale());
    assert!(kills * 4 >= KILLS * scale() * 3, "only {kills} kills came in time: the run is too short to show anything");
    place.run(&["run", "--resume"]).expect(0);
    exactly_once(&place, 3, rounds);
    place.run(&["clean"]).expect(0);
    assert_eq!(place.leftovers(), Vec::<PathBuf>::new(), "every scratch directory is gone");
    let entries = std::fs::read_dir(place.path().join("bakeoff-results")).expect("results").count();
    assert_eq!(entries, 1, "directories of runs that never began are removed");
    assert!(!driver_is_running(place.path()), "no driver outlives its run");
}
