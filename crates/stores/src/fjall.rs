//! fjall: one keyspace of one database, shared by its threads; a batch for each thread.

mod session;

use std::collections::BTreeMap;

use bakeoff_protocol::{Capabilities, Durability, Setting, SettingKind, Settings, StoreDescription, Structure};
use fjall::config::{BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, KvSeparationOptions, PersistMode};

use crate::describe::{choice, classes, memory, setting, share};
use crate::settings::{boolean, integer, word};
use crate::{OpenRequest, SessionPlan, Store, StoreError, Work};
use session::FjallSession;

/// Lengths of values are 32 bits long in fjall's format; lengths of keys 16 (`Item::new` of its batches, `InternalKey::new` of lsm-tree), though its documentation
/// speaks of 65,536 bytes.
const VALUE_BYTES_MAX: u64 = u32::MAX as u64;
const KEY_BYTES_MAX: u64 = u16::MAX as u64;
/// fjall names no limit, but advises 8 to 64 MiB: of a memory that would make it more than this, the rest is of more use to its cache.
const WRITE_BUFFER_BYTES_MAX: u64 = 1 << 30;
const OPTIONS: &str = "https://docs.rs/fjall/3/fjall/struct.KeyspaceCreateOptions.html";

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    StoreDescription {
        name: "fjall".to_owned(),
        title: "Fjall".to_owned(),
        summary: "Log-structured merge tree in safe Rust: a journal, a sorted buffer in memory, and sorted files merged in the \
                  background."
            .to_owned(),
        version: env!("VERSION_OF_FJALL").to_owned(),
        license: "MIT OR Apache-2.0".to_owned(),
        language: "Rust".to_owned(),
        structure: Structure::Lsm,
        durability: classes(&[
            (
                Durability::None,
                "manual_journal_persist: the journal is written when its buffer is full, and when the store is closed",
                OPTIONS,
            ),
            (
                Durability::Process,
                "PersistMode::Buffer, the default: the journal is written at every write and never flushed",
                "https://docs.rs/fjall/3/fjall/enum.PersistMode.html",
            ),
            (
                Durability::Power,
                "PersistMode::SyncAll: the journal is flushed at every write",
                "https://docs.rs/fjall/3/fjall/enum.PersistMode.html",
            ),
        ]),
        not_offered: BTreeMap::new(),
        capabilities: Capabilities {
            scan_from: true,
            scan_ordered: true,
            scan_any_order: true,
            batch: true,
            batch_reads: false,
            atomic_batch: true,
            insert_refuses: false,
            parallel_readers: true,
            parallel_writers: false,
            multi_process: false,
            compacted_copy: false,
            keeps_data: true,
        },
        key_bytes_max: Some(KEY_BYTES_MAX),
        value_bytes_max: Some(VALUE_BYTES_MAX),
        key_bytes_min: 1,
        files: "*.jnl (journals), keyspaces/ (a directory of sorted files each), version, lock".to_owned(),
        settings: settings(),
        memory: memory(
            &[share("cache", 25, 1), share("write-buffer", 75, 5)],
            "a quarter for blocks that were read, as is advised; the rest for write buffers, of which there are up to five: writes halt \
             while four are waiting to become files",
            "https://docs.rs/fjall/3/fjall/struct.DatabaseBuilder.html#method.cache_size",
        ),
        test_only: false,
    }
}

fn settings() -> Vec<Setting> {
    let bytes = |min, max| SettingKind::Bytes { min, max };
    vec![
        setting(
            "cache",
            bytes(0, 1 << 40),
            Some((32 << 20).into()),
            "Memory for blocks that were read, uncompressed. 20 to 25 % of the memory is advised.",
            "https://docs.rs/fjall/3/fjall/struct.DatabaseBuilder.html#method.cache_size",
        ),
        setting(
            "write-buffer",
            bytes(1 << 20, WRITE_BUFFER_BYTES_MAX),
            Some((64 << 20).into()),
            "Bytes written that are sorted in memory before they become a file.",
            OPTIONS,
        ),
        setting(
            "block-size",
            bytes(1 << 10, 1 << 20),
            Some((4 << 10).into()),
            "Bytes of entries, before compression, that are read and cached together.",
            OPTIONS,
        ),
        setting(
            "bloom-bits",
            SettingKind::Integer { min: 0, max: 100 },
            None,
            "Bits a key of the Bloom filter, 0 for no filter; by default 10, and on the first level so many that one lookup in 10,000 \
             is in vain.",
            OPTIONS,
        ),
        setting(
            "compression",
            choice(&["by-level", "lz4", "none"]),
            Some("by-level".into()),
            "Compression of blocks and of large journal entries; by-level leaves the first two levels of the tree, which are soon \
             rewritten, uncompressed.",
            OPTIONS,
        ),
        setting(
            "kv-separation",
            SettingKind::Boolean,
            Some(false.into()),
            "Keep large values in files of their own, so that merging does not rewrite them.",
            "https://docs.rs/fjall/3/fjall/struct.KvSeparationOptions.html",
        ),
    ]
}

/// Creates or opens the database and its keyspace.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let settings: &Settings = request.settings;
    let (durability, by_us) = match request.durability {
        Durability::None => (None, true),
        Durability::Process => (Some(PersistMode::Buffer), false),
        Durability::Power => (Some(PersistMode::SyncAll), true),
    };
    let builder =
        Database::builder(request.directory).cache_size(integer(settings, "cache")?).manual_journal_persist(by_us);
    let builder = match word(settings, "compression")? {
        "none" => builder.journal_compression(CompressionType::None),
        _ => builder.journal_compression(CompressionType::Lz4),
    };
    let database = builder.open().map_err(error)?;
    let options = keyspace_options(settings)?.manual_journal_persist(by_us);
    let records = database.keyspace("records", || options).map_err(error)?;
    Ok(Box::new(Fjall { database, records, durability }))
}

fn keyspace_options(settings: &Settings) -> Result<KeyspaceCreateOptions, StoreError> {
    // At most a mebibyte and a hundred: the settings were checked.
    let block_bytes = integer(settings, "block-size")?.min(1 << 20) as u32;
    let mut options = KeyspaceCreateOptions::default()
        .max_memtable_size(integer(settings, "write-buffer")?)
        .data_block_size_policy(BlockSizePolicy::all(block_bytes));
    if settings.contains_key("bloom-bits") {
        options = options.filter_policy(FilterPolicy::all(match integer(settings, "bloom-bits")?.min(100) {
            0 => FilterPolicyEntry::None,
            bits => FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(bits as f32)),
        }));
    }
    options = match word(settings, "compression")? {
        "none" => options.data_block_compression_policy(CompressionPolicy::all(CompressionType::None)),
        "lz4" => options.data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4)),
        _ => options,
    };
    let separation = boolean(settings, "kv-separation")?.then(KvSeparationOptions::default);
    Ok(options.with_kv_separation(separation))
}

struct Fjall {
    database: Database,
    records: Keyspace,
    /// How far each write goes before it is acknowledged.
    durability: Option<PersistMode>,
}

impl Store for Fjall {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut FjallSession::new(self, plan))
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.database.persist(PersistMode::Buffer).map_err(error)
    }
}

/// fjall's errors as the store's.
fn error(error: fjall::Error) -> StoreError {
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => error.into(),
        error => StoreError::Store(error.to_string()),
    }
}
