//! The store under test in a fresh directory.

use std::fmt;
use std::path::{Path, PathBuf};

use bakeoff_protocol::{DataHints, Durability, Settings, StoreDescription};
use tempfile::TempDir;

use super::scale::scale;
use super::subject::Subject;
use crate::error::StoreError;
use crate::settings::resolve_settings;
use crate::store::{Direction, OpenRequest, Session, SessionPlan, Store};

/// The longest key on a tape.
pub(super) const TAPE_KEY_BYTES_MAX: u64 = u16::MAX as u64;

/// Each write is acknowledged when its call returns.
pub(super) const EACH: SessionPlan = SessionPlan { batched: false, ascending: false };
/// Writes are acknowledged by a commit.
pub(super) const BATCHED: SessionPlan = SessionPlan { batched: true, ascending: false };

/// The outcome of a check.
pub(super) enum Outcome {
    /// Passed.
    Ok,
    /// Another level is checked with this value.
    Elsewhere,
    /// Passed, within the limits of the test.
    OkSoFar(String),
    /// The store declares that it does not offer this.
    NotOffered(&'static str),
    /// Failed.
    Failed(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => formatter.write_str("ok"),
            Self::Elsewhere => formatter.write_str("not checked again"),
            Self::OkSoFar(tried) => write!(formatter, "ok, {tried}"),
            Self::NotOffered(reason) => write!(formatter, "n/a, {reason}"),
            Self::Failed(reason) => write!(formatter, "FAILED, {reason}"),
        }
    }
}

/// One store at one durability level, with its own directory.
pub(super) struct Fixture<'s> {
    subject: &'s Subject,
    durability: Durability,
    settings: Settings,
    parent: TempDir,
    directory: PathBuf,
}

impl<'s> Fixture<'s> {
    /// Creates the directory inside another one, to detect files outside it.
    pub(super) fn new(subject: &'s Subject, durability: Durability) -> Self {
        Self::with(subject, durability, &subject.given)
    }

    fn with(subject: &'s Subject, durability: Durability, given: &Settings) -> Self {
        let settings = resolve_settings(&subject.description, given).unwrap();
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("store");
        std::fs::create_dir(&directory).unwrap();
        Self { subject, durability, settings, parent, directory }
    }

    /// Whether a batch is applied as a whole or not at all at the level under test.
    pub(super) fn batch_is_atomic(&self) -> bool {
        self.subject.description.batch_is_atomic(self.durability)
    }

    /// The same store and level, empty.
    pub(super) fn fresh(&self) -> Self {
        Self::new(self.subject, self.durability)
    }

    /// The same with short logs, for one case of a property. A case opens the store several times, which is slow with long logs.
    pub(super) fn fresh_case(&self) -> Self {
        Self::with(self.subject, self.durability, &self.subject.with_small_logs())
    }

    /// The store's description.
    pub(super) fn description(&self) -> &StoreDescription {
        &self.subject.description
    }

    /// The number of cases of a property: fewer where every write waits for a disk, and for values other than the default.
    pub(super) fn cases(&self) -> u32 {
        let flushes = self.description().flushes_writes(self.durability, &self.settings);
        let cases = match (flushes, self.has_defaults()) {
            (true, true) => 8,
            (true, false) => 4,
            (false, true) => 48,
            (false, false) => 12,
        };
        cases * scale()
    }

    /// Whether the store is open with its defaults.
    pub(super) fn has_defaults(&self) -> bool {
        self.subject.given.is_empty()
    }

    /// The number of threads that may use the store.
    pub(super) fn threads_max(&self) -> u32 {
        if self.description().is_alone(&self.settings).is_some() { 1 } else { 8 }
    }

    /// Its directory.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Opens the store.
    pub(super) fn open(&self) -> Box<dyn Store> {
        let hints = DataHints {
            records_max: 10_000,
            records_inserted: 10_000,
            key_bytes_max: TAPE_KEY_BYTES_MAX,
            value_bytes_mean: 100,
            value_bytes_max: 1 << 20,
            data_bytes_max: 64 << 20,
            written_bytes: 64 << 20,
            integer_keys: false,
            threads: self.threads_max(),
        };
        let (directory, durability) = (self.directory.as_path(), self.durability);
        (self.subject.entry.open)(&OpenRequest { directory, durability, settings: &self.settings, hints: &hints })
            .unwrap()
    }

    /// Opens the store, works in one session, and closes it.
    pub(super) fn session(&self, plan: SessionPlan, work: impl FnMut(&mut dyn Session)) {
        let store = self.open();
        in_session(&*store, plan, work);
        store.close().unwrap();
    }

    /// Checks that nothing exists outside the store's directory.
    pub(super) fn assert_contained(&self) {
        let outside: Vec<PathBuf> =
            std::fs::read_dir(self.parent.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(outside, [Path::new(&self.directory)], "something left the store's directory");
    }
}

/// Works in one session of an open store.
pub(super) fn in_session(store: &dyn Store, plan: SessionPlan, mut work: impl FnMut(&mut dyn Session)) {
    let mut calls = 0;
    let result = store.session(&plan, &mut |session| {
        calls += 1;
        work(session);
        Ok::<(), StoreError>(())
    });
    result.unwrap();
    assert_eq!(calls, 1, "the work of a session is called once");
}

/// The value of a key. The buffer is not empty before the call, and must keep its content.
pub(super) fn get(session: &mut dyn Session, key: &[u8]) -> Option<Vec<u8>> {
    let mut buffer = b"before".to_vec();
    let found = session.get(key, &mut buffer).unwrap();
    let value = buffer.strip_prefix(b"before").expect("a get keeps what is in the buffer").to_vec();
    assert!(found || value.is_empty(), "a get that finds nothing appends nothing");
    found.then_some(value)
}

/// An entry.
pub(super) type Pair = (Vec<u8>, Vec<u8>);

/// The first `limit` entries of a scan.
pub(super) fn scan(session: &mut dyn Session, from: Option<&[u8]>, direction: Direction, limit: usize) -> Vec<Pair> {
    let mut entries = Vec::new();
    session
        .scan(from, direction, &mut |key, value| {
            assert!(entries.len() < limit, "the scan went on though it was told to stop");
            entries.push((key.to_vec(), value.to_vec()));
            entries.len() < limit
        })
        .unwrap();
    entries
}
