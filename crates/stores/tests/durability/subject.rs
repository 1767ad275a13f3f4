//! The stores that are checked, and the processes that use them.

use std::path::Path;
use std::process::Command;

use bakeoff_protocol::{DataHints, Durability, Settings, StoreDescription};
use bakeoff_stores::{Entry, OpenRequest, Store};
use tempfile::TempDir;

use crate::child;

/// A store of the tables.
pub(crate) struct Subject {
    entry: Entry,
    pub(crate) description: StoreDescription,
}

/// Every store that keeps data.
pub(crate) fn all() -> Vec<Subject> {
    let subjects = bakeoff_stores::all().map(|entry| Subject { entry, description: (entry.describe)() });
    subjects.filter(|subject| subject.description.capabilities.keeps_data).collect()
}

impl Subject {
    /// Creates or opens the store.
    pub(crate) fn open(&self, directory: &Path, durability: Durability) -> Box<dyn Store> {
        let settings = bakeoff_stores::resolve_settings(&self.description, &Settings::new()).unwrap();
        let hints = DataHints {
            records_max: 10_000,
            records_inserted: 10_000,
            key_bytes_max: 64,
            value_bytes_mean: 1_000,
            value_bytes_max: 1 << 20,
            data_bytes_max: 64 << 20,
            written_bytes: 1 << 30,
            integer_keys: false,
            threads: 1,
        };
        (self.entry.open)(&OpenRequest { directory, durability, settings: &settings, hints: &hints }).unwrap()
    }

    /// The command of a child process with this store.
    pub(crate) fn command(&self, orders: &child::Orders) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(orders.to_arguments(&self.description.name)).env("RUST_BACKTRACE", "0");
        command
    }
}

/// An empty directory on a disk: below the build directory and not in /tmp, which may be memory.
pub(crate) fn directory() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}
