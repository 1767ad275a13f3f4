//! The used part of Berkeley DB: the functions of `shim.c`, which `build.rs` compiles, and the codes of its header.

use std::ffi::{c_char, c_int};
use std::marker::PhantomData;

/// `DB_ENV`.
#[repr(C)]
pub(super) struct Environment {
    opaque: [u8; 0],
}

/// `DB`.
#[repr(C)]
pub(super) struct Database {
    opaque: [u8; 0],
}

/// `DB_TXN`.
#[repr(C)]
pub(super) struct Transaction {
    opaque: [u8; 0],
}

/// `DBC`.
#[repr(C)]
pub(super) struct Cursor {
    opaque: [u8; 0],
}

/// Bytes that are only read, and only during the call.
#[repr(C)]
pub(super) struct Bytes<'b> {
    pub(super) data: *const u8,
    pub(super) length: u32,
    pub(super) borrowed: PhantomData<&'b [u8]>,
}

/// Memory for an answer. `length` becomes the answer's length, even if there is no room for it.
#[repr(C)]
pub(super) struct Room {
    pub(super) data: *mut u8,
    pub(super) room: u32,
    pub(super) length: u32,
}

pub(super) const FIRST: u32 = 7;
pub(super) const LAST: u32 = 15;
pub(super) const NEXT: u32 = 16;
pub(super) const PREVIOUS: u32 = 23;
pub(super) const SET_RANGE: u32 = 27;

pub(super) const BUFFER_SMALL: c_int = -30_999;
pub(super) const LOCK_DEADLOCK: c_int = -30_993;
pub(super) const NOT_FOUND: c_int = -30_988;

unsafe extern "C" {
    pub(super) fn bakeoff_db_environment_open(
        directory: *const c_char,
        cache_bytes: u64,
        flush: c_int,
        result: *mut *mut Environment,
    ) -> c_int;
    pub(super) fn bakeoff_db_checkpoint(environment: *mut Environment) -> c_int;
    pub(super) fn bakeoff_db_environment_close(environment: *mut Environment) -> c_int;
    pub(super) fn bakeoff_db_open(
        environment: *mut Environment,
        file: *const c_char,
        hash: c_int,
        page_bytes: u32,
        cache_bytes: u64,
        result: *mut *mut Database,
    ) -> c_int;
    pub(super) fn bakeoff_db_close(database: *mut Database) -> c_int;
    pub(super) fn bakeoff_db_begin(environment: *mut Environment, result: *mut *mut Transaction) -> c_int;
    pub(super) fn bakeoff_db_commit(transaction: *mut Transaction) -> c_int;
    pub(super) fn bakeoff_db_abort(transaction: *mut Transaction) -> c_int;
    pub(super) fn bakeoff_db_put(
        database: *mut Database,
        transaction: *mut Transaction,
        key: Bytes<'_>,
        value: Bytes<'_>,
        overwrite: c_int,
    ) -> c_int;
    pub(super) fn bakeoff_db_delete(database: *mut Database, transaction: *mut Transaction, key: Bytes<'_>) -> c_int;
    pub(super) fn bakeoff_db_exists(database: *mut Database, transaction: *mut Transaction, key: Bytes<'_>) -> c_int;
    pub(super) fn bakeoff_db_get(
        database: *mut Database,
        transaction: *mut Transaction,
        key: Bytes<'_>,
        value: *mut Room,
    ) -> c_int;
    pub(super) fn bakeoff_db_cursor_open(
        database: *mut Database,
        transaction: *mut Transaction,
        result: *mut *mut Cursor,
    ) -> c_int;
    pub(super) fn bakeoff_db_cursor_close(cursor: *mut Cursor) -> c_int;
    pub(super) fn bakeoff_db_cursor_get(cursor: *mut Cursor, key: *mut Room, value: *mut Room, operation: u32)
    -> c_int;
    /// The library's own.
    pub(super) fn db_strerror(code: c_int) -> *const c_char;
    /// The library's own.
    pub(super) fn db_version(major: *mut c_int, minor: *mut c_int, patch: *mut c_int) -> *const c_char;
}
