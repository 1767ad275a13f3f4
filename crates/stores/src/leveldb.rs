//! LevelDB: one database per store, shared by its threads; each thread has a batch and a string for reading.

mod database;
mod sys;

use bakeoff_store::batch::BatchSession;
use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, OpenRequest, SessionPlan, Setting, Store, StoreDescription,
    StoreError, Structure, Work, after, setting, share,
};
use database::{Buffers, Database};

/// LevelDB's format has 32 bits for lengths of keys and of values (`PutLengthPrefixedSlice` in its `coding.cc`), and for a key with the 8
/// bytes it adds (`MemTable::Add`). It does not check them, so this stays away from the limit.
const BYTES_MAX: u64 = (1 << 32) - (1 << 20);
/// LevelDB silently reduces larger ones to this (`SanitizeOptions` in its `db_impl.cc`).
const WRITE_BUFFER_BYTES_MAX: u64 = 1 << 30;
const OPTIONS: &str = "https://github.com/google/leveldb/blob/1.23/include/leveldb/options.h";

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    Description::new("leveldb", "LevelDB")
        .summary("Log-structured merge tree: a log, a sorted buffer in memory, and sorted files merged in the background.")
        .version(database::version())
        .license("BSD-3-Clause")
        .language("C++")
        .structure(Structure::Lsm)
        .files("*.ldb (sorted files), *.log (the log), MANIFEST-*, CURRENT, LOCK, LOG")
        .table_files(&[".ldb"])
        .durability(
            Durability::Process,
            "WriteOptions::sync=false, the default: the log is written at every write and never flushed",
            // The documentation mentions "the last few updates" (index.md). But recovery drops a damaged block of the log and continues
            // (`ReadPhysicalRecord` in `log_reader.cc`, `RecoverLogFile` in `db_impl.cc`). So earlier writes may be lost while later ones
            // exist.
            after(Kept, PossiblyCorrupt),
            OPTIONS,
        )
        .durability(
            Durability::Consistent,
            "WriteOptions::sync=true, as at level power. In a log that is not flushed, recovery skips damaged parts and \
            continues",
            after(Kept, Kept),
            OPTIONS,
        )
        .durability(
            Durability::Power,
            "WriteOptions::sync=true: the log is flushed at every write, once for all waiting writes. LevelDB does not flush \
            the names of new logs; bakeoff does",
            // "the write operation will not return until the data being written has been pushed all the way to persistent storage" (index.md).
            after(Kept, Kept),
            OPTIONS,
        )
        .not_offered(
            Durability::None,
            "every write goes through the log, which is written at once. No option turns that off",
            OPTIONS,
        )
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::AtomicBatch,
            Capability::ParallelReaders,
        ])
        .keys(0, BYTES_MAX)
        .values(BYTES_MAX)
        .settings(settings())
        .memory(
            "as its defaults do: half for blocks that were read, half for write buffers, of which up to two exist at a time. \
            Indexes and filters of open files are not counted",
            OPTIONS,
            &[share("cache", 50, 1), share("write-buffer", 50, 2)],
        )
        .build()
}

fn settings() -> [Setting; 5] {
    [
        setting::bytes("cache", 0..=1 << 40, Some(8 << 20), "Memory for blocks that were read, uncompressed.", OPTIONS),
        setting::bytes(
            "write-buffer",
            64 << 10..=WRITE_BUFFER_BYTES_MAX,
            Some(4 << 20),
            "Bytes written that are sorted in memory before they become a file; up to two such buffers are held.",
            OPTIONS,
        ),
        setting::bytes(
            "block-size",
            1 << 10..=4 << 20,
            Some(4 << 10),
            "Bytes of entries, before compression, that are read and cached together.",
            OPTIONS,
        ),
        setting::integer(
            "bloom-bits",
            0..=100,
            // Its documentation shows "options.filter_policy = NewBloomFilterPolicy(10)" under "Filters".
            Some(10),
            "Bits per key of a Bloom filter that saves reading files without the key; 0 for no filter, LevelDB's default. Its \
            documentation advises 10 for random reads.",
            "https://github.com/google/leveldb/blob/1.23/doc/index.md#filters",
        ),
        setting::choice("compression", &["snappy", "none"], "snappy", "Compression of each block.", OPTIONS)
            .uncompressed("none"),
    ]
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    if request.durability == Durability::None {
        let message = "LevelDB always writes its log: use durability process, consistent or power";
        return Err(StoreError::BadRequest(message.to_owned()));
    }
    let options = sys::Options {
        cache_bytes: request.memory_bytes("cache")?,
        write_buffer_bytes: request.memory_bytes("write-buffer")?,
        block_bytes: request.memory_bytes("block-size")?,
        // At most 100: the settings were checked.
        bloom_bits: request.integer("bloom-bits")?.min(100) as std::ffi::c_int,
        snappy: request.word("compression")? == "snappy",
        flush: request.durability.includes(Durability::Consistent),
    };
    let database = Database::open(request.directory, &options)?;
    Ok(Box::new(LevelDb { database, sync: options.flush }))
}

struct LevelDb {
    database: Database,
    sync: bool,
}

impl Store for LevelDb {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut BatchSession::new(Buffers::new(&self.database, self.sync), plan))
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        drop(self.database);
        Ok(())
    }
}
