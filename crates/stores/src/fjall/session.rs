//! One thread's writes and reads.

use std::ops::Bound;

use bakeoff_store::{Direction, Session, SessionPlan, StoreError};
use fjall::{Database, Guard, Keyspace, OwnedWriteBatch, PersistMode};

/// The state that all sessions share.
pub(super) struct Fjall {
    pub(super) database: Database,
    pub(super) records: Keyspace,
    /// How far each write goes before it is acknowledged.
    pub(super) durability: Option<PersistMode>,
}

/// The store, and the pending writes of a batch.
pub(super) struct FjallSession<'s> {
    store: &'s Fjall,
    batched: bool,
    batch: Option<OwnedWriteBatch>,
}

impl<'s> FjallSession<'s> {
    /// A session without writes.
    pub(super) fn new(store: &'s Fjall, plan: &SessionPlan) -> Self {
        Self { store, batched: plan.batched, batch: None }
    }

    fn batch(&mut self) -> &mut OwnedWriteBatch {
        let store = self.store;
        self.batch.get_or_insert_with(|| store.database.batch().durability(store.durability))
    }

    /// A write already reaches the kernel before it returns, if the level requires it. Only the flush remains.
    fn after_write(&self) -> Result<(), StoreError> {
        match self.store.durability {
            None | Some(PersistMode::Buffer) => Ok(()),
            Some(flush) => self.store.database.persist(flush).map_err(error),
        }
    }

    /// A read would not see the writes in the batch.
    fn before_read(&self) -> Result<(), StoreError> {
        match self.batch {
            None => Ok(()),
            Some(_) => Err(StoreError::BadRequest("a fjall batch cannot be read before its commit".to_owned())),
        }
    }
}

impl Session for FjallSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let records = &self.store.records;
        if self.batched {
            self.batch().insert(records, key, value);
            return Ok(());
        }
        records.insert(key, value).map_err(error)?;
        self.after_write()
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.before_read()?;
        let found = self.store.records.get(key).map_err(error)?;
        if let Some(found) = &found {
            value.extend_from_slice(found);
        }
        Ok(found.is_some())
    }

    fn exists(&mut self, key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.before_read()?;
        self.store.records.contains_key(key).map_err(error)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        let records = &self.store.records;
        if self.batched {
            self.batch().remove(records, key);
            return Ok(());
        }
        records.remove(key).map_err(error)?;
        self.after_write()
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        self.before_read()?;
        let end = from.map_or(Bound::Unbounded, Bound::Included);
        let records = &self.store.records;
        match direction {
            Direction::Reverse => show(records.range::<&[u8], _>((Bound::Unbounded, end)).rev(), visit),
            Direction::Forward | Direction::Any => show(records.range::<&[u8], _>((end, Bound::Unbounded)), visit),
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.batch.take().map_or(Ok(()), |batch| batch.commit().map_err(error))
    }
}

fn show(entries: impl Iterator<Item = Guard>, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), StoreError> {
    for entry in entries {
        let (key, value) = entry.into_inner().map_err(error)?;
        if !visit(&key, &value) {
            break;
        }
    }
    Ok(())
}

/// fjall's errors as the store's.
pub(super) fn error(error: fjall::Error) -> StoreError {
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => error.into(),
        error => StoreError::Store(error.to_string()),
    }
}
