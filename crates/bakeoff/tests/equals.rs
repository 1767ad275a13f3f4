//! What bakeoff says of equals, and of one operation that is a tenth slower: experiments of hours, for `./bakeoff test long`.
//!
//! Each is made without other load and with some (stress-ng). A table of what was found is printed, for `docs/lab`.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bakeoff_results::analysis::Analysis;
use bakeoff_results::comparison::{Change, Comparison, Verdict};
use bakeoff_results::equals::Equals;
use bakeoff_results::pick_outcome::PickAnswer;
use bakeoff_results::run::Run;
use common::{Place, with_program};

/// How often each experiment is repeated under each load, unless the variable says otherwise.
const REPEATS: u32 = 20;

/// The variable that says how often.
const REPEATS_VARIABLE: &str = "BAKEOFF_TEST_REPEATS";

fn repeats() -> u32 {
    std::env::var(REPEATS_VARIABLE).map_or(REPEATS, |text| text.parse().expect("a number of repeats"))
}

/// How many of `trials` may go wrong where one in twenty does: 95 of 100 such experiments have no more.
fn chance(trials: u32) -> u32 {
    let (mut wrong, mut below, mut probability) = (0, 0.0, 0.95_f64.powf(f64::from(trials)));
    while below + probability < 0.95 {
        below += probability;
        wrong += 1;
        probability *= f64::from(trials + 1 - wrong) / f64::from(wrong) * 0.05 / 0.95;
    }
    wrong
}

#[test]
fn chance_is_that_of_the_binomial_distribution() {
    // Sums of the binomial distribution: of 20 trials 0.9245 have at most 2, 0.9841 at most 3; of 40 0.9520 have at most 4; of 2
    // 0.9025 have none, 0.9975 at most 1.
    assert_eq!([chance(20), chance(40), chance(2)], [3, 4, 1]);
}

/// What else the machine does.
#[derive(Clone, Copy, Debug)]
enum Load {
    None,
    /// A process that computes on each CPU, and a process that writes.
    Stress,
}

impl Load {
    fn start(self, place: &Place) -> Option<Stress> {
        let Self::Stress = self else { return None };
        let mut command = Command::new("stress-ng");
        command.args(["--cpu", "0", "--hdd", "1", "--hdd-bytes", "64M", "--temp-path"]).arg(place.path());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).spawn();
        Some(Stress(child.expect("stress-ng starts: apt-get install stress-ng")))
    }
}

/// Load that ends with this.
struct Stress(Child);

impl Drop for Stress {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// A directory with a driver that describes twins, and how bakeoff finds it.
struct Bench {
    place: Place,
    twins: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let place = Place::on_disk();
        let twins = place.path().join(bakeoff_protocol::TWINS_PROGRAM);
        std::os::unix::fs::symlink(common::driver(), &twins).expect("a link");
        Self { place, twins }
    }

    /// Runs bakeoff, which knows the twins, with results in a directory of this name; gives the exit status: 0, 1 or 3.
    fn run(&self, out: &str, arguments: &[&str]) -> i32 {
        let mut command = self.place.command(arguments);
        let path = std::env::join_paths(
            std::iter::once(self.place.path().to_owned())
                .chain(std::env::split_paths(&std::env::var_os("PATH").expect("a PATH"))),
        );
        command.args(["--out", out]).env("PATH", path.expect("a PATH"));
        let output = command.output().expect("bakeoff starts");
        let status = output.status.code().expect("it ends by itself");
        assert!(
            matches!(status, 0 | 1 | 3),
            "{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        status
    }

    /// The runs in a directory of results, in the order in which they were made.
    fn runs(&self, out: &str) -> Vec<Run> {
        let entries = std::fs::read_dir(self.place.path().join(out)).expect("results").flatten();
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.join("run.json").exists()).collect();
        paths.sort();
        paths.iter().map(|path| Run::read(path).expect("a run")).collect()
    }
}

/// How much a run of these experiments found wrong.
fn show(experiment: &str, load: Load, wrong: u32, of: u32, time: Duration) {
    println!("| {experiment} | {load:?} | {wrong} of {of} | {} s |", time.as_secs());
}

const TWINS: &str = include_str!("../src/verbs/doctor/aa.toml");

#[test]
fn rankings_quiet() {
    rankings_and_two_finished_runs_of_equals(Load::None);
}

#[test]
fn rankings_under_load() {
    rankings_and_two_finished_runs_of_equals(Load::Stress);
}

fn rankings_and_two_finished_runs_of_equals(load: Load) {
    let bench = Bench::new();
    bench.place.write("aa.toml", TWINS);
    let (_stress, begin) = (load.start(&bench.place), Instant::now());
    for _ in 0..repeats() {
        bench.run("runs", &["run", "aa.toml"]);
    }
    let runs = bench.runs("runs");
    let found: Vec<Equals> = runs.iter().map(|run| Equals::of(&Analysis::new(run)).expect("twins")).collect();
    let rankings: usize = found.iter().map(|equals| equals.rankings).sum();
    let wrong: usize = found.iter().map(|equals| equals.false_rankings).sum();
    let (rankings, wrong) = (rankings as u32, wrong as u32);
    let tables = found.iter().filter(|equals| equals.false_rankings > 0).count() as u32;
    let whole = found.iter().filter(|equals| equals.is_whole_false == Some(true)).count() as u32;
    show("rankings that call an equal worse", load, wrong, rankings, begin.elapsed());
    show("tables with such a ranking", load, tables, repeats(), begin.elapsed());
    show("overall rankings that call an equal worse", load, whole, repeats(), begin.elapsed());
    // Neighbours in time, no run in two pairs.
    let pairs: Vec<Comparison> =
        runs.chunks_exact(2).map(|pair| Comparison::new(&pair[0], &pair[1]).expect("a comparison")).collect();
    let alarms = pairs.iter().filter(|pair| pair.verdict(Some(0.05)) == Verdict::Worse).count() as u32;
    show("two finished runs, worse=5%", load, alarms, pairs.len() as u32, begin.elapsed());
    assert!(wrong <= chance(rankings), "{wrong} of {rankings} rankings are false");
    assert!(tables <= chance(repeats()), "{tables} tables are false");
    assert!(whole <= chance(repeats()), "{whole} overall rankings are false");
    assert!(alarms <= chance(pairs.len() as u32), "{alarms} false alarms");
}

#[test]
fn picks_quiet() {
    picks_among_equals(Load::None);
}

#[test]
fn picks_under_load() {
    picks_among_equals(Load::Stress);
}

fn picks_among_equals(load: Load) {
    let bench = Bench::new();
    let (_stress, begin) = (load.start(&bench.place), Instant::now());
    for seed in 0..repeats() {
        let seed = seed.to_string();
        let stores = "lmdb,lmdb-b,lmdb-c";
        bench.run("picks", &["pick", "--stores", stores, "--records", "10k", "--budget", "25s", "--seed", &seed]);
    }
    let wrong = answers(&bench.runs("picks")).into_iter().filter(|answer| answer.is_some()).count() as u32;
    show("picks that name one of three equals", load, wrong, repeats(), begin.elapsed());
    assert!(wrong <= chance(repeats()), "{wrong} picks are false");
}

/// The store that each pick names as the best beyond doubt.
fn answers(picks: &[Run]) -> Vec<Option<String>> {
    let answer = |run: &Run| {
        let analysis = Analysis::new(run);
        let pick = analysis.pick().expect("a pick");
        let ranking = pick.asked()?;
        let is_sure = matches!(pick.answer(ranking), PickAnswer::Winner | PickAnswer::AheadByFar);
        is_sure.then(|| ranking.best.clone())
    };
    picks.iter().map(answer).collect()
}

#[test]
fn seeds_quiet() {
    picks_of_ten_seeds_do_not_contradict_each_other(Load::None);
}

#[test]
fn seeds_under_load() {
    picks_of_ten_seeds_do_not_contradict_each_other(Load::Stress);
}

fn picks_of_ten_seeds_do_not_contradict_each_other(load: Load) {
    let bench = Bench::new();
    let (_stress, begin) = (load.start(&bench.place), Instant::now());
    for seed in 0..repeats().div_ceil(2) {
        bench.run(
            "picks",
            &["pick", "--records", "20k", "--value-size", "1KiB", "--budget", "40s", "--seed", &seed.to_string()],
        );
    }
    let answers = answers(&bench.runs("picks"));
    let mut sure: Vec<&String> = answers.iter().flatten().collect();
    println!(
        "| picks, sure of | {load:?} | {} of {}: {sure:?} | {} s |",
        sure.len(),
        answers.len(),
        begin.elapsed().as_secs()
    );
    sure.sort();
    sure.dedup();
    assert!(sure.len() <= 1, "{sure:?}");
}

/// A suite of one store and one operation that writes.
const SLOWED: &str = r#"
title = "Slowed"
summary = "One operation of one store may be slower."
rounds = 3
memory = "256MiB"

[axes]
stores = ["sqlite"]
value-size = ["1KiB..10KiB"]
records = [10_000]
data = ["random"]
durability = ["consistent"]

[[phases]]
name = "load"
operation = "insert"
batch = 10_000
measure = "throughput"

[[phases]]
name = "get"
operation = "get"
operations = 2_000

[[phases]]
name = "update"
operation = "update"
operations = 2_000
"#;

#[test]
fn in_turn_quiet() {
    equals_measured_in_turn_raise_no_alarm(Load::None);
}

#[test]
fn in_turn_under_load() {
    equals_measured_in_turn_raise_no_alarm(Load::Stress);
}

fn equals_measured_in_turn_raise_no_alarm(load: Load) {
    let bench = Bench::new();
    bench.place.write("aa.toml", TWINS);
    let driver = bench.twins.display().to_string();
    let (_stress, begin) = (load.start(&bench.place), Instant::now());
    let (mut alarms, mut undecided, mut marks) = (0, 0, 0);
    for repeat in 0..repeats() {
        let out = format!("turn-{repeat}");
        let arguments = [
            "compare",
            "--run",
            &driver,
            &driver,
            "aa.toml",
            "--stores",
            "sqlite,lmdb",
            "--records",
            "1k",
            "--fail-on",
            "worse=5%",
        ];
        let status = bench.run(&out, &arguments);
        alarms += u32::from(status == 1);
        undecided += u32::from(status == 3);
        marks += u32::from(has_worse(&bench.runs(&out)));
    }
    show("compare --run of equals, worse=5%", load, alarms, repeats(), begin.elapsed());
    show("compare --run of equals, undecided", load, undecided, repeats(), begin.elapsed());
    show("compare --run of equals, anything worse", load, marks, repeats(), begin.elapsed());
    assert!(alarms <= chance(repeats()), "{alarms} false alarms");
    assert!(marks <= chance(repeats()), "{marks} say that something is worse");
}

/// Whether a comparison says that something is worse in the second of two runs, by however little.
fn has_worse(sides: &[Run]) -> bool {
    let found = Comparison::new(&sides[0], &sides[1]).expect("a comparison");
    let mut lines = found.stores.iter().chain(&found.overall).chain(&found.lines);
    lines.any(|line| line.change == Change::Worse)
}

#[test]
fn slower_quiet() {
    an_update_that_is_a_tenth_slower_is_found(Load::None);
}

#[test]
fn slower_under_load() {
    an_update_that_is_a_tenth_slower_is_found(Load::Stress);
}

fn an_update_that_is_a_tenth_slower_is_found(load: Load) {
    let bench = Bench::new();
    bench.place.write("slowed.toml", SLOWED);
    let library = bench.place.path().join("slow_writes.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/slow_writes.c");
    let compiled =
        Command::new("cc").args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
    assert!(compiled.is_ok_and(|status| status.success()), "the library that slows writes is compiled");
    let driver = |name: &str, spin_ns: f64| {
        let (library, driver) = (library.display(), common::driver().display().to_string());
        let words = format!("SPIN_NS={spin_ns:.0} LD_PRELOAD={library} exec {driver} \"$@\"");
        with_program(&bench.place, name, &words).display().to_string()
    };
    let compare = |out: &str, slow: &str, rounds: &str| {
        let usual = driver("usual", 0.0);
        bench.run(out, &["compare", "--run", &usual, slow, "slowed.toml", "--rounds", rounds, "--fail-on", "worse=5%"])
    };
    // How much a long spin costs says how long that of a tenth is.
    let long_ns = 20_000.0;
    compare("calibration", &driver("long", long_ns), "10");
    let cost = update_ratio(&bench.runs("calibration"));
    let spin_ns = long_ns * 0.1 / (cost - 1.0);
    println!("a spin of {long_ns} ns makes an update {cost:.2} times as slow; {spin_ns:.0} ns are a tenth");
    let slow = driver("slow", spin_ns);
    let (_stress, begin) = (load.start(&bench.place), Instant::now());
    let (mut missed, mut passed, mut longest) = (0, 0, Duration::ZERO);
    for repeat in 0..repeats() {
        let (out, begin) = (format!("{load:?}-{repeat}"), Instant::now());
        passed += u32::from(compare(&out, &slow, "10") != 1);
        missed += u32::from(!has_worse(&bench.runs(&out)));
        longest = longest.max(begin.elapsed());
    }
    show("a tenth slower, not called worse", load, missed, repeats(), begin.elapsed());
    show("a tenth slower, worse=5% passes", load, passed, repeats(), begin.elapsed());
    println!("the longest took {} s", longest.as_secs());
    assert!(longest < Duration::from_secs(180), "{longest:?}");
    // Nine in ten are found on a machine that does nothing else. Under load a tenth drowns, and that is shown and not promised.
    assert!(matches!(load, Load::Stress) || missed * 10 <= repeats(), "{missed} missed");
}

/// How many times as long an update takes on the second side.
fn update_ratio(sides: &[Run]) -> f64 {
    let found = Comparison::new(&sides[0], &sides[1]).expect("a comparison");
    let of_update =
        found.overall.iter().find(|line| line.subject.measure().is_some_and(|measure| measure.label() == "update"));
    of_update.and_then(|line| line.ratio).expect("a ratio of updates").estimate
}
