//! The durability promises of the stores of the table, checked from outside: see `bakeoff_store::durability`.
//!
//! With `BAKEOFF_JVM_BUILT`, as `./bakeoff test` sets it, the stores are those of the JVM driver, and the started program is
//! `bakeoff.conformance.DurabilityChild`. Names after `--` select stores: `cargo test --release -p bakeoff-stores --test durability --
//! sqlite`.

mod small_logs;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use bakeoff_store::durability::{Exceptions, Plan, Program, Subject};
use serde_json::Value;
use small_logs::SMALL_LOGS;
use tempfile::TempDir;

/// The directory in which `./bakeoff` has built the JVM driver. If set, its stores are checked instead of those in this program.
const JVM_BUILT: &str = "BAKEOFF_JVM_BUILT";
/// A directory on a disk: below the build directory and not in /tmp, which may be memory.
const SCRATCH: &str = env!("CARGO_TARGET_TMPDIR");

const EXCEPTIONS: Exceptions = Exceptions {
    small_logs: &SMALL_LOGS,
    now_and_then: &[
        ("sqlite", 6, "a checkpoint of the write-ahead log flushes it, and the database"),
        ("sqlite-jdbc", 6, "a checkpoint of the write-ahead log flushes it, and the database"),
        ("berkeley-db", 30, "the log is flushed before a page that changed since leaves the cache"),
        ("berkeley-db-hash", 30, "the log is flushed before a page that changed since leaves the cache"),
        ("wiredtiger", 8, "a thread of its own flushes the log now and then"),
        ("libmdbx", 4, "the file is flushed when it grows"),
        ("mapdb", 200, "its log is flushed at every commit, and nothing turns that off"),
    ],
    made_beforehand: &[
        ("wiredtiger", "WiredTigerTmplog.", "it becomes the next one"),
        (
            "wiredtiger",
            "WiredTigerPreplog.",
            "it holds no record until it is moved to the name of a log, and that matters",
        ),
    ],
    dispensable: &[
        ("sqlite", "-shm", "an index of the write-ahead log, made anew by whoever opens the database first"),
        ("sqlite-jdbc", "-shm", "an index of the write-ahead log, made anew by whoever opens the database first"),
        ("leveldb", "LOG", "it is for people"),
        ("leveldb-jni", "LOG", "it is for people"),
        ("rocksdb", "LOG", "it is for people"),
        ("rocksdb-jni", "LOG", "it is for people"),
        ("berkeley-db-je", ".csv", "its statistics are for people"),
        ("berkeley-db-je", "je.info", "it is for people"),
        ("wiredtiger", "WiredTiger.lock", "it keeps other processes out, and is written when the store is opened"),
    ],
    flushing_words: &[
        ("sqlite", "synchronous", "normal", "without a write-ahead log each commit is flushed"),
        ("sqlite", "journal", "delete", "with a rollback journal each commit is flushed"),
    ],
};

fn main() -> ExitCode {
    let entries: Vec<_> = bakeoff_stores::all().collect();
    let mut plan = Plan { exceptions: EXCEPTIONS, ..Plan::new(&entries, Path::new(SCRATCH)) };
    if let Some(built) = std::env::var_os(JVM_BUILT) {
        plan.elsewhere = jvm_subjects(Path::new(&built));
    }
    bakeoff_store::durability::main(plan)
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
            let description = serde_json::from_value(store.clone()).unwrap();
            subjects.push(Subject::elsewhere(Arc::new(Jvm::new(class_path)), description));
        }
    }
    assert!(!subjects.is_empty(), "{} has no stores", driver.display());
    subjects
}

/// A store in a jar: its class path, and a directory for files that its library unpacks.
struct Jvm {
    class_path: OsString,
    scratch: TempDir,
}

impl Jvm {
    fn new(class_path: OsString) -> Self {
        Self { class_path, scratch: TempDir::new_in(SCRATCH).unwrap() }
    }
}

impl Program for Jvm {
    /// Java with the class path and flags of the driver.
    fn command(&self) -> Command {
        let home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty());
        let mut command = Command::new(home.map_or_else(|| "java".into(), |home| Path::new(&home).join("bin/java")));
        command.arg(concat!("@", env!("CARGO_MANIFEST_DIR"), "/../../jvm/flags"));
        command.args(["-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-Xmx256m"]);
        for property in ["java.io.tmpdir", "user.home"] {
            command.arg(format!("-D{property}={}", self.scratch.path().display()));
        }
        command.arg("-cp").arg(&self.class_path).arg("bakeoff.conformance.DurabilityChild");
        command
    }

    /// A copy with its own scratch directory. If two processes unpack a library into one at the same time, they do it elsewhere, possibly
    /// in the working directory.
    fn afresh(&self) -> Arc<dyn Program> {
        Arc::new(Self::new(self.class_path.clone()))
    }

    fn slowness(&self) -> u32 {
        30
    }
}
