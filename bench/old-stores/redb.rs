//! Cargo: redb = "VERSION"
//!
//! redb 1.x. Up to 1.0.4 a page of a lost commit that is zeros makes opening panic.

use std::ops::Bound;

use bakeoff_store::{
    Capability, Description, Direction, Durability, Entry, Leaves::*, OpenRequest, Session, SessionPlan, Store,
    StoreDescription, StoreError, Structure, Work, after,
};
use redb::{Database, ReadableTable, TableDefinition, WriteTransaction};

/// The store.
pub const ENTRY: Entry = Entry { describe, open };

const RECORDS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("records");

fn describe() -> StoreDescription {
    let source = "https://docs.rs/redb/1/redb/enum.Durability.html";
    let flushed = "Durability::Immediate, the default: the file is flushed at every commit";
    Description::new(env!("CARGO_PKG_NAME"), concat!("redb ", env!("CARGO_PKG_VERSION")))
        .summary("An old version of redb, to test what finds its faults. Each write is a transaction.")
        .version(env!("CARGO_PKG_VERSION"))
        .license("MIT OR Apache-2.0")
        .language("Rust")
        .structure(Structure::BTree)
        .files("records.redb")
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
        .memory("a cache of 1 GiB at most", source, &[])
        .build()
}

struct Redb(Database);

fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let database = Database::create(request.directory.join("records.redb")).map_err(error)?;
    let store = Redb(database);
    store.write(|transaction| transaction.open_table(RECORDS).map(drop).map_err(error))?;
    Ok(Box::new(store))
}

impl Redb {
    fn write(&self, write: impl FnOnce(&WriteTransaction<'_>) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let transaction = self.0.begin_write().map_err(error)?;
        write(&transaction)?;
        transaction.commit().map_err(error)
    }
}

impl Store for Redb {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        match plan.batched {
            true => Err(StoreError::BadRequest("batches are left out here".to_owned())),
            false => work(&mut RedbSession(self)),
        }
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}

struct RedbSession<'s>(&'s Redb);

impl Session for RedbSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.0.write(|transaction| {
            let mut table = transaction.open_table(RECORDS).map_err(error)?;
            table.insert(key, value).map(drop).map_err(error)
        })
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let transaction = self.0.0.begin_read().map_err(error)?;
        let table = transaction.open_table(RECORDS).map_err(error)?;
        let found = table.get(key).map_err(error)?;
        found.iter().for_each(|found| value.extend_from_slice(found.value()));
        Ok(found.is_some())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.0.write(|transaction| {
            let mut table = transaction.open_table(RECORDS).map_err(error)?;
            table.remove(key).map(drop).map_err(error)
        })
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let transaction = self.0.0.begin_read().map_err(error)?;
        let table = transaction.open_table(RECORDS).map_err(error)?;
        let end = from.map_or(Bound::Unbounded, Bound::Included);
        let is_reverse = direction == Direction::Reverse;
        let bounds = if is_reverse { (Bound::Unbounded, end) } else { (end, Bound::Unbounded) };
        let mut entries = table.range::<&[u8]>(bounds).map_err(error)?;
        while let Some(entry) = if is_reverse { entries.next_back() } else { entries.next() } {
            let (key, value) = entry.map_err(error)?;
            if !visit(key.value(), value.value()) {
                break;
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

fn error(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Io(error) => error.into(),
        error => StoreError::Store(error.to_string()),
    }
}
