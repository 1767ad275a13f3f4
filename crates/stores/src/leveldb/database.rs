//! LevelDB's objects with lifetimes: the types guarantee what its interface requires of its caller.

use std::marker::PhantomData;
use std::path::Path;
use std::ptr;

use bakeoff_store::batch::WriteBatch;
use bakeoff_store::ffi::{Bytes, c_path, check};
use bakeoff_store::{Direction, StoreError};

use super::sys::{self, Options};

/// The library's version.
pub(super) fn version() -> String {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both pointers are to integers.
    unsafe { sys::bakeoff_leveldb_version(&mut major, &mut minor) };
    format!("{major}.{minor}")
}

/// An open database, closed when it is dropped.
pub(super) struct Database(*mut sys::Database);

// SAFETY: several threads may use a LevelDB database without their own lock (doc/index.md, "Concurrency").
unsafe impl Sync for Database {}

impl Database {
    /// Creates or opens the database in a directory.
    pub(super) fn open(directory: &Path, options: &Options) -> Result<Self, StoreError> {
        let path = c_path(directory)?;
        let mut raw = ptr::null_mut();
        // SAFETY: the path ends with NUL, and `raw` is a place for one pointer, which is set unless there is an error.
        check(unsafe { sys::bakeoff_leveldb_open(path.as_ptr(), options, &mut raw) })?;
        Ok(Self(raw))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: the database is open. All sessions borrow it, so they are gone.
        unsafe { sys::bakeoff_leveldb_close(self.0) };
    }
}

/// One thread's batch, and the string for its gets.
pub(super) struct Buffers<'d> {
    raw: *mut sys::Session,
    database: PhantomData<&'d Database>,
}

impl<'d> Buffers<'d> {
    /// An empty batch, written with or without a flush.
    pub(super) fn new(database: &'d Database, sync: bool) -> Self {
        // SAFETY: the database is open.
        let raw = unsafe { sys::bakeoff_leveldb_session_begin(database.0, sync) };
        Self { raw, database: PhantomData }
    }
}

impl WriteBatch for Buffers<'_> {
    const TITLE: &'static str = "LevelDB";

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        // SAFETY: the session is live; key and value are copied.
        unsafe { sys::bakeoff_leveldb_batch_put(self.raw, key.into(), value.into()) };
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        // SAFETY: the session is live; the key is copied.
        unsafe { sys::bakeoff_leveldb_batch_delete(self.raw, key.into()) };
        Ok(())
    }

    fn write(&mut self) -> Result<(), StoreError> {
        // SAFETY: the session is live.
        check(unsafe { sys::bakeoff_leveldb_batch_write(self.raw) })
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let mut found = Bytes::NONE;
        // SAFETY: the session is live, the key is only read, and the value stays in the session's string until its next get. Here it is
        // copied at once.
        unsafe {
            check(sys::bakeoff_leveldb_get(self.raw, key.into(), &mut found))?;
            Ok(found.get().map(|bytes| value.extend_from_slice(bytes)).is_some())
        }
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        // SAFETY: the session is live, and the iterator is closed before it.
        let mut cursor = Cursor(unsafe { sys::bakeoff_leveldb_iterator_open(self.raw) });
        let mut entry = cursor.start(from, direction);
        while entry.is_some_and(|(key, value)| visit(key, value)) {
            entry = cursor.step(direction);
        }
        cursor.error()
    }
}

impl Drop for Buffers<'_> {
    fn drop(&mut self) {
        // SAFETY: the session is live and nothing refers to it any more.
        unsafe { sys::bakeoff_leveldb_session_end(self.raw) };
    }
}

/// A LevelDB iterator is a snapshot, so each scan has its own.
struct Cursor(*mut sys::Iterator);

// The iterator of a cursor is live from creation to drop: the SAFETY of every call here.
impl Cursor {
    /// Moves to the first key not below `from`, or in reverse to the last one not above it, and returns that entry.
    fn start(&mut self, from: Option<&[u8]>, direction: Direction) -> Option<(&[u8], &[u8])> {
        let (mut key, mut value) = (Bytes::NONE, Bytes::NONE);
        // SAFETY: the iterator is live, and copies the key. Its entry stays until it moves, which needs the cursor mutable.
        unsafe {
            let (raw, key_out, value_out) = (self.0, &raw mut key, &raw mut value);
            match (from, direction) {
                (None, Direction::Reverse) => sys::bakeoff_leveldb_iterator_last(raw, key_out, value_out),
                (None, _) => sys::bakeoff_leveldb_iterator_first(raw, key_out, value_out),
                (Some(from), _) => sys::bakeoff_leveldb_iterator_seek(raw, from.into(), key_out, value_out),
            };
            match (from, direction, key.get()) {
                (Some(_), Direction::Reverse, None) => self.start(None, Direction::Reverse),
                (Some(from), Direction::Reverse, Some(found)) if found != from => self.step(Direction::Reverse),
                (_, _, found) => Some((found?, value.get()?)),
            }
        }
    }

    /// Moves to the next entry.
    fn step(&mut self, direction: Direction) -> Option<(&[u8], &[u8])> {
        let (mut key, mut value) = (Bytes::NONE, Bytes::NONE);
        // SAFETY: the iterator is live and has an entry, as LevelDB requires. The entry stays as in `start`.
        unsafe {
            match direction {
                Direction::Reverse => sys::bakeoff_leveldb_iterator_previous(self.0, &mut key, &mut value),
                Direction::Forward | Direction::Any => sys::bakeoff_leveldb_iterator_next(self.0, &mut key, &mut value),
            };
            Some((key.get()?, value.get()?))
        }
    }

    /// The error that ended the iteration, if any.
    fn error(&self) -> Result<(), StoreError> {
        // SAFETY: the iterator is live.
        check(unsafe { sys::bakeoff_leveldb_iterator_error(self.0) })
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        // SAFETY: the iterator is live and nothing refers to it any more.
        unsafe { sys::bakeoff_leveldb_iterator_close(self.0) };
    }
}
