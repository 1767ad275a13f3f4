//! WiredTiger's handles with lifetimes: the types guarantee what its interface requires of its caller.

use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;

use bakeoff_store::ffi::{Bytes, c_path};
use bakeoff_store::{Direction, Session, SessionPlan, StoreError};

use super::new_names::NewNames;
use super::sys;

/// The library's version.
pub(super) fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three places for an integer.
    unsafe { sys::wiredtiger_version(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// An open connection with its one table, closed when it is dropped.
pub(super) struct Connection(*mut sys::Connection);

// SAFETY: threads may share a connection, but not sessions, which are not Sync.
unsafe impl Sync for Connection {}

impl Connection {
    /// Opens the directory, recovers from its log, and creates the table unless it exists.
    pub(super) fn open(directory: &Path, configuration: &str, table: &str) -> Result<Self, StoreError> {
        let directory = c_path(directory)?;
        // Made of words and numbers, which contain no NUL.
        let [configuration, table] = [configuration, table].map(|text| CString::new(text).unwrap_or_default());
        let mut raw = ptr::null_mut();
        // SAFETY: the texts end with NUL, and `raw` is a place for one pointer, which is set if the code is 0.
        check(unsafe { sys::bakeoff_wt_open(directory.as_ptr(), configuration.as_ptr(), table.as_ptr(), &mut raw) })?;
        Ok(Self(raw))
    }

    /// Writes everything, closes, and returns any error.
    pub(super) fn close(self) -> Result<(), StoreError> {
        let raw = std::mem::ManuallyDrop::new(self).0;
        // SAFETY: the connection is open. All sessions borrow it, so they are gone, and it is not used after this.
        check(unsafe { sys::bakeoff_wt_close(raw) })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: as in `close`, which forgets the connection. After an error elsewhere, an error here is ignored.
        unsafe { sys::bakeoff_wt_close(self.0) };
    }
}

/// The size of the cache, and of the values that threads write or read at the same time.
#[derive(Clone, Copy)]
pub(super) struct CacheUse {
    pub(super) cache_bytes: u64,
    pub(super) at_once_bytes: u64,
}

impl CacheUse {
    /// An operation's error, which `batch_bytes` written in a batch may have caused. If nothing can leave the cache, code and message are
    /// those of a conflict between transactions. When a fifth of the cache is changed, threads must evict (`eviction_dirty_trigger`).
    fn explain(self, error: StoreError, code: c_int, batch_bytes: u64) -> StoreError {
        let (cache_bytes, bytes) = (self.cache_bytes, self.at_once_bytes.max(batch_bytes));
        if code != sys::ROLLBACK || bytes < cache_bytes / 5 {
            return error;
        }
        StoreError::Store(format!(
            "{error}: the likely cause is the `cache` of {cache_bytes} bytes, which has no room for the {bytes} bytes that are written or read at once: give the \
             store a larger setting `cache`, or smaller batches"
        ))
    }
}

/// One thread's session and cursors, and whether a transaction is open.
pub(super) struct WiredTigerSession<'c> {
    raw: *mut sys::Session,
    batched: bool,
    in_batch: bool,
    /// Bytes written in the open batch.
    batch_bytes: u64,
    cache: CacheUse,
    /// WiredTiger flushes a new log, but not its name: observed with 3.2.1 under `strace`.
    names: Option<&'c NewNames>,
    connection: PhantomData<&'c Connection>,
}

// The session is live from creation to drop: the SAFETY of every call here.
impl<'c> WiredTigerSession<'c> {
    /// Opens a session and its cursors.
    pub(super) fn begin(
        connection: &'c Connection,
        names: Option<&'c NewNames>,
        plan: &SessionPlan,
        cache: CacheUse,
    ) -> Result<Self, StoreError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the connection is open, and `raw` is a place for one pointer, which is set if the code is 0.
        check(unsafe { sys::bakeoff_wt_session_begin(connection.0, &mut raw) })?;
        Ok(Self { raw, batched: plan.batched, in_batch: false, batch_bytes: 0, cache, names, connection: PhantomData })
    }

    /// In a batch the first write begins a transaction. Otherwise each write is a transaction.
    fn before_write(&mut self) -> Result<(), StoreError> {
        if self.batched && !self.in_batch {
            // SAFETY: the session is live and has no transaction.
            check(unsafe { sys::bakeoff_wt_begin(self.raw) })?;
            self.in_batch = true;
            self.batch_bytes = 0;
        }
        Ok(())
    }

    fn put(&mut self, key: &[u8], value: &[u8], overwrite: bool) -> Result<(), StoreError> {
        self.before_write()?;
        self.batch_bytes += (key.len() + value.len()) as u64;
        // SAFETY: the session is live; key and value are read during the call only.
        self.check(unsafe { sys::bakeoff_wt_put(self.raw, key.into(), value.into(), c_int::from(overwrite)) })?;
        self.after_write()
    }

    /// Outside a batch a write is acknowledged at once.
    fn after_write(&self) -> Result<(), StoreError> {
        match self.names {
            Some(names) if !self.in_batch => names.flush(),
            _ => Ok(()),
        }
    }

    /// `Ok` for 0, else the error with its likely cause.
    fn check(&self, code: c_int) -> Result<(), StoreError> {
        let batch_bytes = if self.in_batch { self.batch_bytes } else { 0 };
        check(code).map_err(|error| self.cache.explain(error, code, batch_bytes))
    }

    /// Whether a key exists. Its value is borrowed for a single call.
    fn look(&self, key: &[u8], with: impl FnOnce(&[u8])) -> Result<bool, StoreError> {
        let mut found = Bytes::NONE;
        // SAFETY: the session is live, the key is only read, and the value stays until the cursor is reset.
        unsafe {
            let code = sys::bakeoff_wt_get(self.raw, key.into(), &mut found);
            if code == 0 {
                with(found.get().unwrap_or_default());
            } else if code != sys::NOT_FOUND {
                self.check(code)?;
            }
            check(sys::bakeoff_wt_reset(self.raw))?;
            Ok(code == 0)
        }
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
        self.look(key, |found| value.extend_from_slice(found))
    }

    /// The lookup returns a position in a page, which is not read.
    fn exists(&mut self, key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.look(key, |_| ())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.before_write()?;
        // SAFETY: the session is live, and the key is only read.
        self.check(unsafe { sys::bakeoff_wt_delete(self.raw, key.into()) })?;
        self.after_write()
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let reverse = c_int::from(direction == Direction::Reverse);
        let (mut key, mut value) = (from.map_or(Bytes::NONE, Bytes::from), Bytes::NONE);
        // SAFETY: the session is live. The cursor's entry stays until it moves, which happens only after the visit.
        unsafe {
            let mut code = match from {
                Some(_) => sys::bakeoff_wt_seek(self.raw, reverse, &mut key, &mut value),
                None => sys::bakeoff_wt_step(self.raw, reverse, &mut key, &mut value),
            };
            while code == 0 && visit(key.get().unwrap_or_default(), value.get().unwrap_or_default()) {
                code = sys::bakeoff_wt_step(self.raw, reverse, &mut key, &mut value);
            }
            if code != sys::NOT_FOUND {
                self.check(code)?;
            }
            check(sys::bakeoff_wt_reset(self.raw))
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if !self.in_batch {
            return Ok(());
        }
        // SAFETY: the session is live and has a transaction.
        let committed = self.check(unsafe { sys::bakeoff_wt_commit(self.raw) });
        self.in_batch = false;
        committed?;
        self.after_write()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollback_is_blamed_on_the_cache_only_where_little_fits_it() {
        let explained = |code, batch_bytes| {
            let cache = CacheUse { cache_bytes: 1_000, at_once_bytes: 100 };
            cache.explain(check(code).unwrap_err(), code, batch_bytes).to_string()
        };
        assert!(explained(sys::ROLLBACK, 200).contains("larger setting `cache`"));
        assert!(!explained(sys::ROLLBACK, 199).contains("cache"));
        assert!(!explained(sys::NOT_FOUND, 200).contains("cache"));
    }
}
