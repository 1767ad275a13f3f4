//! libmdbx, LMDB's descendant, with the same adapter code as LMDB.

#[path = "lmdb/environment.rs"]
mod environment;
#[path = "lmdb/error.rs"]
mod error;
mod ffi;
#[path = "lmdb/session.rs"]
mod session;

use std::path::Path;

use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, OpenRequest, SessionPlan, Settings, Step, Store, StoreDescription,
    StoreError, Structure, Work, after, setting,
};
use environment::Environment;
use session::LmdbSession;

/// libmdbx's page size if the system's pages have it. Its limits depend on it.
const PAGE_BYTES: u64 = 4_096;
/// Half of what pages of that size can address.
const MAP_BYTES_MAX: u64 = 1 << 42;
/// `mdbx_env_set_geometry`, which describes both settings.
const SETTINGS: &str = "https://libmdbx.dqdkfa.ru/group__c__settings.html";
const MODES: &str = "https://libmdbx.dqdkfa.ru/group__sync__modes.html";

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let (key_bytes_max, value_bytes_max) = ffi::limits(PAGE_BYTES);
    Description::new(ffi::NAME, "libmdbx")
        .summary(
            "Copy-on-write B+ tree in one memory-mapped file that grows and shrinks, a descendant of LMDB; readers never wait, \
            writers take turns.",
        )
        .version(ffi::version())
        .license("Apache-2.0")
        .language("C")
        .structure(Structure::BTree)
        .files("mdbx.dat and mdbx.lck")
        .durability(
            Durability::None,
            "MDBX_UTTERLY_NOSYNC and MDBX_WRITEMAP: pages are written in the map and not flushed; a full disk ends the \
             process with SIGBUS",
            after(Kept, PossiblyCorrupt),
            MODES,
        )
        .durability(
            Durability::Process,
            "MDBX_UTTERLY_NOSYNC, which is LMDB's MDB_NOSYNC: pages are written to the file at every commit and not flushed",
            // "expect the corrupted database after a system crash".
            after(Kept, PossiblyCorrupt),
            MODES,
        )
        .durability(
            Durability::Consistent,
            "MDBX_SYNC_DURABLE, as at level power. With MDBX_SAFE_NOSYNC, simulated power cuts left stores that could not be \
            read, although its documentation promises an earlier state",
            after(Kept, Kept),
            MODES,
        )
        .durability(
            Durability::Power,
            "MDBX_SYNC_DURABLE, the default: the file is flushed at every commit; the first pages of a new file, which it \
            leaves, are flushed by bakeoff",
            // "guaranteed durability even on unexpected system failure".
            after(Kept, Kept),
            MODES,
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
            Capability::MultiProcess,
            Capability::CompactedCopy,
            Capability::ExistsCall,
        ])
        .keys(0, key_bytes_max)
        .values(value_bytes_max)
        .setting(setting::bytes(
            "map-size",
            1 << 20..=MAP_BYTES_MAX,
            None,
            "Maximum size of the memory map, which the data can never exceed; by default several times the data of the suite.",
            SETTINGS,
        ))
        .setting(
            setting::bytes(
                "page-size",
                256..=65_536,
                None,
                "Size of a page: a power of two; by default the system's. Keys are limited to slightly less than half a page, \
                and the file to 2^31 pages. The limits shown are those of 4 KiB.",
                SETTINGS,
            )
            .stepping(Step::PowerOfTwo),
        )
        .memory("it has no cache: its pages are in the kernel's page cache", "https://libmdbx.dqdkfa.ru/intro.html", &[])
        .build()
}

/// Creates or opens the environment.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let flags = match request.durability {
        Durability::None => ffi::MDBX_UTTERLY_NOSYNC | ffi::MDBX_WRITEMAP,
        Durability::Process => ffi::MDBX_UTTERLY_NOSYNC,
        Durability::Consistent | Durability::Power => 0,
    };
    let page_bytes = page_bytes(request)?;
    let map_bytes = map_bytes(request, page_bytes)?;
    ffi::be_quiet();
    // Otherwise a read transaction would belong to its thread permanently, and could not be reset and kept.
    let flags = flags | ffi::MDBX_NOSTICKYTHREADS;
    let map = ffi::Map { bytes: environment::length(map_bytes)?, page_bytes: environment::length(page_bytes)? };
    let environment = Environment::open(request.directory, flags, &map, request.hints.threads)?;
    let (key_bytes_max, expected) = (environment.key_bytes_max(), key_bytes_max(page_bytes));
    if key_bytes_max < expected {
        let message = format!(
            "the pages of this file hold keys of {key_bytes_max} bytes; pages of {page_bytes} should hold {expected}"
        );
        return Err(StoreError::Store(message));
    }
    Ok(Box::new(Libmdbx { environment, map_bytes, page_bytes }))
}

/// The requested page size, if the expected keys fit, or the library's own, whose limit a plan knows.
fn page_bytes(request: &OpenRequest<'_>) -> Result<u64, StoreError> {
    if !request.is_set("page-size") {
        return Ok(ffi::page_bytes_default());
    }
    let page_bytes = request.integer("page-size")?;
    let (most, needed) = (key_bytes_max(page_bytes), request.hints.key_bytes_max);
    if needed > most {
        return Err(StoreError::BadRequest(format!(
            "setting `page-size` is {page_bytes}: such a page holds keys of at most {most} bytes, and the longest here has \
            {needed}: {}",
            mended_by(needed)
        )));
    }
    Ok(page_bytes)
}

/// The requested size of the map, if that many pages can be numbered, or a size that the data will not exceed.
fn map_bytes(request: &OpenRequest<'_>, page_bytes: u64) -> Result<u64, StoreError> {
    let most = ffi::map_bytes_max(page_bytes).unwrap_or(MAP_BYTES_MAX);
    if !request.is_set("map-size") {
        return Ok(environment::map_bytes(request.hints, page_bytes).min(most).min(MAP_BYTES_MAX));
    }
    let map_bytes = request.integer("map-size")?;
    if map_bytes > most {
        return Err(StoreError::BadRequest(format!(
            "setting `map-size` is {map_bytes}: a file with pages of {page_bytes} bytes (`page-size`) grows to at most {most} \
            bytes: give that or less, or larger pages"
        )));
    }
    Ok(map_bytes)
}

/// The page size for keys of this length.
fn mended_by(key_bytes: u64) -> String {
    let fits = |page_bytes: &u64| key_bytes_max(*page_bytes) >= key_bytes;
    match (8..=16).map(|power| 1_u64 << power).find(fits) {
        Some(page_bytes) => format!("give `page-size` = {page_bytes} or more"),
        None => "no page holds it, so leave libmdbx out".to_owned(),
    }
}

fn key_bytes_max(page_bytes: u64) -> u64 {
    ffi::limits(page_bytes).0.unwrap_or(0)
}

struct Libmdbx {
    environment: Environment,
    map_bytes: u64,
    page_bytes: u64,
}

impl Store for Libmdbx {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut LmdbSession::begin(&self.environment, plan)?)
    }

    fn chosen(&self) -> Settings {
        Settings::from([
            ("map-size".to_owned(), self.map_bytes.into()),
            ("page-size".to_owned(), self.page_bytes.into()),
        ])
    }

    fn compacted_copy(&self, directory: &Path) -> Result<(), StoreError> {
        self.environment.compacted_copy(directory)
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        drop(self.environment);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_store::{DataHints, Session};

    use super::*;

    fn opened(directory: &Path, page_bytes: u64, hints: &DataHints) -> Result<Box<dyn Store>, StoreError> {
        opened_with(directory, &[("page-size", page_bytes)], hints)
    }

    fn opened_with(
        directory: &Path,
        settings: &[(&str, u64)],
        hints: &DataHints,
    ) -> Result<Box<dyn Store>, StoreError> {
        let settings = settings.iter().map(|(name, bytes)| ((*name).to_owned(), (*bytes).into())).collect();
        open(&OpenRequest { directory, durability: Durability::Process, settings: &settings, hints })
    }

    /// A key of the maximum length is kept through reopening and a compacted copy, for pages of every size. A longer one is refused.
    #[test]
    fn pages_are_as_large_as_is_asked_for() {
        for power in 8..=16 {
            let (parent, copy, page_bytes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), 1 << power);
            let key = vec![b'k'; key_bytes_max(page_bytes) as usize];
            let store = opened(parent.path(), page_bytes, &DataHints::default()).unwrap();
            assert_eq!(store.chosen()["page-size"], page_bytes);
            let write = &mut |session: &mut dyn Session| {
                assert!(session.insert(&[&key[..], b"k"].concat(), b"").is_err(), "{page_bytes}");
                session.insert(&key, b"value")
            };
            store.session(&SessionPlan::default(), write).unwrap();
            store.compacted_copy(copy.path()).unwrap();
            store.close().unwrap();
            for directory in [parent.path(), copy.path()] {
                let store = opened(directory, page_bytes, &DataHints::default()).unwrap();
                let read = &mut |session: &mut dyn Session| {
                    assert!(session.get(&key, &mut Vec::new())?, "{page_bytes}");
                    Ok(())
                };
                store.session(&SessionPlan::default(), read).unwrap();
            }
        }
    }

    #[test]
    fn a_page_too_small_for_the_keys_is_refused_with_one_that_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let hints = DataHints { key_bytes_max: 128, ..DataHints::default() };
        let refused = opened(parent.path(), 256, &hints).err().unwrap().to_string();
        assert!(refused.contains("`page-size` is 256") && refused.contains("`page-size` = 512 or more"), "{refused}");
        opened(parent.path(), 512, &hints).unwrap();
    }

    #[test]
    fn a_map_of_more_pages_than_can_be_numbered_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let settings = [("page-size", 256), ("map-size", 1 << 42)];
        let refused = opened_with(parent.path(), &settings, &DataHints::default()).err().unwrap().to_string();
        assert!(refused.contains("`map-size` is 4398046511104") && refused.contains("`page-size`"), "{refused}");
    }
}
