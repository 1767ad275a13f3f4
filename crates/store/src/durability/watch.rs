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
    pub(super) unseen: Option<String>,
    /// Unfinished calls: thread and text.
    begun: Vec<(String, String)>,
}

impl Watch {
    /// The initial state, for a process with a store in this directory.
    pub(super) fn new(directory: PathBuf, subject: &Subject) -> Self {
        let own = subject.exceptions.made_beforehand.iter().filter(|(store, ..)| *store == subject.description.name);
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

    /// Reads a line: a thread with a call, its beginning, or its end.
    pub(super) fn see(&mut self, line: &str) {
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

    /// Reads a whole call: `name(arguments) = result`.
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

    /// Reads a line that the child printed.
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

    /// Names appeared, disappeared or moved. A name that did both since the last flush needs none.
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
