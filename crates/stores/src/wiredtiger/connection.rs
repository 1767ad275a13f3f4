//! WiredTiger's handles with lifetimes: what its interface asks of its caller, the types see to.

use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;

use super::sys;
use crate::shim::{self, Bytes};
use crate::{Direction, Session, SessionPlan, StoreError};

/// The library's version.
pub(super) fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three places for an integer.
    unsafe { sys::wiredtiger_version(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// An open connection with its one table, closed when it goes.
pub(super) struct Connection(*mut sys::Connection);

// SAFETY: threads may share a connection; sessions, which they may not, are not Sync.
unsafe impl Sync for Connection {}

impl Connection {
    /// Opens the directory, recovers what its log has, and makes the table unless it is there.
    pub(super) fn open(directory: &Path, configuration: &str, table: &str) -> Result<Self, StoreError> {
        let directory = shim::path(directory)?;
        // Made of words and numbers, which have no NUL in them.
        let [configuration, table] = [configuration, table].map(|text| CString::new(text).unwrap_or_default());
        let mut raw = ptr::null_mut();
        // SAFETY: the texts end with NUL, and `raw` is a place for one pointer, which is set if the code is 0.
        check(unsafe { sys::bakeoff_wt_open(directory.as_ptr(), configuration.as_ptr(), table.as_ptr(), &mut raw) })?;
        Ok(Self(raw))
    }

    /// Writes everything, closes, and says what went wrong in that.
    pub(super) fn close(self) -> Result<(), StoreError> {
        let raw = std::mem::ManuallyDrop::new(self).0;
        // SAFETY: the connection is open, every session, borrowing it, is gone, and so is the connection after this.
        check(unsafe { sys::bakeoff_wt_close(raw) })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: as in `close`, which does not come here. After an error elsewhere this one is lost.
        unsafe { sys::bakeoff_wt_close(self.0) };
    }
}

/// One thread's session and cursors, and whether a transaction is open.
pub(super) struct WiredTigerSession<'c> {
    raw: *mut sys::Session,
    batched: bool,
    in_batch: bool,
    connection: PhantomData<&'c Connection>,
}

// The session is live from its making to its drop: the SAFETY of every call here.
impl<'c> WiredTigerSession<'c> {
    /// Opens a session and its cursors.
    pub(super) fn begin(connection: &'c Connection, plan: &SessionPlan) -> Result<Self, StoreError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the connection is open, and `raw` is a place for one pointer, which is set if the code is 0.
        check(unsafe { sys::bakeoff_wt_session_begin(connection.0, &mut raw) })?;
        Ok(Self { raw, batched: plan.batched, in_batch: false, connection: PhantomData })
    }

    /// In a batch the first write begins a transaction; otherwise each write is one.
    fn before_write(&mut self) -> Result<(), StoreError> {
        if self.batched && !self.in_batch {
            // SAFETY: the session is live and has no transaction.
            check(unsafe { sys::bakeoff_wt_begin(self.raw) })?;
            self.in_batch = true;
        }
        Ok(())
    }

    fn put(&mut self, key: &[u8], value: &[u8], overwrite: bool) -> Result<(), StoreError> {
        self.before_write()?;
        // SAFETY: the session is live; key and value are read during the call only.
        check(unsafe { sys::bakeoff_wt_put(self.raw, key.into(), value.into(), c_int::from(overwrite)) })
    }
}

impl Session for WiredTigerSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.put(key, value, false)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.put(key, value, true)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.put(key, value, true)
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let mut found = Bytes::NONE;
        // SAFETY: the session is live, the key is only read, and what is found stays until the cursor is reset: here it is copied
        // before.
        unsafe {
            let code = sys::bakeoff_wt_get(self.raw, key.into(), &mut found);
            if code == 0 {
                value.extend_from_slice(found.get().unwrap_or_default());
            } else if code != sys::NOT_FOUND {
                check(code)?;
            }
            check(sys::bakeoff_wt_reset(self.raw))?;
            Ok(code == 0)
        }
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.before_write()?;
        // SAFETY: the session is live, and the key is only read.
        check(unsafe { sys::bakeoff_wt_delete(self.raw, key.into()) })
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let reverse = c_int::from(direction == Direction::Reverse);
        let (mut key, mut value) = (from.map_or(Bytes::NONE, Bytes::from), Bytes::NONE);
        // SAFETY: the session is live; what the cursor gives stays until it moves, which it does not before the visit is over.
        unsafe {
            let mut code = match from {
                Some(_) => sys::bakeoff_wt_seek(self.raw, reverse, &mut key, &mut value),
                None => sys::bakeoff_wt_step(self.raw, reverse, &mut key, &mut value),
            };
            while code == 0 && visit(key.get().unwrap_or_default(), value.get().unwrap_or_default()) {
                code = sys::bakeoff_wt_step(self.raw, reverse, &mut key, &mut value);
            }
            if code != sys::NOT_FOUND {
                check(code)?;
            }
            check(sys::bakeoff_wt_reset(self.raw))
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if std::mem::take(&mut self.in_batch) {
            // SAFETY: the session is live and has a transaction.
            check(unsafe { sys::bakeoff_wt_commit(self.raw) })?;
        }
        Ok(())
    }
}

impl Drop for WiredTigerSession<'_> {
    fn drop(&mut self) {
        // SAFETY: the session is live and nothing refers to it any more.
        unsafe { sys::bakeoff_wt_session_end(self.raw) };
    }
}

/// `Ok` for 0, else the error.
fn check(code: c_int) -> Result<(), StoreError> {
    match code {
        0 => Ok(()),
        // Codes above zero are those of the operating system.
        1.. => Err(std::io::Error::from_raw_os_error(code).into()),
        _ => {
            // SAFETY: for WiredTiger's own codes this is a static string.
            let text = unsafe { CStr::from_ptr(sys::wiredtiger_strerror(code)) };
            Err(StoreError::Store(text.to_string_lossy().into_owned()))
        }
    }
}
