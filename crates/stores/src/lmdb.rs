//! LMDB: one environment per store, shared by its threads; one read transaction per thread, reset and renewed for each read.

mod environment;
mod error;
mod ffi;
mod session;

use std::path::Path;

use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, OpenRequest, SessionPlan, Settings, Store, StoreDescription,
    StoreError, Structure, Work, after, setting,
};
use environment::Environment;
use session::LmdbSession;

/// LMDB's default for `MDB_MAXKEYSIZE`. `open` compares it with the library's own.
const KEY_BYTES_MAX: u64 = 511;
/// `MAXDATASIZE` in LMDB's source.
const VALUE_BYTES_MAX: u64 = 0xffff_ffff;
/// LMDB uses the system's page size, which is this on most machines. The map is generous anyway.
const PAGE_BYTES: u64 = 4_096;
const SOURCE: &str = "http://www.lmdb.tech/doc/group__mdb.html";

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    Description::new(ffi::NAME, "LMDB")
        .summary("Copy-on-write B+ tree in one memory-mapped file; readers never wait, writers take turns.")
        .version(ffi::version())
        .license("OLDAP-2.8")
        .language("C")
        .structure(Structure::BTree)
        .files("data.mdb and lock.mdb; at level none data.mdb is a sparse file as long as the map")
        .durability(
            Durability::None,
            "MDB_NOSYNC, MDB_WRITEMAP and MDB_MAPASYNC: pages are written in the map and never flushed; a full disk ends \
             the process with SIGBUS",
            // "a system crash can then corrupt the database".
            after(Kept, PossiblyCorrupt),
            SOURCE,
        )
        .durability(
            Durability::Process,
            "MDB_NOSYNC: pages are written to the file at every commit and never flushed",
            // "a system crash can corrupt the database or lose the last transactions if buffers are not yet flushed to disk".
            after(Kept, PossiblyCorrupt),
            SOURCE,
        )
        .durability(
            Durability::Consistent,
            "MDB_NOMETASYNC: pages are flushed at every commit, the root of the tree with the next commit",
            // "This optimization maintains database integrity, but a system crash may undo the last committed transaction."
            after(Kept, EarlierState),
            SOURCE,
        )
        .flushes_each_write(Durability::Consistent)
        .durability(
            Durability::Power,
            "no flags: the file is flushed at every commit",
            // `mdb_env_write_meta` writes the root through a descriptor with O_DSYNC: "also syncs to disk".
            after(Kept, Kept),
            SOURCE,
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
        .keys(1, KEY_BYTES_MAX)
        .values(VALUE_BYTES_MAX)
        .setting(setting::bytes(
            "map-size",
            1 << 20..=1 << 46,
            None,
            "Length of the memory map, which the data can never exceed; by default several times the data of the suite.",
            "http://www.lmdb.tech/doc/group__mdb.html#gaa2506ec8dab3d969b0e609cd82e619e5",
        ))
        .memory(
            "none of its own: it reads pages in the kernel's page cache, and the kernel decides how much of it they use",
            "http://www.lmdb.tech/doc/index.html",
            &[],
        )
        .build()
}

/// Creates or opens the environment.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let flags = match request.durability {
        Durability::None => ffi::MDB_NOSYNC | ffi::MDB_WRITEMAP | ffi::MDB_MAPASYNC,
        Durability::Process => ffi::MDB_NOSYNC,
        Durability::Consistent => ffi::MDB_NOMETASYNC,
        Durability::Power => 0,
    };
    let map_bytes = match request.is_set("map-size") {
        true => request.integer("map-size")?,
        false => environment::map_bytes(request.hints, PAGE_BYTES),
    };
    // Without MDB_NOTLS a read transaction would belong to its thread permanently, and could not be reset and kept.
    let flags = flags | ffi::MDB_NOTLS;
    let map = ffi::Map { bytes: environment::length(map_bytes)? };
    let environment = Environment::open(request.directory, flags, &map, request.hints.threads)?;
    let key_bytes_max = environment.key_bytes_max();
    if key_bytes_max < KEY_BYTES_MAX {
        let message =
            format!("this LMDB was built for keys of at most {key_bytes_max} bytes instead of {KEY_BYTES_MAX}");
        return Err(StoreError::Store(message));
    }
    Ok(Box::new(Lmdb { environment, map_bytes }))
}

struct Lmdb {
    environment: Environment,
    map_bytes: u64,
}

impl Store for Lmdb {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut LmdbSession::begin(&self.environment, plan)?)
    }

    fn chosen(&self) -> Settings {
        Settings::from([("map-size".to_owned(), self.map_bytes.into())])
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

    #[test]
    fn how_long_a_map_was_chosen_is_told() {
        let parent = tempfile::tempdir().unwrap();
        let (directory, durability) = (parent.path(), Durability::Process);
        let hints = DataHints { records_max: 1_000_000, ..DataHints::default() };
        let settings = Settings::new();
        let store = open(&OpenRequest { directory, durability, settings: &settings, hints: &hints }).unwrap();
        assert_eq!(store.chosen(), Settings::from([("map-size".to_owned(), (9_u64 << 30).into())]));
    }

    #[test]
    fn a_full_map_says_which_setting_mends_it() {
        let parent = tempfile::tempdir().unwrap();
        let settings = Settings::from([("map-size".to_owned(), (1 << 20).into())]);
        let (directory, hints, durability) = (parent.path(), DataHints::default(), Durability::Process);
        let store = open(&OpenRequest { directory, durability, settings: &settings, hints: &hints }).unwrap();
        let fill = &mut |session: &mut dyn Session| {
            let error = session.insert(b"large", &[1; 2 << 20]).unwrap_err().to_string();
            assert!(error.contains("map-size"), "{error}");
            session.insert(b"small", b"fits after all")
        };
        store.session(&SessionPlan::default(), fill).unwrap();
    }

    #[test]
    fn a_map_that_cannot_be_made_says_which_setting_mends_it() {
        let parent = tempfile::tempdir().unwrap();
        // A file in memory may be as long as the setting allows, but no address space has room for this one.
        let settings = Settings::from([("map-size".to_owned(), (1_u64 << 62).into())]);
        let (directory, hints, durability) = (parent.path(), DataHints::default(), Durability::None);
        let error = open(&OpenRequest { directory, durability, settings: &settings, hints: &hints }).err().unwrap();
        let error = error.to_string();
        assert!(error.contains("4611686018427387904 bytes") && error.contains("smaller setting `map-size`"), "{error}");
    }

    #[test]
    fn keys_that_do_not_ascend_are_an_error_in_an_ascending_session() {
        let parent = tempfile::tempdir().unwrap();
        let settings = Settings::new();
        let (directory, hints, durability) = (parent.path(), DataHints::default(), Durability::Process);
        let store = open(&OpenRequest { directory, durability, settings: &settings, hints: &hints }).unwrap();
        let plan = SessionPlan { ascending: true, batched: true };
        let fill = &mut |session: &mut dyn Session| {
            session.insert(b"b", b"")?;
            session.insert(b"a", b"")
        };
        assert!(store.session(&plan, fill).is_err());
    }

    #[test]
    fn version_is_the_bare_number() {
        let version = describe().version;
        assert!(
            version.split('.').count() == 3 && version.split('.').all(|part| part.parse::<u32>().is_ok()),
            "{version}"
        );
    }
}
