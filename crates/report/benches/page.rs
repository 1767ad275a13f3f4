//! How fast a large run becomes a page, how large the page is, and how fast it is in a browser.
//!
//! `cargo bench -p bakeoff-report`. The figures of the browser need Chromium, as the tests do; without it they are left out.

#[path = "../tests/browser/chromium.rs"]
#[allow(dead_code, reason = "the tests need more of it")]
mod chromium;
#[path = "../tests/report/common.rs"]
#[allow(dead_code, reason = "made-up runs, of which other tests need other parts")]
mod common;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use bakeoff_measure::Histogram;
use bakeoff_protocol::{OperationResult, PhaseResult};
use bakeoff_report::write_page;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::results_file::parse_results;
use bakeoff_results::run::Run;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::chromium::Browser;
use crate::common::{axes, good, operation, phase_result, run, store, text, with_course};

const REPEATS: usize = 5;

const ROUNDS: u32 = 3;

/// What is done in each cell, and how many times slower it is than a get.
const PHASES: [(&str, u64); 6] = [("load", 4), ("insert", 5), ("get", 1), ("update", 5), ("remove", 5), ("scan", 2)];

/// A run of this many numbers of records in a matrix as that of the suite `quick`: 576 phase results each. Few stores make many fields of so
/// many results, which is the hardest for the page.
fn made_up(counts: u64) -> Run {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let names: Vec<String> = (0..4).map(|number| format!("store-{number}")).collect();
    let mut cells = Vec::new();
    for workload in 0..counts * 8 {
        for (index, name) in names.iter().enumerate() {
            let mut axes = axes(name);
            (axes.value_bytes_min, axes.value_bytes_max) = (1 << (workload % 4 * 4), 16 << (workload % 4 * 4));
            axes.data = if workload / 4 % 2 == 0 { "random" } else { "text" }.to_owned();
            axes.records = 1_000 * (1 + workload / 8);
            for round in 1..=ROUNDS {
                let phases = PHASES.map(|(name, times)| phase(name, times * (1_000 + 300 * index as u64), &mut random));
                cells.push(distinct(good(&axes, round, phases.to_vec()), workload));
            }
        }
    }
    run(cells, names.iter().map(|name| store(name, name)).collect())
}

/// The same round with an id of its own, as every cell has.
fn distinct(mut round: CellRound, workload: u64) -> CellRound {
    round.end.cell = format!(
        "{:08x}{workload:08x}",
        round.end.axes.store.len() as u64 * 97 + u64::from(round.end.axes.store.as_bytes()[6])
    );
    round.phases.iter_mut().for_each(|line| line.cell.clone_from(&round.end.cell));
    round
}

/// A phase of 5,000 operations whose logarithms scatter as those of stores do, now and then by much.
fn phase(name: &str, mean_ns: u64, random: &mut Xoshiro256PlusPlus) -> PhaseResult {
    let mut histogram = Histogram::new();
    for _ in 0..5_000 {
        let slow = if random.random_range(0..100) == 0 { 3.0 } else { 0.0 };
        let scatter: f64 = (0..4).map(|_| random.random_range(-0.5..0.5)).sum();
        histogram.record((mean_ns as f64 * (scatter + slow).exp()) as u64);
    }
    let timed_ns = Some(histogram.sum_ns());
    let operation = OperationResult { timed_ns, latency: Some(histogram.to_latency()), ..operation("get", mean_ns) };
    with_course(phase_result(name, vec![operation]), mean_ns)
}

/// Prints the median of some samples, and the least and the most.
fn print(what: &str, samples: &mut [f64]) {
    samples.sort_by(f64::total_cmp);
    let (least, median, most) = (samples[0], samples[samples.len() / 2], samples[samples.len() - 1]);
    println!("{what:<52} {median:>9.1}   ({least:.1} to {most:.1})");
}

/// Milliseconds that each of some repeats takes.
fn time<T>(mut work: impl FnMut() -> T) -> Vec<f64> {
    let once = |_| {
        let begin = Instant::now();
        black_box(work());
        begin.elapsed().as_secs_f64() * 1e3
    };
    (0..REPEATS).map(once).collect()
}

/// Opens the page, and chooses every option of every chooser, until the new layout is known, and until all pictures follow it.
fn print_browser(file: &Path) {
    let mut browser = Browser::start(1280, 900);
    let (mut first, mut ready) = (Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        browser.open(file, "");
        let number = |value: serde_json::Value| value.as_f64().unwrap_or(f64::NAN);
        first.push(number(browser.value("performance.getEntriesByName('first-contentful-paint')[0].startTime")));
        ready.push(number(browser.value("Number(document.documentElement.dataset.ready)")));
    }
    print("first screen in Chromium, ms", &mut first);
    print("everything drawn, ms", &mut ready);
    let choices = browser.value(
        "(async () => { const times = [[], []]; const number = document.querySelectorAll('#choosers select').length; \
         for (let place = number - 1; place >= 0; place--) { \
           const options = document.querySelectorAll('#choosers select')[place].options.length; \
           for (let option = 0; option < options; option++) { \
             const select = document.querySelectorAll('#choosers select')[place]; const begin = performance.now(); \
             select.selectedIndex = option; select.dispatchEvent(new Event('change')); document.body.getBoundingClientRect(); \
             times[0].push(performance.now() - begin); \
             while (document.documentElement.dataset.drawing !== undefined) await new Promise((done) => setTimeout(done)); \
             times[1].push(performance.now() - begin); } } return times; })()",
    );
    for (place, what) in ["matrix and workload are", "all pictures are"].iter().enumerate() {
        let times = choices[place].as_array().into_iter().flatten();
        let mut times: Vec<f64> = times.filter_map(serde_json::Value::as_f64).collect();
        print(&format!("a choice, until {what} drawn anew, ms"), &mut times);
    }
}

fn main() {
    // `cargo test --benches` runs this too: there it only shows that it runs.
    let long = std::env::args().any(|argument| argument == "--bench");
    let run = made_up(if long { 36 } else { 1 });
    let results: usize = run.cells.iter().map(|cell| cell.phases.len()).sum();
    let mut page = Vec::new();
    write_page(std::slice::from_ref(&run), None, Path::new("."), &mut page).unwrap();
    if !long {
        return;
    }
    println!("{results} phase results; median (least to most) of {REPEATS} repeats");
    let lines = text(&run.cells);
    print("read results.jsonl, ms", &mut time(|| parse_results(&lines)));
    print(
        "make the page, ms",
        &mut time(|| write_page(std::slice::from_ref(&run), None, Path::new("."), &mut Vec::new())),
    );
    println!("{:<52} {:>9.2}", "size of the page, MB", page.len() as f64 / 1e6);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    if chromium::is_there() { print_browser(&file) } else { println!("no Chromium: its figures are left out") }
}
