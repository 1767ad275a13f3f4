//! How fast a large run becomes a page, how large the page is, and how fast it is in a browser.
//!
//! `cargo bench -p bakeoff-report`. The figures of the browser need Chromium, as the tests do; without it they are left out.

mod made_up;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use bakeoff_report::write_page;
use bakeoff_results::analysis::Analysis;
use bakeoff_results::results_file::parse_results;

use crate::made_up::made_up;
use bakeoff_testing::chromium::Browser;
use bakeoff_testing::made_up::text;

const REPEATS: usize = 5;

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
    write_page(&[Analysis::new(&run)], None, Path::new("."), &mut page).unwrap();
    if !long {
        return;
    }
    println!("{results} phase results; median (least to most) of {REPEATS} repeats");
    let lines = text(&run.cells);
    print("read results.jsonl, ms", &mut time(|| parse_results(&lines)));
    print("make the page, ms", &mut time(|| write_page(&[Analysis::new(&run)], None, Path::new("."), &mut Vec::new())));
    println!("{:<52} {:>9.2}", "size of the page, MB", page.len() as f64 / 1e6);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    if bakeoff_testing::chromium::is_there() {
        print_browser(&file)
    } else {
        println!("no Chromium: its figures are left out")
    }
}
