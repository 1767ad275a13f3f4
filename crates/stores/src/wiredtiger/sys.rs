//! The used part of WiredTiger: the functions of `shim.c`, which `build.rs` compiles, and the codes of its header.

use std::ffi::{c_char, c_int};

use bakeoff_store::ffi::Bytes;

/// `WT_CONNECTION`. Threads may share it.
#[repr(C)]
pub(super) struct Connection {
    opaque: [u8; 0],
}

/// One thread's session and cursors.
#[repr(C)]
pub(super) struct Session {
    opaque: [u8; 0],
}

pub(super) const NOT_FOUND: c_int = -31_803;
pub(super) const ROLLBACK: c_int = -31_800;

unsafe extern "C" {
    pub(super) fn bakeoff_wt_open(
        directory: *const c_char,
        configuration: *const c_char,
        table: *const c_char,
        result: *mut *mut Connection,
    ) -> c_int;
    pub(super) fn bakeoff_wt_close(connection: *mut Connection) -> c_int;
    pub(super) fn bakeoff_wt_session_begin(connection: *mut Connection, result: *mut *mut Session) -> c_int;
    pub(super) fn bakeoff_wt_session_end(session: *mut Session) -> c_int;
    pub(super) fn bakeoff_wt_begin(session: *mut Session) -> c_int;
    pub(super) fn bakeoff_wt_commit(session: *mut Session) -> c_int;
    pub(super) fn bakeoff_wt_put(session: *mut Session, key: Bytes<'_>, value: Bytes<'_>, overwrite: c_int) -> c_int;
    pub(super) fn bakeoff_wt_delete(session: *mut Session, key: Bytes<'_>) -> c_int;
    pub(super) fn bakeoff_wt_get(session: *mut Session, key: Bytes<'_>, value: *mut Bytes<'_>) -> c_int;
    pub(super) fn bakeoff_wt_reset(session: *mut Session) -> c_int;
    pub(super) fn bakeoff_wt_step(
        session: *mut Session,
        reverse: c_int,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> c_int;
    pub(super) fn bakeoff_wt_seek(
        session: *mut Session,
        reverse: c_int,
        key: *mut Bytes<'_>,
        value: *mut Bytes<'_>,
    ) -> c_int;
    /// The library's own.
    pub(super) fn wiredtiger_strerror(code: c_int) -> *const c_char;
    /// The library's own.
    pub(super) fn wiredtiger_version(major: *mut c_int, minor: *mut c_int, patch: *mut c_int) -> *const c_char;
}
