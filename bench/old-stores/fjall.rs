//! Cargo: fjall = "VERSION"
//!
//! fjall 1.x. Up to 1.3.0 its journal keeps 16 bits of a value's length, so it cannot be read after a value of 64 KiB or more. Up to 1.5.0
//! `persist(Buffer)` leaves nothing to do for the next `persist(SyncAll)`.

use std::ops::Bound;

use bakeoff_store::{
    Capability, Description, Direction, Durability, Entry, Leaves::*, OpenRequest, Session, SessionPlan, Store,
    StoreDescription, StoreError, Structure, Work, after,
};
use fjall::{Batch, Config, Keyspace, PartitionCreateOptions, PartitionHandle, PersistMode};

/// The store.
pub const ENTRY: Entry = Entry { describe, open };

fn describe() -> StoreDescription {
    let source = "https://docs.rs/fjall/1/fjall/enum.PersistMode.html";
    let flushed = "PersistMode::SyncAll after every write: the journal is flushed";
    Description::new(env!("CARGO_PKG_NAME"), concat!("Fjall ", env!("CARGO_PKG_VERSION")))
        .summary("An old version of fjall, to test what finds its faults.")
        .version(env!("CARGO_PKG_VERSION"))
        .license("MIT OR Apache-2.0")
        .language("Rust")
        .structure(Structure::Lsm)
        .files("journals/, partitions/")
        .not_offered(Durability::None, "it is here for the other levels", source)
        .durability(
            Durability::Process,
            "PersistMode::Buffer after every write: the journal is written and not flushed",
            after(Kept, PossiblyCorrupt),
            source,
        )
        .durability(Durability::Consistent, flushed, after(Kept, Kept), source)
        .durability(Durability::Power, flushed, after(Kept, Kept), source)
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::AtomicBatch,
            Capability::ParallelReaders,
            Capability::ExistsCall,
        ])
        .keys(1, u16::MAX.into())
        .values(u32::MAX.into())
        .memory("a cache of 16 MiB", source, &[])
        .build()
}

struct Fjall {
    keyspace: Keyspace,
    records: PartitionHandle,
    persist: PersistMode,
}

fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    // No flushes by a thread of its own, which would hide missing ones.
    let keyspace = Config::new(request.directory).fsync_ms(None).open().map_err(error)?;
    let records = keyspace.open_partition("records", PartitionCreateOptions::default()).map_err(error)?;
    let persist = if request.durability.includes(Durability::Consistent) { PersistMode::SyncAll } else { PersistMode::Buffer };
    Ok(Box::new(Fjall { keyspace, records, persist }))
}

impl Store for Fjall {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut FjallSession { store: self, batched: plan.batched, batch: None })
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.persist()
    }
}

impl Fjall {
    fn persist(&self) -> Result<(), StoreError> {
        self.keyspace.persist(self.persist).map_err(error)
    }
}

struct FjallSession<'s> {
    store: &'s Fjall,
    batched: bool,
    batch: Option<Batch>,
}

impl FjallSession<'_> {
    fn batch(&mut self) -> &mut Batch {
        self.batch.get_or_insert_with(|| self.store.keyspace.batch())
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
        self.store.persist()
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let found = self.store.records.get(key).map_err(error)?;
        found.iter().for_each(|found| value.extend_from_slice(found));
        Ok(found.is_some())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        let records = &self.store.records;
        if self.batched {
            self.batch().remove(records, key);
            return Ok(());
        }
        records.remove(key).map_err(error)?;
        self.store.persist()
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let end = from.map_or(Bound::Unbounded, Bound::Included);
        let records = &self.store.records;
        let mut show = |entry: fjall::Result<(fjall::UserKey, fjall::UserValue)>| {
            entry.map_err(error).map(|(key, value)| visit(&key, &value))
        };
        match direction {
            Direction::Reverse => {
                for entry in records.range::<&[u8], _>((Bound::Unbounded, end)).rev() {
                    if !show(entry)? {
                        break;
                    }
                }
            }
            Direction::Forward | Direction::Any => {
                for entry in records.range::<&[u8], _>((end, Bound::Unbounded)) {
                    if !show(entry)? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let Some(batch) = self.batch.take() else { return Ok(()) };
        batch.commit().map_err(error)?;
        self.store.persist()
    }
}

fn error(error: fjall::Error) -> StoreError {
    match error {
        fjall::Error::Io(error) => error.into(),
        error => StoreError::Store(format!("{error:?}")),
    }
}
