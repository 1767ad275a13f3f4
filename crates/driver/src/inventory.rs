//! Inventories of a store: what it delivers, written down for the caller. Nothing is compared here.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use bakeoff_protocol::{Capabilities, Event, Inventory};
use bakeoff_store::{Direction, Session, SessionPlan, Store, StoreError};
use bakeoff_tape::InventoryWriter;

use crate::emit::Emitter;
use crate::failure::Failure;

/// What failures call it.
const PHASE: &str = "inventory";

/// A file that inventories are written to, one after the other.
pub(crate) struct InventoryFile<'a> {
    file: File,
    path: &'a Path,
    direction: Direction,
}

impl<'a> InventoryFile<'a> {
    /// Makes the file, for a store that can list what is in it.
    pub(crate) fn create(path: &'a Path, can: &Capabilities) -> Result<Self, Failure> {
        let file = File::create_new(path)
            .map_err(|error| Failure::bad_request(format!("cannot make the inventory {}: {error}", path.display())))?;
        let direction = if can.scan_ordered { Direction::Forward } else { Direction::Any };
        Ok(Self { file, path, direction })
    }

    /// Adds an inventory of a store, and says that it is complete.
    pub(crate) fn add(&self, store: &dyn Store, emitter: &Emitter) -> Result<(), Failure> {
        let entries = self.write(store).map_err(|failure| failure.in_phase(PHASE))?;
        emitter.emit(&Event::Inventory(Inventory { entries }));
        Ok(())
    }

    /// The same of a store that is opened for it, and closed.
    pub(crate) fn add_again(
        &self,
        open: impl FnOnce() -> Result<Box<dyn Store>, Failure>,
        emitter: &Emitter,
    ) -> Result<(), Failure> {
        let store = open().map_err(|failure| failure.in_phase(PHASE))?;
        self.add(&*store, emitter)?;
        store.close().map_err(|error| Failure::from_store("close", &error).in_phase(PHASE))
    }

    fn write(&self, store: &dyn Store) -> Result<u64, Failure> {
        let unwritable = |error: std::io::Error| {
            Failure::bad_request(format!("cannot write to the inventory {}: {error}", self.path.display()))
        };
        let mut inventory = InventoryWriter::begin(BufWriter::new(&self.file)).map_err(unwritable)?;
        let mut pushed = Ok(());
        let mut list = |session: &mut dyn Session| -> Result<(), StoreError> {
            session.scan(None, self.direction, &mut |key, value| {
                pushed = inventory.push(key, value);
                pushed.is_ok()
            })
        };
        let listed = store.session(&SessionPlan::default(), &mut list);
        pushed.map_err(unwritable)?;
        listed.map_err(|error| Failure::from_store("listing the store", &error))?;
        inventory.finish().map_err(unwritable)
    }
}
