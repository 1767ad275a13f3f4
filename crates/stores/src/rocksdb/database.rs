//! RocksDB's objects with lifetimes: what its interface asks of its caller, the types see to.

use std::collections::BTreeMap;
use std::ffi::{CString, c_int, c_void};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;

use bakeoff_store::batch::WriteBatch;
use bakeoff_store::ffi::{self, Bytes, c_path, check};
use bakeoff_store::{Direction, Durability, StoreError};

use super::sys;

/// The library's version.
pub(super) fn version() -> String {
    // SAFETY: it takes nothing, and the text is ours.
    ffi::take(unsafe { sys::bakeoff_rocksdb_version() })
}

/// What may be chosen when opening; [`super::settings`] says what each is.
pub(super) struct Options<'a> {
    pub(super) cache_bytes: usize,
    pub(super) write_buffer_bytes: usize,
    pub(super) block_bytes: usize,
    pub(super) bloom_bits: c_int,
    pub(super) background_jobs: c_int,
    pub(super) compression: &'a str,
    pub(super) statistics: bool,
}

/// An open database, closed when it goes.
pub(super) struct Database(*mut sys::Database);

// SAFETY: a RocksDB database may be used by several threads without a lock of theirs (rocksdb/db.h).
unsafe impl Sync for Database {}

impl Database {
    /// Creates or opens the database in a directory.
    pub(super) fn open(directory: &Path, options: &Options<'_>) -> Result<Self, StoreError> {
        let path = c_path(directory)?;
        // Words have no NUL in them.
        let compression = CString::new(options.compression).unwrap_or_default();
        let wanted = sys::Options {
            cache_bytes: options.cache_bytes,
            write_buffer_bytes: options.write_buffer_bytes,
            block_bytes: options.block_bytes,
            bloom_bits: options.bloom_bits,
            background_jobs: options.background_jobs,
            compression: compression.as_ptr(),
            statistics: options.statistics,
        };
        let mut raw = ptr::null_mut();
        // SAFETY: path and word end with NUL, and `raw` is a place for one pointer, which is set unless there is an error.
        check(unsafe { sys::bakeoff_rocksdb_open(path.as_ptr(), &wanted, &mut raw) })?;
        Ok(Self(raw))
    }

    /// What RocksDB counts about itself.
    pub(super) fn properties(&self) -> BTreeMap<String, u64> {
        unsafe extern "C" fn keep(context: *mut c_void, name: Bytes<'_>, value: u64) {
            // SAFETY: the context is the map below, and the name stays during the call.
            let (map, name) = unsafe { (&mut *context.cast::<BTreeMap<String, u64>>(), name.get()) };
            map.insert(String::from_utf8_lossy(name.unwrap_or_default()).into_owned(), value);
        }
        let mut map = BTreeMap::new();
        // SAFETY: the database is open; the function is given the map that it expects, and keeps nothing.
        unsafe { sys::bakeoff_rocksdb_properties(self.0, (&raw mut map).cast(), keep) };
        map
    }

    /// Closes the database, and says what went wrong in that.
    pub(super) fn close(self) -> Result<(), StoreError> {
        let raw = std::mem::ManuallyDrop::new(self).0;
        // SAFETY: the database is open, every session, borrowing it, is gone, and so is the database after this.
        check(unsafe { sys::bakeoff_rocksdb_close(raw) })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: the database is open, and every session, borrowing it, is gone. After an error elsewhere this one is lost.
        let _ = check(unsafe { sys::bakeoff_rocksdb_close(self.0) });
    }
}

/// One thread's batch, the value it got last, and its iterator.
pub(super) struct Buffers<'d> {
    raw: *mut sys::Session,
    database: PhantomData<&'d Database>,
}

impl<'d> Buffers<'d> {
    /// An empty batch, written as the level asks.
    pub(super) fn new(database: &'d Database, durability: Durability) -> Self {
        let (log, sync) = (durability != Durability::None, durability.includes(Durability::Consistent));
        // SAFETY: the database is open.
        let raw = unsafe { sys::bakeoff_rocksdb_session_begin(database.0, log, sync) };
        Self { raw, database: PhantomData }
    }
}

impl WriteBatch for Buffers<'_> {
    const TITLE: &'static str = "RocksDB";

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        // SAFETY: the session is live; key and value are copied.
        check(unsafe { sys::bakeoff_rocksdb_batch_put(self.raw, key.into(), value.into()) })
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        // SAFETY: the session is live; the key is copied.
        check(unsafe { sys::bakeoff_rocksdb_batch_delete(self.raw, key.into()) })
    }

    fn write(&mut self) -> Result<(), StoreError> {
        // SAFETY: the session is live, and no cursor borrows its iterator.
        check(unsafe { sys::bakeoff_rocksdb_batch_write(self.raw) })
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let mut found = Bytes::NONE;
        // SAFETY: the session is live, the key is only read, and what is found stays pinned until the session's next get: here it
        // is copied at once.
        unsafe {
            check(sys::bakeoff_rocksdb_get(self.raw, key.into(), &mut found))?;
            Ok(found.get().map(|bytes| value.extend_from_slice(bytes)).is_some())
        }
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the session is live, and `raw` a place for one pointer.
        check(unsafe { sys::bakeoff_rocksdb_iterator(self.raw, &mut raw) })?;
        let mut cursor = Cursor { raw, session: PhantomData };
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
        unsafe { sys::bakeoff_rocksdb_session_end(self.raw) };
    }
}

/// A session's iterator, for one scan.
struct Cursor<'s> {
    raw: *mut sys::Iterator,
    session: PhantomData<&'s mut sys::Session>,
}

// The session keeps the iterator until its next write or its end, neither of which can happen while a cursor borrows it: the SAFETY
// of every call here.
impl Cursor<'_> {
    /// Goes to the first key not below `from`, or in reverse to the last one not above it, and gives that entry.
    fn start(&mut self, from: Option<&[u8]>, direction: Direction) -> Option<(&[u8], &[u8])> {
        let (mut key, mut value) = (Bytes::NONE, Bytes::NONE);
        // SAFETY: the iterator is live, and copies the key. What it points to stays until it moves, which needs the cursor mutable.
        unsafe {
            let (raw, key_out, value_out) = (self.raw, &raw mut key, &raw mut value);
            match (from, direction) {
                (None, Direction::Reverse) => sys::bakeoff_rocksdb_iterator_last(raw, key_out, value_out),
                (None, _) => sys::bakeoff_rocksdb_iterator_first(raw, key_out, value_out),
                (Some(from), Direction::Reverse) => {
                    sys::bakeoff_rocksdb_iterator_seek_for_previous(raw, from.into(), key_out, value_out)
                }
                (Some(from), _) => sys::bakeoff_rocksdb_iterator_seek(raw, from.into(), key_out, value_out),
            };
            Some((key.get()?, value.get()?))
        }
    }

    /// Moves on from an entry to the next one.
    fn step(&mut self, direction: Direction) -> Option<(&[u8], &[u8])> {
        let (mut key, mut value) = (Bytes::NONE, Bytes::NONE);
        // SAFETY: the iterator is live, and stands on an entry, as RocksDB demands. What it points to: as in `start`.
        unsafe {
            match direction {
                Direction::Reverse => sys::bakeoff_rocksdb_iterator_previous(self.raw, &mut key, &mut value),
                Direction::Forward | Direction::Any => {
                    sys::bakeoff_rocksdb_iterator_next(self.raw, &mut key, &mut value)
                }
            };
            Some((key.get()?, value.get()?))
        }
    }

    /// Why there are no more entries, if not because it was the last.
    fn error(&self) -> Result<(), StoreError> {
        // SAFETY: the iterator is live.
        check(unsafe { sys::bakeoff_rocksdb_iterator_error(self.raw) })
    }
}
