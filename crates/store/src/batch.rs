//! A session whose writes wait in the thread's own batch, invisible to its reads. Most log-structured merge trees work like this.

use crate::error::StoreError;
use crate::store::{Direction, Session, SessionPlan};

/// One thread's batch, and its handles for reading.
pub trait WriteBatch {
    /// The store's title, for errors.
    const TITLE: &'static str;

    /// Adds a write to the batch. The batch copies key and value.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError>;

    /// Adds a removal to the batch.
    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError>;

    /// Writes the batch and empties it.
    fn write(&mut self) -> Result<(), StoreError>;

    /// Appends the key's value to `value`, if it exists.
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError>;

    /// Visits entries in order.
    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError>;
}

/// One thread's buffers, and whether a batch has writes.
pub struct BatchSession<B> {
    buffers: B,
    batched: bool,
    in_batch: bool,
}

impl<B: WriteBatch> BatchSession<B> {
    /// A session without writes.
    pub fn new(buffers: B, plan: &SessionPlan) -> Self {
        Self { buffers, batched: plan.batched, in_batch: false }
    }

    /// Outside batches, each write is a batch of one.
    fn after_write(&mut self) -> Result<(), StoreError> {
        self.in_batch = self.batched;
        if self.batched { Ok(()) } else { self.buffers.write() }
    }

    /// A read would not see the writes in the batch.
    fn before_read(&self) -> Result<(), StoreError> {
        match self.in_batch {
            false => Ok(()),
            true => Err(StoreError::BadRequest(format!("a {} batch cannot be read before its commit", B::TITLE))),
        }
    }
}

impl<B: WriteBatch> Session for BatchSession<B> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.buffers.put(key, value)?;
        self.after_write()
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.before_read()?;
        self.buffers.get(key, value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.buffers.delete(key)?;
        self.after_write()
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        self.before_read()?;
        self.buffers.scan(from, direction, visit)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if self.in_batch {
            self.buffers.write()?;
            self.in_batch = false;
        }
        Ok(())
    }
}
