//! The store that does nothing: what is measured with it is the harness alone.

use std::collections::BTreeMap;

use bakeoff_protocol::{Capabilities, Durability, StoreDescription, Structure};

use crate::describe::{classes, memory};
use crate::{Direction, OpenRequest, Session, SessionPlan, Store, StoreError, Work};

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    let source = "crates/stores/src/null.rs";
    let how = "keeps nothing, so nothing can be lost";
    StoreDescription {
        name: "null".to_owned(),
        title: "Null".to_owned(),
        summary: "Does nothing and finds nothing: shows what the harness itself costs.".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        license: "MIT OR Apache-2.0".to_owned(),
        language: "Rust".to_owned(),
        structure: Structure::Memory,
        durability: classes(&Durability::ALL.map(|class| (class, how, source))),
        not_offered: BTreeMap::new(),
        capabilities: Capabilities {
            scan_from: true,
            scan_ordered: true,
            scan_any_order: true,
            batch: true,
            batch_reads: true,
            atomic_batch: true,
            insert_refuses: false,
            parallel_readers: true,
            parallel_writers: true,
            multi_process: true,
            compacted_copy: false,
            keeps_data: false,
        },
        key_bytes_max: None,
        value_bytes_max: None,
        key_bytes_min: 0,
        files: "none".to_owned(),
        settings: Vec::new(),
        memory: memory(&[], "none: it keeps nothing", "https://en.wikipedia.org/wiki/Null_device"),
        test_only: true,
    }
}

/// "Opens" it.
pub(crate) fn open(_request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(Null))
}

/// The store itself, which needs no directory.
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
