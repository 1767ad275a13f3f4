//! The checks of `bakeoff-store` for every store of the table.
//!
//! First the checks themselves are tested: a faulty store must fail some. Names after `--` select stores: `cargo test --release -p
//! bakeoff-stores --test conformance -- sqlite lmdb`.

mod small_logs;

use std::process::ExitCode;

use bakeoff_store::conformance::{Subject, finds_fault, report};
use bakeoff_store::{Durability, Settings};
use small_logs::SMALL_LOGS;

fn main() -> ExitCode {
    let unnoticed = unnoticed_faults();
    let names: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let entries: Vec<_> = bakeoff_stores::all().collect();
    let failures = report(&entries, &names, &SMALL_LOGS);
    if !unnoticed.is_empty() {
        println!("the checks do not notice: {}", unnoticed.join(", "));
    }
    if failures == 0 && unnoticed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The faults of the store `faulty` that no check notices.
fn unnoticed_faults() -> Vec<&'static str> {
    let hook = std::panic::take_hook();
    // These failures are expected, and their messages would only alarm.
    std::panic::set_hook(Box::new(|_| {}));
    let faults = ["wrong-value", "missing-key", "phantom-key", "lost-on-reopen", "lost-in-copy", "error", "panic"];
    let go_unnoticed = |fault: &&str| {
        let subject = faulty(Settings::from([("fault".to_owned(), (*fault).into())]));
        !finds_fault(&subject, Durability::Process)
    };
    let mut unnoticed: Vec<&str> = faults.into_iter().filter(go_unnoticed).collect();
    let mut silent = faulty(Settings::new());
    silent.description.durability.remove(&Durability::Process);
    if !finds_fault(&silent, Durability::Process) {
        unnoticed.push("a class that is not offered without a reason");
    }
    let mut modest = faulty(Settings::new());
    modest.description.key_bytes_max = Some(64);
    if !finds_fault(&modest, Durability::Process) {
        unnoticed.push("keys longer than the longest");
    }
    std::panic::set_hook(hook);
    unnoticed
}

fn faulty(given: Settings) -> Subject {
    Subject::new(bakeoff_stores::find("faulty").expect("it is in every build"), given)
}
