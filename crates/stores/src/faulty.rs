//! A right store in memory that goes wrong on demand, to test what bakeoff makes of stores that do.

mod content;
mod fault;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bakeoff_protocol::{Capabilities, Durability, SettingKind, StoreDescription, Structure};

use crate::describe::{choice, classes, memory, setting};
use crate::{Direction, OpenRequest, Session, SessionPlan, Store, StoreError, Work};
use content::{Content, load, save};
use fault::{Fault, Faults};

const FILE: &str = "records.faulty";
const SOURCE: &str = "crates/stores/src/faulty.rs";

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    let how = "says so and does not: its content reaches the disk when it is closed";
    StoreDescription {
        name: "faulty".to_owned(),
        title: "Faulty".to_owned(),
        summary: "A right store in memory that goes wrong on demand.".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        license: "MIT OR Apache-2.0".to_owned(),
        language: "Rust".to_owned(),
        structure: Structure::Memory,
        durability: classes(&Durability::ALL.map(|class| (class, how, SOURCE))),
        not_offered: BTreeMap::new(),
        capabilities: Capabilities {
            scan_from: true,
            scan_ordered: true,
            scan_any_order: true,
            batch: true,
            batch_reads: true,
            atomic_batch: false,
            insert_refuses: true,
            parallel_readers: true,
            parallel_writers: false,
            multi_process: false,
            compacted_copy: true,
            keeps_data: true,
        },
        key_bytes_max: None,
        value_bytes_max: None,
        key_bytes_min: 0,
        files: "records.faulty, written when it is closed".to_owned(),
        settings: settings(),
        memory: memory(&[], "none of its own: it keeps everything in memory", SOURCE),
        test_only: true,
    }
}

fn settings() -> Vec<bakeoff_protocol::Setting> {
    let count = SettingKind::Integer { min: 0, max: i64::MAX };
    let words = Fault::ALL.map(Fault::name);
    vec![
        setting("fault", choice(&words), Some(Fault::None.name().into()), "What goes wrong.", SOURCE),
        setting("at", count.clone(), Some(0.into()), "Operations of any kind that go well before it does.", SOURCE),
        setting("pause-ns", count, Some(0.into()), "Time each operation spends doing nothing, in nanoseconds.", SOURCE),
    ]
}

/// Creates it empty, or with what it had when it was closed.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let path = request.directory.join(FILE);
    let content = RwLock::new(load(&path)?);
    Ok(Box::new(Faulty { path, content, faults: Faults::new(request.settings)? }))
}

struct Faulty {
    path: PathBuf,
    content: RwLock<Content>,
    faults: Faults,
}

impl Store for Faulty {
    fn session(&self, _plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        work(&mut FaultySession(self))
    }

    fn compacted_copy(&self, directory: &Path) -> Result<(), StoreError> {
        let mut content = self.reading().clone();
        if self.faults.spoils(Fault::LostInCopy) {
            content.pop_first();
        }
        save(&directory.join(FILE), &content)
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        let lost = self.faults.spoils(Fault::LostOnReopen);
        let mut content = self.content.into_inner().unwrap_or_else(PoisonError::into_inner);
        if lost {
            content.pop_first();
        }
        save(&self.path, &content)
    }
}

impl Faulty {
    /// The content to read. A fault that panics does so before the lock is taken, so a poisoned one is still right.
    fn reading(&self) -> RwLockReadGuard<'_, Content> {
        self.content.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn writing(&self) -> RwLockWriteGuard<'_, Content> {
        self.content.write().unwrap_or_else(PoisonError::into_inner)
    }
}

struct FaultySession<'s>(&'s Faulty);

impl Session for FaultySession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.0.faults.operation()?;
        match self.0.writing().entry(key.to_vec()) {
            Entry::Occupied(_) => Err(StoreError::Store("the key to insert is there already".to_owned())),
            Entry::Vacant(entry) => {
                entry.insert(value.to_vec());
                Ok(())
            }
        }
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.0.faults.operation()?;
        if let Some(present) = self.0.writing().get_mut(key) {
            *present = value.to_vec();
        }
        Ok(())
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.0.faults.operation()?;
        self.0.writing().insert(key.to_vec(), value.to_vec());
        Ok(())
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.0.faults.operation()?;
        let spoils = |fault| self.0.faults.spoils(fault);
        match self.0.reading().get(key) {
            None if spoils(Fault::PhantomKey) => value.extend_from_slice(b"phantom"),
            None => return Ok(false),
            Some(_) if spoils(Fault::MissingKey) => return Ok(false),
            Some(present) if spoils(Fault::WrongValue) => value.extend(wrong(present)),
            Some(present) => value.extend_from_slice(present),
        }
        Ok(true)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.0.faults.operation()?;
        self.0.writing().remove(key);
        Ok(())
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        self.0.faults.operation()?;
        let content = self.0.reading();
        let mut forward;
        let mut reverse;
        let entries: &mut dyn Iterator<Item = (&Vec<u8>, &Vec<u8>)> = if direction == Direction::Reverse {
            let end = from.map_or(Bound::Unbounded, Bound::Included);
            reverse = content.range::<[u8], _>((Bound::Unbounded, end)).rev();
            &mut reverse
        } else {
            let start = from.map_or(Bound::Unbounded, Bound::Included);
            forward = content.range::<[u8], _>((start, Bound::Unbounded));
            &mut forward
        };
        if !first_entry(&self.0.faults, entries, visit) {
            return Ok(());
        }
        for (key, value) in entries {
            if !visit(key, value) {
                break;
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.0.faults.operation()
    }
}

/// Delivers a scan's first entry, which is the one that faults spoil; says whether to go on.
fn first_entry(
    faults: &Faults,
    entries: &mut dyn Iterator<Item = (&Vec<u8>, &Vec<u8>)>,
    visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> bool {
    let first = entries.next();
    if faults.spoils(Fault::PhantomKey) {
        let key = first.map_or(&[][..], |(key, _)| key);
        if !visit(&[key, b"\0phantom"].concat(), b"phantom") {
            return false;
        }
    }
    match first {
        None => false,
        Some(_) if faults.spoils(Fault::MissingKey) => true,
        Some((key, value)) if faults.spoils(Fault::WrongValue) => visit(key, &wrong(value)),
        Some((key, value)) => visit(key, value),
    }
}

/// The value with its first bit turned over, or one byte where there is none.
fn wrong(value: &[u8]) -> Vec<u8> {
    let mut wrong = value.to_vec();
    match wrong.first_mut() {
        Some(first) => *first ^= 0x80,
        None => wrong.push(0),
    }
    wrong
}
