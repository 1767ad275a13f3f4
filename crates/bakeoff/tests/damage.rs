//! Damage to a run, in its files and by kills: nothing panics, no whole round is lost, and no winner changes without a note.

mod common;

use std::io::{Write, sink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_report::{
    ComparisonReport, TerminalOptions, render_comparison, render_terminal, write_csv, write_json, write_markdown,
    write_page, write_parquet, write_xlsx,
};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::overall::Overall;
use bakeoff_results::results_file::ResultsFile;
use bakeoff_results::run::Run;
use common::{Place, exactly_once, tiny_suite};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Mutations of a run's files, which `test long` multiplies by forty.
const MUTATIONS: u64 = 250;

/// Kills of a run, which `test long` multiplies by forty.
const KILLS: u64 = 25;

/// Of so many, one is given to the program, which measures again what is missing.
const RESUMED_OF: u64 = 50;

const FILES: [&str; 2] = ["results.jsonl", "run.json"];

fn scale() -> u64 {
    std::env::var("BAKEOFF_TEST_SCALE").map_or(1, |scale| scale.parse().expect("BAKEOFF_TEST_SCALE is a number"))
}

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
    rankings.map(told).collect()
}

/// Damages a text in one of the ways that disks, editors and people do.
fn damage(random: &mut Xoshiro256PlusPlus, text: &mut Vec<u8>) -> String {
    let at = random.random_range(0..text.len());
    let lines: Vec<Vec<u8>> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let line = random.random_range(0..lines.len());
    let joined = |lines: Vec<Vec<u8>>| lines.concat();
    match random.random_range(0..11) {
        0 => {
            text[at] ^= 1 << random.random_range(0..8_u32);
            format!("a bit of byte {at} is another")
        }
        1 => {
            let digits: Vec<usize> = (0..text.len()).filter(|at| text[*at].is_ascii_digit()).collect();
            let at = digits[random.random_range(0..digits.len())];
            text[at] = b'0' + random.random_range(0..10_u8);
            format!("the digit {at} is another")
        }
        2 => {
            text.truncate(at);
            format!("cut at {at}")
        }
        3 => {
            let end = (at + random.random_range(1..2_000_usize)).min(text.len());
            text[at..end].fill(0);
            format!("zeros from {at} to {end}")
        }
        4 => {
            let end = (at + random.random_range(1..5_000_usize)).min(text.len());
            text.drain(at..end);
            format!("nothing from {at} to {end}")
        }
        5 => {
            let other = random.random_range(0..lines.len());
            let mut lines = lines;
            lines.swap(line, other);
            *text = joined(lines);
            format!("lines {line} and {other} change places")
        }
        6 => {
            let mut lines = lines;
            lines.remove(line);
            *text = joined(lines);
            format!("line {line} is gone")
        }
        // As a program does that reads JSON and writes it again, and as somebody who knows what the checksum is.
        kind @ (8 | 9) => {
            let mut lines = lines;
            let written = String::from_utf8_lossy(&lines[line]).into_owned();
            let other = match kind {
                8 => written.replace("\":", "\": "),
                _ => written.rsplit_once(",\"xxh64\"").map_or(written.clone(), |(rest, _)| format!("{rest}}}\n")),
            };
            lines[line] = other.replace("_ns\":", "_ns\":1").replace("_ns\": ", "_ns\": 1").into_bytes();
            *text = joined(lines);
            format!("line {line} is written again with longer times")
        }
        7 => {
            let mut lines = lines;
            let again = lines[line].clone();
            lines.push(again);
            *text = joined(lines);
            format!("line {line} is there again")
        }
        _ => {
            let from = random.random_range(0..text.len());
            let piece = text[from..(from + random.random_range(1..3_000_usize)).min(text.len())].to_vec();
            text.splice(at..at, piece);
            format!("a piece of {from} is at {at} too")
        }
    }
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

/// What a resumed run would keep: as much as readers take, and the file as it was if that is less than there was.
fn check_kept(directory: &Path, what: &str) {
    let Ok(before) = Run::read(directory) else { return };
    let text = std::fs::read(directory.join("results.jsonl")).expect("results");
    let (results, put_aside) = ResultsFile::open(directory).unwrap_or_else(|why| panic!("{what}: {why}"));
    assert_eq!(results.rounds(), before.cells, "{what}");
    drop(results);
    let after = std::fs::read(directory.join("results.jsonl")).expect("results");
    match put_aside {
        Some(aside) => assert!(std::fs::read(aside.copy).expect("a copy") == text, "{what}"),
        // A missing line end is added.
        None => assert!(after.starts_with(&text), "{what}"),
    }
}

#[test]
fn damaged_results_lose_no_whole_round_and_change_no_winner_without_a_note() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""sqlite", "lmdb", "flat-folder""#, "").replace("rounds = 2", "rounds = 4"));
    place.run(&["run", "tiny.toml"]).expect(0);
    let run = place.only_run();
    let whole = Run::read(&run).expect("a run");
    assert_eq!(whole.notes, []);
    let right = winners(&Analysis::new(&whole));
    assert!(right.len() > 3, "{right:?}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut noted, mut refused, mut changed) = (0, 0, 0);
    for mutation in 0..MUTATIONS * scale() {
        let directory = place.path().join("bakeoff-results").join(format!("20260102-030405-{mutation}"));
        copy(&run, &directory);
        // Seldom the smaller file, whose damage is easily seen.
        let file = directory.join(FILES[usize::from(random.random_range(0..6) == 0)]);
        let mut text = std::fs::read(&file).expect("a file");
        let what = format!("{mutation}: {}: {}", file.display(), damage(&mut random, &mut text));
        std::fs::write(&file, &text).expect("written");
        match Run::read(&directory) {
            Err(_) => refused += 1,
            Ok(read) => {
                let of = Analysis::new(&read);
                let is_changed = winners(&of) != right;
                assert!(!is_changed || !read.notes.is_empty(), "{what}: {:?}", winners(&of));
                noted += usize::from(!read.notes.is_empty());
                changed += usize::from(is_changed);
                show(&of);
                if let Ok(comparison) = ComparisonReport::new(&whole, &read) {
                    let options = TerminalOptions { width: 80, color: false, full: true };
                    assert!(!render_comparison(&comparison, &options).is_empty());
                }
            }
        }
        check_kept(&directory, &what);
        if mutation % RESUMED_OF == 0 {
            let name = directory.to_str().expect("a path");
            let resumed = place.run(&["run", "--resume", name]);
            // A damaged run.json is refused; whatever is taken up ends with every round.
            if resumed.status == Some(0) {
                let read = Run::read(&directory).expect("a run");
                assert_eq!(read.cells.len(), whole.cells.len(), "{what}: {}", resumed.stderr);
            }
            assert!(resumed.status.is_some_and(|status| status <= 2), "{what}: {resumed:?}");
        }
        std::fs::remove_dir_all(&directory).expect("removed");
    }
    println!("{noted} with a note, {refused} refused, {changed} with another ranking, of {}", MUTATIONS * scale());
    assert!(noted > 0 && changed > 0);
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
