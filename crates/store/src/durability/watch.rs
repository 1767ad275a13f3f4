//! Flushes and names in a log of `strace`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bakeoff_protocol::Structure;

use super::subject::Subject;

/// The state after reading a part of the trace.
pub(super) struct Watch {
    directory: PathBuf,
    /// Prefixes of names of files that may appear at any time: see [`super::Exceptions`].
    beforehand: Vec<&'static str>,
    /// Parts of names of files that a store needs no more after a power cut: see [`super::Exceptions`].
    dispensable: Vec<&'static str>,
    /// Whether removing a file is a write, as in stores with a file per record, and not the end of a log.
    names_are_records: bool,
    /// Set from the line that reports the open store, until the line that reports the end of writing.
    watching: bool,
    pub(super) acknowledged: usize,
    /// Acknowledgements that followed a flush.
    pub(super) flushed: usize,
    flushed_since: bool,
    /// Since the last acknowledgement, something with a name was flushed, and a file whose name was not flushed yet.
    named_since: bool,
    nameless_since: Option<PathBuf>,
    pub(super) nameless: Option<String>,
    pub(super) files_made: usize,
    kinds: BTreeSet<String>,
    /// Descriptors of files that flush every write.
    synchronous: BTreeSet<String>,
    /// Files that existed when they were opened.
    pub(super) known: BTreeSet<PathBuf>,
    /// Names that appeared or disappeared since their directories were flushed.
    changed: BTreeSet<PathBuf>,
    /// Those of them that appeared.
    made: BTreeSet<PathBuf>,
    pub(super) left_unflushed: Option<String>,
    /// Files that a thread has written to since they were flushed.
    written: BTreeSet<(String, PathBuf)>,
    pub(super) unwritten: Option<String>,
    pub(super) unseen: Option<String>,
    /// Unfinished calls: thread and text.
    begun: Vec<(String, String)>,
}

impl Watch {
    /// The initial state, for a process with a store in this directory.
    pub(super) fn new(directory: PathBuf, subject: &Subject) -> Self {
        let own = |names: &'static [(&str, &'static str, &str)]| {
            let own = names.iter().filter(|(store, ..)| *store == subject.description.name);
            own.map(|(_, name, _)| *name).collect()
        };
        Self {
            directory,
            beforehand: own(subject.exceptions.made_beforehand),
            dispensable: own(subject.exceptions.dispensable),
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
            written: BTreeSet::new(),
            unwritten: None,
            unseen: None,
            begun: Vec::new(),
        }
    }

    /// Reads a line: a thread with a call, its beginning, or its end.
    pub(super) fn see(&mut self, line: &str) {
        let Some((thread, rest)) = line.split_once(' ') else { return };
        let rest = rest.trim_start();
        if let Some(beginning) = rest.strip_suffix(" <unfinished ...>") {
            self.begun.push((thread.to_owned(), beginning.to_owned()));
        } else if let Some((_, end)) = rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            let Some(at) = self.begun.iter().position(|(of, _)| of == thread) else { return };
            let (_, beginning) = self.begun.swap_remove(at);
            self.call(thread, &(beginning + end));
        } else {
            self.call(thread, rest);
        }
    }

    /// Reads a whole call: `name(arguments) = result`.
    fn call(&mut self, thread: &str, text: &str) {
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
            "write" if arguments.starts_with("1<") => self.said(thread, arguments),
            "write" | "writev" | "pwrite64" | "pwritev" | "pwritev2" if self.synchronous.contains(first(arguments)) => {
                let file = path_of(first(arguments)).filter(|path| self.changed.contains(path));
                self.named_since |= file.is_none();
                self.nameless_since = file.or(self.nameless_since.take());
                self.flushed_by("a write with O_DSYNC");
            }
            "write" | "writev" | "pwrite64" | "pwritev" | "pwritev2" => self.wrote(thread, arguments),
            "fsync" | "fdatasync" | "syncfs" => self.flushed_path(name, arguments),
            // Its arguments do not show the file.
            "msync" if arguments.contains("MS_SYNC") => self.flushed_everything("msync"),
            "sync" => self.flushed_everything("sync"),
            "sync_file_range" => {
                let path = path_of(first(arguments));
                self.written.retain(|(_, file)| path.as_ref() != Some(file));
                self.flushed_by("sync_file_range");
            }
            "unlink" | "unlinkat" => self.named(arguments, true),
            "rename" | "renameat" | "renameat2" | "mkdir" | "mkdirat" => self.named(arguments, false),
            _ => {}
        }
    }

    /// A write that waits in the page cache. Those of other threads, such as compactions, may be flushed later.
    fn wrote(&mut self, thread: &str, arguments: &str) {
        let Some(path) = path_of(first(arguments)).filter(|path| path.starts_with(&self.directory)) else { return };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !self.dispensable.iter().any(|part| name.contains(part)) {
            self.written.insert((thread.to_owned(), path));
        }
    }

    /// Reads a line that the child printed.
    fn said(&mut self, thread: &str, arguments: &str) {
        if arguments.contains("\"ready") {
            self.watching = true;
        } else if arguments.contains("\"done") {
            self.watching = false;
        } else if self.watching {
            self.acknowledged += 1;
            self.flushed += usize::from(self.flushed_since);
            if let Some((_, file)) = self.written.iter().find(|(of, _)| of == thread) {
                let left = format!(
                    "acknowledgement {} came before {} was flushed, which the same thread had written to",
                    self.acknowledged,
                    file.display()
                );
                self.unwritten.get_or_insert(left);
            }
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

    /// Names appeared, disappeared or moved. A name that did both since the last flush needs none.
    fn named(&mut self, arguments: &str, removed: bool) {
        let (mut directory, mut names) = (PathBuf::new(), Vec::new());
        for argument in arguments.split(", ") {
            if let Some(name) = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                let path = directory.join(name);
                self.known.remove(&path);
                if removed && (self.made.remove(&path) || !self.names_are_records) {
                    self.changed.remove(&path);
                } else {
                    self.change(&path);
                }
                names.push(path);
            } else if let Some(path) = path_of(argument) {
                directory = path;
            }
        }
        self.moved(&names);
    }

    /// What was written follows a file that is moved to another name, and is forgotten with a removed file.
    fn moved(&mut self, names: &[PathBuf]) {
        let Some((old, new)) = names.split_first() else { return };
        let files = std::mem::take(&mut self.written).into_iter();
        self.written = files
            .filter_map(|(thread, file)| match (file == *old, new.first()) {
                (false, _) => Some((thread, file)),
                (true, new) => new.map(|new| (thread, new.clone())),
            })
            .collect();
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
        self.written.retain(|(_, file)| call != "syncfs" && *file != path);
        self.flushed_by(call);
    }

    /// A flush that does not show what it flushes.
    fn flushed_everything(&mut self, call: &str) {
        self.written.clear();
        self.flushed_by(call);
    }

    fn flushed_by(&mut self, what: &str) {
        if !self.watching {
            return;
        }
        self.flushed_since = true;
        // Flushes without a descriptor show no name.
        self.named_since |= ["msync", "sync", "sync_file_range"].contains(&what);
        if !self.kinds.contains(what) {
            self.kinds.insert(what.to_owned());
        }
    }

    /// The calls that flushed, in brackets.
    pub(super) fn kinds(&self) -> String {
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

#[cfg(test)]
mod tests {
    use bakeoff_protocol::{Durability, Leaves, StoreDescription};

    use super::*;
    use crate::{Description, Entry, StoreError, after};

    fn describe() -> StoreDescription {
        let source = "https://example.org";
        Description::new("logging", "Logging")
            .structure(Structure::Log)
            .durability(Durability::Power, "its log is flushed", after(Leaves::Kept, Leaves::Kept), source)
            .build()
    }

    /// What is wrong with acknowledgements in a trace. `LOG` is a log, and `1` the first thread.
    fn unwritten(trace: &str) -> Option<String> {
        let entry = Entry { describe, open: |_| Err(StoreError::Store("it is only described".to_owned())) };
        let mut watch = Watch::new("/store".into(), &Subject::new(entry));
        let trace = trace.replace("LOG", "/store/log.");
        std::iter::once("1 write(1</pipe>, \"ready\\n\", 6) = 6").chain(trace.lines()).for_each(|line| watch.see(line));
        assert_eq!((watch.acknowledged, watch.flushed), (1, 1), "{trace}");
        watch.unwritten
    }

    const ACKNOWLEDGED: &str = "1 write(1</pipe>, \"1\\n\", 2) = 2";

    #[test]
    fn a_flush_of_the_next_log_is_none_of_the_log_that_was_written() {
        // As WiredTiger 3.2.1 does with method=fsync when a log is full. Another thread flushes it later.
        let trace = format!(
            "1 pwrite64(5<LOG1>, \"\"..., 128, 896) = 128\n1 fsync(6<LOG2>) = 0\n{ACKNOWLEDGED}\n2 fsync(5<LOG1>) = 0"
        );
        assert!(unwritten(&trace).is_some_and(|why| why.contains("came before /store/log.1 was flushed")));
    }

    #[test]
    fn what_was_written_may_be_flushed_by_any_thread_and_under_another_name() {
        for flushed in [
            "1 pwrite64(5<LOG1>, \"\"..., 128, 896) = 128\n1 fdatasync(5<LOG1>) = 0",
            "1 write(5<LOG1>, \"\"..., 128) = 128\n2 fdatasync(5<LOG1> <unfinished ...>\n2 <... fdatasync resumed>) = 0",
            "1 write(5<LOG1>, \"\"..., 128) = 128\n1 syncfs(4</store>) = 0",
            "1 write(5<LOG1>, \"\"..., 128) = 128\n1 sync() = 0",
            "1 write(5<LOG1>, \"\"..., 9) = 9\n1 rename(\"LOG1\", \"LOG2\") = 0\n1 fsync(5<LOG2>) = 0",
            "1 write(5<LOG1>, \"\"..., 9) = 9\n1 fsync(6<LOG2>) = 0\n1 unlink(\"LOG1\") = 0",
            "1 openat(AT_FDCWD</>, \"LOG1\", O_RDWR|O_DSYNC) = 5<LOG1>\n1 write(5<LOG1>, \"\"..., 128) = 128",
            // A compaction, and a file elsewhere.
            "2 write(7<LOG2>, \"\"..., 128) = 128\n1 write(8</notes>, \"\", 1) = 1\n1 fsync(5<LOG1>) = 0",
        ] {
            assert_eq!(unwritten(&format!("{flushed}\n{ACKNOWLEDGED}")), None, "{flushed}");
        }
    }

    #[test]
    fn what_is_written_after_the_flush_or_elsewhere_is_not_flushed() {
        for left in [
            "1 fsync(5<LOG1>) = 0\n1 write(5<LOG1>, \"\"..., 128) = 128",
            "1 write(5<LOG1>, \"\"..., 9) = 9\n1 fsync(6<LOG2>) = 0\n1 rename(\"LOG1\", \"LOG3\") = 0",
            "1 write(5<LOG1>, \"\"..., 9) = 9\n1 fsync(5<LOG1>) = -1 EIO (Input/output error)\n1 fsync(6<LOG2>) = 0",
        ] {
            assert!(unwritten(&format!("{left}\n{ACKNOWLEDGED}")).is_some(), "{left}");
        }
    }
}
