//! Kyoto Cabinet's objects with lifetimes: the types guarantee what its interface requires of its caller.

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use bakeoff_store::{Direction, StoreError};

use super::sys;

/// The library's version.
pub(super) fn version() -> String {
    // SAFETY: a constant string of the library.
    unsafe { CStr::from_ptr(sys::KCVERSION) }.to_string_lossy().into_owned()
}

/// An open database.
pub(super) struct Database(*mut sys::Database);

// SAFETY: "every method of the database is thread-safe" (https://dbmx.net/kyotocabinet/spex.html#tips_threads).
unsafe impl Sync for Database {}

impl Database {
    /// Opens the database of this name, which includes tuning parameters.
    pub(super) fn open(name: &str, mode: u32) -> Result<Self, StoreError> {
        let name = CString::new(name)
            .map_err(|_| StoreError::BadRequest(format!("directory {name:?} has a NUL in its name")))?;
        // SAFETY: creates an object, or ends the process if there is no memory.
        let database = Self(unsafe { sys::kcdbnew() });
        // SAFETY: the object is live and not open; the name ends with NUL.
        database.check(unsafe { sys::kcdbopen(database.0, name.as_ptr(), mode) })?;
        Ok(database)
    }

    /// Writes what is still in memory and closes.
    pub(super) fn close(self) -> Result<(), StoreError> {
        // SAFETY: the database is open. All cursors borrow it, so they are gone.
        self.check(unsafe { sys::kcdbclose(self.0) })
    }

    /// Writes a key whether or not it exists.
    pub(super) fn set(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        // SAFETY: the database is open; key and value are only read.
        self.check(unsafe { sys::kcdbset(self.0, key.as_ptr(), key.len(), address(value), value.len()) })
    }

    /// Writes a key that must not exist.
    pub(super) fn add(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        // SAFETY: as in `set`.
        self.check(unsafe { sys::kcdbadd(self.0, key.as_ptr(), key.len(), address(value), value.len()) })
    }

    /// Writes a key that must exist.
    pub(super) fn replace(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        // SAFETY: as in `set`.
        self.check(unsafe { sys::kcdbreplace(self.0, key.as_ptr(), key.len(), address(value), value.len()) })
    }

    /// Removes a key if it exists.
    pub(super) fn remove(&self, key: &[u8]) -> Result<(), StoreError> {
        // SAFETY: the database is open; the key is only read.
        let done = unsafe { sys::kcdbremove(self.0, key.as_ptr(), key.len()) };
        self.unless_no_record(done).map(drop)
    }

    /// Appends the key's value to `value`, if it exists, directly from Kyoto Cabinet's memory.
    pub(super) fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let mut reading = Reading { value, found: false };
        // SAFETY: the database is open, the key is only read, and the context has the type that `read` and `miss` expect.
        self.check(unsafe {
            let context = (&raw mut reading).cast();
            sys::kcdbaccept(self.0, key.as_ptr(), key.len(), read, miss, context, 0)
        })?;
        Ok(reading.found)
    }

    /// Whether a key exists.
    pub(super) fn exists(&self, key: &[u8]) -> Result<bool, StoreError> {
        // SAFETY: the database is open; the key is only read.
        let value_bytes = unsafe { sys::kcdbcheck(self.0, key.as_ptr(), key.len()) };
        self.unless_no_record(i32::from(value_bytes >= 0))
    }

    /// Begins a transaction, and waits for another thread's transaction to end. With `hard` it is flushed when it ends.
    pub(super) fn begin(&self, hard: bool) -> Result<Transaction<'_>, StoreError> {
        // SAFETY: the database is open.
        self.check(unsafe { sys::kcdbbegintran(self.0, i32::from(hard)) })?;
        Ok(Transaction(self))
    }

    /// `Ok(true)` if it was done, `Ok(false)` if there is no such record.
    fn unless_no_record(&self, done: i32) -> Result<bool, StoreError> {
        // SAFETY: the database is live. The code belongs to this thread.
        if done == 0 && unsafe { sys::kcdbecode(self.0) } == sys::NO_RECORD {
            return Ok(false);
        }
        self.check(done).map(|()| true)
    }

    /// `Ok` if it was done, else this thread's last error.
    fn check(&self, done: i32) -> Result<(), StoreError> {
        if done != 0 {
            return Ok(());
        }
        let system = std::io::Error::last_os_error();
        // SAFETY: the database is live. Code and message belong to this thread, and the message is copied at once.
        let (code, message) =
            unsafe { (sys::kcdbecode(self.0), CStr::from_ptr(sys::kcdbemsg(self.0)).to_string_lossy()) };
        if code == sys::SYSTEM
            && let error @ (StoreError::DiskFull(_) | StoreError::OutOfMemory(_)) = system.into()
        {
            return Err(error);
        }
        Err(StoreError::Store(format!("{message} (Kyoto Cabinet error {code})")))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: the object is live; if it is still open, this closes it.
        unsafe { sys::kcdbdel(self.0) };
    }
}

/// A transaction, undone unless it is committed.
pub(super) struct Transaction<'d>(&'d Database);

impl Transaction<'_> {
    /// Acknowledges what was written.
    pub(super) fn commit(self) -> Result<(), StoreError> {
        let database = self.0;
        std::mem::forget(self);
        // SAFETY: the database is open, in this transaction.
        database.check(unsafe { sys::kcdbendtran(database.0, 1) })
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // SAFETY: the database is open, in this transaction: `commit` forgets it.
        unsafe { sys::kcdbendtran(self.0.0, 0) };
    }
}

struct Reading<'v> {
    value: &'v mut Vec<u8>,
    found: bool,
}

unsafe extern "C" fn read(
    _key: *const c_char,
    _key_bytes: usize,
    value: *const c_char,
    value_bytes: usize,
    _new_bytes: *mut usize,
    context: *mut c_void,
) -> *const c_char {
    // SAFETY: Kyoto Cabinet shows a record of that length, and passes on the context of `Database::get`.
    unsafe {
        let reading = &mut *context.cast::<Reading<'_>>();
        reading.value.extend_from_slice(slice(value, value_bytes));
        reading.found = true;
        sys::KCVISNOP
    }
}

unsafe extern "C" fn miss(
    _key: *const c_char,
    _key_bytes: usize,
    _new_bytes: *mut usize,
    _context: *mut c_void,
) -> *const c_char {
    // SAFETY: a constant of the library.
    unsafe { sys::KCVISNOP }
}

/// A cursor, kept from scan to scan.
pub(super) struct Cursor<'d> {
    raw: *mut sys::Cursor,
    database: &'d Database,
}

impl<'d> Cursor<'d> {
    /// A cursor without a position.
    pub(super) fn new(database: &'d Database) -> Self {
        // SAFETY: the database is open.
        Self { raw: unsafe { sys::kcdbcursor(database.0) }, database }
    }

    /// Visits entries in order, from the first key not below `from`, or in reverse from the last one not above it.
    pub(super) fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let mut there = self.jump(from, direction)?;
        let mut showing = Showing { visit, go_on: true, panic: None };
        let reverse = direction == Direction::Reverse;
        while there {
            // SAFETY: the cursor is live, and the context has the type that `show` expects. Accepting moves the cursor only forward.
            let shown = unsafe {
                let context = (&raw mut showing).cast();
                sys::kccuraccept(self.raw, show, context, 0, i32::from(!reverse))
            };
            there = self.database.unless_no_record(shown)?;
            if let Some(panic) = showing.panic {
                resume_unwind(panic);
            }
            if there && reverse {
                // SAFETY: the cursor is live.
                there = self.database.unless_no_record(unsafe { sys::kccurstepback(self.raw) })?;
            }
            there &= showing.go_on;
        }
        Ok(())
    }

    /// False if there is no such entry.
    fn jump(&mut self, from: Option<&[u8]>, direction: Direction) -> Result<bool, StoreError> {
        let reverse = direction == Direction::Reverse;
        // SAFETY: the cursor is live; the key is only read.
        self.database.unless_no_record(unsafe {
            match from {
                None if reverse => sys::kccurjumpback(self.raw),
                None => sys::kccurjump(self.raw),
                Some(key) if reverse => sys::kccurjumpbackkey(self.raw, key.as_ptr(), key.len()),
                Some(key) => sys::kccurjumpkey(self.raw, key.as_ptr(), key.len()),
            }
        })
    }
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        // SAFETY: the cursor is live and nothing refers to it any more.
        unsafe { sys::kccurdel(self.raw) };
    }
}

struct Showing<'v> {
    visit: &'v mut dyn FnMut(&[u8], &[u8]) -> bool,
    go_on: bool,
    panic: Option<Box<dyn Any + Send>>,
}

unsafe extern "C" fn show(
    key: *const c_char,
    key_bytes: usize,
    value: *const c_char,
    value_bytes: usize,
    _new_bytes: *mut usize,
    context: *mut c_void,
) -> *const c_char {
    // SAFETY: Kyoto Cabinet shows a record of these lengths, and passes on the context of `Cursor::scan`. It could not survive a panic, so
    // a panic is delayed until it has returned.
    unsafe {
        let showing = &mut *context.cast::<Showing<'_>>();
        let (key, value) = (slice(key, key_bytes), slice(value, value_bytes));
        match catch_unwind(AssertUnwindSafe(|| (showing.visit)(key, value))) {
            Ok(go_on) => showing.go_on = go_on,
            Err(panic) => showing.panic = Some(panic),
        }
        sys::KCVISNOP
    }
}

/// The address of a value. Kyoto Cabinet treats the addresses 0 and 1 as commands to leave or to remove a record, and an empty slice in
/// Rust may have the address 1.
fn address(value: &[u8]) -> *const u8 {
    static EMPTY: u8 = 0;
    if value.is_empty() { &EMPTY } else { value.as_ptr() }
}

/// # Safety
/// The bytes exist and stay for `'b`.
unsafe fn slice<'b>(start: *const c_char, bytes: usize) -> &'b [u8] {
    // SAFETY: the caller guarantees it.
    if bytes == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start.cast(), bytes) } }
}
