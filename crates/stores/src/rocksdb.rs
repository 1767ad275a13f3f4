//! RocksDB: one database per store, shared by its threads; each thread has a batch, a pinned value and an iterator.

mod database;
mod sys;

use std::collections::BTreeMap;

use bakeoff_store::batch::BatchSession;
use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, OpenRequest, SessionPlan, Setting, Store, StoreDescription,
    StoreError, Structure, Work, after, setting, share,
};
use database::{Buffers, Database, Options};

/// RocksDB silently reduces larger ones to this (`SanitizeCfOptions` in its `column_family.cc`).
const WRITE_BUFFER_BYTES_MAX: u64 = 64 << 30;
/// `kMaxWriteBatchKeySize` in RocksDB's `write_batch.cc`: a key's length with the 8 bytes that it adds must fit 32 bits. Its FAQ advises
/// against more than 8 MB.
const KEY_BYTES_MAX: u64 = u32::MAX as u64 - 8;
/// The largest that RocksDB's FAQ advises.
const VALUE_BYTES_MAX: u64 = 3 << 30;
const OPTIONS: &str = "https://github.com/facebook/rocksdb/blob/v11.8.1/include/rocksdb/options.h";
const TABLE: &str = "https://github.com/facebook/rocksdb/blob/v11.8.1/include/rocksdb/table.h";
const TUNING: &str = "https://github.com/facebook/rocksdb/wiki/Setup-Options-and-Basic-Tuning";

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let log = "https://github.com/facebook/rocksdb/wiki/Basic-Operations#writes";
    Description::new("rocksdb", "RocksDB")
        .summary(
            "Log-structured merge tree: a log, sorted buffers in memory, and sorted files merged by several threads in the \
             background.",
        )
        .version(database::version())
        .license("Apache-2.0 OR GPL-2.0-only")
        .language("C++")
        .structure(Structure::Lsm)
        .files("*.sst (sorted files), *.log (the log), MANIFEST-*, OPTIONS-*, CURRENT, IDENTITY, LOCK, LOG")
        .table_files(&[".sst", ".blob"])
        .durability(
            Durability::None,
            "WriteOptions::disableWAL: there is no log; a buffer in memory is written when it is full and at closing",
            // "may get lost after a crash". With one column family, the files have an earlier state.
            after(EarlierState, EarlierState),
            OPTIONS,
        )
        .durability(
            Durability::Process,
            "WriteOptions::sync=false, the default: the log is written at every write and not flushed",
            // "there is no hole in the recovered data" (https://rocksdb.org/blog/2022/10/05/lost-buffered-write-recovery.html) is true
            // inside a log. Between two logs, "Gaps are still possible when WALs are truncated exactly on record boundaries" (HISTORY.md,
            // 6.14).
            after(Kept, PossiblyCorrupt),
            log,
        )
        .durability(
            Durability::Consistent,
            "WriteOptions::sync=true, as at level power. Between two logs that are not flushed, recovery may miss writes",
            after(Kept, Kept),
            log,
        )
        .durability(
            Durability::Power,
            "WriteOptions::sync=true: the log is flushed at every write",
            after(Kept, Kept),
            log,
        )
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::AtomicBatch,
            Capability::ParallelReaders,
            Capability::ParallelWriters,
        ])
        .keys(0, KEY_BYTES_MAX)
        .values(VALUE_BYTES_MAX)
        .settings(settings())
        .memory(
            "a third for blocks that were read, as its documentation advises; the rest for write buffers, of which up to two \
            exist at a time. Indexes and filters of open files are not counted",
            TUNING,
            &[share("cache", 33, 1), share("write-buffer", 67, 2)],
        )
        .build()
}

fn settings() -> [Setting; 7] {
    [
        setting::bytes(
            "cache",
            0..=1 << 40,
            Some(32 << 20),
            "Memory for blocks that were read, uncompressed; 0 for none. About a third of the memory is advised.",
            TABLE,
        ),
        setting::bytes(
            "write-buffer",
            64 << 10..=WRITE_BUFFER_BYTES_MAX,
            Some(64 << 20),
            "Bytes written that are sorted in memory before they become a file; up to two such buffers are held.",
            OPTIONS,
        ),
        setting::bytes(
            "block-size",
            1 << 10..=4 << 20,
            Some(4 << 10),
            "Bytes of entries, before compression, that are read and cached together. 16 KiB saves memory.",
            TABLE,
        ),
        setting::integer(
            "bloom-bits",
            0..=100,
            // Its tuning guide, under "Bloom filters", says "A good value is 10" for databases with many gets.
            Some(10),
            "Bits per key of a Bloom filter that saves reading files without the key; 0 for no filter, RocksDB's default. Its \
            tuning guide advises 10 for many gets.",
            TUNING,
        ),
        setting::integer(
            "background-jobs",
            1..=256,
            Some(2),
            "Threads that write buffers to files and merge files.",
            OPTIONS,
        ),
        setting::choice(
            "compression",
            &["lz4", "none", "snappy", "zstd"],
            "lz4",
            "Compression of each block.",
            OPTIONS,
        )
        .uncompressed("none"),
        setting::boolean(
            "statistics",
            false,
            "RocksDB's own counters and call times, added to the result and shown by `report --full`; they slow calls by 5 to \
            10 %.",
            "https://github.com/facebook/rocksdb/wiki/Statistics",
        ),
    ]
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    // At most a few hundred: the settings were checked.
    let small = |name| Ok::<_, StoreError>(request.integer(name)?.min(256) as std::ffi::c_int);
    let options = Options {
        cache_bytes: request.memory_bytes("cache")?,
        write_buffer_bytes: request.memory_bytes("write-buffer")?,
        block_bytes: request.memory_bytes("block-size")?,
        bloom_bits: small("bloom-bits")?,
        background_jobs: small("background-jobs")?,
        compression: request.word("compression")?,
        statistics: request.boolean("statistics")?,
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
