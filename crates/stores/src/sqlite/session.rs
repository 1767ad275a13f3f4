//! One thread's prepared statements on one connection.

use bakeoff_store::{Direction, Session, SessionPlan, StoreError};
use rusqlite::Connection;

use super::statement::Statement;

/// The statements of a session, and whether a batch is open.
pub(super) struct SqliteSession<'c> {
    batched: bool,
    in_batch: bool,
    begin: Statement<'c>,
    commit: Statement<'c>,
    insert: Statement<'c>,
    update: Statement<'c>,
    upsert: Statement<'c>,
    get: Statement<'c>,
    exists: Statement<'c>,
    delete: Statement<'c>,
    scans: Scans<'c>,
}

/// One statement for each kind of scan: SQLite plans when it prepares, so each has the plan for its order.
struct Scans<'c> {
    any: Statement<'c>,
    forward: Statement<'c>,
    forward_from: Statement<'c>,
    reverse: Statement<'c>,
    reverse_from: Statement<'c>,
}

impl<'c> Scans<'c> {
    fn prepare(connection: &'c Connection) -> Result<Self, StoreError> {
        let prepare = |end: &str| Statement::prepare(connection, &format!("SELECT key, value FROM record {end}"));
        Ok(Self {
            any: prepare("")?,
            forward: prepare(FORWARD)?,
            forward_from: prepare(FORWARD_FROM)?,
            reverse: prepare(REVERSE)?,
            reverse_from: prepare(REVERSE_FROM)?,
        })
    }
}

/// Reads no column of the row, so that no page of a long value is fetched.
const EXISTS: &str = "SELECT 1 FROM record WHERE key = ?1";
pub(super) const FORWARD: &str = "ORDER BY key ASC";
pub(super) const FORWARD_FROM: &str = "WHERE key >= ?1 ORDER BY key ASC";
pub(super) const REVERSE: &str = "ORDER BY key DESC";
pub(super) const REVERSE_FROM: &str = "WHERE key <= ?1 ORDER BY key DESC";

impl<'c> SqliteSession<'c> {
    /// Prepares every statement.
    pub(super) fn prepare(connection: &'c Connection, plan: &SessionPlan) -> Result<Self, StoreError> {
        let prepare = |sql: &str| Statement::prepare(connection, sql);
        let upsert =
            "INSERT INTO record (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        Ok(Self {
            batched: plan.batched,
            in_batch: false,
            // IMMEDIATE takes the write lock at once. A deferred transaction that reads first can fail with SQLITE_BUSY regardless of its
            // timeout (https://sqlite.org/lang_transaction.html).
            begin: prepare("BEGIN IMMEDIATE")?,
            commit: prepare("COMMIT")?,
            insert: prepare("INSERT INTO record (key, value) VALUES (?1, ?2)")?,
            update: prepare("UPDATE record SET value = ?2 WHERE key = ?1")?,
            upsert: prepare(upsert)?,
            get: prepare("SELECT value FROM record WHERE key = ?1")?,
            exists: prepare(EXISTS)?,
            delete: prepare("DELETE FROM record WHERE key = ?1")?,
            scans: Scans::prepare(connection)?,
        })
    }

    /// Opens a batch before its first write. Outside batches, each write is a separate transaction.
    fn before_write(&mut self) -> Result<(), StoreError> {
        if self.batched && !self.in_batch {
            self.begin.execute(&[])?;
            self.in_batch = true;
        }
        Ok(())
    }
}

impl Session for SqliteSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.before_write()?;
        self.insert.execute(&[key, value])
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.before_write()?;
        self.update.execute(&[key, value])
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.before_write()?;
        self.upsert.execute(&[key, value])
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let mut found = false;
        self.get.query(&[key], |row| {
            value.extend_from_slice(row.blob(0));
            found = true;
            false
        })?;
        Ok(found)
    }

    fn exists(&mut self, key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let mut found = false;
        self.exists.query(&[key], |_| {
            found = true;
            false
        })?;
        Ok(found)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.before_write()?;
        self.delete.execute(&[key])
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let scans = &mut self.scans;
        let (statement, from) = match (direction, from) {
            (Direction::Any, None) => (&mut scans.any, None),
            (Direction::Forward, None) => (&mut scans.forward, None),
            (Direction::Reverse, None) => (&mut scans.reverse, None),
            (Direction::Forward | Direction::Any, from) => (&mut scans.forward_from, from),
            (Direction::Reverse, from) => (&mut scans.reverse_from, from),
        };
        statement.query(from.as_slice(), |row| visit(row.blob(0), row.blob(1)))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if self.in_batch {
            self.commit.execute(&[])?;
            self.in_batch = false;
        }
        Ok(())
    }
}
