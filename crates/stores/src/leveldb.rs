//! LevelDB: one database a store, shared by its threads; a batch and a string to read into for each thread.

mod database;
mod sys;

use bakeoff_protocol::{Capabilities, Durability, Setting, SettingKind, StoreDescription, Structure};

use crate::describe::{choice, classes, memory, not_offered, setting, share};
use crate::settings::{bytes_for_memory, integer, word};
use crate::write_batch::BatchSession;
use crate::{OpenRequest, SessionPlan, Store, StoreError, Work};
use database::{Buffers, Database};

/// Lengths of keys and of values are 32 bits long in LevelDB's format (`PutLengthPrefixedSlice` in its `coding.cc`), and so is that of a key with the 8 bytes
/// it adds (`MemTable::Add`). It does not look whether they fit, so this keeps away from the end.
const BYTES_MAX: u64 = (1 << 32) - (1 << 20);
/// LevelDB cuts larger ones to this without a word (`SanitizeOptions` in its `db_impl.cc`).
const WRITE_BUFFER_BYTES_MAX: u64 = 1 << 30;
const OPTIONS: &str = "https://github.com/google/leveldb/blob/1.23/include/leveldb/options.h";

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    StoreDescription {
        name: "leveldb".to_owned(),
        title: "LevelDB".to_owned(),
        summary:
            "Log-structured merge tree: a log, a sorted buffer in memory, and sorted files merged in the background."
                .to_owned(),
        version: database::version(),
        license: "BSD-3-Clause".to_owned(),
        language: "C++".to_owned(),
        structure: Structure::Lsm,
        durability: classes(&[
            (
                Durability::Process,
                "WriteOptions::sync=false, the default: the log is written at every write and never flushed",
                OPTIONS,
            ),
            (
                Durability::Power,
                "WriteOptions::sync=true: the log is flushed at every write, once for all that wait for it meanwhile, and the names of new logs, which it leaves, by bakeoff",
                OPTIONS,
            ),
        ]),
        not_offered: not_offered(&[(
            Durability::None,
            "every write goes through the log, which is written at once: no option turns that off",
            OPTIONS,
        )]),
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
        key_bytes_max: Some(BYTES_MAX),
        value_bytes_max: Some(BYTES_MAX),
        key_bytes_min: 0,
        files: "*.ldb (sorted files), *.log (the log), MANIFEST-*, CURRENT, LOCK, LOG".to_owned(),
        settings: settings(),
        memory: memory(
            &[share("cache", 50, 1), share("write-buffer", 50, 2)],
            "as its defaults do: half for blocks that were read, half for two write buffers, as up to two are held at a time",
            OPTIONS,
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
            Some((8 << 20).into()),
            "Memory for blocks that were read, uncompressed.",
            OPTIONS,
        ),
        setting(
            "write-buffer",
            bytes(64 << 10, WRITE_BUFFER_BYTES_MAX),
            Some((4 << 20).into()),
            "Bytes written that are sorted in memory before they become a file; up to two such buffers are held.",
            OPTIONS,
        ),
        setting(
            "block-size",
            bytes(1 << 10, 4 << 20),
            Some((4 << 10).into()),
            "Bytes of entries, before compression, that are read and cached together.",
            OPTIONS,
        ),
        setting(
            "bloom-bits",
            SettingKind::Integer { min: 0, max: 100 },
            Some(0.into()),
            "Bits a key of a Bloom filter that saves reading files without the key; 0 for no filter. About 10 is advised for random \
             reads of data larger than memory.",
            "https://github.com/google/leveldb/blob/1.23/doc/index.md#filters",
        ),
        setting(
            "compression",
            choice(&["snappy", "none"]),
            Some("snappy".into()),
            "Compression of each block.",
            OPTIONS,
        ),
    ]
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    if request.durability == Durability::None {
        let message = "LevelDB always writes its log: use durability process or power";
        return Err(StoreError::BadRequest(message.to_owned()));
    }
    let bytes = |name| bytes_for_memory(integer(request.settings, name)?);
    let options = sys::Options {
        cache_bytes: bytes("cache")?,
        write_buffer_bytes: bytes("write-buffer")?,
        block_bytes: bytes("block-size")?,
        // At most a hundred: the settings were checked.
        bloom_bits: integer(request.settings, "bloom-bits")?.min(100) as std::ffi::c_int,
        snappy: word(request.settings, "compression")? == "snappy",
        flush: request.durability == Durability::Power,
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
