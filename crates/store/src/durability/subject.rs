//! The stores under test, and the processes that use them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bakeoff_protocol::{DataHints, Durability, SettingKind, Settings, StoreDescription};
use serde_json::Value;
use tempfile::TempDir;

use super::exceptions::Exceptions;
use super::orders::Orders;
use crate::settings::resolve_settings;
use crate::store::{Entry, OpenRequest, Store};

/// Another program with a store, such as a store on the JVM.
pub trait Program: Send + Sync {
    /// The command that starts it. Its arguments are those of a child of this program.
    fn command(&self) -> Command;

    /// The same program, without shared files.
    fn afresh(&self) -> Arc<dyn Program>;

    /// The approximate factor by which its processes start more slowly than a native program.
    fn slowness(&self) -> u32;
}

/// A store with some settings, and how its processes are started.
#[derive(Clone)]
pub struct Subject {
    home: Home,
    pub(super) description: StoreDescription,
    /// Settings that differ from the defaults.
    pub(super) given: Settings,
    pub(super) exceptions: Exceptions,
    scratch: PathBuf,
}

/// The program with the store.
#[derive(Clone)]
enum Home {
    /// This program.
    Here(Entry),
    /// Another program.
    Elsewhere(Arc<dyn Program>),
}

impl Home {
    fn afresh(&self) -> Self {
        match self {
            Self::Here(entry) => Self::Here(*entry),
            Self::Elsewhere(program) => Self::Elsewhere(program.afresh()),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.description.name)?;
        self.given.iter().try_for_each(|(name, value)| write!(formatter, " {name}={value}"))
    }
}

impl Subject {
    /// A store in this program, with its defaults.
    pub(super) fn new(entry: Entry) -> Self {
        Self::of(Home::Here(entry), (entry.describe)())
    }

    /// A store in another program, with its defaults.
    pub fn elsewhere(program: Arc<dyn Program>, description: StoreDescription) -> Self {
        Self::of(Home::Elsewhere(program), description)
    }

    fn of(home: Home, description: StoreDescription) -> Self {
        let (exceptions, scratch) = (Exceptions::default(), std::env::temp_dir());
        Self { home, description, given: Settings::new(), exceptions, scratch }
    }

    /// The same store with these settings.
    pub(super) fn with(&self, given: Settings) -> Self {
        Self { given, home: self.home.afresh(), ..self.clone() }
    }

    /// The same store, with directories below `scratch`.
    pub(super) fn within(self, scratch: &Path, exceptions: Exceptions) -> Self {
        Self { scratch: scratch.to_owned(), exceptions, ..self }
    }

    /// The same store with each other value of each setting that is a choice, since it may change what is written, and how. Numbers only
    /// change when and how much.
    pub(super) fn with_other_choices(&self) -> Vec<Self> {
        let mut others = Vec::new();
        for setting in &self.description.settings {
            let words: Vec<Value> = match &setting.kind {
                SettingKind::Choice { words } => words.iter().map(|word| word.as_str().into()).collect(),
                SettingKind::Boolean => vec![false.into(), true.into()],
                SettingKind::Bytes { .. } | SettingKind::Integer { .. } => Vec::new(),
            };
            let is_other = |word: &Value| setting.default.as_ref() != Some(word);
            let given = words.into_iter().filter(is_other).map(|word| Settings::from([(setting.name.clone(), word)]));
            others.extend(given.map(|given| self.with(given)));
        }
        others
    }

    /// The store with settings that make its logs short, if it needs any for that.
    pub(super) fn with_small_logs(&self) -> Option<Self> {
        let (_, setting, bytes) = self.exceptions.small_logs_of(&self.description.name)?;
        Some(self.with([(setting.to_owned(), bytes.into())].into_iter().collect()))
    }

    /// Creates or opens the store, in a child of this program.
    pub(super) fn open(&self, directory: &Path, durability: Durability) -> Box<dyn Store> {
        let Home::Here(entry) = &self.home else { panic!("{} is opened elsewhere", self.description.name) };
        let settings = resolve_settings(&self.description, &self.given).unwrap();
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
        (entry.open)(&OpenRequest { directory, durability, settings: &settings, hints: &hints }).unwrap()
    }

    /// The command of a child process with this store.
    pub(super) fn command(&self, orders: &Orders) -> Command {
        let mut command = match &self.home {
            Home::Here(_) => Command::new(std::env::current_exe().unwrap()),
            Home::Elsewhere(program) => program.command(),
        };
        command.args(orders.to_arguments(&self.description.name, &self.given)).env("RUST_BACKTRACE", "0");
        command
    }

    /// The approximate factor by which its processes start more slowly than a native store's.
    pub(super) fn slowness(&self) -> u32 {
        match &self.home {
            Home::Here(_) => 1,
            Home::Elsewhere(program) => program.slowness(),
        }
    }

    /// An empty directory.
    pub(super) fn directory(&self) -> TempDir {
        TempDir::new_in(&self.scratch).unwrap()
    }
}
