//! LMDB's environment and transactions with lifetimes: the types guarantee what the C interface requires of its caller.
//!
//! libmdbx, a descendant of LMDB, uses the same code: each has a module `ffi` with LMDB's names.

use std::ffi::c_uint;
use std::path::Path;
use std::ptr;

use bakeoff_store::ffi::c_path;
use bakeoff_store::{DataHints, Direction, StoreError};

use super::error::{check, of_map};
use super::ffi::{self, borrow, bytes};

/// LMDB's default number of readers.
const READERS_DEFAULT: u32 = 126;

const GIBIBYTE: u64 = 1 << 30;

/// A size of the map that the data cannot exceed. It takes address space, not memory or disk, so it is generous. It has twice the pages of
/// a record alone on a half-full page, plus everything that is ever written, because freed runs of pages may not fit again.
pub(super) fn map_bytes(hints: &DataHints, page_bytes: u64) -> u64 {
    let pages = hints.records_max.max(hints.records_inserted).saturating_mul(2 * page_bytes);
    let data = hints.data_bytes_max.saturating_mul(4).saturating_add(hints.written_bytes.saturating_mul(2));
    let bytes = GIBIBYTE.saturating_add(pages).saturating_add(data);
    bytes.checked_next_multiple_of(GIBIBYTE).unwrap_or(1 << 46).min(1 << 46)
}

/// A length of a map or a page, in the address space's type.
pub(super) fn length(bytes: u64) -> Result<usize, StoreError> {
    let too_long = |_| StoreError::BadRequest(format!("a map of {bytes} bytes does not fit the address space"));
    usize::try_from(bytes).map_err(too_long)
}

/// An open environment and its one database.
pub(super) struct Environment {
    raw: *mut ffi::MDB_env,
    database: ffi::MDB_dbi,
}

// SAFETY: LMDB lets threads share an environment and a database handle, but not transactions, which are not Sync.
unsafe impl Sync for Environment {}

impl Environment {
    /// Creates or opens the environment in a directory. It must not already be open in this process.
    pub(super) fn open(directory: &Path, flags: c_uint, map: &ffi::Map, threads: u32) -> Result<Self, StoreError> {
        let path = c_path(directory)?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a place for one pointer.
        check(unsafe { ffi::mdb_env_create(&mut raw) })?;
        // From here on the environment is closed in any case.
        let mut environment = Self { raw, database: 0 };
        // SAFETY: the environment was created and is not open yet, so these may be set.
        unsafe {
            of_map(map.set(raw), map.bytes)?;
            check(ffi::mdb_env_set_maxreaders(raw, READERS_DEFAULT.max(threads.saturating_add(16))))?;
            of_map(ffi::mdb_env_open(raw, path.as_ptr(), flags, 0o644), map.bytes)?;
        }
        let transaction = Transaction::begin(&environment, 0)?;
        let mut database = 0;
        // SAFETY: the transaction is live; a null name means the main database.
        check(unsafe { ffi::mdb_dbi_open(transaction.raw, ptr::null(), 0, &mut database) })?;
        transaction.commit()?;
        environment.database = database;
        Ok(environment)
    }

    /// The longest key that the library was built for.
    pub(super) fn key_bytes_max(&self) -> u64 {
        // SAFETY: the environment is open.
        u64::try_from(unsafe { ffi::mdb_env_get_maxkeysize(self.raw) }).unwrap_or(0)
    }

    /// Copies the committed content into an empty directory, without free pages.
    pub(super) fn compacted_copy(&self, directory: &Path) -> Result<(), StoreError> {
        let path = c_path(&ffi::path_of_copy(directory))?;
        // SAFETY: the environment is open, and the path ends with a zero byte.
        check(unsafe { ffi::mdb_env_copy2(self.raw, path.as_ptr(), ffi::MDB_CP_COMPACT) })
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        // SAFETY: the environment was created. All transactions borrow it, so they are gone.
        unsafe { ffi::mdb_env_close(self.raw) };
    }
}

/// A transaction, aborted unless it is committed.
struct Transaction<'e> {
    raw: *mut ffi::MDB_txn,
    environment: &'e Environment,
}

impl<'e> Transaction<'e> {
    fn begin(environment: &'e Environment, flags: c_uint) -> Result<Self, StoreError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the environment is open and `raw` is a place for one pointer.
        check(unsafe { ffi::mdb_txn_begin(environment.raw, ptr::null_mut(), flags, &mut raw) })?;
        Ok(Self { raw, environment })
    }

    fn commit(self) -> Result<(), StoreError> {
        let raw = self.raw;
        // Committing frees the transaction, even if it fails.
        std::mem::forget(self);
        // SAFETY: the transaction is live and nothing uses it afterwards.
        check(unsafe { ffi::mdb_txn_commit(raw) })
    }

    /// Appends the key's value to `value`, if it exists.
    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.look(key, |found| value.extend_from_slice(found))
    }

    /// Whether a key exists: LMDB returns the position of its value in the map, which is not read.
    fn exists(&self, key: &[u8]) -> Result<bool, StoreError> {
        self.look(key, |_| ())
    }

    fn look(&self, key: &[u8], with: impl FnOnce(&[u8])) -> Result<bool, StoreError> {
        let (mut key, mut found) = (borrow(key), borrow(&[]));
        // SAFETY: the transaction is live. LMDB reads the key and points `found` into the map. That stays valid until the transaction is
        // reset or writes; here it is borrowed for a single call.
        unsafe {
            match ffi::mdb_get(self.raw, self.environment.database, &raw mut key, &mut found) {
                ffi::MDB_NOTFOUND => return Ok(false),
                code => check(code)?,
            }
            with(bytes(&found));
        }
        Ok(true)
    }

    fn open_cursor(&self) -> Result<*mut ffi::MDB_cursor, StoreError> {
        let mut cursor = ptr::null_mut();
        // SAFETY: the transaction is live and `cursor` is a place for one pointer.
        check(unsafe { ffi::mdb_cursor_open(self.raw, self.environment.database, &mut cursor) })?;
        Ok(cursor)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // SAFETY: the transaction is live: `commit` forgets it.
        unsafe { ffi::mdb_txn_abort(self.raw) };
    }
}

/// A write transaction. LMDB allows one at a time and lets others wait.
pub(super) struct Writer<'e>(Transaction<'e>);

impl<'e> Writer<'e> {
    /// Waits for its turn and begins.
    pub(super) fn begin(environment: &'e Environment) -> Result<Self, StoreError> {
        Ok(Self(Transaction::begin(environment, 0)?))
    }

    /// Acknowledges what was written.
    pub(super) fn commit(self) -> Result<(), StoreError> {
        self.0.commit()
    }

    /// Writes a key with these `flags`.
    pub(super) fn put(&mut self, key: &[u8], value: &[u8], flags: c_uint) -> Result<(), StoreError> {
        let (mut key, mut value) = (borrow(key), borrow(value));
        // SAFETY: the transaction is live; LMDB only reads key and value, and only during the call.
        check(unsafe { ffi::mdb_put(self.0.raw, self.0.environment.database, &raw mut key, &mut value, flags) })
    }

    /// Removes a key if it exists.
    pub(super) fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        let mut key = borrow(key);
        // SAFETY: the transaction is live; LMDB only reads the key, and only during the call.
        match unsafe { ffi::mdb_del(self.0.raw, self.0.environment.database, &raw mut key, ptr::null_mut()) } {
            ffi::MDB_NOTFOUND => Ok(()),
            code => check(code),
        }
    }

    /// Appends the key's value to `value`, if it exists.
    pub(super) fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.0.get(key, value)
    }

    /// Whether a key exists, including uncommitted ones.
    pub(super) fn exists(&self, key: &[u8]) -> Result<bool, StoreError> {
        self.0.exists(key)
    }

    /// Visits entries in order, including uncommitted ones.
    pub(super) fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: Visit<'_>,
    ) -> Result<(), StoreError> {
        let cursor = OwnedCursor(self.0.open_cursor()?);
        walk(cursor.0, from, direction, visit)
    }
}

/// A cursor, closed when it is dropped.
struct OwnedCursor(*mut ffi::MDB_cursor);

impl Drop for OwnedCursor {
    fn drop(&mut self) {
        // SAFETY: the cursor is open, and its transaction has not ended.
        unsafe { ffi::mdb_cursor_close(self.0) };
    }
}

/// A thread's read transaction and cursor, created once. Each read renews them to see the last commit.
pub(super) struct Reader<'e> {
    // Closed before the transaction: fields are dropped in this order.
    cursor: OwnedCursor,
    transaction: Transaction<'e>,
}

impl<'e> Reader<'e> {
    /// Takes a slot in the table of readers and releases the snapshot.
    pub(super) fn begin(environment: &'e Environment) -> Result<Self, StoreError> {
        let transaction = Transaction::begin(environment, ffi::MDB_RDONLY)?;
        let cursor = OwnedCursor(transaction.open_cursor()?);
        // SAFETY: the transaction is live and read-only.
        unsafe { ffi::mdb_txn_reset(transaction.raw) };
        Ok(Self { cursor, transaction })
    }

    /// Appends the key's value to `value`, if it exists.
    pub(super) fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let _snapshot = self.renew()?;
        self.transaction.get(key, value)
    }

    /// Whether a key exists.
    pub(super) fn exists(&mut self, key: &[u8]) -> Result<bool, StoreError> {
        let _snapshot = self.renew()?;
        self.transaction.exists(key)
    }

    /// Visits entries in order.
    pub(super) fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: Visit<'_>,
    ) -> Result<(), StoreError> {
        let _snapshot = self.renew()?;
        // SAFETY: the cursor was opened in this transaction, which is read-only and was just renewed.
        check(unsafe { ffi::mdb_cursor_renew(self.transaction.raw, self.cursor.0) })?;
        walk(self.cursor.0, from, direction, visit)
    }

    fn renew(&self) -> Result<Snapshot, StoreError> {
        // SAFETY: the transaction is read-only and was reset, by `begin` or by the previous snapshot.
        check(unsafe { ffi::mdb_txn_renew(self.transaction.raw) })?;
        Ok(Snapshot(self.transaction.raw))
    }
}

/// A renewed read transaction. Resetting it lets writers reuse its pages.
struct Snapshot(*mut ffi::MDB_txn);

impl Drop for Snapshot {
    fn drop(&mut self) {
        // SAFETY: the transaction is live, and the snapshot never leaves the methods of `Reader` that own it.
        unsafe { ffi::mdb_txn_reset(self.0) };
    }
}

/// Receives the entries of a scan.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&[u8], &[u8]) -> bool;

fn walk(
    cursor: *mut ffi::MDB_cursor,
    from: Option<&[u8]>,
    direction: Direction,
    visit: Visit<'_>,
) -> Result<(), StoreError> {
    let (first, next) = match direction {
        Direction::Reverse => (ffi::MDB_LAST, ffi::MDB_PREV),
        Direction::Forward | Direction::Any => (ffi::MDB_FIRST, ffi::MDB_NEXT),
    };
    let mut entry = Entry { key: borrow(from.unwrap_or_default()), value: borrow(&[]) };
    let mut there = match from {
        None => entry.step(cursor, first)?,
        Some(from) => entry.seek(cursor, from, direction)?,
    };
    // SAFETY: after a step that found an entry, it points into the map, which does not change while nothing is written.
    while there && unsafe { visit(bytes(&entry.key), bytes(&entry.value)) } {
        there = entry.step(cursor, next)?;
    }
    Ok(())
}

/// The entry of a cursor.
struct Entry {
    key: ffi::MDB_val,
    value: ffi::MDB_val,
}

impl Entry {
    /// Moves the cursor; false if there is no such entry.
    fn step(&mut self, cursor: *mut ffi::MDB_cursor, operation: ffi::MDB_cursor_op) -> Result<bool, StoreError> {
        // SAFETY: the cursor is open in a live transaction, and both values are places for LMDB to point into its map.
        match unsafe { ffi::mdb_cursor_get(cursor, &mut self.key, &mut self.value, operation) } {
            ffi::MDB_NOTFOUND => Ok(false),
            code => check(code).map(|()| true),
        }
    }

    /// Moves the cursor to the first key not below `from`, or in reverse to the last one not above it.
    fn seek(&mut self, cursor: *mut ffi::MDB_cursor, from: &[u8], direction: Direction) -> Result<bool, StoreError> {
        // LMDB has no empty keys and does not accept one: every key is above it, none is below.
        if from.is_empty() && !ffi::TAKES_EMPTY_KEYS {
            return if direction == Direction::Reverse { Ok(false) } else { self.step(cursor, ffi::MDB_FIRST) };
        }
        self.key = borrow(from);
        let not_below = self.step(cursor, ffi::MDB_SET_RANGE)?;
        if direction != Direction::Reverse {
            return Ok(not_below);
        }
        // SAFETY: the step above found the entry that `key` now points to.
        match not_below && unsafe { bytes(&self.key) } == from {
            true => Ok(true),
            false if not_below => self.step(cursor, ffi::MDB_PREV),
            false => self.step(cursor, ffi::MDB_LAST),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_is_never_below_a_gibibyte_and_never_overflows() {
        assert_eq!(map_bytes(&DataHints::default(), 4_096), GIBIBYTE);
        let huge = DataHints { records_max: u64::MAX, data_bytes_max: u64::MAX, ..DataHints::default() };
        assert_eq!(map_bytes(&huge, 4_096), 1 << 46);
    }

    #[test]
    fn map_holds_small_records_each_on_a_page_of_its_own() {
        let hints = DataHints { records_max: 1_000_000, data_bytes_max: 32_000_000, ..DataHints::default() };
        assert!(map_bytes(&hints, 4_096) > 1_000_000 * 4_096 + 32_000_000);
        assert!(map_bytes(&hints, 65_536) > 1_000_000 * 65_536);
    }
}
