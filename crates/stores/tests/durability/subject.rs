//! The stores that are checked, and the processes that use them.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use bakeoff_protocol::{DataHints, Durability, SettingKind, Settings, StoreDescription};
use bakeoff_stores::{Entry, OpenRequest, Store};
use serde_json::Value;
use tempfile::TempDir;

use crate::child;

/// A store with some settings, with how its processes are started.
#[derive(Clone)]
pub(crate) struct Subject {
    home: Home,
    pub(crate) description: StoreDescription,
    /// Those that are not its defaults.
    pub(crate) given: Settings,
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.description.name)?;
        self.given.iter().try_for_each(|(name, value)| write!(formatter, " {name}={value}"))
    }
}

/// Where a store is at home.
#[derive(Clone)]
enum Home {
    /// In this program.
    Native(Entry),
    /// In a jar: its class path, and a directory for what its library unpacks.
    Jvm { class_path: OsString, scratch: Arc<TempDir> },
}

impl Home {
    /// The same with a scratch directory of its own: two that unpack a library in one at the same time do it elsewhere, in the working directory at worst.
    fn afresh(&self) -> Self {
        match self {
            Self::Native(entry) => Self::Native(*entry),
            Self::Jvm { class_path, .. } => {
                Self::Jvm { class_path: class_path.clone(), scratch: Arc::new(directory()) }
            }
        }
    }
}

/// The directory in which `./bakeoff` has built the JVM driver, whose stores are then looked at instead of those in this program.
const JVM_BUILT: &str = "BAKEOFF_JVM_BUILT";

/// Every store that keeps data.
pub(crate) fn all() -> Vec<Subject> {
    let subjects: Vec<Subject> = match std::env::var_os(JVM_BUILT) {
        Some(built) => jvm_subjects(Path::new(&built)),
        None => bakeoff_stores::all()
            .map(|entry| Subject { home: Home::Native(entry), description: (entry.describe)(), given: Settings::new() })
            .collect(),
    };
    subjects.into_iter().filter(|subject| subject.description.capabilities.keeps_data).collect()
}

fn jvm_subjects(built: &Path) -> Vec<Subject> {
    let conformance = built.join("jvm/conformance/conformance.jar");
    let driver = built.join("release/bakeoff-driver-jvm.d");
    let directories = std::fs::read_dir(&driver).unwrap_or_else(|error| panic!("{}: {error}", driver.display()));
    let mut subjects = Vec::new();
    for directory in directories.map(|entry| entry.unwrap().path()) {
        let Ok(described) = std::fs::read(directory.join("description.json")) else { continue };
        let described: Value = serde_json::from_slice(&described).unwrap();
        let jar = directory.join(directory.file_name().unwrap()).with_extension("jar");
        for store in described["stores"].as_array().unwrap() {
            let class_path = std::env::join_paths([&jar, &conformance]).unwrap();
            let home = Home::Jvm { class_path, scratch: Arc::new(self::directory()) };
            let description = serde_json::from_value(store.clone()).unwrap();
            subjects.push(Subject { home, description, given: Settings::new() });
        }
    }
    subjects
}

/// One store with these settings.
pub(crate) fn find(name: &str, given: Settings) -> Subject {
    let found = all().into_iter().find(|subject| subject.description.name == name).unwrap();
    Subject { given, ..found }
}

impl Subject {
    /// The same store with each other word of each of its settings that is a choice, since a word may change what is written, and how. Numbers
    /// change when and how much.
    pub(crate) fn with_other_words(&self) -> Vec<Self> {
        let mut others = Vec::new();
        for setting in &self.description.settings {
            let words: Vec<Value> = match &setting.kind {
                SettingKind::Choice { words } => words.iter().map(|word| word.as_str().into()).collect(),
                SettingKind::Boolean => vec![false.into(), true.into()],
                SettingKind::Bytes { .. } | SettingKind::Integer { .. } => Vec::new(),
            };
            let is_other = |word: &Value| setting.default.as_ref() != Some(word);
            let given = words.into_iter().filter(is_other).map(|word| Settings::from([(setting.name.clone(), word)]));
            others.extend(given.map(|given| Self { given, home: self.home.afresh(), ..self.clone() }));
        }
        others
    }

    /// Creates or opens the store, in a child of this program.
    pub(crate) fn open(&self, directory: &Path, durability: Durability) -> Box<dyn Store> {
        let Home::Native(entry) = &self.home else { panic!("{} is opened in Java", self.description.name) };
        let settings = bakeoff_stores::resolve_settings(&self.description, &self.given).unwrap();
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
    pub(crate) fn command(&self, orders: &child::Orders) -> Command {
        let mut command = match &self.home {
            Home::Native(_) => Command::new(std::env::current_exe().unwrap()),
            Home::Jvm { class_path, scratch } => java(class_path, scratch.path()),
        };
        command.args(orders.to_arguments(&self.description.name, &self.given)).env("RUST_BACKTRACE", "0");
        command
    }

    /// How many times as long its processes take to start as those of a native store, about.
    pub(crate) fn slowness(&self) -> u32 {
        match &self.home {
            Home::Native(_) => 1,
            Home::Jvm { .. } => 30,
        }
    }
}

/// Java with a class path, its flags as those of the driver.
fn java(class_path: &OsStr, scratch: &Path) -> Command {
    let home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
    let mut command = Command::new(home.map_or_else(|| "java".into(), |home| Path::new(&home).join("bin/java")));
    command.arg(concat!("@", env!("CARGO_MANIFEST_DIR"), "/../../jvm/flags"));
    command.args(["-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-Xmx256m"]);
    for property in ["java.io.tmpdir", "user.home"] {
        command.arg(format!("-D{property}={}", scratch.display()));
    }
    command.arg("-cp").arg(class_path).arg("bakeoff.conformance.DurabilityChild");
    command
}

/// An empty directory on a disk: below the build directory and not in /tmp, which may be memory.
pub(crate) fn directory() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}
