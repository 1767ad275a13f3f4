//! The used part of RocksDB: the functions of `shim.cc`, which `build.rs` compiles.

use std::ffi::{c_char, c_int, c_void};

use bakeoff_store::ffi::{Bytes, Message};

// Links the library itself, which that crate compiles.
use librocksdb_sys as _;

/// An open database. Threads may share it.
#[repr(C)]
pub(super) struct Database {
    opaque: [u8; 0],
}

/// One thread's buffers.
#[repr(C)]
pub(super) struct Session {
    opaque: [u8; 0],
}

/// `rocksdb::Iterator`.
#[repr(C)]
pub(super) struct Iterator {
    opaque: [u8; 0],
}

/// Options for opening.
#[repr(C)]
pub(super) struct Options {
    pub(super) cache_bytes: usize,
    pub(super) write_buffer_bytes: usize,
    pub(super) block_bytes: usize,
    pub(super) bloom_bits: c_int,
    pub(super) background_jobs: c_int,
    pub(super) compression: *const c_char,
    pub(super) statistics: bool,
}

/// Receives each property: its name and value.
pub(super) type Visit = unsafe extern "C" fn(context: *mut c_void, name: Bytes<'_>, value: u64);

// Functions that return a message return null if there is no error. The caller frees the message.
unsafe extern "C" {
    pub(super) fn bakeoff_rocksdb_version() -> Message;
    pub(super) fn bakeoff_rocksdb_open(
        path: *const c_char,
        wanted: *const Options,
        result: *mut *mut Database,
    ) -> Message;
    pub(super) fn bakeoff_rocksdb_close(database: *mut Database) -> Message;
    pub(super) fn bakeoff_rocksdb_properties(database: *mut Database, context: *mut c_void, visit: Visit);
    pub(super) fn bakeoff_rocksdb_session_begin(database: *mut Database, log: bool, sync: bool) -> *mut Session;
    pub(super) fn bakeoff_rocksdb_session_end(session: *mut Session);
    pub(super) fn bakeoff_rocksdb_batch_put(session: *mut Session, key: Bytes<'_>, value: Bytes<'_>) -> Message;
    pub(super) fn bakeoff_rocksdb_batch_delete(session: *mut Session, key: Bytes<'_>) -> Message;
    pub(super) fn bakeoff_rocksdb_batch_write(session: *mut Session) -> Message;
    pub(super) fn bakeoff_rocksdb_get(session: *mut Session, key: Bytes<'_>, value: *mut Bytes<'_>) -> Message;
    pub(super) fn bakeoff_rocksdb_iterator(session: *mut Session, iterator: *mut *mut Iterator) -> Message;
    pub(super) fn bakeoff_rocksdb_iterator_first(
        iterator: *mut Iterator,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_rocksdb_iterator_last(
        iterator: *mut Iterator,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_rocksdb_iterator_seek(
        iterator: *mut Iterator,
        from: Bytes<'_>,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_rocksdb_iterator_seek_for_previous(
        iterator: *mut Iterator,
        from: Bytes<'_>,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_rocksdb_iterator_next(
        iterator: *mut Iterator,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_rocksdb_iterator_previous(
        iterator: *mut Iterator,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_rocksdb_iterator_error(iterator: *const Iterator) -> Message;
}
