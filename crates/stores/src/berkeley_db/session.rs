//! One thread's writes and reads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bakeoff_store::{Direction, Session, SessionPlan, StoreError};

use super::cursor::Entry;
use super::database::{Database, Transaction};

/// The state that all sessions share.
pub(super) struct Berkeley {
    pub(super) database: Database,
    pub(super) hash: bool,
    pub(super) has_transactions: bool,
    /// Held by a batch to its end, since a deadlocked batch could not be repeated. Without transactions, held by each call.
    pub(super) turn: Mutex<()>,
    pub(super) page_bytes: u32,
    pub(super) cache_bytes: u64,
    pub(super) checkpoint_bytes: u64,
    /// Bytes written since the last checkpoint.
    pub(super) written_bytes: AtomicU64,
}

impl Berkeley {
    /// Excludes other threads from the database while the guard is held. In an environment Berkeley DB synchronises threads itself.
    fn alone(&self) -> Option<MutexGuard<'_, ()>> {
        (!self.has_transactions).then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn checkpoint_if_due(&self, bytes: u64) -> Result<(), StoreError> {
        let before = self.written_bytes.fetch_add(bytes, Ordering::Relaxed);
        if !self.has_transactions || before + bytes < self.checkpoint_bytes {
            return Ok(());
        }
        self.written_bytes.store(0, Ordering::Relaxed);
        self.database.checkpoint()
    }
}

/// The store, and the open transaction of a batch.
pub(super) struct BerkeleySession<'s> {
    store: &'s Berkeley,
    batched: bool,
    // Ended before the turn: fields are dropped in this order.
    batch: Option<Transaction<'s>>,
    turn: Option<MutexGuard<'s, ()>>,
    /// Bytes written since the last commit.
    written_bytes: u64,
    entry: Entry,
}

impl<'s> BerkeleySession<'s> {
    /// A session without a transaction.
    pub(super) fn new(store: &'s Berkeley, plan: &SessionPlan) -> Self {
        Self { store, batched: plan.batched, batch: None, turn: None, written_bytes: 0, entry: Entry::default() }
    }

    /// Writes in the batch, which begins with its first write, or in a separate transaction.
    fn write(&mut self, bytes: usize, write: impl FnOnce(&Self) -> Result<(), StoreError>) -> Result<(), StoreError> {
        if self.batched && self.batch.is_none() && self.store.has_transactions {
            self.turn = Some(self.store.turn.lock().unwrap_or_else(PoisonError::into_inner));
            self.batch = self.store.database.begin()?;
        }
        let result = {
            let _alone = self.store.alone();
            write(self)
        };
        if result.is_err() {
            self.drop_batch();
        }
        self.written_bytes += bytes as u64;
        if result.is_ok() && !self.batched { self.after_commit() } else { result }
    }

    /// A transaction after an error can only be aborted.
    fn drop_batch(&mut self) {
        self.batch = None;
        self.turn = None;
    }

    fn after_commit(&mut self) -> Result<(), StoreError> {
        self.store.checkpoint_if_due(std::mem::take(&mut self.written_bytes))
    }
}

impl Session for BerkeleySession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let database = &self.store.database;
        self.write(key.len() + value.len(), |session| database.put(session.batch.as_ref(), key, value, false))
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let database = &self.store.database;
        self.write(key.len() + value.len(), |session| database.put(session.batch.as_ref(), key, value, true))
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let _alone = self.store.alone();
        self.store.database.get(self.batch.as_ref(), key, value)
    }

    fn exists(&mut self, key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let _alone = self.store.alone();
        self.store.database.exists(self.batch.as_ref(), key)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        let database = &self.store.database;
        self.write(key.len(), |session| database.delete(session.batch.as_ref(), key))
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        if self.store.hash && (from.is_some() || direction != Direction::Any) {
            let message = "a Berkeley DB hash table has no order: scan all of it, in any order";
            return Err(StoreError::BadRequest(message.to_owned()));
        }
        let _alone = self.store.alone();
        self.store.database.cursor(self.batch.as_ref())?.scan(&mut self.entry, from, direction, visit)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let Some(batch) = self.batch.take() else { return Ok(()) };
        let committed = batch.commit();
        self.turn = None;
        committed?;
        self.after_commit()
    }
}
