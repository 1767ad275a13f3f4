//! The used part of LevelDB: the functions of `shim.cc`, which `build.rs` compiles and links.

use std::ffi::{c_char, c_int};

use bakeoff_store::ffi::{Bytes, Message};

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

/// `leveldb::Iterator`.
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
    pub(super) snappy: bool,
    pub(super) flush: bool,
}

// Functions that return a message return null if there is no error. The caller frees the message.
unsafe extern "C" {
    pub(super) fn bakeoff_leveldb_version(major: *mut c_int, minor: *mut c_int);
    pub(super) fn bakeoff_leveldb_open(
        path: *const c_char,
        wanted: *const Options,
        result: *mut *mut Database,
    ) -> Message;
    pub(super) fn bakeoff_leveldb_close(database: *mut Database);
    pub(super) fn bakeoff_leveldb_session_begin(database: *mut Database, sync: bool) -> *mut Session;
    pub(super) fn bakeoff_leveldb_session_end(session: *mut Session);
    pub(super) fn bakeoff_leveldb_batch_put(session: *mut Session, key: Bytes<'_>, value: Bytes<'_>);
    pub(super) fn bakeoff_leveldb_batch_delete(session: *mut Session, key: Bytes<'_>);
    pub(super) fn bakeoff_leveldb_batch_write(session: *mut Session) -> Message;
    pub(super) fn bakeoff_leveldb_get(session: *mut Session, key: Bytes<'_>, value: *mut Bytes<'_>) -> Message;
    pub(super) fn bakeoff_leveldb_iterator_open(session: *mut Session) -> *mut Iterator;
    pub(super) fn bakeoff_leveldb_iterator_close(iterator: *mut Iterator);
    pub(super) fn bakeoff_leveldb_iterator_first(
        iterator: *mut Iterator,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_leveldb_iterator_last(
        iterator: *mut Iterator,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_leveldb_iterator_seek(
        iterator: *mut Iterator,
        from: Bytes<'_>,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_leveldb_iterator_next(
        iterator: *mut Iterator,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_leveldb_iterator_previous(
        iterator: *mut Iterator,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> bool;
    pub(super) fn bakeoff_leveldb_iterator_error(iterator: *const Iterator) -> Message;
}
