//! What a child process is ordered to do, as arguments of its program.
//!
//! The store itself may be in a program in another language (`bakeoff.conformance.DurabilityChild` on the JVM), which reads the same
//! arguments.

use std::path::PathBuf;

use bakeoff_protocol::{Durability, Settings};

use super::history::BATCH;

/// The first argument of a child.
pub(super) const ROLE: &str = "child";
/// The line that says that the store is open.
pub(super) const READY: &str = "ready";

/// What a child that checks has printed last: how many steps it found.
pub(super) fn steps_found(output: &[u8]) -> Option<u64> {
    String::from_utf8_lossy(output).lines().last()?.parse().ok()
}

/// What a child is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Writes from step `from` on, at most to `to`; prints the number of steps done after each that is acknowledged, and then closes.
    Write { from: u64, to: u64 },
    /// Writes from the beginning, too, but half-way waits for a line on standard input.
    WriteInHalves { to: u64 },
    /// Opens the store and waits to be killed.
    Open,
    /// Opens the store and compares the content with what must be there after `from` steps, or what may be since another was
    /// under way, or after any whole batches where acknowledged writes may be lost with the process; prints that it has opened it, and after how many steps it stands.
    Check { from: u64 },
}

/// The orders of a child.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    pub(super) directory: PathBuf,
    pub(super) durability: Durability,
    pub(super) seed: u64,
    pub(super) batched: bool,
    pub(super) task: Task,
}

impl Orders {
    /// As arguments of this program.
    pub(super) fn to_arguments(&self, store: &str, given: &Settings) -> Vec<String> {
        let (name, from, to) = match self.task {
            Task::Write { from, to } => ("write", from, to),
            Task::WriteInHalves { to } => ("write-in-halves", 0, to),
            Task::Open => ("open", 0, 0),
            Task::Check { from } => ("check", from, 0),
        };
        let directory = self.directory.to_str().unwrap();
        let class = self.durability.name();
        let numbers = [self.seed, u64::from(self.batched), from, to].map(|number| number.to_string());
        let given = serde_json::to_string(given).unwrap();
        [ROLE, store, class, directory, name].map(str::to_owned).into_iter().chain(numbers).chain([given]).collect()
    }

    /// The store's name, its settings and the orders in the arguments of a child.
    pub(super) fn from_arguments(arguments: &[String]) -> (&str, Settings, Self) {
        let [store, class, directory, name, seed, batched, from, to, given] = arguments else {
            panic!("{arguments:?}")
        };
        let number = |text: &String| text.parse::<u64>().unwrap();
        let (from, to) = (number(from), number(to));
        let task = match name.as_str() {
            "write" => Task::Write { from, to },
            "write-in-halves" => Task::WriteInHalves { to },
            "open" => Task::Open,
            _ => Task::Check { from },
        };
        let (durability, directory) = (class.parse().unwrap(), PathBuf::from(directory));
        let given = serde_json::from_str(given).unwrap();
        (store, given, Self { directory, durability, seed: number(seed), batched: number(batched) == 1, task })
    }

    /// Steps from one acknowledgement to the next.
    pub(super) fn step_length(&self) -> u64 {
        if self.batched { BATCH } else { 1 }
    }
}
