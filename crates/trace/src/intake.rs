//! What of a trace counts, and what became no operation.

use std::collections::BTreeSet;

use bakeoff_tape::Operation;

use crate::error::{Origin, TraceError, shorten};

/// The most names that are kept of what could not be read.
const NAMES_MAX: usize = 16;

/// What in a trace became no operation, in lines, except where other units are stated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Lines that touch no record, such as Redis's `PING`, or that the user ignores.
    pub without_record: u64,
    /// Operations on keys that do not begin with the wanted prefix.
    pub other_keys: u64,
    /// Lines that may matter and cannot be read as operations.
    pub unread: u64,
    /// The first of those, and its beginning.
    pub first_unread: Option<(Origin, String)>,
    /// Columns of a table that are not read.
    pub columns: Vec<String>,
    /// Reads that found nothing, of a record that was written and not removed: it had expired, or was evicted. A tape
    /// cannot show that, so they find it.
    pub reads_found_after_all: u64,
    /// Their names, where they have any by which a user could ignore them.
    names: BTreeSet<String>,
}

impl Omitted {
    /// Adds what another trace omitted.
    pub(crate) fn add(&mut self, other: &Self) {
        self.without_record += other.without_record;
        self.other_keys += other.other_keys;
        self.unread += other.unread;
        self.reads_found_after_all += other.reads_found_after_all;
        let new = other.columns.iter().filter(|name| !self.columns.contains(name)).cloned().collect::<Vec<_>>();
        self.columns.extend(new);
        self.first_unread = self.first_unread.take().or_else(|| other.first_unread.clone());
    }

    /// Why the trace is refused, if too much of it could not be read.
    pub(crate) fn check(&self, operations: u64) -> Result<(), TraceError> {
        let Some((origin, found)) = self.first_unread.clone().filter(|_| self.unread * 100 > operations) else {
            return Ok(());
        };
        let names: Vec<_> = self.names.iter().cloned().collect();
        let remedy = match &*names.join(",") {
            "" => "Is it another form? --form says which; else take them out".to_owned(),
            names => format!("--ignore {names} leaves them out if they do not matter"),
        };
        Err(TraceError::PassedOver { unread: self.unread, operations, origin, found, remedy })
    }
}

/// What of a trace counts, and what did not.
#[derive(Clone)]
pub(crate) struct Intake {
    ignored: Vec<String>,
    key_prefix: Vec<u8>,
    pub(crate) omitted: Omitted,
}

impl Intake {
    pub(crate) fn new(ignored: Vec<String>, key_prefix: Vec<u8>) -> Self {
        Self { ignored, key_prefix, omitted: Omitted::default() }
    }

    /// Whether everything counts, with its whole key.
    #[inline]
    pub(crate) fn is_all(&self) -> bool {
        self.ignored.is_empty() && self.key_prefix.is_empty()
    }

    /// Whether this name does not matter.
    #[inline]
    pub(crate) fn ignores(&self, name: &[u8]) -> bool {
        self.ignored.iter().any(|ignored| name.eq_ignore_ascii_case(ignored.as_bytes()))
    }

    /// The length of what a key loses; `None` if operations on it do not count.
    #[inline]
    pub(crate) fn prefix_bytes(&self, key: &[u8]) -> Option<usize> {
        let is_other = !self.key_prefix.is_empty() && key.len() == self.key_prefix.len();
        (key.starts_with(&self.key_prefix) && !is_other).then_some(self.key_prefix.len())
    }

    /// Whether an operation counts. If it does not, it is counted as left out.
    pub(crate) fn takes(&mut self, operation: Operation, key: &[u8]) -> bool {
        if self.ignores(operation.name().as_bytes()) {
            self.omitted.without_record += 1;
            return false;
        }
        // A commit has no key. It also ends the batch of operations that count.
        let takes = operation == Operation::Commit || self.prefix_bytes(key).is_some();
        self.omitted.other_keys += u64::from(!takes);
        takes
    }

    /// Counts a line that may matter and cannot be read, with its name if a user could ignore it by that.
    #[cold]
    pub(crate) fn unread(&mut self, origin: Origin, line: &[u8], name: Option<&[u8]>) {
        self.omitted.unread += 1;
        self.omitted.first_unread.get_or_insert_with(|| (origin, shorten(line)));
        if let Some(name) = name.filter(|_| self.omitted.names.len() < NAMES_MAX) {
            self.omitted.names.insert(shorten(name).to_ascii_lowercase());
        }
    }
}
