//! libmdbx: LMDB's descendant, driven by the code that drives LMDB.

#[path = "lmdb/environment.rs"]
mod environment;
#[path = "lmdb/error.rs"]
mod error;
mod ffi;
#[path = "lmdb/session.rs"]
mod session;

use std::collections::BTreeMap;
use std::path::Path;

use bakeoff_protocol::{Capabilities, Durability, SettingKind, Settings, StoreDescription, Structure};

use crate::describe::{classes, memory, setting};
use crate::settings::integer;
use crate::{OpenRequest, SessionPlan, Store, StoreError, Work};
use environment::Environment;
use session::LmdbSession;

const NAME: &str = "libmdbx";
/// The page size that libmdbx takes where the system's pages have it, and what its limits depend on.
const PAGE_BYTES: isize = 4_096;
/// Half of what pages of that size can address.
const MAP_BYTES_MAX: u64 = 1 << 42;
const MODES: &str = "https://libmdbx.dqdkfa.ru/group__sync__modes.html";

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    let (key_bytes_max, value_bytes_max) = ffi::limits(PAGE_BYTES);
    StoreDescription {
        name: NAME.to_owned(),
        title: "libmdbx".to_owned(),
        summary: "Copy-on-write B+ tree in one memory-mapped file that grows and shrinks, from LMDB; readers never wait, writers \
                  take turns."
            .to_owned(),
        version: ffi::version(),
        license: "Apache-2.0".to_owned(),
        language: "C".to_owned(),
        structure: Structure::BTree,
        durability: classes(&[
            (
                Durability::None,
                "MDBX_UTTERLY_NOSYNC and MDBX_WRITEMAP: pages are written in the map and not flushed; a full disk ends the \
                 process with SIGBUS",
                MODES,
            ),
            (
                Durability::Process,
                "MDBX_UTTERLY_NOSYNC, which is LMDB's MDB_NOSYNC: pages are written to the file at every commit and not flushed",
                MODES,
            ),
            (Durability::Power, "MDBX_SYNC_DURABLE, the default: the file is flushed at every commit", MODES),
        ]),
        not_offered: BTreeMap::new(),
        capabilities: Capabilities {
            scan_from: true,
            scan_ordered: true,
            scan_any_order: true,
            batch: true,
            batch_reads: true,
            atomic_batch: true,
            insert_refuses: true,
            parallel_readers: true,
            parallel_writers: false,
            multi_process: true,
            compacted_copy: true,
            keeps_data: true,
        },
        key_bytes_max,
        value_bytes_max,
        key_bytes_min: 0,
        files: "mdbx.dat and mdbx.lck".to_owned(),
        settings: vec![setting(
            "map-size",
            SettingKind::Bytes { min: 1 << 20, max: MAP_BYTES_MAX },
            None,
            "Upper bound of the memory map, which the data can never outgrow; by default several times what the suite will write.",
            "https://libmdbx.dqdkfa.ru/group__c__settings.html",
        )],
        memory: memory(&[], "it has no cache: its pages are those of the page cache", "https://libmdbx.dqdkfa.ru/intro.html"),
        test_only: false,
    }
}

/// Creates or opens the environment.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let flags = match request.durability {
        Durability::None => ffi::MDBX_UTTERLY_NOSYNC | ffi::MDBX_WRITEMAP,
        Durability::Process => ffi::MDBX_UTTERLY_NOSYNC,
        Durability::Power => 0,
    };
    let map_bytes = match request.settings.contains_key("map-size") {
        true => integer(request.settings, "map-size")?,
        false => environment::map_bytes(request.hints).min(MAP_BYTES_MAX),
    };
    ffi::be_quiet();
    // Otherwise a read transaction would belong to its thread for good, and could not be reset and kept.
    let flags = flags | ffi::MDBX_NOSTICKYTHREADS;
    let environment = Environment::open(request.directory, flags, map_bytes, request.hints.threads)?;
    let (key_bytes_max, expected) = (environment.key_bytes_max(), ffi::limits(PAGE_BYTES).0.unwrap_or(0));
    if key_bytes_max < expected {
        let message = format!("the pages of this libmdbx hold keys of {key_bytes_max} bytes; {expected} are expected");
        return Err(StoreError::Store(message));
    }
    Ok(Box::new(Libmdbx { environment, map_bytes }))
}

struct Libmdbx {
    environment: Environment,
    map_bytes: u64,
}

impl Store for Libmdbx {
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
