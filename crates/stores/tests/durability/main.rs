//! What each store's durability classes promise, seen from outside, for every store of the table in every class it offers:
//! which writes are flushed (`trace`), and what is left after `kill -9` (`kill`). Since it takes processes too, whether two can have a
//! store open is tried here as well (`two`).
//!
//! The program starts itself again as the process that writes (`child`), which is traced or killed. First the checks
//! themselves are checked: the store `faulty` promises everything and keeps nothing, and both must notice. Where a process may not
//! be traced, that is said, and counted as skipped.
//!
//! With `BAKEOFF_JVM_BUILT`, as `./bakeoff test` sets it, the stores are those of the JVM driver, and the program that is started is
//! `bakeoff.conformance.DurabilityChild`.
//!
//! Each store is also tried, for a shorter time, with every other word of its settings that are choices.
//!
//! Words after `--` choose stores: `cargo test --release -p bakeoff-stores --test durability -- sqlite`.

mod child;
mod history;
mod kill;
mod subject;
mod trace;
mod two;

use std::fmt;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bakeoff_protocol::Durability;
use subject::Subject;

/// How a check went, with what was seen.
enum Outcome {
    Ok(String),
    NotOffered(&'static str),
    Skipped(String),
    Failed(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok(seen) => write!(formatter, "ok, {seen}"),
            Self::NotOffered(why) => write!(formatter, "n/a, {why}"),
            Self::Skipped(why) => write!(formatter, "SKIPPED, {why}"),
            Self::Failed(why) => write!(formatter, "FAILED, {why}"),
        }
    }
}

/// A check: its name and what it does.
type Check = (&'static str, fn(&Subject, Durability) -> Outcome);

/// Those that are worth it with other words of a store's settings too: writes one by one are traced and killed in its stead where there are no batches.
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

/// Stores checked at the same time: much of the time is waiting for the disk.
const AT_A_TIME: usize = 4;

#[derive(Default)]
struct Counts {
    ok: usize,
    not_offered: usize,
    skipped: Vec<String>,
    failed: usize,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == child::ROLE) {
        return child::main(&arguments[1..]);
    }
    let chosen: Vec<&String> = arguments.iter().filter(|word| !word.starts_with('-')).collect();
    let is_chosen = |subject: &Subject| chosen.is_empty() || chosen.contains(&&subject.description.name);
    let (liars, mut stores): (Vec<_>, Vec<_>) =
        subject::all().into_iter().partition(|subject| subject.description.test_only);
    stores.retain(is_chosen);
    stores = stores.into_iter().flat_map(|store| [store.with_other_words(), vec![store]].concat()).collect();
    let unnoticed: Vec<String> = liars.iter().flat_map(unnoticed).collect();
    let counts = report_all(&stores);
    println!(
        "\n{} ok, {} not offered, {} skipped, {} failed",
        counts.ok,
        counts.not_offered,
        counts.skipped.len(),
        counts.failed
    );
    tell_of_skips(&counts.skipped);
    unnoticed.iter().for_each(|what| println!("FAILED: not noticed: {what}"));
    if counts.failed == 0 && unnoticed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks that find nothing wrong with a store that promises what it does not keep, and does not say that it lets anyone in.
fn unnoticed(liar: &Subject) -> Vec<String> {
    let noticed = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_) | Outcome::Skipped(_));
    CHECKS
        .iter()
        .map(|(name, check)| (name, check(liar, Durability::Power)))
        .filter(|(_, outcome)| !noticed(outcome))
        .map(|(name, outcome)| format!("{name} of {}: {outcome}", liar.description.name))
        .collect()
}

/// Checks several stores at a time and prints each one's lines when it is done.
fn report_all(stores: &[Subject]) -> Counts {
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(Counts::default()));
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(subject) = stores.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcomes = check(subject);
                    print!("{}", in_words(subject, &outcomes));
                    outcomes.into_iter().for_each(|(name, class, outcome)| {
                        let what = format!("{name} of {subject} in class {class}");
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
                    Outcome::NotOffered("the word gives the class up")
                }
                true => check(subject, class),
                false if subject.description.why_not(class).is_some() => {
                    Outcome::NotOffered("not offered, as said above")
                }
                false => Outcome::Failed("the store neither offers the class nor says why".to_owned()),
            };
            (*name, class, outcome)
        })
    };
    let checks: &[Check] = if subject.given.is_empty() { &CHECKS } else { &CHECKS_OF_WORDS };
    checks.iter().flat_map(run).collect()
}

fn in_words(subject: &Subject, outcomes: &[Checked]) -> String {
    let mut head = format!("\n{subject} {}\n", subject.description.version);
    for (class, reason) in &subject.description.not_offered {
        head += &format!("  {class} is not offered: {} ({})\n", reason.why, reason.source);
    }
    outcomes.iter().fold(head, |text, (name, class, outcome)| text + &format!("  {name:<31}{class:<9}{outcome}\n"))
}

impl Counts {
    fn add(&mut self, what: &str, outcome: Outcome) {
        match outcome {
            Outcome::Ok(_) => self.ok += 1,
            Outcome::NotOffered(_) => self.not_offered += 1,
            Outcome::Skipped(why) => self.skipped.push(format!("{what}: {why}")),
            Outcome::Failed(_) => self.failed += 1,
        }
    }
}

/// `./bakeoff test` names a file, so that what was skipped stands in its last words.
fn tell_of_skips(skipped: &[String]) {
    let Some(first) = skipped.first() else { return };
    let line = format!("SKIPPED: {} checks of durability; the first: {first}\n", skipped.len());
    print!("{line}");
    if let Some(path) = std::env::var_os("BAKEOFF_SKIPPED") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}
