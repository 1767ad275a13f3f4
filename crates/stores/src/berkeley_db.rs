//! Berkeley DB: the shared part of its B-tree and its hash table. At level none a database has no environment. At the others it is part of
//! an environment with a log and transactions.

mod cursor;
mod database;
mod error;
mod session;
mod sys;

use std::os::unix::fs::MetadataExt;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, MemoryShare, OpenRequest, Overhead, Room, SessionPlan, Setting,
    Settings, Step, Store, StoreDescription, StoreError, Structure, Work, after, setting, share,
};
use database::{Database, Log, Options};
use session::{Berkeley, BerkeleySession};

/// `DB_MINPAGECACHE` in Berkeley DB's `db_int.h`: a database with its own cache gets room for at least this many pages, regardless of the
/// setting. An environment does not guarantee that.
const CACHE_PAGES_MIN: u32 = 16;
/// A thread holds its leaf while it finds room for the next page.
const CACHE_PAGES_PER_THREAD: u32 = 2;
/// "Any cache size less than 500MB is automatically increased by 25% to account for cache overhead; cache sizes larger than 500MB are used
/// as specified" (`DB_ENV->set_cachesize`). In 5.3.28, `get_cachesize` returns 25 % more up to 524,287,999 bytes, and no more from
/// 524,288,000 on.
const CACHE_OVERHEAD: Overhead = Overhead { percent: 25, below_bytes: 500 << 20 };
/// "The default cache size is 256KB" (`DB->set_cachesize`).
const CACHE_BYTES: u64 = 256 << 10;
/// The block size of most file systems: pages are not smaller by default.
const PAGE_BYTES_USUAL: u64 = 4_096;
/// `DBT::size` of Berkeley DB's `db.h` has 32 bits.
const BYTES_MAX: u64 = u32::MAX as u64;
const MANUAL: &str = "https://docs.oracle.com/cd/E17276_01/html";

/// The description of a Berkeley DB store, except its name and summary.
pub(crate) fn describe(name: &str, title: &str, summary: &str, structure: Structure) -> StoreDescription {
    let ordered: &[Capability] = match structure {
        Structure::BTree => &[Capability::ScanFrom, Capability::ScanOrdered],
        _ => &[],
    };
    let flushed = "an environment with transactions: the log is flushed at every commit. Berkeley DB does not flush the names \
        of new logs; bakeoff does. Pages are overwritten in place, so the disk must write each of them whole (4 KiB on most \
        file systems). A batch is atomic, and batches take turns";
    Description::new(name, title)
        .summary(format!(
            "{summary} Reads copy entries from its pages. Opened for one process (DB_PRIVATE), although an environment could \
            be shared. It does not refuse a second process, which would damage it."
        ))
        .unlocked()
        .version(database::version())
        .license("Sleepycat")
        .language("C")
        .structure(structure)
        .files("records.db; at every level except none also log.* (logs, of 10 MiB each)")
        .durability(
            Durability::None,
            "a database without an environment: changed pages are written when the cache is full and at closing. A batch is \
            not atomic, and threads take turns",
            after(PossiblyCorrupt, PossiblyCorrupt),
            format!("{MANUAL}/programmer_reference/am_opensub.html"),
        )
        .batches_not_atomic(Durability::None)
        .threads_take_turns(Durability::None)
        .durability(
            Durability::Process,
            "an environment with transactions and DB_TXN_WRITE_NOSYNC: the log is written at every commit. It is flushed at \
            checkpoints and before a changed page leaves the cache. A batch is atomic, and batches take turns",
            // Pages are overwritten in place, and nothing protects a page that a power cut tears.
            after(Kept, PossiblyCorrupt),
            format!("{MANUAL}/api_reference/C/envset_flags.html"),
        )
        .durability(Durability::Consistent, flushed, after(Kept, Kept), format!("{MANUAL}/programmer_reference/transapp.html"))
        .durability(
            Durability::Power,
            flushed,
            // "This behavior is the default for Berkeley DB environments" (DB_TXN->commit). It assumes that a page is written as a whole.
            after(Kept, Kept),
            format!("{MANUAL}/programmer_reference/transapp.html"),
        )
        .can(ordered)
        .can(&[
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::BatchReads,
            Capability::AtomicBatch,
            Capability::InsertRefuses,
            Capability::ParallelReaders,
            Capability::ParallelWriters,
            Capability::ExistsCall,
        ])
        .keys(0, BYTES_MAX)
        .values(BYTES_MAX)
        .settings(settings())
        .memory(
            "all of it for the page cache. Below 500 MiB the setting is four fifths of that, because Berkeley DB adds a \
            quarter as overhead",
            format!("{MANUAL}/api_reference/C/envset_cachesize.html"),
            &[MemoryShare { overhead: Some(CACHE_OVERHEAD), ..share("cache", 100, 1) }],
        )
        .build()
}

fn settings() -> [Setting; 3] {
    [
        setting::bytes(
            "cache",
            u64::from(CACHE_PAGES_MIN) * PAGE_BYTES_USUAL..=1 << 40,
            None,
            "Memory for pages, at least 16 pages and two per thread. Berkeley DB adds a quarter below 500 MiB. It is by \
            default 256 KiB, or that minimum if it is more.",
            &format!("{MANUAL}/api_reference/C/envset_cachesize.html"),
        )
        .with_room(cache_room()),
        setting::bytes(
            "page-size",
            512..=65_536,
            None,
            "Size of a page: a power of two; by default the file system's block size (st_blksize), at most 16 KiB.",
            &format!("{MANUAL}/api_reference/C/dbset_pagesize.html"),
        )
        .stepping(Step::PowerOfTwo),
        setting::bytes(
            "checkpoint",
            1 << 20..=1 << 40,
            Some(10 << 20),
            "After this many bytes of keys and values, a commit also writes all changed pages, so that old logs are removed. \
            No effect at level none. The default is the size of a log.",
            &format!("{MANUAL}/programmer_reference/transapp_checkpoint.html"),
        ),
    ]
}

/// The pages that threads may hold at the same time. If a thread finds no page to evict, it gets "out of memory". It cannot undo its
/// transaction for the same reason, and the others wait for its locks forever.
fn cache_room() -> Room {
    Room {
        setting: "page-size".to_owned(),
        otherwise_bytes: PAGE_BYTES_USUAL,
        pieces: CACHE_PAGES_MIN,
        pieces_per_thread: CACHE_PAGES_PER_THREAD,
    }
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>, structure: Structure) -> Result<Box<dyn Store>, StoreError> {
    let hash = structure == Structure::Hash;
    let log = match request.durability {
        Durability::None => Log::Absent,
        Durability::Process => Log::Written,
        Durability::Consistent | Durability::Power => Log::Flushed,
    };
    let page_bytes = page_bytes(request)?;
    let cache_bytes = cache_bytes(request, page_bytes)?;
    let database = Database::open(&Options { directory: request.directory, hash, page_bytes, cache_bytes, log })?;
    let (checkpoint_bytes, written_bytes) = (request.integer("checkpoint")?, AtomicU64::new(0));
    let turn = Mutex::new(());
    Ok(Box::new(Berkeley {
        database,
        hash,
        has_transactions: log != Log::Absent,
        turn,
        page_bytes,
        cache_bytes,
        checkpoint_bytes,
        written_bytes,
    }))
}

fn page_bytes(request: &OpenRequest<'_>) -> Result<u32, StoreError> {
    if !request.is_set("page-size") {
        // As Berkeley DB chooses (`__fop_set_pgsize`), which assumes a power of two.
        let block_bytes = std::fs::metadata(request.directory)?.blksize().clamp(512, 16 << 10);
        return Ok(1 << block_bytes.ilog2());
    }
    let bytes = request.integer("page-size")?;
    u32::try_from(bytes)
        .map_err(|_| StoreError::BadRequest(format!("setting `page-size` is {bytes}: give at most 65536")))
}

/// The requested cache, or the default enlarged as needed. A plan refuses a cache that is too small if it knows the size of a page.
fn cache_bytes(request: &OpenRequest<'_>, page_bytes: u32) -> Result<u64, StoreError> {
    let threads = request.hints.threads;
    let pages = cache_room().pieces(threads);
    let least = u64::from(page_bytes).saturating_mul(pages);
    if !request.is_set("cache") {
        return Ok(CACHE_BYTES.max(least));
    }
    match request.integer("cache")? {
        cache_bytes if cache_bytes >= least => Ok(cache_bytes),
        cache_bytes => Err(StoreError::BadRequest(format!(
            "a `cache` of {cache_bytes} bytes is too small for {threads} threads with pages of {page_bytes} bytes: Berkeley DB \
            needs room for {pages} pages. Give `cache` at least {least} bytes, or use a smaller `page-size`"
        ))),
    }
}

impl Store for Berkeley {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut BerkeleySession::new(self, plan))
    }

    fn chosen(&self) -> Settings {
        Settings::from([
            ("page-size".to_owned(), self.page_bytes.into()),
            ("cache".to_owned(), self.cache_bytes.into()),
        ])
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.database.close()
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_store::{DataHints, Session, resolve_settings};

    use super::*;

    fn described() -> StoreDescription {
        describe("berkeley-db", "Berkeley DB", "", Structure::BTree)
    }

    fn open_in(
        directory: &std::path::Path,
        durability: Durability,
        given: &[(&str, u64)],
    ) -> Result<Box<dyn Store>, StoreError> {
        open_for(1, directory, durability, given)
    }

    fn open_for(
        threads: u32,
        directory: &std::path::Path,
        durability: Durability,
        given: &[(&str, u64)],
    ) -> Result<Box<dyn Store>, StoreError> {
        let given: Settings = given.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
        let settings = resolve_settings(&described(), &given)?;
        open(
            &OpenRequest {
                directory,
                durability,
                settings: &settings,
                hints: &DataHints { threads, ..DataHints::default() },
            },
            Structure::BTree,
        )
    }

    #[test]
    fn a_batch_may_lock_as_many_pages_as_it_likes() {
        let records = 60_000_u64;
        let parent = tempfile::tempdir().unwrap();
        let store = open_in(parent.path(), Durability::Process, &[]).unwrap();
        let plan = SessionPlan { batched: true, ascending: false };
        let fill = &mut |session: &mut dyn Session| {
            (0..records).try_for_each(|index| session.insert(&index.to_be_bytes(), &[1; 900]))?;
            session.commit()
        };
        store.session(&plan, fill).unwrap();
        store.close().unwrap();
    }

    #[test]
    fn old_logs_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let store = open_in(parent.path(), Durability::Process, &[]).unwrap();
        let overwrite =
            &mut |session: &mut dyn Session| (0..60).try_for_each(|_| session.upsert(b"key", &[1; 1 << 20]));
        store.session(&SessionPlan::default(), overwrite).unwrap();
        store.close().unwrap();
        let names = std::fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let logs = names.filter(|name| name.to_string_lossy().starts_with("log.")).count();
        assert!(logs <= 2, "{logs} logs of 10 MiB are left of 60 MiB written");
    }

    #[test]
    fn a_cache_of_too_few_pages_is_refused_and_one_of_enough_serves_all_threads() {
        let records = 400_u64;
        for (threads, page_bytes) in [(1, 65_536), (2, 65_536), (8, 65_536), (8, 4_096), (24, 4_096)] {
            let least = page_bytes * u64::from(CACHE_PAGES_MIN.max(2 * threads));
            for durability in Durability::ALL {
                let given = [("page-size", page_bytes), ("cache", least)];
                let parent = tempfile::tempdir().unwrap();
                let error = open_for(threads, parent.path(), durability, &[given[0], ("cache", least - 1)]).err();
                let error = error.unwrap().to_string();
                assert!(error.contains("cache") && error.contains(&least.to_string()), "{error}");
                let store = open_for(threads, parent.path(), durability, &given).unwrap();
                let write = |thread: u64| {
                    let keys = (thread..records).step_by(threads as usize);
                    let work = &mut |session: &mut dyn Session| {
                        keys.clone().try_for_each(|key| session.upsert(&key.to_be_bytes(), &[1; 20_000]))
                    };
                    store.session(&SessionPlan::default(), work).unwrap();
                };
                std::thread::scope(|scope| {
                    (0..u64::from(threads)).for_each(|thread| drop(scope.spawn(move || write(thread))));
                });
                store.close().unwrap();
            }
        }
    }

    #[test]
    fn all_of_a_memory_is_split_above_what_the_library_adds_to() {
        let split = described().memory.unwrap();
        let cache_mib = |memory_mib: u64| split.shares[0].setting_bytes(memory_mib << 20, 1) >> 20;
        assert_eq!([10, 400, 499, 500, 20_480].map(cache_mib), [8, 320, 399, 500, 20_480]);
        let taken_mib = |cache_mib: u64| split.shares[0].taken_bytes(cache_mib << 20, 1) >> 20;
        assert_eq!([8, 320, 500, 20_480].map(taken_mib), [10, 400, 500, 20_480]);
    }

    #[test]
    fn the_default_cache_grows_with_pages_and_threads_and_is_told() {
        for (threads, given, cache_bytes) in [
            (1, vec![("page-size", 4_096)], CACHE_BYTES),
            (1, vec![("page-size", 65_536)], 16 * 65_536),
            (33, vec![("page-size", 4_096)], 66 * 4_096),
            (64, vec![("page-size", 65_536)], 128 * 65_536),
        ] {
            for durability in Durability::ALL {
                let parent = tempfile::tempdir().unwrap();
                let store = open_for(threads, parent.path(), durability, &given).unwrap();
                assert_eq!(store.chosen()["cache"], cache_bytes, "{threads} threads, {given:?}");
                store.close().unwrap();
            }
        }
    }

    #[test]
    fn a_page_size_takes_hold_or_is_refused() {
        for durability in Durability::ALL {
            let parent = tempfile::tempdir().unwrap();
            let store = open_in(parent.path(), durability, &[("page-size", 512)]).unwrap();
            assert_eq!(store.chosen()["page-size"], 512);
            store.close().unwrap();
            let file = std::fs::read(parent.path().join(database::FILE)).unwrap();
            assert_eq!(file[20..24], 512_u32.to_le_bytes(), "the page size in the file's metadata");
        }
        let parent = tempfile::tempdir().unwrap();
        let error = open_in(parent.path(), Durability::None, &[("page-size", 5_000)]).err();
        assert!(error.unwrap().to_string().contains("give 4096 or 8192"));
    }
}
