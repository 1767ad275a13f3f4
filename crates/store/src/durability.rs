//! Checks from outside that a store keeps the promise of each durability level that it offers. `trace` watches which writes are flushed,
//! `kill` compares the content after `kill -9`, and `two` opens the store in two processes.
//!
//! The program starts itself again as the writing process (`child`), which is traced or killed. So a test calls [`main`] from a main
//! function, in a `[[test]]` with `harness = false`:
//! ```no_run
//! # use bakeoff_store::{Entry, durability};
//! # const ENTRY: Entry = Entry { describe: || unimplemented!(), open: |_| unimplemented!() };
//! fn main() -> std::process::ExitCode {
//!     // In a test: env!("CARGO_TARGET_TMPDIR").
//!     durability::main(durability::Plan::new(&[ENTRY], "target/tmp".as_ref()))
//! }
//! ```
//! If tracing is not allowed, its checks count as skipped. Each store is also checked, for a shorter time, with every other value of its
//! settings that are choices. Names after `--` select stores.

mod child;
mod exceptions;
mod history;
mod kill;
mod orders;
mod outcome;
mod subject;
mod trace;
mod two;
mod watch;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bakeoff_protocol::Durability;

use crate::store::Entry;
pub use exceptions::Exceptions;
use outcome::Outcome;
pub use subject::{Program, Subject};

/// A plan of checks.
pub struct Plan<'a> {
    /// Stores in this program. A store for tests only breaks its promise, and the checks must find that.
    pub entries: &'a [Entry],
    /// Stores in other programs. If there are any, they are checked, and those in this program are not.
    pub elsewhere: Vec<Subject>,
    /// The directory for stores. It must be on a disk, since a file system in memory flushes nothing.
    pub scratch: &'a Path,
    /// Stores that flush more than their level requires.
    pub exceptions: Exceptions,
}

impl<'a> Plan<'a> {
    /// A plan for these stores, without exceptions.
    pub fn new(entries: &'a [Entry], scratch: &'a Path) -> Self {
        Self { entries, elsewhere: Vec::new(), scratch, exceptions: Exceptions::default() }
    }

    /// Every store that keeps data.
    fn subjects(self) -> Vec<Subject> {
        let here = self.entries.iter().map(|entry| Subject::new(*entry));
        let subjects = if self.elsewhere.is_empty() { here.collect() } else { self.elsewhere };
        let keeping = subjects.into_iter().filter(|subject| subject.description.capabilities.keeps_data);
        keeping.map(|subject| subject.within(self.scratch, self.exceptions)).collect()
    }
}

/// A check: its name and its function.
type Check = (&'static str, fn(&Subject, Durability) -> Outcome);

/// The checks that also run with other values of a store's settings. Without batches, they use single writes.
const CHECKS_OF_WORDS: [Check; 2] = [
    ("flushes", |subject, class| trace::flushes(subject, class, subject.description.capabilities.batch)),
    ("kill -9", |subject, class| kill::survives(subject, class, subject.description.capabilities.batch)),
];

const CHECKS: [Check; 7] = [
    ("flushes of single writes", |subject, class| trace::flushes(subject, class, false)),
    ("flushes of batches", |subject, class| trace::flushes(subject, class, true)),
    ("flushes as logs grow", trace::flushes_as_logs_grow),
    ("flushes after reopening", trace::flushes_after_reopening),
    ("kill -9 between single writes", |subject, class| kill::survives(subject, class, false)),
    ("kill -9 between batches", |subject, class| kill::survives(subject, class, true)),
    ("two processes", two::share),
];

/// Stores checked at the same time, since they often wait for the disk.
const AT_A_TIME: usize = 4;

#[derive(Default)]
struct Counts {
    ok: usize,
    not_offered: usize,
    skipped: Vec<String>,
    failed: Vec<String>,
}

/// Checks stores, prints a line for each check and level, and returns a failure if a check failed. As its own child it follows its orders.
///
/// # Panics
/// A child cannot be started, or its orders fail.
pub fn main(plan: Plan<'_>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == orders::ROLE) {
        return child::main(plan.entries, &arguments[1..]);
    }
    let chosen: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
    let is_chosen = |subject: &Subject| chosen.is_empty() || chosen.contains(&&subject.description.name);
    let (liars, mut stores): (Vec<_>, Vec<_>) =
        plan.subjects().into_iter().partition(|subject| subject.description.test_only);
    stores.retain(is_chosen);
    stores = stores.into_iter().flat_map(|store| [store.with_other_choices(), vec![store]].concat()).collect();
    let unnoticed: Vec<String> = liars.iter().flat_map(unnoticed).collect();
    let counts = report_all(&stores);
    println!(
        "\n{} ok, {} not offered, {} skipped, {} failed",
        counts.ok,
        counts.not_offered,
        counts.skipped.len(),
        counts.failed.len()
    );
    report_skips(&counts.skipped);
    counts.failed.iter().for_each(|what| println!("FAILED: {what}"));
    unnoticed.iter().for_each(|what| println!("FAILED: not noticed: {what}"));
    if counts.failed.is_empty() && unnoticed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks that do not find the faults of a store that breaks its promise and admits other processes without declaring it.
fn unnoticed(liar: &Subject) -> Vec<String> {
    let noticed = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_) | Outcome::Skipped(_));
    CHECKS
        .iter()
        .map(|(name, check)| (name, check(liar, Durability::Power)))
        .filter(|(_, outcome)| !noticed(outcome))
        .map(|(name, outcome)| format!("{name} of {}: {outcome}", liar.description.name))
        .collect()
}

/// Checks several stores at the same time and prints each one's lines when it is done.
fn report_all(stores: &[Subject]) -> Counts {
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(Counts::default()));
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(subject) = stores.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcomes = check(subject);
                    print!("{}", labels(subject, &outcomes));
                    outcomes.into_iter().for_each(|(name, class, outcome)| {
                        let what = format!("{name} of {subject} at level {class}");
                        counts.lock().unwrap().add(&what, outcome);
                    });
                }
            });
        }
    });
    counts.into_inner().unwrap()
}

type Checked = (&'static str, Durability, Outcome);

fn check(subject: &Subject) -> Vec<Checked> {
    let offered = |class: &Durability| subject.description.durability.contains_key(class);
    let run = |(name, check): &Check| {
        Durability::ALL.map(|class| {
            let outcome = match offered(&class) {
                true if subject.description.gives_up(class, &subject.given).is_some() => {
                    Outcome::NotOffered("the word gives the level up")
                }
                true => check(subject, class),
                false if subject.description.why_not(class).is_some() => {
                    Outcome::NotOffered("not offered, as said above")
                }
                false => Outcome::Failed("the store neither offers the level nor says why".to_owned()),
            };
            (*name, class, outcome)
        })
    };
    let checks: &[Check] = if subject.given.is_empty() { &CHECKS } else { &CHECKS_OF_WORDS };
    checks.iter().flat_map(run).collect()
}

fn labels(subject: &Subject, outcomes: &[Checked]) -> String {
    let mut head = format!("\n{subject} {}\n", subject.description.version);
    for (class, reason) in &subject.description.not_offered {
        head += &format!("  {class} is not offered: {} ({})\n", reason.why, reason.source);
    }
    outcomes.iter().fold(head, |text, (name, class, outcome)| text + &format!("  {name:<31}{class:<12}{outcome}\n"))
}

impl Counts {
    fn add(&mut self, what: &str, outcome: Outcome) {
        match outcome {
            Outcome::Ok(_) => self.ok += 1,
            Outcome::NotOffered(_) => self.not_offered += 1,
            Outcome::Skipped(why) => self.skipped.push(format!("{what}: {why}")),
            Outcome::Failed(why) => self.failed.push(format!("{what}: {why}")),
        }
    }
}

/// `./bakeoff test` names a file for the skipped checks, which its summary shows.
fn report_skips(skipped: &[String]) {
    let Some(first) = skipped.first() else { return };
    let line = format!("SKIPPED: {} checks of durability; the first: {first}\n", skipped.len());
    print!("{line}");
    if let Some(path) = std::env::var_os("BAKEOFF_SKIPPED") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}
