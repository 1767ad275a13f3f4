//! redb: one database file, shared by its threads; a transaction for each read and, outside batches, for each write.

mod session;

use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, OpenRequest, SessionPlan, Store, StoreDescription, StoreError,
    Structure, Work, after, setting, share,
};
use redb::Database;

use session::{RECORDS, RedbSession, error};

/// `MAX_VALUE_LENGTH` in redb's source, which also limits keys (`Table::insert` in its `table.rs`). Both together may have 3.75 GiB.
const BYTES_MAX: u64 = 3 << 30;

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let source = "https://docs.rs/redb/4/redb/enum.Durability.html";
    let flushed = "Durability::Immediate, the default: the file is flushed at every commit";
    Description::new("redb", "redb")
        .summary(
            "Copy-on-write B+ tree in one file, in safe Rust; here each read, and each write outside a batch, is a separate \
            transaction.",
        )
        .version(env!("VERSION_OF_REDB"))
        .license("MIT OR Apache-2.0")
        .language("Rust")
        .structure(Structure::BTree)
        .files("records.redb")
        .durability(
            Durability::None,
            "Durability::None: commits stay in memory, and become durable at closing",
            // "still guaranteed to be consistent".
            after(EarlierState, EarlierState),
            "https://github.com/cberner/redb/blob/HEAD/docs/design.md#non-durable-commits",
        )
        // "guaranteed to be persistent".
        .durability(Durability::Consistent, flushed, after(Kept, Kept), source)
        .durability(Durability::Power, flushed, after(Kept, Kept), source)
        .not_offered(
            Durability::Process,
            "a commit either stays in memory (None) or is flushed (Immediate): none is written without a flush",
            source,
        )
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::BatchReads,
            Capability::AtomicBatch,
            Capability::InsertRefuses,
            Capability::ParallelReaders,
            Capability::ExistsCall,
        ])
        .keys(0, BYTES_MAX)
        .values(BYTES_MAX)
        .setting(setting::bytes(
            "cache",
            0..=1 << 40,
            Some(1 << 30),
            "Maximum memory for cached pages and pages not yet written.",
            "https://docs.rs/redb/4/redb/struct.Builder.html#method.new",
        ))
        .memory(
            "all of it for the cache, which also holds pages not yet written",
            "https://docs.rs/redb/4/redb/struct.Builder.html#method.set_cache_size",
            &[share("cache", 100, 1)],
        )
        .build()
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let cache = request.memory_bytes("cache")?;
    let path = request.directory.join("records.redb");
    let database = redb::Builder::new().set_cache_size(cache).create(path).map_err(error)?;
    let durability = match request.durability {
        Durability::None => redb::Durability::None,
        Durability::Consistent | Durability::Power => redb::Durability::Immediate,
        Durability::Process => {
            let message =
                "redb has no commits that are written but not flushed: use durability none, consistent or power";
            return Err(StoreError::BadRequest(message.to_owned()));
        }
    };
    let create = database.begin_write().map_err(error)?;
    create.open_table(RECORDS).map_err(error)?;
    create.commit().map_err(error)?;
    Ok(Box::new(Redb { database, durability }))
}

struct Redb {
    database: Database,
    durability: redb::Durability,
}

impl Store for Redb {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut RedbSession::new(&self.database, self.durability, plan))
    }

    /// A durable commit includes the earlier commits that were not durable.
    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.database.begin_write().map_err(error)?.commit().map_err(error)
    }
}
