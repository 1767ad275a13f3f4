//! redb: one database file, shared by its threads; a transaction for each read and, outside batches, for each write.

mod session;

use bakeoff_protocol::{Capabilities, Durability, SettingKind, StoreDescription, Structure};
use redb::{Database, TableDefinition};

use crate::describe::{classes, memory, not_offered, setting, share};
use crate::settings::{bytes_for_memory, integer};
use crate::{OpenRequest, SessionPlan, Store, StoreError, Work};
use session::RedbSession;

/// `MAX_VALUE_LENGTH` in redb's source, which holds for keys too (`Table::insert` in its `table.rs`); both together may have 3.75 GiB.
const BYTES_MAX: u64 = 3 << 30;
/// The one table.
const RECORDS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("records");

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    let source = "https://docs.rs/redb/4/redb/enum.Durability.html";
    StoreDescription {
        name: "redb".to_owned(),
        title: "redb".to_owned(),
        summary: "Copy-on-write B+ tree in one file, in safe Rust; here each read, and each write outside a batch, is a transaction \
                  of its own."
            .to_owned(),
        version: env!("VERSION_OF_REDB").to_owned(),
        license: "MIT OR Apache-2.0".to_owned(),
        language: "Rust".to_owned(),
        structure: Structure::BTree,
        durability: classes(&[
            (Durability::None, "Durability::None: commits stay in memory, and are made durable when it is closed", source),
            (Durability::Power, "Durability::Immediate, the default: the file is flushed at every commit", source),
        ]),
        not_offered: not_offered(&[(
            Durability::Process,
            "a commit is either kept in memory (None) or flushed (Immediate): none is written without being flushed",
            source,
        )]),
        capabilities: Capabilities {
            scan_from: true,
            scan_ordered: true,
            scan_any_order: true,
            batch: true,
            batch_reads: true,
            atomic_batch: true,
            insert_refuses: true,
            parallel_readers: true,
            parallel_writers: false,
            multi_process: false,
            compacted_copy: false,
            keeps_data: true,
        },
        key_bytes_max: Some(BYTES_MAX),
        value_bytes_max: Some(BYTES_MAX),
        key_bytes_min: 0,
        files: "records.redb".to_owned(),
        settings: vec![setting(
            "cache",
            SettingKind::Bytes { min: 0, max: 1 << 40 },
            Some((1_u64 << 30).into()),
            "Most memory that cached pages and pages not yet written take.",
            "https://docs.rs/redb/4/redb/struct.Builder.html#method.new",
        )],
        memory: memory(
            &[share("cache", 100, 1)],
            "all of it for the cache, which also holds pages not yet written",
            "https://docs.rs/redb/4/redb/struct.Builder.html#method.set_cache_size",
        ),
        test_only: false,
    }
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let cache = bytes_for_memory(integer(request.settings, "cache")?)?;
    let path = request.directory.join("records.redb");
    let database = redb::Builder::new().set_cache_size(cache).create(path).map_err(error)?;
    let durability = match request.durability {
        Durability::None => redb::Durability::None,
        Durability::Power => redb::Durability::Immediate,
        Durability::Process => {
            let message = "redb has no commits that are written but not flushed: use durability none or power";
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
        work(&mut RedbSession::new(self, plan))
    }

    /// A durable commit takes those before it along that were not.
    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.database.begin_write().map_err(error)?.commit().map_err(error)
    }
}

/// redb's many errors as the store's.
fn error(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Io(error) => error.into(),
        error => StoreError::Store(error.to_string()),
    }
}
