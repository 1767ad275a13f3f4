//! `./bakeoff test`: runs the steps and shows how each ended. Failures and skips appear again at the end.

mod declared;
pub(crate) mod inputs;
mod metadata;
mod options;
mod page;
mod record;
mod schedule;
mod scratch;
mod step;
mod steps;
mod suite;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::build::{need_disk, selection};
use crate::drivers;
use crate::message::say;
use crate::packages::Packages;
use crate::workspace::{Workspace, output_of};
use options::{Extent, HELP, Options};
use record::{Pass, Record};
use schedule::{Finished, Runner};
use scratch::Scratch;
use step::{Ended, Files, Step, TimedTest};
use steps::Plan;

/// The interval of reports on what is running.
const REPORT: Duration = Duration::from_secs(60);
/// The number of slowest tests to list.
const SLOWEST: usize = 15;
/// The number of lines to show of a failure.
const FAILURE_LINES: usize = 80;

/// Runs the tests. False if some failed.
///
/// # Errors
/// They cannot start.
pub(crate) fn main(workspace: &Workspace, arguments: &[&str]) -> Result<bool> {
    let options = Options::parse(arguments)?;
    if options.help {
        print!("{HELP}");
        return Ok(true);
    }
    let record = Record::read(&workspace.own.join("tests.toml"));
    if options.status {
        print!("{}", record.status(steps::long_names(&workspace.root)?.iter().map(String::as_str)));
        return Ok(true);
    }
    let start = Instant::now();
    let plan = Arc::new(prepare(workspace, options.extent)?);
    let logs = workspace.own.join("test-logs");
    std::fs::create_dir_all(&logs).with_context(|| format!("cannot make {}", logs.display()))?;
    let commit = workspace.commit();
    let noted = Mutex::new(Noted { record, results: Results::default() });
    let session = Session { logs, options, commit, noted };
    let first = session.chosen(steps::steps(&plan)?);
    schedule::run(first, workers(), REPORT, &session);
    session.report(workspace, start)
}

/// Installs requirements of the tests, and determines what to test.
fn prepare(workspace: &Workspace, extent: Extent) -> Result<Plan> {
    let packages = Packages::read()?;
    need_disk(&workspace.build)?;
    let missing = packages.need_libraries(workspace);
    packages.want_tools(workspace);
    if extent != Extent::Quick {
        drivers::drivers()?.iter().try_for_each(|driver| driver.need_packages(workspace))?;
    }
    if !packages.browser.need(workspace) {
        bail!("the report's page cannot be tested without a browser");
    }
    need_components(workspace)?;
    let selection = selection(&packages, &missing);
    let tools = tools(&packages, extent);
    let packages = metadata::Packages::read(workspace)?;
    // Tests that take hours run on a disk.
    let in_memory = extent != Extent::Long;
    let scratch = in_memory.then(|| Scratch::in_memory(workspace.own.file_name()?)).flatten();
    Ok(Plan { workspace: workspace.clone(), packages, extent, selection, threads: threads(), tools, scratch })
}

/// Installs the programs that check the sources.
fn need_components(workspace: &Workspace) -> Result<()> {
    let is_there = |name: &str| output_of(&mut workspace.cargo(&[name, "--version"])).is_some();
    if is_there("fmt") && is_there("clippy") {
        return Ok(());
    }
    say!("missing: rustfmt or clippy, to check the sources. Installing with rustup");
    let mut rustup = Command::new("rustup");
    rustup.args(["component", "add", "rustfmt", "clippy"]).current_dir(&workspace.root);
    match rustup.status().is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => bail!("rustfmt and clippy could not be installed: add those of `cargo --version` and start again"),
    }
}

/// Versions of tools that influence test results besides sources.
fn tools(packages: &Packages, extent: Extent) -> String {
    let mut commands = vec![vec!["rustc", "-vV"], vec!["cc", "--version"], vec!["uname", "-r"]];
    let browser = packages.browser.program().unwrap_or_default();
    commands.push(vec![&browser, "--version"]);
    if extent != Extent::Quick {
        commands.extend([vec!["mvn", "--version"], vec!["java", "--version"]]);
    }
    let version = |words: &Vec<&str>| output_of(Command::new(words[0]).args(&words[1..])).unwrap_or_default();
    commands.iter().map(version).collect::<Vec<_>>().join("\n")
}

/// Threads of one test program.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2)
}

/// Steps at a time. Many tests wait for a disk or a clock, so there is one more than processors.
fn workers() -> usize {
    threads() + 1
}

/// The results of the steps.
#[derive(Default)]
struct Results {
    tests: Vec<TimedTest>,
    steps: Vec<(String, Duration)>,
    /// Failed steps, each with the end of its output.
    failed: Vec<(String, String)>,
    blocked: Vec<String>,
    unchanged: Vec<String>,
    skips: Vec<String>,
}

/// A run of the tests.
struct Session {
    logs: PathBuf,
    options: Options,
    commit: Option<String>,
    noted: Mutex<Noted>,
}

/// Shared notes of the steps. A single lock avoids deadlocks: with two, steps could take them in opposite order.
struct Noted {
    record: Record,
    results: Results,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// The wanted steps, and the steps that they need.
    fn chosen(&self, steps: Vec<Step>) -> Vec<Step> {
        let mut wanted: BTreeSet<String> = steps.iter().map(|step| step.name.clone()).collect();
        let is_known = |prefix: &String| steps.iter().any(|step| step.name.starts_with(prefix.as_str()));
        // Builds lead to tests with names that are not known yet.
        let unknown = self.options.only.iter().filter(|prefix| !is_known(prefix));
        let lead = |prefix: &String| if prefix.starts_with(steps::HEAVY_TESTS) { "heavy-build" } else { "build" };
        let leads: BTreeSet<&str> = unknown.map(lead).collect();
        wanted.retain(|name| self.options.wants(name) || leads.contains(name.as_str()));
        loop {
            let needs = steps.iter().filter(|step| wanted.contains(&step.name)).flat_map(|step| step.needs.clone());
            let missing: Vec<String> = needs.filter(|name| !wanted.contains(name)).collect();
            if missing.is_empty() {
                break;
            }
            wanted.extend(missing);
        }
        steps.into_iter().filter(|step| wanted.contains(&step.name)).collect()
    }

    /// A step found by a build, if it is wanted. With `--only` it does not require other builds, which may exist from
    /// before.
    fn wanted(&self, mut step: Step) -> Option<Step> {
        if !self.options.only.is_empty() {
            step.needs.clear();
        }
        self.options.wants(&step.name).then_some(step)
    }

    /// Whether a step passed here with the same inputs, so that it need not run.
    fn is_unchanged(&self, step: &Step) -> bool {
        let mut noted = locked(&self.noted);
        let Some(pass) = noted.record.unchanged(&step.name, step.inputs.as_deref()).filter(|_| !self.options.fresh)
        else {
            return false;
        };
        println!("== {}: unchanged since it passed {}", step.name, pass.at);
        noted.results.unchanged.push(step.name.clone());
        true
    }

    /// Records how a step ended, and shows it.
    fn finish(
        &self,
        name: &str,
        inputs: Option<String>,
        files: &Files,
        start: Instant,
        ended: Result<Ended>,
    ) -> Result<Finished> {
        let took = start.elapsed();
        let skips = files.skips();
        let mut noted = locked(&self.noted);
        let Noted { record, results } = &mut *noted;
        results.steps.push((name.to_owned(), took));
        match ended {
            Ok(Ended { tests, next }) => {
                let count = if tests.is_empty() { String::new() } else { format!(", {} tests", tests.len()) };
                println!("== {name}: ok after {:.1} s{count}", took.as_secs_f64());
                results.tests.extend(tests);
                // A test that was skipped may run another time.
                let skipped = !skips.is_empty();
                let inputs = inputs.filter(|_| !skipped);
                results.skips.extend(skips);
                let (commit, seconds) = (self.commit.clone(), took.as_secs_f64());
                let pass = Pass { inputs, commit, at: record::now(), seconds, skipped };
                record.note(name, pass)?;
                Ok(Finished { passed: true, next: next.into_iter().filter_map(|step| self.wanted(step)).collect() })
            }
            Err(error) => {
                results.skips.extend(skips);
                let text = format!("{}\n{error:#}\nall of it: {}", files.tail(FAILURE_LINES), files.log_path.display());
                println!("== {name}: FAILED after {:.1} s\n{text}", took.as_secs_f64());
                results.failed.push((name.to_owned(), text));
                record.forget_inputs(name)?;
                Ok(Finished { passed: false, next: Vec::new() })
            }
        }
    }

    /// Shows at the end what was skipped, what was slow and what failed. False if something failed.
    fn report(self, workspace: &Workspace, start: Instant) -> Result<bool> {
        let Noted { record, results } = self.noted.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Results { mut tests, mut steps, failed, blocked, unchanged, skips } = results;
        let ran = steps.iter().map(|(name, _)| name).chain(&blocked).chain(&unchanged);
        let unknown = self.options.unknown(ran.map(String::as_str));
        tests.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        steps.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        println!("\nslowest steps:");
        steps.iter().take(SLOWEST).for_each(|(name, took)| println!("  {:>7.1} s  {name}", took.as_secs_f64()));
        println!("slowest tests:");
        tests.iter().take(SLOWEST).for_each(|test| println!("  {:>7.1} s  {}", test.seconds, test.name));
        if self.options.extent == Extent::Long {
            let names = steps::long_names(&workspace.root)?;
            println!("\nlast passes:\n{}", record.status(names.iter().map(String::as_str)));
        }
        skips.iter().for_each(|line| println!("{line}"));
        failed.iter().for_each(|(name, text)| println!("\n== {name} failed:\n{text}"));
        let seconds = start.elapsed().as_secs();
        if !failed.is_empty() {
            let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).collect();
            let blocked = if blocked.is_empty() { String::new() } else { format!("; not run: {}", blocked.join(" ")) };
            println!("\nbakeoff test: FAILED after {seconds} s: {}{blocked}", names.join(" "));
            return Ok(false);
        }
        if !unknown.is_empty() {
            println!("\nbakeoff test: FAILED: no step here has a name that begins with {}", unknown.join(" or "));
            return Ok(false);
        }
        let skipped = if skips.is_empty() { "" } else { " but what was skipped" };
        let unchanged = match unchanged.len() {
            0 => String::new(),
            number => format!("; {number} steps were unchanged"),
        };
        println!("\nbakeoff test: everything{skipped} passed after {seconds} s, {} tests{unchanged}", tests.len());
        Ok(blocked.is_empty())
    }
}

impl Runner for Session {
    fn run(&self, step: Step) -> Finished {
        if self.is_unchanged(&step) {
            return Finished { passed: true, next: Vec::new() };
        }
        let Step { name, inputs, work, .. } = step;
        let start = Instant::now();
        let finished = Files::new(&self.logs, &name).and_then(|mut files| {
            let ended = work(&mut files);
            self.finish(&name, inputs, &files, start, ended)
        });
        finished.unwrap_or_else(|error| {
            println!("== {name}: FAILED: {error:#}");
            locked(&self.noted).results.failed.push((name, format!("{error:#}")));
            Finished { passed: false, next: Vec::new() }
        })
    }

    fn seconds(&self, step: &str) -> Option<f64> {
        locked(&self.noted).record.seconds(step)
    }

    fn blocked(&self, step: &str, by: &str) {
        println!("== {step}: not run, since {by} did not pass");
        locked(&self.noted).results.blocked.push(step.to_owned());
    }

    fn still_running(&self, steps: &[(String, Duration)]) {
        let names: Vec<String> = steps.iter().map(|(name, since)| format!("{name} ({} s)", since.as_secs())).collect();
        println!("   running: {}", names.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(directory: &std::path::Path, arguments: &[&str]) -> Session {
        Session {
            logs: directory.to_owned(),
            options: Options::parse(arguments).unwrap(),
            commit: Some("abc1234".to_owned()),
            noted: Mutex::new(Noted {
                record: Record::read(&directory.join("tests.toml")),
                results: Results::default(),
            }),
        }
    }

    fn step(name: &str, inputs: &str, work: impl FnOnce(&mut Files) -> Result<Ended> + Send + 'static) -> Step {
        Step::new(name, Box::new(work)).reading(inputs.to_owned())
    }

    #[test]
    fn a_step_that_passed_with_the_same_inputs_is_not_run_again_unless_afresh() {
        let place = tempfile::tempdir().unwrap();
        let here = session(place.path(), &[]);
        assert!(here.run(step("a", "1", |_| Ok(Ended::default()))).passed);
        let must_not_run = || step("a", "1", |_| panic!("it ran again"));
        assert!(session(place.path(), &[]).run(must_not_run()).passed);
        let fails = |inputs| step("a", inputs, |_| bail!("wrong"));
        assert!(!session(place.path(), &["--fresh"]).run(fails("1")).passed);
        // It has failed since.
        assert!(!session(place.path(), &[]).run(fails("1")).passed);
        assert!(!session(place.path(), &[]).run(fails("2")).passed);
    }

    #[test]
    fn a_step_that_skipped_something_runs_again_and_says_so_at_the_end() {
        let place = tempfile::tempdir().unwrap();
        let skips = || {
            step("a", "1", |files| {
                files.skip("strace is not there")?;
                Ok(Ended::default())
            })
        };
        let here = session(place.path(), &[]);
        assert!(here.run(skips()).passed);
        assert_eq!(locked(&here.noted).results.skips, ["SKIPPED: strace is not there"]);
        let again = session(place.path(), &[]);
        assert!(!again.is_unchanged(&skips()));
    }

    #[test]
    fn a_failure_keeps_the_end_of_what_was_printed() {
        let place = tempfile::tempdir().unwrap();
        let here = session(place.path(), &[]);
        let prints = step("a", "1", |files| {
            files.run(Command::new("sh").args(["-c", "echo the reason; exit 1"]))?;
            Ok(Ended::default())
        });
        assert!(!here.run(prints).passed);
        let noted = locked(&here.noted);
        let results = &noted.results;
        assert!(results.failed[0].1.contains("the reason") && results.failed[0].1.contains("exit status: 1"));
    }

    #[test]
    fn only_some_steps_bring_what_they_need() {
        let place = tempfile::tempdir().unwrap();
        let here = session(place.path(), &["--only", "heavy-lints"]);
        let named = |name: &str| step(name, "1", |_| Ok(Ended::default()));
        let all = vec![
            named("build"),
            named("format"),
            named("heavy-build").after(&["build"]),
            named("heavy-lints").after(&["heavy-build"]),
        ];
        let names: Vec<String> = here.chosen(all).into_iter().map(|step| step.name).collect();
        assert_eq!(names, ["build", "heavy-build", "heavy-lints"]);
        let here = session(place.path(), &["--only", "heavy-stores:durability"]);
        let all = vec![named("build"), named("format"), named("heavy-build").after(&["build"])];
        let names: Vec<String> = here.chosen(all).into_iter().map(|step| step.name).collect();
        assert_eq!(names, ["build", "heavy-build"], "the build that leads to it");
        let names = |only| {
            let steps = session(place.path(), &["--only", only]).chosen(vec![named("build"), named("format")]);
            steps.into_iter().map(|step| step.name).collect::<Vec<_>>()
        };
        assert_eq!((names("format"), names("suite:plans")), (vec!["format".to_owned()], vec!["build".to_owned()]));
    }
}
