//! Berkeley DB's handles with lifetimes: the types guarantee what its interface requires of its caller.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;

use bakeoff_store::StoreError;
use bakeoff_store::ffi::c_path;

use super::cursor::Cursor;
use super::error::check;
use super::sys::{self, Bytes, Room};

/// The database's file.
pub(super) const FILE: &str = "records.db";

/// The library's version.
pub(super) fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three places for an integer.
    unsafe { sys::db_version(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// An environment with transactions, in memory of this process.
struct Environment(*mut sys::Environment);

impl Environment {
    fn open(directory: &Path, cache_bytes: u64, flush: bool) -> Result<Self, StoreError> {
        let directory = c_path(directory)?;
        let mut raw = ptr::null_mut();
        // SAFETY: the path ends with NUL, and `raw` is a place for one pointer, which is set if the code is 0.
        check(unsafe {
            let flush = c_int::from(flush);
            sys::bakeoff_db_environment_open(directory.as_ptr(), cache_bytes, flush, &mut raw)
        })?;
        Ok(Self(raw))
    }

    fn checkpoint(&self) -> Result<(), StoreError> {
        // SAFETY: the environment is open.
        check(unsafe { sys::bakeoff_db_checkpoint(self.0) })
    }

    fn close(self) -> Result<(), StoreError> {
        let raw = self.0;
        std::mem::forget(self);
        // SAFETY: the environment is open, its handles are closed, and it is no longer used, for any code.
        check(unsafe { sys::bakeoff_db_environment_close(raw) })
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        // SAFETY: as in `close`, which forgets it.
        unsafe { sys::bakeoff_db_environment_close(self.0) };
    }
}

/// Options for opening a database.
pub(super) struct Options<'a> {
    pub(super) directory: &'a Path,
    pub(super) hash: bool,
    /// 0 for Berkeley DB's choice.
    pub(super) page_bytes: u32,
    pub(super) cache_bytes: u64,
    pub(super) log: Log,
}

/// Whether there is an environment with a log, which transactions need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Log {
    /// No environment.
    Absent,
    /// Written at every commit.
    Written,
    /// Written and flushed at every commit.
    Flushed,
}

/// An open database, in an environment or not.
pub(super) struct Database {
    // Closed before the environment: fields are dropped in this order.
    handle: Handle,
    environment: Option<Environment>,
}

struct Handle(*mut sys::Database);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the database is open: `Database::close` forgets it. All cursors and transactions borrow it, so they are gone.
        unsafe { sys::bakeoff_db_close(self.0) };
    }
}

// SAFETY: in an environment the handles are opened with DB_THREAD, which lets threads share them. Without one the callers take turns:
// `Berkeley` holds a lock around each call.
unsafe impl Sync for Database {}

impl Database {
    /// Creates or opens the database. An environment recovers from an earlier process's log.
    pub(super) fn open(options: &Options<'_>) -> Result<Self, StoreError> {
        let Options { directory, hash, page_bytes, cache_bytes, .. } = *options;
        let environment = match options.log {
            Log::Absent => None,
            log => Some(Environment::open(directory, cache_bytes, log == Log::Flushed)?),
        };
        // In an environment a relative path starts at its directory.
        let file = match environment {
            Some(_) => c_path(Path::new(FILE))?,
            None => c_path(&directory.join(FILE))?,
        };
        let outer = environment.as_ref().map_or(ptr::null_mut(), |environment| environment.0);
        let mut raw = ptr::null_mut();
        // SAFETY: the environment is open or null, the path ends with NUL, and `raw` is set if the code is 0.
        check(unsafe {
            sys::bakeoff_db_open(outer, file.as_ptr(), c_int::from(hash), page_bytes, cache_bytes, &mut raw)
        })?;
        Ok(Self { handle: Handle(raw), environment })
    }

    /// Writes what is still in memory and closes.
    pub(super) fn close(self) -> Result<(), StoreError> {
        let Self { handle, environment } = self;
        let raw = handle.0;
        std::mem::forget(handle);
        let checkpoint = environment.as_ref().map_or(Ok(()), Environment::checkpoint);
        // SAFETY: the database is open, its cursors and transactions are closed, and it is no longer used, for any code.
        let closed = check(unsafe { sys::bakeoff_db_close(raw) });
        let environment_closed = environment.map_or(Ok(()), Environment::close);
        checkpoint.and(closed).and(environment_closed)
    }

    /// Writes changed pages, so that logs can be removed.
    pub(super) fn checkpoint(&self) -> Result<(), StoreError> {
        self.environment.as_ref().map_or(Ok(()), Environment::checkpoint)
    }

    /// Begins a transaction; `None` without an environment.
    pub(super) fn begin(&self) -> Result<Option<Transaction<'_>>, StoreError> {
        let Some(environment) = &self.environment else { return Ok(None) };
        let mut raw = ptr::null_mut();
        // SAFETY: the environment is open with transactions, and `raw` is set if the code is 0.
        check(unsafe { sys::bakeoff_db_begin(environment.0, &mut raw) })?;
        Ok(Some(Transaction { raw, database: PhantomData }))
    }

    /// Writes a key, in a transaction or separately.
    pub(super) fn put(&self, within: Within<'_>, key: &[u8], value: &[u8], overwrite: bool) -> Result<(), StoreError> {
        check(alone_until_no_deadlock(within, || {
            // SAFETY: the database is open; key and value are only read.
            Ok(unsafe {
                let transaction = raw(within);
                sys::bakeoff_db_put(self.handle.0, transaction, lend(key)?, lend(value)?, c_int::from(overwrite))
            })
        })?)
    }

    /// Removes a key, if it is there.
    pub(super) fn delete(&self, within: Within<'_>, key: &[u8]) -> Result<(), StoreError> {
        let code = alone_until_no_deadlock(within, || {
            // SAFETY: the database is open; the key is only read.
            Ok(unsafe { sys::bakeoff_db_delete(self.handle.0, raw(within), lend(key)?) })
        })?;
        if code == sys::NOT_FOUND { Ok(()) } else { check(code) }
    }

    /// Whether a key exists.
    pub(super) fn exists(&self, within: Within<'_>, key: &[u8]) -> Result<bool, StoreError> {
        let code = alone_until_no_deadlock(within, || {
            // SAFETY: the database is open; the key is only read.
            Ok(unsafe { sys::bakeoff_db_exists(self.handle.0, raw(within), lend(key)?) })
        })?;
        if code == sys::NOT_FOUND { Ok(false) } else { check(code).map(|()| true) }
    }

    /// Appends the key's value to `value`, if it exists. Berkeley DB copies it there from its page.
    pub(super) fn get(&self, within: Within<'_>, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        loop {
            let mut found = room_of(value);
            let code = alone_until_no_deadlock(within, || {
                // SAFETY: the database is open, the key is only read, and `found` is room at the end of `value`.
                Ok(unsafe { sys::bakeoff_db_get(self.handle.0, raw(within), lend(key)?, &mut found) })
            })?;
            match code {
                sys::NOT_FOUND => return Ok(false),
                sys::BUFFER_SMALL => value.reserve(found.length as usize),
                code => {
                    check(code)?;
                    // SAFETY: this many bytes were written behind the last one.
                    unsafe { value.set_len(value.len() + found.length as usize) };
                    return Ok(true);
                }
            }
        }
    }

    /// Opens a cursor without a position.
    pub(super) fn cursor<'d>(&'d self, within: Within<'d>) -> Result<Cursor<'d>, StoreError> {
        let mut cursor = ptr::null_mut();
        // SAFETY: the database is open, the transaction live or null, and `cursor` is set if the code is 0.
        check(unsafe { sys::bakeoff_db_cursor_open(self.handle.0, raw(within), &mut cursor) })?;
        // SAFETY: the cursor is open. It borrows the database and the transaction, so neither ends before it.
        Ok(unsafe { Cursor::new(cursor) })
    }
}

/// The transaction of an operation. Without one, the operation is its own transaction.
pub(super) type Within<'t> = Option<&'t Transaction<'t>>;

/// A transaction, aborted unless it is committed.
pub(super) struct Transaction<'d> {
    raw: *mut sys::Transaction,
    database: PhantomData<&'d Database>,
}

impl Transaction<'_> {
    /// Acknowledges what was written.
    pub(super) fn commit(self) -> Result<(), StoreError> {
        let raw = self.raw;
        std::mem::forget(self);
        // SAFETY: the transaction is live, its cursors are closed, and it is no longer used, for any code.
        check(unsafe { sys::bakeoff_db_commit(raw) })
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // SAFETY: the transaction is live: `commit` forgets it.
        unsafe { sys::bakeoff_db_abort(self.raw) };
    }
}

fn raw(within: Within<'_>) -> *mut sys::Transaction {
    within.map_or(ptr::null_mut(), |transaction| transaction.raw)
}

/// Repeats an operation outside a transaction after a deadlock. Berkeley DB reports a deadlock to one of the threads whose lock orders
/// conflict.
fn alone_until_no_deadlock(
    within: Within<'_>,
    mut attempt: impl FnMut() -> Result<c_int, StoreError>,
) -> Result<c_int, StoreError> {
    loop {
        match attempt()? {
            sys::LOCK_DEADLOCK if within.is_none() => {}
            code => return Ok(code),
        }
    }
}

fn lend(bytes: &[u8]) -> Result<Bytes<'_>, StoreError> {
    let length = u32::try_from(bytes.len()).map_err(|_| {
        StoreError::BadRequest(format!("{} bytes are too long for Berkeley DB: give at most {}", bytes.len(), u32::MAX))
    })?;
    Ok(Bytes { data: bytes.as_ptr(), length, borrowed: PhantomData })
}

/// The unused room at the end of a buffer.
fn room_of(buffer: &mut Vec<u8>) -> Room {
    let spare = buffer.spare_capacity_mut();
    Room { data: spare.as_mut_ptr().cast(), room: u32::try_from(spare.len()).unwrap_or(u32::MAX), length: 0 }
}
