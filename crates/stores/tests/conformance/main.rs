//! Every store of the table, in every class it offers and with every word of its settings, put to the same checks.
//!
//! A new store is checked as soon as it is in the table. Stores that keep no data are left out. The table printed
//! says what was checked and what a store does not offer, with the reason. First the checks themselves are checked: a
//! store that goes wrong must fail some.

mod checks;
mod fixture;
mod model;
mod threads;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bakeoff_protocol::Durability;
use fixture::{Fixture, Outcome, Subject};

/// A check: its name and what it does.
type Check = (&'static str, fn(&Fixture) -> Outcome);

const CHECKS: &[Check] = &[
    ("create, read, update, delete", checks::create_read_update_delete),
    ("odd keys, none leaves its directory", checks::odd_keys),
    ("empty key", checks::empty_key),
    ("longest keys", checks::longest_keys),
    ("empty and large values", checks::values),
    ("missing and present keys", checks::missing_and_present),
    ("upsert", checks::upsert),
    ("batch", checks::batch),
    ("unfinished batch", checks::unfinished_batch),
    ("ascending load", checks::ascending),
    ("whole scan, any order", checks::scan_any_order),
    ("whole scans, ordered", checks::scan_ordered),
    ("scans from any key", model::scans_from_any_key),
    ("random operations against a model", model::random_operations),
    ("reopen finds everything", checks::reopen),
    ("compacted copy", checks::compacted_copy),
    ("1, 2, 4 and 8 threads", threads::threads),
    ("1, 2, 4 and 8 threads, batches", threads::threads_in_batches),
];

fn main() -> ExitCode {
    let unnoticed = unnoticed_faults();
    // Words after `--` choose stores: cargo test --test conformance -- NAME…
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_chosen = |subject: &Subject| chosen.is_empty() || chosen.contains(&subject.description.name);
    let subjects: Vec<Subject> = fixture::subjects().into_iter().filter(is_chosen).collect();
    let failures = report_all(&subjects);
    println!("\n{failures} failed");
    if !unnoticed.is_empty() {
        println!("the checks do not notice: {}", unnoticed.join(", "));
    }
    if failures == 0 && unnoticed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks several subjects at a time, since much of the time is waiting for the disk, and prints them in their order; says how
/// many checks failed.
fn report_all(subjects: &[Subject]) -> usize {
    const AT_A_TIME: usize = 4;
    let (next, failures) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let done = Mutex::new(Reports::default());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some((index, subject)) = nth(subjects, next.fetch_add(1, Ordering::Relaxed)) {
                    let (text, failed) = report(subject);
                    failures.fetch_add(failed, Ordering::Relaxed);
                    done.lock().unwrap().add(index, text);
                }
            });
        }
    });
    failures.into_inner()
}

fn nth(subjects: &[Subject], index: usize) -> Option<(usize, &Subject)> {
    Some((index, subjects.get(index)?))
}

/// Reports that wait for those before them.
#[derive(Default)]
struct Reports {
    printed: usize,
    waiting: BTreeMap<usize, String>,
}

impl Reports {
    fn add(&mut self, index: usize, text: String) {
        self.waiting.insert(index, text);
        while let Some(text) = self.waiting.remove(&self.printed) {
            println!("{text}");
            self.printed += 1;
        }
    }
}

/// A line a check, and how many failed.
fn report(subject: &Subject) -> (String, usize) {
    let mut text = format!("\n{subject} {}", subject.description.version);
    for (class, reason) in &subject.description.not_offered {
        text += &format!("\n  {class} is not offered: {} ({})", reason.why, reason.source);
    }
    let mut failures = 0;
    for (name, check) in CHECKS {
        let outcomes = Durability::ALL.map(|class| (class, run(subject, class, *check)));
        failures += outcomes.iter().filter(|(_, outcome)| is_failure(outcome)).count();
        text += &format!("\n  {name:<38}{}", in_words(outcomes));
    }
    (text, failures)
}

/// The faults of stores that exist to test bakeoff which no check notices.
fn unnoticed_faults() -> Vec<String> {
    let hook = std::panic::take_hook();
    // These failures are wanted; their messages would only alarm.
    std::panic::set_hook(Box::new(|_| {}));
    let faults = ["wrong-value", "missing-key", "phantom-key", "lost-on-reopen", "lost-in-copy", "error", "panic"];
    let unnoticed = faults.into_iter().filter(|fault| {
        let subject = fixture::subject("faulty", &[("fault", fault)]);
        !CHECKS.iter().any(|(_, check)| is_failure(&run(&subject, Durability::Process, *check)))
    });
    let mut unnoticed: Vec<String> = unnoticed.map(str::to_owned).collect();
    let mut silent = fixture::subject("faulty", &[]);
    silent.description.durability.remove(&Durability::Process);
    if !is_failure(&run(&silent, Durability::Process, checks::upsert)) {
        unnoticed.push("a class that is not offered without a reason".to_owned());
    }
    let mut modest = fixture::subject("faulty", &[]);
    modest.description.key_bytes_max = Some(64);
    if !is_failure(&run(&modest, Durability::Process, checks::longest_keys)) {
        unnoticed.push("keys longer than the longest".to_owned());
    }
    std::panic::set_hook(hook);
    unnoticed
}

fn is_failure(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(_))
}

fn run(subject: &Subject, class: Durability, check: fn(&Fixture) -> Outcome) -> Outcome {
    if !subject.description.durability.contains_key(&class) {
        return match subject.description.why_not(class) {
            Some(_) => Outcome::NotOffered("not offered, as said above"),
            None => Outcome::Failed(
                "the store neither offers the class nor says why: it belongs in `not_offered`".to_owned(),
            ),
        };
    }
    let fixture = Fixture::new(subject, class);
    match catch_unwind(AssertUnwindSafe(|| check(&fixture))) {
        Ok(outcome) => outcome,
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Outcome::Failed(text.unwrap_or_else(|| "panic".to_owned()))
        }
    }
}

/// The outcome once if it is the same in every class, else by class.
fn in_words(outcomes: [(Durability, Outcome); 3]) -> String {
    let mut classes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (class, outcome) in outcomes {
        classes.entry(outcome.to_string()).or_default().push(class.name());
    }
    let lines = classes.into_iter().map(|(outcome, classes)| format!("{}: {outcome}", classes.join(", ")));
    lines.collect::<Vec<_>>().join("; ")
}
