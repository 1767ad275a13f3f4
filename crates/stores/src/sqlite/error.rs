//! SQLite's result codes as store errors.

use std::ffi::{CStr, c_int};

use bakeoff_store::StoreError;
use rusqlite::ffi;

const ENOSPC: c_int = 28;
const EDQUOT: c_int = 122;

/// The error of the last call on this database.
pub(super) fn error_from_code(database: *mut ffi::sqlite3, code: c_int) -> StoreError {
    // SAFETY: the database is open; the message is copied before the next call.
    let (extended, system, message) = unsafe {
        let message = CStr::from_ptr(ffi::sqlite3_errmsg(database)).to_string_lossy().into_owned();
        (ffi::sqlite3_extended_errcode(database), ffi::sqlite3_system_errno(database), message)
    };
    let no_space = code & 0xff == ffi::SQLITE_IOERR && matches!(system, ENOSPC | EDQUOT);
    classify(code, no_space, format!("{message} (SQLite result code {extended})"))
}

/// The error of a call of rusqlite.
pub(super) fn error_from_rusqlite(error: rusqlite::Error) -> StoreError {
    let code = error.sqlite_error().map_or(ffi::SQLITE_ERROR, |inner| inner.extended_code);
    classify(code, false, format!("{error} (SQLite result code {code})"))
}

fn classify(code: c_int, no_space: bool, message: String) -> StoreError {
    match code & 0xff {
        ffi::SQLITE_FULL => StoreError::DiskFull(message),
        _ if no_space => StoreError::DiskFull(message),
        ffi::SQLITE_NOMEM => StoreError::OutOfMemory(message),
        _ => StoreError::Store(message),
    }
}
