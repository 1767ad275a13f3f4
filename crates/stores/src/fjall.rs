//! fjall: one keyspace of one database, shared by its threads; a batch for each thread.

mod session;

use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, OpenRequest, SessionPlan, Setting, Store, StoreDescription,
    StoreError, Structure, Work, after, setting, share,
};
use fjall::config::{BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry};
use fjall::{CompressionType, Database, KeyspaceCreateOptions, KvSeparationOptions, PersistMode};

use session::{Fjall, FjallSession, error};

/// fjall's format has 32 bits for lengths of values, and 16 for lengths of keys (`Item::new` of its batches, `InternalKey::new` of
/// lsm-tree), although its documentation mentions 65,536 bytes.
const VALUE_BYTES_MAX: u64 = u32::MAX as u64;
const KEY_BYTES_MAX: u64 = u16::MAX as u64;
/// fjall has no limit, but advises 8 to 64 MiB. If its share of memory exceeds this, the cache uses the rest better.
const WRITE_BUFFER_BYTES_MAX: u64 = 1 << 30;
const OPTIONS: &str = "https://docs.rs/fjall/3/fjall/struct.KeyspaceCreateOptions.html";

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let persist_mode = "https://docs.rs/fjall/3/fjall/enum.PersistMode.html";
    Description::new("fjall", "Fjall")
        .summary(
            "Log-structured merge tree in safe Rust: a journal, a sorted buffer in memory, and sorted files merged in the \
             background.",
        )
        .version(env!("VERSION_OF_FJALL"))
        .license("MIT OR Apache-2.0")
        .language("Rust")
        .structure(Structure::Lsm)
        .files("*.jnl (journals), keyspaces/ (a directory of sorted files each), version, lock")
        .table_files(&["tables/", "blobs/"])
        .durability(
            Durability::None,
            "manual_journal_persist: the journal is written when its buffer is full, and at closing",
            after(EarlierState, PossiblyCorrupt),
            OPTIONS,
        )
        .durability(
            Durability::Process,
            "PersistMode::Buffer, the default: the journal is written at every write and never flushed",
            // The journal always has its full length of 64 MiB, so its length shows nothing. If a page inside a value is zeros, the
            // database refuses to open (`ChecksumMismatch`, `journal/batch_reader.rs`).
            after(Kept, PossiblyCorrupt),
            persist_mode,
        )
        .durability(
            Durability::Consistent,
            "PersistMode::SyncAll: the journal is flushed at every write. A journal that is not flushed may keep the store from opening",
            after(Kept, Kept),
            persist_mode,
        )
        .durability(
            Durability::Power,
            "PersistMode::SyncAll: the journal is flushed at every write",
            after(Kept, Kept),
            persist_mode,
        )
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::AtomicBatch,
            Capability::ParallelReaders,
            Capability::ExistsCall,
        ])
        .keys(1, KEY_BYTES_MAX)
        .values(VALUE_BYTES_MAX)
        .settings(settings())
        .memory(
            "a quarter for blocks that were read, as its documentation advises; the rest for up to five write buffers. Writes \
            halt while four wait to become files. Nothing limits a buffer until a thread seals it, which waits for merging",
            // Sealing a buffer waits in the queue of merging (`worker_pool.rs`). `max_write_buffer_size`, hidden and deprecated, is never
            // read. Buffers of 4.8 MiB used 25 to 38 MiB in total with two threads, and 100 with one. The C library keeps the same amount
            // again of freed memory: `malloc_trim` reduced 74 to 94 MiB to 27 to 35.
            "https://docs.rs/fjall/3/fjall/struct.DatabaseBuilder.html#method.cache_size",
            &[share("cache", 25, 1), share("write-buffer", 75, 5)],
        )
        .build()
}

fn settings() -> [Setting; 6] {
    [
        setting::bytes(
            "cache",
            0..=1 << 40,
            Some(32 << 20),
            "Memory for blocks that were read, uncompressed. 20 to 25 % of the memory is advised.",
            "https://docs.rs/fjall/3/fjall/struct.DatabaseBuilder.html#method.cache_size",
        ),
        setting::bytes(
            "write-buffer",
            1 << 20..=WRITE_BUFFER_BYTES_MAX,
            Some(64 << 20),
            "Bytes written that are sorted in memory before they become a file.",
            OPTIONS,
        ),
        setting::bytes(
            "block-size",
            1 << 10..=1 << 20,
            Some(4 << 10),
            "Bytes of entries, before compression, that are read and cached together.",
            OPTIONS,
        ),
        setting::integer(
            "bloom-bits",
            0..=100,
            None,
            "Bits per key of the Bloom filter, 0 for no filter; by default 10, and on the first level enough for one false \
            positive in 10,000.",
            OPTIONS,
        ),
        setting::choice(
            "compression",
            &["by-level", "lz4", "none"],
            "by-level",
            "Compression of blocks and of large journal entries; by-level does not compress the first two levels of the tree, \
            which are soon rewritten.",
            OPTIONS,
        )
        .uncompressed("none"),
        setting::boolean(
            "kv-separation",
            false,
            "Keep large values in separate files, so that merging does not rewrite them.",
            "https://docs.rs/fjall/3/fjall/struct.KvSeparationOptions.html",
        ),
    ]
}

/// Creates or opens the database and its keyspace.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let (durability, by_us) = match request.durability {
        Durability::None => (None, true),
        Durability::Process => (Some(PersistMode::Buffer), false),
        Durability::Consistent | Durability::Power => (Some(PersistMode::SyncAll), true),
    };
    let builder =
        Database::builder(request.directory).cache_size(request.integer("cache")?).manual_journal_persist(by_us);
    let builder = match request.word("compression")? {
        "none" => builder.journal_compression(CompressionType::None),
        _ => builder.journal_compression(CompressionType::Lz4),
    };
    let database = builder.open().map_err(error)?;
    let options = keyspace_options(request)?.manual_journal_persist(by_us);
    let records = database.keyspace("records", || options).map_err(error)?;
    Ok(Box::new(Fjall { database, records, durability }))
}

fn keyspace_options(request: &OpenRequest<'_>) -> Result<KeyspaceCreateOptions, StoreError> {
    // At most 1 MiB and 100: the settings were checked.
    let block_bytes = request.integer("block-size")?.min(1 << 20) as u32;
    let mut options = KeyspaceCreateOptions::default()
        .max_memtable_size(request.integer("write-buffer")?)
        .data_block_size_policy(BlockSizePolicy::all(block_bytes));
    if request.is_set("bloom-bits") {
        options = options.filter_policy(FilterPolicy::all(match request.integer("bloom-bits")?.min(100) {
            0 => FilterPolicyEntry::None,
            bits => FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(bits as f32)),
        }));
    }
    let compression = request.word("compression")?;
    options = match compression {
        "none" => options.data_block_compression_policy(CompressionPolicy::all(CompressionType::None)),
        "lz4" => options.data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4)),
        _ => options,
    };
    let separated = || match compression {
        "none" => KvSeparationOptions::default().compression(CompressionType::None),
        _ => KvSeparationOptions::default(),
    };
    let separation = request.boolean("kv-separation")?.then(separated);
    Ok(options.with_kv_separation(separation))
}

impl Store for Fjall {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut FjallSession::new(self, plan))
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.database.persist(PersistMode::Buffer).map_err(error)
    }
}
