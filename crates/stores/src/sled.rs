//! sled: one database; a handle and a batch for each thread.

use std::ops::Bound;
use std::sync::{Mutex, PoisonError};

use bakeoff_protocol::{Capabilities, Durability, Setting, SettingKind, StoreDescription, Structure};
use sled::{Batch, Config, Db, InlineArray};

use crate::describe::{classes, memory, setting, share};
use crate::settings::{bytes_for_memory, integer};
use crate::{Direction, OpenRequest, Session, SessionPlan, Store, StoreError, Work};

const CONFIG: &str = "https://docs.rs/sled/1.0.0-alpha.124/sled/struct.Config.html";

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    let flush = "https://docs.rs/sled/1.0.0-alpha.124/sled/struct.Tree.html#method.flush";
    StoreDescription {
        name: "sled".to_owned(),
        title: "sled".to_owned(),
        summary: "B+ tree in safe Rust whose changed leaves are written together, compressed, every few milliseconds; an alpha version."
            .to_owned(),
        version: env!("VERSION_OF_SLED").to_owned(),
        license: "MIT OR Apache-2.0".to_owned(),
        language: "Rust".to_owned(),
        structure: Structure::BTree,
        durability: classes(&[
            (
                Durability::None,
                "nothing is asked for: changes stay in memory until a background thread flushes them (setting flush-every), or the \
                 store is closed",
                CONFIG,
            ),
            (Durability::Power, "flush() after every write, and no background thread", flush),
        ]),
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
            keeps_data: true,
        },
        key_bytes_max: None,
        value_bytes_max: None,
        key_bytes_min: 0,
        files: "heap/ (a file for each size of page), metadata/ (a log and snapshots of where pages are)".to_owned(),
        settings: settings(),
        memory: memory(&[share("cache", 100, 1)], "all for the cache, which holds changed leaves too", CONFIG),
        test_only: false,
    }
}

fn settings() -> Vec<Setting> {
    vec![
        setting(
            "cache",
            SettingKind::Bytes { min: 1 << 20, max: 1 << 40 },
            Some((512 << 20).into()),
            "Memory for leaves, changed ones too.",
            CONFIG,
        ),
        setting(
            "flush-every",
            SettingKind::Integer { min: 1, max: 3_600_000 },
            Some(200.into()),
            "Milliseconds after which the background thread flushes; without effect in class power.",
            CONFIG,
        ),
        setting(
            "zstd-level",
            SettingKind::Integer { min: 1, max: 22 },
            Some(3.into()),
            "Level of zstd, which compresses all leaves.",
            CONFIG,
        ),
    ]
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let milliseconds = usize::try_from(integer(request.settings, "flush-every")?).ok();
    let flushes = request.durability == Durability::Power;
    let database = Config::new()
        .path(request.directory)
        .cache_capacity_bytes(bytes_for_memory(integer(request.settings, "cache")?)?)
        .flush_every_ms(milliseconds.filter(|_| !flushes))
        // At most twenty-two: the settings were checked.
        .zstd_compression_level(integer(request.settings, "zstd-level")?.min(22) as i32)
        .open()?;
    Ok(Box::new(Sled { database: Mutex::new(database), flushes }))
}

struct Sled {
    /// Cloned by each thread, as sled asks: a handle keeps caches of its thread.
    database: Mutex<Db>,
    /// Whether each write is flushed before it is acknowledged.
    flushes: bool,
}

impl Store for Sled {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        let database = self.database.lock().unwrap_or_else(PoisonError::into_inner).clone();
        work(&mut SledSession { database, flushes: self.flushes, batched: plan.batched, batch: None })
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.database.into_inner().unwrap_or_else(PoisonError::into_inner).flush()?;
        Ok(())
    }
}

/// One thread's handle, and in a batch the writes that wait.
struct SledSession {
    database: Db,
    flushes: bool,
    batched: bool,
    batch: Option<Batch>,
}

impl SledSession {
    fn flush(&self) -> Result<(), StoreError> {
        if self.flushes {
            self.database.flush()?;
        }
        Ok(())
    }

    /// A read would not see what waits in the batch.
    fn before_read(&self) -> Result<(), StoreError> {
        match self.batch {
            None => Ok(()),
            Some(_) => Err(StoreError::BadRequest("a sled batch cannot be read before its commit".to_owned())),
        }
    }
}

impl Session for SledSession {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        if self.batched {
            self.batch.get_or_insert_default().insert(key, value);
            return Ok(());
        }
        self.database.insert(key, value)?;
        self.flush()
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.before_read()?;
        let found = self.database.get(key)?;
        if let Some(found) = &found {
            value.extend_from_slice(found);
        }
        Ok(found.is_some())
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        if self.batched {
            self.batch.get_or_insert_default().remove(key);
            return Ok(());
        }
        self.database.remove(key)?;
        self.flush()
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        self.before_read()?;
        let end = from.map_or(Bound::Unbounded, Bound::Included);
        let database = &self.database;
        match direction {
            Direction::Reverse => show(database.range::<&[u8], _>((Bound::Unbounded, end)).rev(), visit),
            Direction::Forward | Direction::Any => show(database.range::<&[u8], _>((end, Bound::Unbounded)), visit),
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let Some(batch) = self.batch.take() else { return Ok(()) };
        self.database.apply_batch(batch)?;
        self.flush()
    }
}

fn show(
    entries: impl Iterator<Item = std::io::Result<(InlineArray, InlineArray)>>,
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> Result<(), StoreError> {
    for entry in entries {
        let (key, value) = entry?;
        if !visit(&key, &value) {
            break;
        }
    }
    Ok(())
}
