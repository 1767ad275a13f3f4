//! The checks that every store must pass, at every durability level that it offers and with every value of its settings that are choices.
//!
//! With a value other than the default, each check runs at one level, in turn. If `BAKEOFF_TEST_SCALE` is above 1, it runs at all of them.
//! A crate that adds a store calls [`check`] from a test. The printed table shows what was checked, and what a store does not offer, with
//! the reason.

mod checks;
mod description;
mod fixture;
mod model;
mod scale;
mod subject;
mod threads;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bakeoff_protocol::Durability;

use crate::store::Entry;
use fixture::{Fixture, Outcome};
pub use subject::{SmallLogs, Subject};

/// A check: its name and its function.
type Check = (&'static str, fn(&Fixture<'_>) -> Outcome);

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

/// Checks stores and prints a line for each check.
///
/// # Panics
/// A check failed. The table shows which.
pub fn check(entries: &[Entry]) {
    let failures = report(entries, &[], &[]);
    assert_eq!(failures, 0, "{failures} checks failed: see the lines with FAILED above");
}

/// Checks the stores of these names, or all if there are none. Random operations run with short logs if that is a setting, and all other
/// checks with the usual ones. Prints a line for each check, and returns the number of failures.
pub fn report(entries: &[Entry], names: &[String], small_logs: &[SmallLogs<'_>]) -> usize {
    let mut subjects = Subject::all(entries, small_logs);
    subjects.retain(|subject| names.is_empty() || names.contains(&subject.description.name));
    let failures = report_all(&subjects);
    println!("\n{failures} failed");
    failures
}

/// Whether any check fails at this level. A test of the checks expects this of a faulty store.
pub fn finds_fault(subject: &Subject, class: Durability) -> bool {
    CHECKS.iter().any(|(_, check)| is_failure(&run(subject, class, *check)))
}

/// Checks several subjects at the same time, since they often wait for the disk, and prints them in order. Returns the number of failed
/// checks.
fn report_all(subjects: &[Subject]) -> usize {
    const AT_A_TIME: usize = 4;
    let (next, failures) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let done = Mutex::new(Reports::default());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some((index, subject)) = nth(subjects, next.fetch_add(1, Ordering::Relaxed)) {
                    let (text, failed) = lines(subject);
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

/// Reports that wait for earlier ones.
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

/// A line per check, and the number of failures.
fn lines(subject: &Subject) -> (String, usize) {
    let mut text = format!("\n{subject} {}", subject.description.version);
    for (class, reason) in &subject.description.not_offered {
        text += &format!("\n  {class} is not offered: {} ({})", reason.why, reason.source);
    }
    let flaws = description::flaws(&subject.description);
    let described = if flaws.is_empty() { "ok".to_owned() } else { format!("FAILED, {}", flaws.join("; ")) };
    text += &format!("\n  {:<38}{described}", "description");
    let mut failures = usize::from(!flaws.is_empty());
    // The answers of a store that keeps no data are not checked.
    let checks = if subject.description.capabilities.keeps_data { CHECKS } else { &[] };
    for (place, (name, check)) in checks.iter().enumerate() {
        let outcome = |class| {
            let elsewhere = offers(subject, class) && !subject.checks_in(class, place);
            if elsewhere { Outcome::Elsewhere } else { run(subject, class, *check) }
        };
        let outcomes = Durability::ALL.map(|class| (class, outcome(class)));
        failures += outcomes.iter().filter(|(_, outcome)| is_failure(outcome)).count();
        text += &format!("\n  {name:<38}{}", labels(outcomes));
    }
    (text, failures)
}

fn is_failure(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(_))
}

fn offers(subject: &Subject, class: Durability) -> bool {
    subject.description.durability.contains_key(&class)
}

fn run(subject: &Subject, class: Durability, check: fn(&Fixture<'_>) -> Outcome) -> Outcome {
    if !offers(subject, class) {
        return match subject.description.why_not(class) {
            Some(_) => Outcome::NotOffered("not offered, as said above"),
            None => Outcome::Failed(
                "the store neither offers the level nor says why: it belongs in `not_offered`".to_owned(),
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

/// The outcome once if all levels have the same one, else by level.
fn labels(outcomes: [(Durability, Outcome); Durability::ALL.len()]) -> String {
    let mut classes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (class, outcome) in outcomes {
        classes.entry(outcome.to_string()).or_default().push(class.name());
    }
    let lines = classes.into_iter().map(|(outcome, classes)| format!("{}: {outcome}", classes.join(", ")));
    lines.collect::<Vec<_>>().join("; ")
}
