//! The used part of Kyoto Cabinet's C interface (`kclangc.h`).

use std::ffi::{c_char, c_int, c_void};

/// `KCDB`.
#[repr(C)]
pub(super) struct Database {
    opaque: [u8; 0],
}

/// `KCCUR`.
#[repr(C)]
pub(super) struct Cursor {
    opaque: [u8; 0],
}

/// `KCVISITFULL`: receives a record, and returns what to do with it.
pub(super) type VisitFull = unsafe extern "C" fn(
    key: *const c_char,
    key_bytes: usize,
    value: *const c_char,
    value_bytes: usize,
    new_bytes: *mut usize,
    context: *mut c_void,
) -> *const c_char;

/// `KCVISITEMPTY`: called if there is no record, and returns whether to create one.
pub(super) type VisitEmpty = unsafe extern "C" fn(
    key: *const c_char,
    key_bytes: usize,
    new_bytes: *mut usize,
    context: *mut c_void,
) -> *const c_char;

pub(super) const WRITER: u32 = 1 << 1;
pub(super) const CREATE: u32 = 1 << 2;
pub(super) const AUTO_TRANSACTION: u32 = 1 << 4;
pub(super) const AUTO_SYNCHRONIZE: u32 = 1 << 5;

pub(super) const NO_RECORD: i32 = 7;
pub(super) const SYSTEM: i32 = 9;

#[link(name = "kyotocabinet")]
unsafe extern "C" {
    pub(super) static KCVERSION: *const c_char;
    pub(super) static KCVISNOP: *const c_char;

    pub(super) fn kcdbnew() -> *mut Database;
    pub(super) fn kcdbdel(database: *mut Database);
    pub(super) fn kcdbopen(database: *mut Database, path: *const c_char, mode: u32) -> i32;
    pub(super) fn kcdbclose(database: *mut Database) -> i32;
    pub(super) fn kcdbecode(database: *mut Database) -> i32;
    pub(super) fn kcdbemsg(database: *mut Database) -> *const c_char;
    pub(super) fn kcdbaccept(
        database: *mut Database,
        key: *const u8,
        key_bytes: usize,
        full: VisitFull,
        empty: VisitEmpty,
        context: *mut c_void,
        writable: i32,
    ) -> i32;
    pub(super) fn kcdbcheck(database: *mut Database, key: *const u8, key_bytes: usize) -> i32;
    pub(super) fn kcdbset(
        database: *mut Database,
        key: *const u8,
        key_bytes: usize,
        value: *const u8,
        value_bytes: usize,
    ) -> i32;
    pub(super) fn kcdbadd(
        database: *mut Database,
        key: *const u8,
        key_bytes: usize,
        value: *const u8,
        value_bytes: usize,
    ) -> i32;
    pub(super) fn kcdbreplace(
        database: *mut Database,
        key: *const u8,
        key_bytes: usize,
        value: *const u8,
        value_bytes: usize,
    ) -> i32;
    pub(super) fn kcdbremove(database: *mut Database, key: *const u8, key_bytes: usize) -> i32;
    pub(super) fn kcdbbegintran(database: *mut Database, hard: i32) -> i32;
    pub(super) fn kcdbendtran(database: *mut Database, commit: i32) -> i32;
    pub(super) fn kcdbcursor(database: *mut Database) -> *mut Cursor;
    pub(super) fn kccurdel(cursor: *mut Cursor);
    pub(super) fn kccurjump(cursor: *mut Cursor) -> i32;
    pub(super) fn kccurjumpkey(cursor: *mut Cursor, key: *const u8, key_bytes: usize) -> i32;
    pub(super) fn kccurjumpback(cursor: *mut Cursor) -> i32;
    pub(super) fn kccurjumpbackkey(cursor: *mut Cursor, key: *const u8, key_bytes: usize) -> i32;
    pub(super) fn kccurstepback(cursor: *mut Cursor) -> i32;
    pub(super) fn kccuraccept(
        cursor: *mut Cursor,
        full: VisitFull,
        context: *mut c_void,
        writable: i32,
        step: c_int,
    ) -> i32;
}
