//! What the end-to-end tests share: the real program, the real driver, a directory of their own.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod pseudo_terminal;

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// How many times as much `test long` does: 1 elsewhere.
pub(crate) fn scale() -> u64 {
    std::env::var("BAKEOFF_TEST_SCALE").map_or(1, |scale| scale.parse().expect("BAKEOFF_TEST_SCALE is a number"))
}

/// A text without the breaks of its lines and what is set before them, since where a sentence breaks says nothing.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A suite that takes a second: one workload, the given stores, two rounds.
pub(crate) fn tiny_suite(stores: &str, extra: &str) -> String {
    format!(
        r#"
title = "Tiny"
summary = "Small enough for a test."
rounds = 2

[axes]
stores = [{stores}]
value-size = ["10B..100B"]
records = [200]
data = ["random"]
durability = ["process"]

[limits]
timeout = "20s"

[[phases]]
name = "load"
operation = "insert"
batch = "all"
measure = "throughput"

[[phases]]
name = "get"
operation = "get"
operations = 200
access = "uniform"

[[phases]]
name = "scan"
operation = "scan-all"
operations = 1
measure = "throughput"
{extra}
"#
    )
}

/// A suite for the faulty store, which does as its settings say: a load of 200 records, then `rest`.
pub(crate) fn faulty_suite(rest: &str) -> String {
    format!(
        r#"
[axes]
stores = ["faulty"]
value-size = "10B"
records = 200

[[phases]]
name = "load"
operation = "insert"
{rest}
"#
    )
}

/// A suite for the faulty store: a load, then a phase of gets at a rate. `rate` and `settings` are lines of TOML.
pub(crate) fn rate_suite(operations: u64, rate: &str, settings: &str) -> String {
    faulty_suite(&format!(
        r#"

[[phases]]
name = "get"
operation = "get"
operations = {operations}
{rate}
{settings}
"#
    ))
}

/// The tries in the order in which they ran, without the closed loop: rate and speed.
pub(crate) fn rates_tried(place: &Place) -> Vec<(u64, f64)> {
    let is_try = |line: &Value| line["result"]["phase"] == "get" && !line["rate_per_second"].is_null();
    let phases = place.lines().into_iter().filter(is_try);
    let number = |value: &Value| value.as_f64().expect("a number");
    phases
        .map(|line| (number(&line["rate_per_second"]) as u64, number(&line["result"]["open_loop"]["speed"])))
        .collect()
}

/// How many operations of a kind a line of a phase has.
pub(crate) fn operations_of(line: &Value, kind: &str) -> u64 {
    let kinds = line["result"]["operations"].as_array().expect("kinds");
    kinds.iter().find(|of| of["operation"] == kind).map_or(0, |of| of["operations"].as_u64().expect("a number"))
}

/// Whether the driver for stores on the JVM is there: where all are said to be built it must be.
pub(crate) fn jvm_is_built() -> bool {
    let built = program().with_file_name("bakeoff-driver-jvm").exists();
    assert!(built || std::env::var_os("BAKEOFF_DRIVERS_BUILT").is_none(), "the JVM's driver is not built");
    built
}

/// Whether `doctor` says that this machine can do something; if not, that is said, also where `./bakeoff test` gathers what was skipped.
pub(crate) fn doctor_says_possible(place: &Place, line: &str, tests: &str) -> bool {
    let doctor = place.run(&["doctor"]).expect(0).stdout;
    let found = doctor.lines().map(str::trim).find(|words| words.starts_with(line)).expect("doctor speaks of it");
    let can = found.contains("possible") && !found.contains("not possible");
    if !can {
        say_skipped(tests, found);
    }
    can
}

/// Says that tests were left out, also where `./bakeoff test` gathers that.
pub(crate) fn say_skipped(tests: &str, why: &str) {
    let skipped = format!("SKIPPED: {tests}: {why}\n");
    print!("{skipped}");
    if let Some(path) = std::env::var_os("BAKEOFF_SKIPPED") {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(skipped.as_bytes())).expect("the list of skips");
    }
}

/// A file system of 96 MiB in memory, mounted at `small` in a test's place; unmounted when dropped.
pub(crate) struct SmallMount {
    point: PathBuf,
}

impl SmallMount {
    /// `None`, and that is said, where mounting is not allowed.
    pub(crate) fn new(place: &Place, tests: &str) -> Option<Self> {
        Self::with_options(place, tests, "size=96m")
    }

    /// The same with other options of `tmpfs`.
    pub(crate) fn with_options(place: &Place, tests: &str, options: &str) -> Option<Self> {
        let point = place.path().join("small");
        std::fs::create_dir(&point).expect("a mount point");
        let mount = Self { point };
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(mount.path());
        if command.output().is_ok_and(|output| output.status.success()) {
            return Some(mount);
        }
        say_skipped(tests, "mounting a small file system needs root");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        &self.point
    }

    /// Unmounts it; false if a file there is open.
    pub(crate) fn unmount(self) -> bool {
        Command::new("umount").arg(&self.point).status().is_ok_and(|status| status.success())
    }

    /// Takes it away from those who use it, as a disk that is pulled out.
    pub(crate) fn pull_out(&self) {
        let pulled = Command::new("umount").arg("--lazy").arg(&self.point).status();
        assert!(pulled.is_ok_and(|status| status.success()), "the small file system can be pulled out");
    }
}

impl Drop for SmallMount {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["--lazy", "--quiet"]).arg(&self.point).stderr(Stdio::null()).status();
    }
}

/// A directory in which bakeoff is run.
pub(crate) struct Place {
    directory: TempDir,
}

impl Place {
    /// Where the system has its temporary files, which may be memory.
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().expect("a directory for the test") }
    }

    /// Below the build directory, on a disk.
    pub(crate) fn on_disk() -> Self {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Self { directory: TempDir::new_in(base).expect("a directory for the test") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).expect("the test can write its file");
        path
    }

    /// The program with these arguments, in this directory.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .arg0("bakeoff")
            .args(arguments)
            .current_dir(self.path())
            .env_remove("NO_COLOR")
            .env_remove("BAKEOFF_SCRIPT")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        Finished::of(self.command(arguments).output().expect("bakeoff starts"))
    }

    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("bakeoff starts")
    }

    /// The only run below `bakeoff-results`.
    pub(crate) fn only_run(&self) -> PathBuf {
        let runs = self.runs();
        assert_eq!(runs.len(), 1, "one run is expected: {runs:?}");
        runs[0].clone()
    }

    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path().join("bakeoff-results")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.join("run.json").exists()).collect()
    }

    /// What `run.json` of the only run says.
    pub(crate) fn run_file(&self) -> Value {
        let text = std::fs::read(self.only_run().join("run.json")).expect("there is a run");
        serde_json::from_slice(&text).expect("it is JSON")
    }

    /// The lines of the only run's results that end a cell.
    pub(crate) fn cells(&self) -> Vec<Value> {
        self.lines().into_iter().filter(|line| line["line"] == "cell").collect()
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.only_run().join("results.jsonl")).expect("there are results");
        text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    }

    /// The lines of a phase, in the order in which its cells ran.
    pub(crate) fn phases(&self, phase: &str) -> Vec<Value> {
        self.lines().into_iter().filter(|line| line["result"]["phase"] == phase).collect()
    }

    /// Scratch directories below `bakeoff-results`: leftovers.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path().join("bakeoff-results")).into_iter().flatten().flatten();
        let is_scratch = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with("bakeoff-scratch");
        entries.filter(is_scratch).map(|entry| entry.path()).collect()
    }
}

/// Asserts that each round of each cell ended well, once.
pub(crate) fn exactly_once(place: &Place, cells: usize, rounds: u64) {
    let mut counts = BTreeMap::new();
    for cell in place.cells() {
        assert_eq!(cell["status"], "ok", "{cell}");
        let key = (cell["cell"].as_str().map(str::to_owned), cell["round"].as_u64());
        *counts.entry(key).or_insert(0) += 1;
    }
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    assert_eq!(counts.len() as u64, cells as u64 * rounds);
}

/// A time to sleep that no other process sleeps for, not even those of the same tests in another run.
pub(crate) fn a_long_time(which: u32) -> String {
    format!("{which}{}", std::process::id())
}

/// How many processes sleep for this long.
pub(crate) fn running(seconds: &str) -> usize {
    let line = format!("sleep\0{seconds}\0").into_bytes();
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    processes.filter(|process| std::fs::read(process.path().join("cmdline")).is_ok_and(|found| found == line)).count()
}

/// Makes a program `name` in a place's directory `bin`: a shell script of these words.
pub(crate) fn with_program(place: &Place, name: &str, words: &str) -> PathBuf {
    let bin = place.path().join("bin");
    std::fs::create_dir_all(&bin).expect("a directory");
    let path = place.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{words}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    path
}

/// How the program ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Asserts the exit status, showing everything if it is another.
    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that standard error has these words, and no sign of a panic.
    pub(crate) fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in:\n{}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }
}

/// The built program. The driver must be next to it, as `./bakeoff` builds them.
pub(crate) fn program() -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_bakeoff"));
    let driver = program.with_file_name("bakeoff-driver-native");
    assert!(driver.exists(), "build the driver first: cargo build --release -p bakeoff-driver");
    program
}

pub(crate) fn driver() -> PathBuf {
    program().with_file_name("bakeoff-driver-native")
}
