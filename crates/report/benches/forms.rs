//! How long each form of a large run's report takes, and how much memory.
//!
//! `cargo bench -p bakeoff-report --bench forms -- 50000` makes a run of about that many phase results.
//! `--write DIRECTORY` also keeps it as a run's directory, which `bakeoff report` reads.

mod made_up;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use bakeoff_report::{TerminalOptions, render_terminal, write_csv, write_json, write_markdown, write_page};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::run::Run;

use crate::made_up::made_up;
use bakeoff_testing::made_up::text;

/// Phase results where no number is given.
const RESULTS: u64 = 50_000;

/// Phase results of a made-up run with one number of records.
const RESULTS_OF_ONE: u64 = 576;

/// Clock ticks a second, as Linux counts CPU time for programs.
const TICKS: f64 = 100.0;

/// CPU time of this process so far, seconds.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    // Behind the program's name, which may have blanks, the 12th and 13th fields.
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / TICKS
}

/// The largest resident set since it was last forgotten, MB.
fn peak_megabytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1e3
}

/// Prints the CPU time of some work, and how much it adds to the memory in use.
fn measure<T>(what: &str, work: impl FnOnce() -> T) {
    // Forgets the peak.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let (begin, before) = (cpu_seconds(), peak_megabytes());
    black_box(work());
    println!("{what:<24} {:>8.2} s of CPU  {:>8.0} MB more", cpu_seconds() - begin, peak_megabytes() - before);
}

/// Takes what is written, and keeps nothing.
fn sink() -> std::io::Sink {
    std::io::sink()
}

fn write_directory(run: &Run, directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    fs::write(directory.join("run.json"), serde_json::to_vec(&run.record).unwrap()).unwrap();
    fs::write(directory.join("results.jsonl"), text(&run.cells)).unwrap();
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` runs this too: there it only shows that it runs.
    let long = arguments.iter().any(|argument| argument == "--bench");
    let asked = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(RESULTS);
    let run = made_up(if long { asked.div_ceil(RESULTS_OF_ONE) } else { 1 });
    let written = arguments.iter().skip_while(|argument| *argument != "--write").nth(1).map(PathBuf::from);
    written.iter().for_each(|directory| write_directory(&run, directory));
    let results: usize = run.cells.iter().map(|cell| cell.phases.len()).sum();
    println!("{results} phase results");
    let terminal = |full| render_terminal(&Analysis::new(&run), &TerminalOptions { width: 100, color: true, full });
    measure("terminal", || terminal(false));
    measure("terminal, --full", || terminal(true));
    measure("Markdown", || write_markdown(&Analysis::new(&run), None, &mut sink()).unwrap());
    measure("page", || write_page(&[Analysis::new(&run)], None, Path::new("."), &mut sink()).unwrap());
    measure("JSON", || write_json(&Analysis::new(&run), &mut sink()).unwrap());
    measure("CSV", || write_csv(&run, &mut sink()).unwrap());
}
