//! One thread's transactions.

use std::ffi::c_uint;

use bakeoff_store::{Direction, Session, SessionPlan, StoreError};

use super::environment::{Environment, Reader, Writer};
use super::ffi;

/// A read transaction to renew, and the open write transaction of a batch.
pub(super) struct LmdbSession<'e> {
    environment: &'e Environment,
    reader: Reader<'e>,
    batch: Option<Writer<'e>>,
    batched: bool,
    insert_flags: c_uint,
}

impl<'e> LmdbSession<'e> {
    /// Begins the session's read transaction.
    pub(super) fn begin(environment: &'e Environment, plan: &SessionPlan) -> Result<Self, StoreError> {
        // With MDB_APPEND a key that is not above all others is an error.
        let insert_flags = if plan.ascending { ffi::MDB_APPEND } else { ffi::MDB_NOOVERWRITE };
        let reader = Reader::begin(environment)?;
        Ok(Self { environment, reader, batch: None, batched: plan.batched, insert_flags })
    }

    /// Writes in the open batch, or in a separate transaction.
    fn write(&mut self, write: impl FnOnce(&mut Writer<'e>) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut writer = match self.batch.take() {
            Some(writer) => writer,
            None => Writer::begin(self.environment)?,
        };
        write(&mut writer)?;
        if self.batched {
            self.batch = Some(writer);
            return Ok(());
        }
        writer.commit()
    }
}

impl Session for LmdbSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let flags = self.insert_flags;
        self.write(|writer| writer.put(key, value, flags))
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.write(|writer| writer.put(key, value, 0))
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.write(|writer| writer.put(key, value, 0))
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        match &self.batch {
            Some(batch) => batch.get(key, value),
            None => self.reader.get(key, value),
        }
    }

    fn exists(&mut self, key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        match &self.batch {
            Some(batch) => batch.exists(key),
            None => self.reader.exists(key),
        }
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.write(|writer| writer.delete(key))
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        match &mut self.batch {
            Some(batch) => batch.scan(from, direction, visit),
            None => self.reader.scan(from, direction, visit),
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.batch.take().map_or(Ok(()), Writer::commit)
    }
}
