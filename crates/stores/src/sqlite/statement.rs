//! A prepared statement that binds the caller's bytes without copying them.
//!
//! rusqlite binds every blob with `SQLITE_TRANSIENT`, which makes SQLite copy each key and each value first. Here they are bound with
//! `SQLITE_STATIC`. That is sound because bytes are bound and used inside one call. When it returns the statement is reset, and SQLite's
//! next access to the old binding only removes it.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr;

use bakeoff_store::StoreError;
use rusqlite::Connection;
use rusqlite::ffi;

use super::error::{error_from_code, error_from_rusqlite};

/// A statement prepared on a connection, for as long as the connection is borrowed.
pub(super) struct Statement<'c> {
    raw: *mut ffi::sqlite3_stmt,
    database: *mut ffi::sqlite3,
    connection: PhantomData<&'c Connection>,
}

impl<'c> Statement<'c> {
    /// Prepares one SQL statement, which must not be empty.
    pub(super) fn prepare(connection: &'c Connection, sql: &str) -> Result<Self, StoreError> {
        // SAFETY: the handle is only used to prepare, run and finalize statements while `connection` is borrowed.
        let database = unsafe { connection.handle() };
        let length = c_int::try_from(sql.len()).map_err(|_| error_from_rusqlite(rusqlite::Error::InvalidQuery))?;
        let mut raw = ptr::null_mut();
        // SAFETY: `sql` is valid for `length` bytes, and `raw` is a place for one pointer.
        let code = unsafe {
            let flags = ffi::SQLITE_PREPARE_PERSISTENT;
            ffi::sqlite3_prepare_v3(database, sql.as_ptr().cast(), length, flags, &mut raw, ptr::null_mut())
        };
        if code != ffi::SQLITE_OK {
            return Err(error_from_code(database, code));
        }
        Ok(Self { raw, database, connection: PhantomData })
    }

    /// Runs it with these blobs as its parameters and ignores rows.
    pub(super) fn execute(&mut self, parameters: &[&[u8]]) -> Result<(), StoreError> {
        self.query(parameters, |_| false)
    }

    /// Runs it with these blobs as its parameters and passes each row to `visit`, until that returns false.
    pub(super) fn query(
        &mut self,
        parameters: &[&[u8]],
        mut visit: impl FnMut(&Row<'_>) -> bool,
    ) -> Result<(), StoreError> {
        self.bind(parameters)?;
        // Resets also when `visit` panics, so that no binding outlives its bytes in a running statement.
        let running = Running(self);
        let code = loop {
            // SAFETY: the statement is live; its bindings are borrowed until this function returns.
            match unsafe { ffi::sqlite3_step(running.0.raw) } {
                ffi::SQLITE_ROW => {
                    if !visit(&Row { statement: running.0 }) {
                        break ffi::SQLITE_DONE;
                    }
                }
                code => break code,
            }
        };
        if code == ffi::SQLITE_DONE { Ok(()) } else { Err(error_from_code(running.0.database, code)) }
    }

    fn bind(&mut self, parameters: &[&[u8]]) -> Result<(), StoreError> {
        for (index, bytes) in (1..).zip(parameters) {
            // SAFETY: the bytes stay borrowed until the statement was stepped and reset (see `query`). The pointer of an empty slice is not
            // null, so it binds an empty blob and not NULL.
            let code = unsafe {
                let (start, length) = (bytes.as_ptr().cast(), bytes.len() as u64);
                ffi::sqlite3_bind_blob64(self.raw, index, start, length, ffi::SQLITE_STATIC())
            };
            if code != ffi::SQLITE_OK {
                return Err(error_from_code(self.database, code));
            }
        }
        Ok(())
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: the statement is live and nothing refers to it any more.
        unsafe { ffi::sqlite3_finalize(self.raw) };
    }
}

/// A statement being stepped: resetting it ends its implicit transaction.
struct Running<'s, 'c>(&'s Statement<'c>);

impl Drop for Running<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the statement is live. The returned code repeats that of the last step.
        unsafe { ffi::sqlite3_reset(self.0.raw) };
    }
}

/// The current row of a statement.
pub(super) struct Row<'s> {
    statement: &'s Statement<'s>,
}

impl Row<'_> {
    /// The blob in a column, in SQLite's own memory.
    pub(super) fn blob(&self, column: c_int) -> &[u8] {
        let raw = self.statement.raw;
        // SAFETY: SQLite keeps the blob until the statement is stepped or reset, which the borrow of the row prevents. An empty blob may be
        // a null pointer.
        unsafe {
            let start = ffi::sqlite3_column_blob(raw, column).cast::<u8>();
            let length = ffi::sqlite3_column_bytes(raw, column);
            match usize::try_from(length) {
                Ok(length) if !start.is_null() => std::slice::from_raw_parts(start, length),
                _ => &[],
            }
        }
    }
}
