//! RocksDB's objects with lifetimes: the types guarantee what its interface requires of its caller.

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
    // SAFETY: it takes no arguments, and the caller owns the text.
    ffi::take(unsafe { sys::bakeoff_rocksdb_version() })
}

/// Options for opening; [`super::settings`] describes them.
pub(super) struct Options<'a> {
    pub(super) cache_bytes: usize,
    pub(super) write_buffer_bytes: usize,
    pub(super) block_bytes: usize,
    pub(super) bloom_bits: c_int,
    pub(super) background_jobs: c_int,
    pub(super) compression: &'a str,
    pub(super) statistics: bool,
}

/// An open database, closed when it is dropped.
pub(super) struct Database(*mut sys::Database);

// SAFETY: several threads may use a RocksDB database without their own lock (rocksdb/db.h).
unsafe impl Sync for Database {}

impl Database {
    /// Creates or opens the database in a directory.
    pub(super) fn open(directory: &Path, options: &Options<'_>) -> Result<Self, StoreError> {
        let path = c_path(directory)?;
        // Values of this setting contain no NUL.
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

    /// RocksDB's own counters.
    pub(super) fn properties(&self) -> BTreeMap<String, u64> {
        unsafe extern "C" fn keep(context: *mut c_void, name: Bytes<'_>, value: u64) {
            // SAFETY: the context is the map below, and the name stays during the call.
            let (map, name) = unsafe { (&mut *context.cast::<BTreeMap<String, u64>>(), name.get()) };
            map.insert(String::from_utf8_lossy(name.unwrap_or_default()).into_owned(), value);
        }
        let mut map = BTreeMap::new();
        // SAFETY: the database is open. The function gets the map that it expects, and keeps nothing.
        unsafe { sys::bakeoff_rocksdb_properties(self.0, (&raw mut map).cast(), keep) };
        map
    }

    /// Closes the database, and returns any error.
    pub(super) fn close(self) -> Result<(), StoreError> {
        let raw = std::mem::ManuallyDrop::new(self).0;
        // SAFETY: the database is open. All sessions borrow it, so they are gone, and it is not used after this.
        check(unsafe { sys::bakeoff_rocksdb_close(raw) })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: the database is open. All sessions borrow it, so they are gone. After an error elsewhere, an error here is ignored.
        let _ = check(unsafe { sys::bakeoff_rocksdb_close(self.0) });
    }
}

/// One thread's batch, its last value, and its iterator.
pub(super) struct Buffers<'d> {
    raw: *mut sys::Session,
    database: PhantomData<&'d Database>,
}

impl<'d> Buffers<'d> {
    /// An empty batch, written as the level requires.
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
        // SAFETY: the session is live, the key is only read, and the value stays pinned until the session's next get. Here it is copied at
        // once.
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

// The session keeps the iterator until its next write or its end. Neither can happen while a cursor borrows it: the SAFETY of every call
// here.
impl Cursor<'_> {
    /// Moves to the first key not below `from`, or in reverse to the last one not above it, and returns that entry.
    fn start(&mut self, from: Option<&[u8]>, direction: Direction) -> Option<(&[u8], &[u8])> {
        let (mut key, mut value) = (Bytes::NONE, Bytes::NONE);
        // SAFETY: the iterator is live, and copies the key. Its entry stays until it moves, which needs the cursor mutable.
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

    /// Moves to the next entry.
    fn step(&mut self, direction: Direction) -> Option<(&[u8], &[u8])> {
        let (mut key, mut value) = (Bytes::NONE, Bytes::NONE);
        // SAFETY: the iterator is live and has an entry, as RocksDB requires. The entry stays as in `start`.
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

    /// The error that ended the iteration, if any.
    fn error(&self) -> Result<(), StoreError> {
        // SAFETY: the iterator is live.
        check(unsafe { sys::bakeoff_rocksdb_iterator_error(self.raw) })
    }
}
