//! Which writes are flushed: `strace` shows the system calls between one acknowledgement and the next.
//!
//! In class `power` each acknowledgement must come after a flush of something in the store's directory that succeeded, and of each directory in
//! which a name came (for stores of one file a record, or went), from the opening on. In the other classes writes must not be flushed at all, but for the stores of [`NOW_AND_THEN`].
//!
//! Logs that are full are followed by others. So, in class `power`, more is written than any log takes, and what is flushed for an acknowledgement must
//! have a name that was flushed before. Files that are made beside, of what other files have too, may wait.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use bakeoff_protocol::{Durability, Structure};

use crate::Outcome;
use crate::child::{Orders, Task};
use crate::history::BATCH;
use crate::subject::{self, Subject};

/// Acknowledgements that are looked at.
const ACKNOWLEDGEMENTS: u64 = 200;
/// The same with settings other than the defaults.
const ACKNOWLEDGEMENTS_SHORT: u64 = 60;
/// Acknowledgements before a store is closed and opened again.
const ACKNOWLEDGEMENTS_BEFORE: u64 = 20;
/// Acknowledgements until a store's log has been followed by another: of some 15 MB, where LevelDB's take 4 MiB and those of Berkeley DB 10.
const ACKNOWLEDGEMENTS_LONG: u64 = 900;
/// Settings with which logs end sooner: by default those of these stores take 64 or 100 MiB.
const SMALL_LOGS: [(&str, &str, u64); 4] = [
    ("rocksdb", "write-buffer", 1 << 20),
    ("rocksdb-jni", "write-buffer", 1 << 20),
    ("fjall", "write-buffer", 1 << 20),
    ("wiredtiger", "log-size", 1 << 20),
];
/// Stores that flush now and then although nothing asks for it, how many of the acknowledgements may come after that, and why.
const NOW_AND_THEN: [(&str, usize, &str); 7] = [
    ("sqlite", 6, "a checkpoint of the write-ahead log flushes it, and the database"),
    ("sqlite-jdbc", 6, "a checkpoint of the write-ahead log flushes it, and the database"),
    ("berkeley-db", 30, "the log is flushed before a page that changed since leaves the cache"),
    ("berkeley-db-hash", 30, "the log is flushed before a page that changed since leaves the cache"),
    ("wiredtiger", 8, "a thread of its own flushes the log now and then"),
    ("libmdbx", 4, "the file is flushed when it grows"),
    ("mapdb", 200, "its log is flushed at every commit, and nothing turns that off"),
];
/// Files that a store's own thread makes and moves at any moment, and why that needs no flush. They are known by how their names begin.
const MADE_BEFOREHAND: [(&str, &str, &str); 2] = [
    ("wiredtiger", "WiredTigerTmplog.", "it becomes the next one"),
    ("wiredtiger", "WiredTigerPreplog.", "it holds no record until it is moved to the name of a log, and that matters"),
];
/// Words with which a store flushes its writes in a class that does not ask for it, and why.
const FLUSHING_WORDS: [(&str, &str, &str, &str); 2] = [
    ("sqlite", "synchronous", "normal", "without a write-ahead log each commit is flushed"),
    ("sqlite", "journal", "delete", "with a rollback journal each commit is flushed"),
];
/// The calls that flush, and those that say what is to be flushed.
const CALLS: &str = "trace=write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,syncfs,sync,msync,sync_file_range,openat,rename,\
                     renameat,renameat2,mkdir,mkdirat,unlink,unlinkat,io_uring_setup,io_setup";

/// Writes under `strace` and counts flushes.
pub(crate) fn flushes(subject: &Subject, durability: Durability, batched: bool) -> Outcome {
    if batched && !subject.description.capabilities.batch {
        return Outcome::NotOffered("no batches");
    }
    let acknowledgements = if subject.given.is_empty() { ACKNOWLEDGEMENTS } else { ACKNOWLEDGEMENTS_SHORT };
    judge(subject, durability, watch(subject, durability, batched, 0, acknowledgements))
}

/// The same of a store that was closed and opened again.
pub(crate) fn flushes_after_reopening(subject: &Subject, durability: Durability) -> Outcome {
    if durability != Durability::Power {
        return Outcome::NotOffered("no promise beyond the process");
    }
    let batched = subject.description.capabilities.batch;
    let watch = watch(subject, durability, batched, ACKNOWLEDGEMENTS_BEFORE, ACKNOWLEDGEMENTS_SHORT);
    judge(subject, durability, watch)
}

/// The store with the settings of [`SMALL_LOGS`], if it needs them for its logs to end soon.
pub(crate) fn with_small_logs(subject: &Subject) -> Option<Subject> {
    let (store, setting, bytes) = SMALL_LOGS.iter().find(|(store, ..)| *store == subject.description.name)?;
    Some(subject::find(store, [((*setting).to_owned(), (*bytes).into())].into_iter().collect()))
}

/// Writes more than a log takes under `strace`, and sees that what is flushed has a name.
pub(crate) fn flushes_as_logs_grow(subject: &Subject, durability: Durability) -> Outcome {
    if durability != Durability::Power {
        return Outcome::NotOffered("no promise beyond the process");
    }
    let batched = subject.description.capabilities.batch;
    let small = with_small_logs(subject);
    match watch(small.as_ref().unwrap_or(subject), durability, batched, 0, ACKNOWLEDGEMENTS_LONG) {
        Err(outcome) => outcome,
        Ok(watch) => match (&watch.nameless, watch.flushed) {
            (Some(left), _) => Outcome::Failed(left.clone()),
            (None, 0) => Outcome::Failed("no acknowledgement came after a flush".to_owned()),
            (None, _) => Outcome::Ok(format!("{} acknowledged, {} files made", watch.acknowledged, watch.files_made)),
        },
    }
}

/// What was seen of a process that wrote until so many acknowledgements, to a store to which another had written `before` of them.
fn watch(
    subject: &Subject,
    durability: Durability,
    batched: bool,
    before: u64,
    acknowledgements: u64,
) -> Result<Watch, Outcome> {
    let parent = subject::directory();
    let directory = parent.path().join("store");
    std::fs::create_dir(&directory).unwrap();
    let steps = |acknowledgements: u64| acknowledgements * if batched { BATCH } else { 1 };
    let orders = |task: Task| Orders { directory: directory.clone(), durability, seed: 7, batched, task };
    if before > 0 {
        let first = subject.command(&orders(Task::Write { from: 0, to: steps(before) })).stdin(Stdio::null()).output();
        let first = first.unwrap();
        assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    }
    let task = Task::Write { from: steps(before), to: steps(before + acknowledgements) };
    let mut watch = Watch::new(directory.clone(), subject);
    watch.known.extend(std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()));
    let log = trace(subject, &orders(task), &parent.path().join("trace"))?;
    log.lines().for_each(|line| watch.see(line));
    match &watch.unseen {
        Some(unseen) => Err(Outcome::Skipped(format!("{unseen}, whose flushes strace does not show"))),
        None if watch.acknowledged as u64 != acknowledgements => {
            let seen = watch.acknowledged;
            Err(Outcome::Failed(format!("{seen} of {acknowledgements} acknowledgements are in the trace")))
        }
        None => Ok(watch),
    }
}

/// The log of a child's system calls.
fn trace(subject: &Subject, orders: &Orders, log: &Path) -> Result<String, Outcome> {
    let child = subject.command(orders);
    let mut command = std::process::Command::new("strace");
    // -y shows paths, -s as much of what is written as tells an acknowledgement; the acknowledgements are told by their file descriptor.
    command.args(["-f", "-qq", "-y", "-s", "200", "-e", CALLS, "-e", "signal=none", "-o"]).arg(log).arg("--");
    command.arg(child.get_program()).args(child.get_args()).stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Outcome::Skipped("strace is not installed (apt-get install strace)".to_owned()),
        _ => Outcome::Skipped(format!("strace cannot be started: {error}")),
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let why = said.trim().to_owned();
        let forbidden = why.contains("ptrace") || why.contains("PTRACE");
        return Err(if forbidden { Outcome::Skipped(why) } else { Outcome::Failed(why) });
    }
    Ok(std::fs::read_to_string(log).unwrap())
}

fn judge(subject: &Subject, durability: Durability, watch: Result<Watch, Outcome>) -> Outcome {
    let watch = match watch {
        Ok(watch) => watch,
        Err(outcome) => return outcome,
    };
    let all = watch.acknowledged;
    let flushed = watch.flushed;
    let seen = format!("{flushed} of {all} acknowledged after a flush{}", watch.kinds());
    if durability != Durability::Power {
        let name = &subject.description.name;
        if subject.description.flushes_writes(durability, &subject.given) {
            return if flushed == all { Outcome::Ok(seen) } else { Outcome::Failed(seen) };
        }
        let is_given = |setting: &str, word: &str| subject.given.get(setting).is_some_and(|given| given == word);
        let flushing = FLUSHING_WORDS.iter().find(|(store, setting, word, _)| store == name && is_given(setting, word));
        if let Some((.., why)) = flushing.filter(|_| flushed > 0) {
            return Outcome::Ok(format!("{seen}: {why}"));
        }
        let allowed = NOW_AND_THEN.iter().find(|(store, ..)| store == name);
        return match allowed {
            _ if flushed == 0 => Outcome::Ok(seen),
            Some((_, most, why)) if flushed <= *most => Outcome::Ok(format!("{seen}: {why}")),
            _ => Outcome::Failed(seen),
        };
    }
    if flushed < all {
        return Outcome::Failed(seen);
    }
    match &watch.left_unflushed {
        Some(left) => Outcome::Failed(format!("{left} before its directory was flushed")),
        None => Outcome::Ok(seen),
    }
}

/// What has been seen of a trace.
struct Watch {
    directory: PathBuf,
    /// How the names of files begin that may come at any moment: those of [`MADE_BEFOREHAND`].
    beforehand: Vec<&'static str>,
    /// Whether a file that goes is a write, as where each record has one, and no log that is done with.
    names_are_records: bool,
    /// Begins with the line that says that the store is open, ends with the one that says that all is written.
    watching: bool,
    acknowledged: usize,
    /// Acknowledgements that came after a flush.
    flushed: usize,
    flushed_since: bool,
    /// Since the last acknowledgement something was flushed that has a name, and a file whose name was not flushed yet.
    named_since: bool,
    nameless_since: Option<PathBuf>,
    nameless: Option<String>,
    files_made: usize,
    kinds: BTreeSet<String>,
    /// Files, as descriptors, whose every write is flushed.
    synchronous: BTreeSet<String>,
    /// Files that were there when they were opened.
    known: BTreeSet<PathBuf>,
    /// Names that came or went since their directories were flushed.
    changed: BTreeSet<PathBuf>,
    /// Those of them that came.
    made: BTreeSet<PathBuf>,
    left_unflushed: Option<String>,
    unseen: Option<String>,
    /// Calls that have begun: thread and text.
    begun: Vec<(String, String)>,
}

impl Watch {
    fn new(directory: PathBuf, subject: &Subject) -> Self {
        let own = MADE_BEFOREHAND.iter().filter(|(store, ..)| *store == subject.description.name);
        Self {
            directory,
            beforehand: own.map(|(_, name, _)| *name).collect(),
            names_are_records: subject.description.structure == Structure::Files,
            watching: false,
            acknowledged: 0,
            flushed: 0,
            flushed_since: false,
            named_since: false,
            nameless_since: None,
            nameless: None,
            files_made: 0,
            kinds: BTreeSet::new(),
            synchronous: BTreeSet::new(),
            known: BTreeSet::new(),
            changed: BTreeSet::new(),
            made: BTreeSet::new(),
            left_unflushed: None,
            unseen: None,
            begun: Vec::new(),
        }
    }

    /// One line: a thread and a call, its beginning, or its end.
    fn see(&mut self, line: &str) {
        let Some((thread, rest)) = line.split_once(' ') else { return };
        let rest = rest.trim_start();
        if let Some(beginning) = rest.strip_suffix(" <unfinished ...>") {
            self.begun.push((thread.to_owned(), beginning.to_owned()));
        } else if let Some((_, end)) = rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            let Some(at) = self.begun.iter().position(|(of, _)| of == thread) else { return };
            let (_, beginning) = self.begun.swap_remove(at);
            self.call(&(beginning + end));
        } else {
            self.call(rest);
        }
    }

    /// A whole call: `name(arguments) = result`.
    fn call(&mut self, text: &str) {
        let Some((name, rest)) = text.split_once('(') else { return };
        // Results are aligned: `) = 0`, or `)      = 0`.
        let Some((arguments, result)) = rest.rsplit_once(" = ") else { return };
        let Some(arguments) = arguments.trim_end().strip_suffix(')') else { return };
        if result.starts_with('-') {
            return;
        }
        match name {
            "io_uring_setup" | "io_setup" => self.unseen = Some(format!("it uses {name}")),
            "openat" => self.opened(arguments, result),
            "write" if arguments.starts_with("1<") => self.said(arguments),
            "write" | "writev" | "pwrite64" | "pwritev" | "pwritev2" if self.synchronous.contains(first(arguments)) => {
                let file = path_of(first(arguments)).filter(|path| self.changed.contains(path));
                self.named_since |= file.is_none();
                self.nameless_since = file.or(self.nameless_since.take());
                self.flushed_by("a write with O_DSYNC");
            }
            "fsync" | "fdatasync" | "syncfs" => self.flushed_path(name, arguments),
            "msync" if arguments.contains("MS_SYNC") => self.flushed_by("msync"),
            "sync" => self.flushed_by("sync"),
            "sync_file_range" => self.flushed_by("sync_file_range"),
            "unlink" | "unlinkat" => self.named(arguments, true),
            "rename" | "renameat" | "renameat2" | "mkdir" | "mkdirat" => self.named(arguments, false),
            _ => {}
        }
    }

    /// A line of the child's own.
    fn said(&mut self, arguments: &str) {
        if arguments.contains("\"ready") {
            self.watching = true;
        } else if arguments.contains("\"done") {
            self.watching = false;
        } else if self.watching {
            self.acknowledged += 1;
            self.flushed += usize::from(self.flushed_since);
            if let Some(changed) = self.changed.iter().find(|path| !self.is_made_beforehand(path)) {
                let left = format!(
                    "acknowledgement {} came after {} was made, moved or removed",
                    self.acknowledged,
                    changed.display()
                );
                self.left_unflushed.get_or_insert(left);
            }
            if let (false, Some(file)) = (self.named_since, &self.nameless_since) {
                let left = format!(
                    "acknowledgement {} came after a flush of {}, whose name was not flushed",
                    self.acknowledged,
                    file.display()
                );
                self.nameless.get_or_insert(left);
            }
        }
        self.flushed_since = false;
        self.named_since = false;
        self.nameless_since = None;
    }

    fn opened(&mut self, arguments: &str, result: &str) {
        if arguments.contains("O_SYNC") || arguments.contains("O_DSYNC") {
            self.synchronous.insert(result.to_owned());
        } else {
            self.synchronous.remove(result);
        }
        let Some(path) = path_of(result) else { return };
        if self.known.insert(path.clone()) && arguments.contains("O_CREAT") {
            self.change(&path);
            self.made.insert(path);
            self.files_made += 1;
        }
    }

    /// Names came, went or moved. What came and went again since is as if it had never been.
    fn named(&mut self, arguments: &str, removed: bool) {
        let mut directory = PathBuf::new();
        for argument in arguments.split(", ") {
            if let Some(name) = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                let path = directory.join(name);
                self.known.remove(&path);
                if removed && (self.made.remove(&path) || !self.names_are_records) {
                    self.changed.remove(&path);
                } else {
                    self.change(&path);
                }
            } else if let Some(path) = path_of(argument) {
                directory = path;
            }
        }
    }

    fn is_made_beforehand(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.beforehand.iter().any(|beginning| name.starts_with(beginning))
    }

    fn change(&mut self, path: &Path) {
        if path.parent().is_some_and(|parent| parent.starts_with(&self.directory)) {
            self.changed.insert(path.to_owned());
        }
    }

    fn flushed_path(&mut self, call: &str, arguments: &str) {
        let Some(path) = path_of(arguments).filter(|path| path.starts_with(&self.directory)) else { return };
        if call != "syncfs" && self.changed.contains(&path) {
            self.nameless_since = Some(path.clone());
        } else {
            self.named_since = true;
        }
        let stays = |name: &PathBuf| call != "syncfs" && name.parent() != Some(&path);
        self.changed.retain(stays);
        self.made.retain(stays);
        self.flushed_by(call);
    }

    fn flushed_by(&mut self, what: &str) {
        if !self.watching {
            return;
        }
        self.flushed_since = true;
        // What is flushed without a descriptor shows no name.
        self.named_since |= ["msync", "sync", "sync_file_range"].contains(&what);
        if !self.kinds.contains(what) {
            self.kinds.insert(what.to_owned());
        }
    }

    fn kinds(&self) -> String {
        if self.kinds.is_empty() {
            return String::new();
        }
        format!(" ({})", self.kinds.iter().cloned().collect::<Vec<_>>().join(", "))
    }
}

/// The first argument of a call.
fn first(arguments: &str) -> &str {
    arguments.split_once(", ").map_or(arguments, |(first, _)| first)
}

/// The path that `-y` shows behind a descriptor.
fn path_of(descriptor: &str) -> Option<PathBuf> {
    let (_, path) = descriptor.split_once('<')?;
    Some(PathBuf::from(path.rsplit_once('>')?.0))
}
