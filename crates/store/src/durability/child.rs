//! The process that uses the store: it writes and acknowledges, opens and waits, or checks the content.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::ExitCode;

use bakeoff_protocol::Durability;
use xxhash_rust::xxh64::xxh64;

use super::history::{BATCH, History};
use super::orders::{Orders, READY, Task};
use super::subject::Subject;
use crate::store::{Direction, Entry, Session, SessionPlan, flush_directories};

/// Follows the orders in these arguments. An error is a panic with its message on standard error.
pub(super) fn main(entries: &[Entry], arguments: &[String]) -> ExitCode {
    let (store, given, orders) = Orders::from_arguments(arguments);
    let entry = entries.iter().find(|entry| (entry.describe)().name == store).unwrap();
    let subject = Subject::new(*entry).with(given);
    match orders.task {
        Task::Write { from, to } => write(&subject, &orders, from, to, None),
        Task::WriteInHalves { to } => write(&subject, &orders, 0, to, Some(to / 2)),
        Task::Open => open(&subject, &orders),
        Task::Check { from } => say(check(&subject, &orders, from)),
    }
    ExitCode::SUCCESS
}

/// Writes one line at once, so that a reader never sees half of it. If the reader is gone, the process ends.
fn say(line: impl std::fmt::Display) {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdout.flush()).unwrap();
}

fn write(subject: &Subject, orders: &Orders, from: u64, to: u64, pause: Option<u64>) {
    let mut history = History::after(orders.seed, from);
    let store = subject.open(&orders.directory, orders.durability);
    if orders.durability.includes(Durability::Consistent) {
        // As the driver does.
        flush_directories(&orders.directory).unwrap();
    }
    let plan = SessionPlan { batched: orders.batched, ascending: false };
    let work = &mut |session: &mut dyn Session| {
        say(READY);
        while history.steps < to {
            history.next().take(orders.seed, session)?;
            if orders.batched && history.steps.is_multiple_of(BATCH) {
                session.commit()?;
            }
            if history.steps.is_multiple_of(orders.step_length()) {
                say(history.steps);
            }
            if pause == Some(history.steps) {
                wait();
            }
        }
        Ok(())
    };
    store.session(&plan, work).unwrap();
    say("done");
    store.close().unwrap();
}

fn open(subject: &Subject, orders: &Orders) {
    let _store = subject.open(&orders.directory, orders.durability);
    say(READY);
    // The parent kills this process.
    wait();
    std::process::abort();
}

/// Waits until the parent writes something, or its end of the pipe is closed.
fn wait() {
    let _ = std::io::stdin().read(&mut [0]);
}

type Content = BTreeMap<Vec<u8>, Vec<u8>>;

/// The number of steps in the store: those acknowledged, or also the step or batch in progress. If a crash may lose acknowledged writes,
/// any number of whole batches is right.
fn check(subject: &Subject, orders: &Orders, from: u64) -> u64 {
    if !subject.description.survives_process_death(orders.durability) {
        return whole_batches(&content(subject, orders), orders, from);
    }
    let before = History::after(orders.seed, from);
    let after = History::after(orders.seed, from + orders.step_length());
    let found = content(subject, orders);
    let (old, new) = (before.content(), after.content());
    if found == old {
        return before.steps;
    }
    if found == new {
        return after.steps;
    }
    assert!(!subject.description.batch_is_atomic(orders.durability), "{}", difference(&found, &old));
    // The unacknowledged step may be done in part. It is repeated, as an application would do.
    let under_way = |key: &&Vec<u8>| old.get(*key) != new.get(*key) || touched(orders, from).contains(*key);
    let others = |content: &Content| -> Content {
        content.iter().filter(|(key, _)| !under_way(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    assert!(others(&found) == others(&old), "{}", difference(&others(&found), &others(&old)));
    redo(subject, orders, from, &new);
    after.steps
}

fn whole_batches(found: &Content, orders: &Orders, from: u64) -> u64 {
    let mut history = History::after(orders.seed, 0);
    let mut whole = None;
    while history.steps <= from + BATCH {
        if history.is_content(found) {
            whole = Some(history.steps);
        }
        (0..BATCH).for_each(|_| drop(history.next()));
    }
    whole.unwrap_or_else(|| panic!("{} keys are there, and after no whole batch they are", found.len()))
}

fn content(subject: &Subject, orders: &Orders) -> Content {
    let store = subject.open(&orders.directory, orders.durability);
    say(READY);
    let mut found = Content::new();
    let work = &mut |session: &mut dyn Session| {
        session.scan(None, Direction::Any, &mut |key, value| {
            assert!(found.insert(key.to_vec(), value.to_vec()).is_none(), "{key:?} is there twice");
            true
        })
    };
    store.session(&SessionPlan::default(), work).unwrap();
    store.close().unwrap();
    found
}

/// Keys of the step or batch after the first `from` steps.
fn touched(orders: &Orders, from: u64) -> Vec<Vec<u8>> {
    let mut history = History::after(orders.seed, from);
    (0..orders.step_length()).map(|_| history.next().key).collect()
}

fn redo(subject: &Subject, orders: &Orders, from: u64, new: &Content) {
    let store = subject.open(&orders.directory, orders.durability);
    let work = &mut |session: &mut dyn Session| {
        touched(orders, from).iter().try_for_each(|key| match new.get(key) {
            Some(value) => session.upsert(key, value),
            None => session.delete(key),
        })
    };
    store.session(&SessionPlan::default(), work).unwrap();
    store.close().unwrap();
}

/// A short description of the first key that differs.
fn difference(found: &Content, wanted: &Content) -> String {
    let mut keys: Vec<_> = found.keys().chain(wanted.keys()).collect();
    keys.sort();
    keys.dedup();
    let wrong: Vec<_> = keys.into_iter().filter(|key| found.get(*key) != wanted.get(*key)).collect();
    let first = wrong.first().map_or_else(String::new, |key| {
        let name = String::from_utf8_lossy(key);
        format!(
            "`{name}` is {} and was acknowledged as {}",
            describe_value(found.get(*key)),
            describe_value(wanted.get(*key))
        )
    });
    format!("{} of {} keys are not as acknowledged: {first}", wrong.len(), wanted.len())
}

/// A value as its length and its checksum.
fn describe_value(value: Option<&Vec<u8>>) -> String {
    value.map_or("absent".to_owned(), |value| format!("{} bytes ({:08x})", value.len(), xxh64(value, 0) as u32))
}
