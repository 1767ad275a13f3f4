//! A store that does nothing, to measure the harness alone.

use crate::error::StoreError;
use crate::store::{Direction, Session, SessionPlan, Store, Work};

/// Keeps nothing, finds nothing and needs no directory.
pub struct Null;

impl Store for Null {
    fn session(&self, _plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut NullSession)
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}

struct NullSession;

impl Session for NullSession {
    fn insert(&mut self, _key: &[u8], _value: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn update(&mut self, _key: &[u8], _value: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn upsert(&mut self, _key: &[u8], _value: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn get(&mut self, _key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn delete(&mut self, _key: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn scan(
        &mut self,
        _from: Option<&[u8]>,
        _direction: Direction,
        _visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
