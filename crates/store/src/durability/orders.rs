//! The orders of a child process, as arguments of its program.
//!
//! The store may be in a program in another language (`bakeoff.conformance.DurabilityChild` on the JVM), which reads the same arguments.

use std::path::PathBuf;

use bakeoff_protocol::{Durability, Settings};

use super::history::BATCH;

/// The first argument of a child.
pub(super) const ROLE: &str = "child";
/// The line that reports that the store is open.
pub(super) const READY: &str = "ready";

/// The last line of a checking child: the number of steps it found.
pub(super) fn steps_found(output: &[u8]) -> Option<u64> {
    String::from_utf8_lossy(output).lines().last()?.parse().ok()
}

/// The task of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Writes from step `from` up to `to`, and then closes. Prints the number of steps after each acknowledgement.
    Write { from: u64, to: u64 },
    /// Also writes from the beginning, but waits half-way for a line on standard input.
    WriteInHalves { to: u64 },
    /// Opens the store and waits to be killed.
    Open,
    /// Opens the store and compares its content with the expected one after `from` steps. The step in progress may be there too. Where
    /// acknowledged writes may be lost with the process, any number of whole batches is right. Prints that it has opened the store, and
    /// after how many steps its content is.
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
    /// The orders as arguments of this program.
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

    /// The store's name, its settings and the orders from the arguments of a child.
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
