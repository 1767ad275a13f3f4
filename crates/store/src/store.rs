//! The trait of every store, and the request that opens one.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use bakeoff_protocol::{DataHints, Durability, Settings, StoreDescription};
use serde_json::Value;

use crate::error::StoreError;

/// An entry in the table of stores: how to describe a store and how to open it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The answer to `describe`. It is cheap and opens nothing on disk.
    pub describe: fn() -> StoreDescription,
    /// Creates the store in an empty directory, or opens the store that an earlier `open` created there.
    pub open: fn(&OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError>,
}

/// A request to open a store.
pub struct OpenRequest<'a> {
    /// The store's own directory.
    pub directory: &'a Path,
    /// The durability level.
    pub durability: Durability,
    /// Every setting of the description by name, with defaults added and limits checked. Settings without a default may be absent.
    pub settings: &'a Settings,
    /// What the store may know about the data.
    pub hints: &'a DataHints,
}

/// Getters of resolved settings. Settings that did not pass [`crate::resolve_settings`] are an error.
impl OpenRequest<'_> {
    /// Whether a setting has a value. Settings without a default may have none.
    #[must_use]
    pub fn is_set(&self, setting: &str) -> bool {
        self.settings.contains_key(setting)
    }

    /// A setting that is an integer, or a number of bytes.
    ///
    /// # Errors
    /// It has no value of this type.
    pub fn integer(&self, setting: &str) -> Result<u64, StoreError> {
        self.settings.get(setting).and_then(Value::as_u64).ok_or_else(|| unresolved(setting, "a whole number"))
    }

    /// A setting that is a number of bytes, as a length in memory.
    ///
    /// # Errors
    /// It has no value of this type, or the value exceeds the address space.
    pub fn memory_bytes(&self, setting: &str) -> Result<usize, StoreError> {
        let bytes = self.integer(setting)?;
        usize::try_from(bytes)
            .map_err(|_| StoreError::BadRequest(format!("{bytes} bytes do not fit the address space: give fewer")))
    }

    /// A setting that is true or false.
    ///
    /// # Errors
    /// It has no value of this type.
    pub fn boolean(&self, setting: &str) -> Result<bool, StoreError> {
        self.settings.get(setting).and_then(Value::as_bool).ok_or_else(|| unresolved(setting, "true or false"))
    }

    /// A setting that is one of a few words.
    ///
    /// # Errors
    /// It has no value of this type.
    pub fn word(&self, setting: &str) -> Result<&str, StoreError> {
        self.settings.get(setting).and_then(Value::as_str).ok_or_else(|| unresolved(setting, "a word"))
    }
}

fn unresolved(setting: &str, what: &str) -> StoreError {
    StoreError::BadRequest(format!(
        "setting `{setting}` is not {what}: pass the settings through resolve_settings first"
    ))
}

/// Flushes a directory and those in it, so that new files keep their names after a power cut. Half of the stores leave that to the program.
///
/// # Errors
/// A directory cannot be read or flushed.
pub fn flush_directories(directory: &Path) -> Result<(), StoreError> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            flush_directories(&entry.path())?;
        }
    }
    Ok(File::open(directory)?.sync_all()?)
}

/// An open store, shared by the threads that replay.
pub trait Store: Sync {
    /// Calls `work` once with a session for the calling thread: prepared statements, a transaction, a cursor.
    ///
    /// Preparing a session is not timed. A session may drop an unfinished batch at its end: that is an error of the tape, not of the store.
    ///
    /// # Errors
    /// The store lacks something, such as batches; or any error of `work`.
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError>;

    /// The store's own counters, by its own names, for people who know the store. Never called in a timed region.
    fn properties(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }

    /// Settings that the store chose from the data, the directory or the machine, with the values in force. Anyone who copies the other
    /// settings needs these too.
    fn chosen(&self) -> Settings {
        Settings::new()
    }

    /// Copies the store into an empty directory, without free space. The copy opens as the store does. Called only if the description
    /// declares it, and never in a timed region.
    ///
    /// # Errors
    /// The copy cannot be written.
    fn compacted_copy(&self, directory: &Path) -> Result<(), StoreError> {
        let message = format!("this store makes no compacted copy: nothing is written to {}", directory.display());
        Err(StoreError::Store(message))
    }

    /// Closes the store cleanly, so that opening it again finds everything.
    ///
    /// # Errors
    /// The store cannot write the rest of its data.
    fn close(self: Box<Self>) -> Result<(), StoreError>;
}

/// The work of a thread with its session.
pub type Work<'a> = &'a mut dyn FnMut(&mut dyn Session) -> Result<(), StoreError>;

/// What a session may know in advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionPlan {
    /// Writes are acknowledged by [`Session::commit`]; otherwise each write is acknowledged when its call returns.
    pub batched: bool,
    /// Keys are inserted in ascending order into an empty store: an append mode may be used.
    pub ascending: bool,
}

/// The order of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From low keys to high.
    Forward,
    /// From high keys to low.
    Reverse,
    /// The order that is easiest for the store; only for scans of all entries.
    Any,
}

/// One thread's access to an open store. All methods are called in timed regions.
///
/// Every method returns the store's own errors. An uncommitted batch is visible to this session, or its reads are refused
/// ([`bakeoff_protocol::Capabilities::batch_reads`]).
pub trait Session {
    /// Writes a new key.
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError>;

    /// Replaces the value of an existing key.
    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError>;

    /// Writes a key whether or not it exists.
    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError>;

    /// Appends the key's value to `value`, keeps the previous content, and returns whether the key exists.
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError>;

    /// Returns whether a key exists. A store without a call for it reads the value, which it may append to `value`.
    fn exists(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.get(key, value)
    }

    /// Removes a key. Removing a missing key is not an error.
    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError>;

    /// Visits entries in order, from the first key not below `from` (reverse: not above; `None`: from the end), until `visit` returns false
    /// or there are no more. Keys and values are borrowed only for the call.
    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError>;

    /// Acknowledges everything written since the last commit, together.
    fn commit(&mut self) -> Result<(), StoreError>;
}
