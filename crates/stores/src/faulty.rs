//! A correct store in memory that fails on request, to test how bakeoff treats faulty stores.

mod content;
mod fault;

use std::collections::btree_map::Entry;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bakeoff_store::{
    Capability, Description, Direction, Durability, Leaves::Kept, OpenRequest, Session, SessionPlan, Store,
    StoreDescription, StoreError, Structure, Work, after, setting,
};
use content::{Content, load, save};
use fault::{Fault, Faults};

const FILE: &str = "records.faulty";
const SOURCE: &str = "crates/stores/src/faulty.rs";

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let how = "claims this without doing it: the content reaches the disk when the store is closed";
    let faults = Fault::ALL.map(Fault::name);
    let count = 0..=i64::MAX;
    Description::new("faulty", "Faulty")
        .summary("A correct store in memory that fails on request.")
        .version(env!("CARGO_PKG_VERSION"))
        .license("MIT OR Apache-2.0")
        .language("Rust")
        .structure(Structure::Memory)
        .files("records.faulty, written when it is closed")
        .durability(Durability::None, how, after(Kept, Kept), SOURCE)
        .durability(Durability::Process, how, after(Kept, Kept), SOURCE)
        .durability(Durability::Consistent, how, after(Kept, Kept), SOURCE)
        .durability(Durability::Power, how, after(Kept, Kept), SOURCE)
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::BatchReads,
            Capability::InsertRefuses,
            Capability::ParallelReaders,
            Capability::CompactedCopy,
        ])
        .setting(setting::choice("fault", &faults, Fault::None.name(), "What goes wrong.", SOURCE))
        .setting(setting::integer(
            "at",
            count.clone(),
            Some(0),
            "Operations of any kind that succeed before the fault.",
            SOURCE,
        ))
        .setting(setting::integer(
            "pause-ns",
            count,
            Some(0),
            "Time that each operation wastes, in nanoseconds.",
            SOURCE,
        ))
        .memory("none of its own: it keeps everything in memory", SOURCE, &[])
        .test_only()
        .build()
}

/// Creates the store empty, or opens it with its content from before closing.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let path = request.directory.join(FILE);
    let content = RwLock::new(load(&path)?);
    Ok(Box::new(Faulty { path, content, faults: Faults::new(request)? }))
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
    /// The content for reading. A panicking fault strikes before the lock is taken, so the content behind a poisoned lock is still correct.
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
            Entry::Occupied(_) => Err(StoreError::Store("the key to insert already exists".to_owned())),
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

/// Delivers a scan's first entry, which faults spoil. Returns whether to continue.
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

/// The value with its first bit flipped, or one byte if it is empty.
fn wrong(value: &[u8]) -> Vec<u8> {
    let mut wrong = value.to_vec();
    match wrong.first_mut() {
        Some(first) => *first ^= 0x80,
        None => wrong.push(0),
    }
    wrong
}
