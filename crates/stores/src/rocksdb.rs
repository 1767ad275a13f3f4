//! RocksDB: one database a store, shared by its threads; a batch, a pinned value and an iterator for each thread.

mod database;
mod sys;

use std::collections::BTreeMap;

use bakeoff_protocol::{Capabilities, Durability, Setting, SettingKind, StoreDescription, Structure};

use crate::describe::{choice, classes, memory, setting, share};
use crate::settings::{boolean, bytes_for_memory, integer, word};
use crate::write_batch::BatchSession;
use crate::{OpenRequest, SessionPlan, Store, StoreError, Work};
use database::{Buffers, Database, Options};

/// RocksDB cuts larger ones to this without a word (`SanitizeCfOptions` in its `column_family.cc`).
const WRITE_BUFFER_BYTES_MAX: u64 = 64 << 30;
/// `kMaxWriteBatchKeySize` in RocksDB's `write_batch.cc`: with the 8 bytes that it adds, a key's length must fit 32 bits. Its FAQ advises against more than 8 MB.
const KEY_BYTES_MAX: u64 = u32::MAX as u64 - 8;
/// The largest that RocksDB advises (its FAQ).
const VALUE_BYTES_MAX: u64 = 3 << 30;
const OPTIONS: &str = "https://github.com/facebook/rocksdb/blob/v11.8.1/include/rocksdb/options.h";
const TABLE: &str = "https://github.com/facebook/rocksdb/blob/v11.8.1/include/rocksdb/table.h";
const TUNING: &str = "https://github.com/facebook/rocksdb/wiki/Setup-Options-and-Basic-Tuning";

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    StoreDescription {
        name: "rocksdb".to_owned(),
        title: "RocksDB".to_owned(),
        summary:
            "Log-structured merge tree: a log, sorted buffers in memory, and sorted files merged by several threads in the \
                  background."
                .to_owned(),
        version: database::version(),
        license: "Apache-2.0 OR GPL-2.0-only".to_owned(),
        language: "C++".to_owned(),
        structure: Structure::Lsm,
        durability: durability(),
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
            parallel_writers: true,
            multi_process: false,
            compacted_copy: false,
            keeps_data: true,
        },
        key_bytes_max: Some(KEY_BYTES_MAX),
        value_bytes_max: Some(VALUE_BYTES_MAX),
        key_bytes_min: 0,
        files: "*.sst (sorted files), *.log (the log), MANIFEST-*, OPTIONS-*, CURRENT, IDENTITY, LOCK, LOG".to_owned(),
        settings: settings(),
        memory: memory(
            &[share("cache", 33, 1), share("write-buffer", 67, 2)],
            "a third for blocks that were read, as is advised; the rest for two write buffers, as up to two are held at a time. Indexes and \
             filters of open files are not counted",
            TUNING,
        ),
        test_only: false,
    }
}

fn durability() -> BTreeMap<Durability, bakeoff_protocol::DurabilitySupport> {
    let log = "https://github.com/facebook/rocksdb/wiki/Basic-Operations#writes";
    classes(&[
        (
            Durability::None,
            "WriteOptions::disableWAL: there is no log; what is in memory is written when a buffer is full and when the store is closed",
            OPTIONS,
        ),
        (
            Durability::Process,
            "WriteOptions::sync=false, the default: the log is written at every write and not flushed",
            log,
        ),
        (Durability::Power, "WriteOptions::sync=true: the log is flushed at every write", log),
    ])
}

fn settings() -> Vec<Setting> {
    let bytes = |min, max| SettingKind::Bytes { min, max };
    vec![
        setting(
            "cache",
            bytes(0, 1 << 40),
            Some((32 << 20).into()),
            "Memory for blocks that were read, uncompressed; 0 for none. About a third of the memory is advised.",
            TABLE,
        ),
        setting(
            "write-buffer",
            bytes(64 << 10, WRITE_BUFFER_BYTES_MAX),
            Some((64 << 20).into()),
            "Bytes written that are sorted in memory before they become a file; up to two such buffers are held.",
            OPTIONS,
        ),
        setting(
            "block-size",
            bytes(1 << 10, 4 << 20),
            Some((4 << 10).into()),
            "Bytes of entries, before compression, that are read and cached together. 16 KiB saves memory.",
            TABLE,
        ),
        setting(
            "bloom-bits",
            SettingKind::Integer { min: 0, max: 100 },
            Some(0.into()),
            "Bits a key of a Bloom filter that saves reading files without the key; 0 for no filter. About 10 is advised where gets \
             are many.",
            TUNING,
        ),
        setting(
            "background-jobs",
            SettingKind::Integer { min: 1, max: 256 },
            Some(2.into()),
            "Threads that write buffers to files and merge files.",
            OPTIONS,
        ),
        setting(
            "compression",
            choice(&["lz4", "none", "snappy", "zstd"]),
            Some("lz4".into()),
            "Compression of each block.",
            OPTIONS,
        ),
        setting(
            "statistics",
            SettingKind::Boolean,
            Some(false.into()),
            "Have RocksDB count what it does and time its calls, and add that to the result, where `report --full` shows it; that slows calls by 5 to 10 %.",
            "https://github.com/facebook/rocksdb/wiki/Statistics",
        ),
    ]
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let settings = request.settings;
    let bytes = |name| bytes_for_memory(integer(settings, name)?);
    // At most a few hundred: the settings were checked.
    let small = |name| Ok::<_, StoreError>(integer(settings, name)?.min(256) as std::ffi::c_int);
    let options = Options {
        cache_bytes: bytes("cache")?,
        write_buffer_bytes: bytes("write-buffer")?,
        block_bytes: bytes("block-size")?,
        bloom_bits: small("bloom-bits")?,
        background_jobs: small("background-jobs")?,
        compression: word(settings, "compression")?,
        statistics: boolean(settings, "statistics")?,
    };
    let database = Database::open(request.directory, &options)?;
    Ok(Box::new(RocksDb { database, durability: request.durability }))
}

struct RocksDb {
    database: Database,
    durability: Durability,
}

impl Store for RocksDb {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut BatchSession::new(Buffers::new(&self.database, self.durability), plan))
    }

    fn properties(&self) -> BTreeMap<String, u64> {
        self.database.properties()
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.database.close()
    }
}
