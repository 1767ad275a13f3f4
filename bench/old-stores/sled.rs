//! Cargo: sled = "VERSION"
//!
//! sled 1.0 before its release. In 1.0.0-alpha.120 `flush` flushes the metadata and not the slabs that they point to.

use std::ops::Bound;

use bakeoff_store::{
    Capability, Description, Direction, Durability, Entry, Leaves::*, OpenRequest, Session, SessionPlan, Store,
    StoreDescription, StoreError, Structure, Work, after,
};
use sled::{Config, Db};

/// The store.
pub const ENTRY: Entry = Entry { describe, open };

/// Entries of a leaf, as in sled's documentation.
const FANOUT: usize = 1_024;

fn describe() -> StoreDescription {
    let source = "https://docs.rs/sled/1.0.0-alpha.124/sled/struct.Tree.html#method.flush";
    let flushed = "Tree::flush after every write";
    Description::new(env!("CARGO_PKG_NAME"), concat!("sled ", env!("CARGO_PKG_VERSION")))
        .summary("An old version of sled, to test what finds its faults.")
        .version(env!("CARGO_PKG_VERSION"))
        .license("MIT OR Apache-2.0")
        .language("Rust")
        .structure(Structure::BTree)
        .files("metadata/, slabs/")
        .not_offered(Durability::None, "it is here for the level power", source)
        .not_offered(Durability::Process, "it is here for the level power", source)
        .durability(Durability::Consistent, flushed, after(Kept, Kept), source)
        .durability(Durability::Power, flushed, after(Kept, Kept), source)
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::ParallelReaders,
        ])
        .keys(0, 1 << 20)
        .values(1 << 30)
        .memory("a cache of 512 MiB at most", source, &[])
        .build()
}

struct Sled(Db<FANOUT>);

fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let mut config = Config::new().path(request.directory.join("records"));
    // No flushes by a thread of its own, which would hide missing ones.
    config.flush_every_ms = None;
    Ok(Box::new(Sled(config.open().map_err(StoreError::from)?)))
}

impl Store for Sled {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        match plan.batched {
            true => Err(StoreError::BadRequest("batches are left out here".to_owned())),
            false => work(&mut SledSession(self)),
        }
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.0.flush().map_err(StoreError::from)
    }
}

struct SledSession<'s>(&'s Sled);

impl Session for SledSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let db = &self.0.0;
        db.insert(key, value).and_then(|_| db.flush()).map_err(StoreError::from)
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let found = self.0.0.get(key)?;
        found.iter().for_each(|found| value.extend_from_slice(found));
        Ok(found.is_some())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        let db = &self.0.0;
        db.remove(key).and_then(|_| db.flush()).map_err(StoreError::from)
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let end = from.map_or(Bound::Unbounded, Bound::Included);
        let is_reverse = direction == Direction::Reverse;
        let bounds = if is_reverse { (Bound::Unbounded, end) } else { (end, Bound::Unbounded) };
        let mut entries = self.0.0.range::<&[u8], _>(bounds);
        while let Some(entry) = if is_reverse { entries.next_back() } else { entries.next() } {
            let (key, value) = entry?;
            if !visit(&key, &value) {
                break;
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
