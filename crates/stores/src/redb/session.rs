//! One thread's transactions.

use std::ops::Bound;

use bakeoff_store::{Direction, Session, SessionPlan, StoreError};
use redb::{
    AccessGuard, Database, Durability, ReadableDatabase, ReadableTable, StorageError, Table, TableDefinition,
    WriteTransaction,
};
use self_cell::self_cell;

/// The only table.
pub(super) const RECORDS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("records");

/// The open table of a write transaction.
type Records<'t> = Table<'t, &'static [u8], &'static [u8]>;

self_cell!(
    /// A batch keeps its table open: opening it for each write would be an extra lookup.
    struct Writer {
        owner: WriteTransaction,
        #[not_covariant]
        dependent: Records,
    }
);

impl Writer {
    fn begin(database: &Database, durability: Durability) -> Result<Self, StoreError> {
        let mut transaction = database.begin_write().map_err(error)?;
        transaction.set_durability(durability).map_err(error)?;
        Self::try_new(transaction, |transaction| transaction.open_table(RECORDS).map_err(error))
    }

    fn finish(self) -> Result<(), StoreError> {
        self.into_owner().commit().map_err(error)
    }

    /// Writes a key and returns whether it existed.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<bool, StoreError> {
        self.with_dependent_mut(|_, table| Ok(table.insert(key, value).map_err(error)?.is_some()))
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.with_dependent_mut(|_, table| table.remove(key).map(drop).map_err(error))
    }
}

/// The store, and the open transaction of a batch.
pub(super) struct RedbSession<'s> {
    database: &'s Database,
    durability: Durability,
    batched: bool,
    batch: Option<Writer>,
}

impl<'s> RedbSession<'s> {
    /// A session without a transaction.
    pub(super) fn new(database: &'s Database, durability: Durability, plan: &SessionPlan) -> Self {
        Self { database, durability, batched: plan.batched, batch: None }
    }

    /// Writes in the open batch, or in a separate transaction. Errors roll it back.
    fn write(&mut self, write: impl FnOnce(&mut Writer) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut writer = match self.batch.take() {
            Some(writer) => writer,
            None => Writer::begin(self.database, self.durability)?,
        };
        write(&mut writer)?;
        if self.batched {
            self.batch = Some(writer);
            return Ok(());
        }
        writer.finish()
    }

    /// Looks a key up in the open batch, or in a snapshot.
    fn look(&self, key: &[u8], with: impl FnOnce(&[u8])) -> Result<bool, StoreError> {
        match &self.batch {
            Some(batch) => batch.with_dependent(|_, table| look(table, key, with)),
            None => {
                let transaction = self.database.begin_read().map_err(error)?;
                look(&transaction.open_table(RECORDS).map_err(error)?, key, with)
            }
        }
    }
}

impl Session for RedbSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.write(|writer| match writer.put(key, value)? {
            false => Ok(()),
            true => Err(StoreError::Store("the key to insert already exists".to_owned())),
        })
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.write(|writer| writer.put(key, value).map(|_| ()))
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.look(key, |found| value.extend_from_slice(found))
    }

    /// The lookup returns a position in a page, which is not read.
    fn exists(&mut self, key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.look(key, |_| ())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.write(|writer| writer.remove(key))
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        match &self.batch {
            Some(batch) => batch.with_dependent(|_, table| scan(table, from, direction, visit)),
            None => {
                let transaction = self.database.begin_read().map_err(error)?;
                scan(&transaction.open_table(RECORDS).map_err(error)?, from, direction, visit)
            }
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.batch.take().map_or(Ok(()), Writer::finish)
    }
}

type Found<'g> = AccessGuard<'g, &'static [u8]>;

/// Whether a key exists. Its value is borrowed for a single call.
fn look(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    key: &[u8],
    with: impl FnOnce(&[u8]),
) -> Result<bool, StoreError> {
    let found: Option<Found<'_>> = table.get(key).map_err(error)?;
    if let Some(found) = &found {
        with(found.value());
    }
    Ok(found.is_some())
}

fn scan(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    from: Option<&[u8]>,
    direction: Direction,
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> Result<(), StoreError> {
    let end = from.map_or(Bound::Unbounded, Bound::Included);
    match direction {
        Direction::Reverse => show(table.range::<&[u8]>((Bound::Unbounded, end)).map_err(error)?.rev(), visit),
        Direction::Forward | Direction::Any => {
            show(table.range::<&[u8]>((end, Bound::Unbounded)).map_err(error)?, visit)
        }
    }
}

fn show<'g>(
    entries: impl Iterator<Item = Result<(Found<'g>, Found<'g>), StorageError>>,
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> Result<(), StoreError> {
    for entry in entries {
        let (key, value) = entry.map_err(error)?;
        if !visit(key.value(), value.value()) {
            break;
        }
    }
    Ok(())
}

/// redb's error types as store errors.
pub(super) fn error(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Io(error) => error.into(),
        error => StoreError::Store(error.to_string()),
    }
}
