//! WiredTiger: one connection per store, shared by its threads, and one table; each thread has a session with its cursors.

mod connection;
mod new_names;
mod sys;

use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, OpenRequest, SessionPlan, Setting, Step, Store, StoreDescription,
    StoreError, Structure, Work, after, setting, share,
};
use connection::{CacheUse, Connection, WiredTigerSession};
use new_names::NewNames;

/// `WT_BTREE_MAX_OBJECT_SIZE` in WiredTiger's `btree.h`: lengths of keys and values have 32 bits, and some values are reserved.
const BYTES_MAX: u64 = u32::MAX as u64 - 1_024;
const OPEN: &str = "https://source.wiredtiger.com/3.2.1/group__wt.html#gacbe8d118f978f5bfc8ccb4c77c9e8813";
const CREATE: &str =
    "https://source.wiredtiger.com/3.2.1/struct_w_t___s_e_s_s_i_o_n.html#a358ca4141d59c345f401c58501276bbb";

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let durability = "https://source.wiredtiger.com/3.2.1/tune_durability.html";
    let flushed = "a log with transaction_sync=(enabled,method=dsync): it is written with O_DSYNC at every commit. WiredTiger \
        does not flush the names of new logs; bakeoff does";
    Description::new("wiredtiger", "WiredTiger")
        .summary("B-tree with a log; pages are changed in a cache and written to new places at checkpoints.")
        .version(connection::version())
        .license("GPL-2.0-only OR GPL-3.0-only")
        .language("C")
        .structure(Structure::BTree)
        .files(
            "records.wt, WiredTiger* (catalogue); at every level except none \
             also WiredTigerLog.* (logs, each as long as `log-size`)",
        )
        .table_files(&["records.wt"])
        .durability(
            Durability::None,
            "no log: changed pages are written when the cache needs room and when the store is closed",
            // Later updates "will not appear" after the last checkpoint.
            after(EarlierState, EarlierState),
            "https://source.wiredtiger.com/3.2.1/durability_checkpoint.html",
        )
        .durability(
            Durability::Process,
            "a log with transaction_sync=(enabled,method=none): it is written at every commit, and flushed at checkpoints",
            // "durable … after application failure, but not after system failure". Recovery cuts the log at the first bad record or hole
            // (`log.c`), but that is not a promise.
            after(Kept, PossiblyCorrupt),
            durability,
        )
        .durability(Durability::Consistent, flushed, after(Kept, Kept), durability)
        .durability(
            Durability::Power,
            flushed,
            // "durable on application or system failure". The documentation also says so of method=fsync. But with that, the last commit
            // before a log is full is flushed after its acknowledgement: `__wti_log_release` flushes the next log, and another thread
            // flushes the full one.
            after(Kept, Kept),
            durability,
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
            Capability::ParallelWriters,
            Capability::ExistsCall,
        ])
        .keys(1, BYTES_MAX)
        .values(BYTES_MAX)
        .settings(settings())
        .memory(
            "all of it for the cache, which also holds changed pages. Memory of sessions and cursors is not counted",
            "https://source.wiredtiger.com/3.2.1/tune_cache.html",
            &[share("cache", 100, 1)],
        )
        .build()
}

fn settings() -> [Setting; 5] {
    [
        setting::bytes("cache", 1 << 20..=1 << 40, Some(100 << 20), "Memory for pages, including changed ones.", OPEN),
        setting::bytes(
            "page-size",
            4 << 10..=512 << 20,
            Some(32 << 10),
            "Largest page of entries on disk, before compression: a multiple of 4 KiB, the unit of allocation in files.",
            CREATE,
        )
        .stepping(Step::MultipleOf(4 << 10)),
        setting::choice(
            "compression",
            &["none", "snappy", "zlib"],
            "none",
            "Compression of each page of entries.",
            "https://source.wiredtiger.com/3.2.1/compression.html",
        )
        .uncompressed("none"),
        setting::bytes(
            "log-size",
            100 << 10..=2 << 30,
            Some(100 << 20),
            "Size of a log, after which another follows; no effect at level none.",
            OPEN,
        ),
        setting::bytes(
            "checkpoint",
            1 << 20..=2 << 30,
            Some(100 << 20),
            "After this many bytes of log, all changed pages are written, so that old logs are removed; no effect at level \
            none. The default is that of log-size.",
            OPEN,
        ),
    ]
}

/// Creates or opens the store.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let compression = request.word("compression")?;
    // As many sessions as threads, plus WiredTiger's own. Its default of 100 has room for those ("session_max" of wiredtiger_open,
    // "including server threads").
    let sessions = request.hints.threads.saturating_add(100);
    let cache_bytes = request.integer("cache")?;
    let mut configuration = format!("create,cache_size={cache_bytes},session_max={sessions}");
    let method = match request.durability {
        Durability::None => None,
        Durability::Process => Some("none"),
        Durability::Consistent | Durability::Power => Some("dsync"),
    };
    if let Some(method) = method {
        let (log_bytes, checkpoint) = (request.integer("log-size")?, request.integer("checkpoint")?);
        configuration += &format!(
            ",log=(enabled=true,file_max={log_bytes}),transaction_sync=(enabled=true,method={method}),checkpoint=(log_size={checkpoint})"
        );
    }
    if compression != "none" {
        configuration += &format!(",extensions=[libwiredtiger_{compression}.so]");
    }
    let page_bytes = request.integer("page-size")?;
    let table = format!("key_format=u,value_format=u,leaf_page_max={page_bytes},block_compressor={compression}");
    let connection = Connection::open(request.directory, &configuration, &table)?;
    let at_once_bytes = request.hints.value_bytes_max.saturating_mul(request.hints.threads.max(1).into());
    let cache = CacheUse { cache_bytes, at_once_bytes };
    Ok(Box::new(WiredTiger { connection, names: NewNames::of(request), cache }))
}

struct WiredTiger {
    connection: Connection,
    /// At levels that flush writes.
    names: Option<NewNames>,
    cache: CacheUse,
}

impl Store for WiredTiger {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut WiredTigerSession::begin(&self.connection, self.names.as_ref(), plan, self.cache)?)
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.connection.close()
    }
}
