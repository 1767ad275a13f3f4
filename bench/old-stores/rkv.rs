//! Cargo: rkv = "VERSION"
//!
//! rkv in its safe mode: a map in memory, of which every commit writes the whole file. Up to 0.18.2 the file is overwritten in place, so a
//! process that is killed meanwhile leaves a part of it.

use std::path::Path;
use std::sync::RwLock;

use bakeoff_store::{
    Capability, Description, Direction, Durability, Entry, Leaves::*, OpenRequest, Session, SessionPlan, Store,
    StoreDescription, StoreError, Structure, Work, after,
};
use rkv::backend::{SafeMode, SafeModeDatabase, SafeModeEnvironment};
use rkv::{Rkv, SingleStore, StoreOptions, Value};

/// The store.
pub const ENTRY: Entry = Entry { describe, open };

fn describe() -> StoreDescription {
    let source = "https://docs.rs/rkv/0.18/rkv/index.html";
    Description::new(env!("CARGO_PKG_NAME"), concat!("rkv (safe mode) ", env!("CARGO_PKG_VERSION")))
        .summary("An old version of rkv, to test what finds its faults.")
        .version(env!("CARGO_PKG_VERSION"))
        .license("Apache-2.0")
        .language("Rust")
        .structure(Structure::Log)
        .files("data.safe.bin")
        .not_offered(Durability::None, "it is here for the level process", source)
        .durability(
            Durability::Process,
            "every commit writes the whole file and never flushes it",
            after(Kept, PossiblyCorrupt),
            source,
        )
        .not_offered(Durability::Consistent, "it never flushes its file", source)
        .not_offered(Durability::Power, "it never flushes its file", source)
        .can(&[Capability::ScanOrdered, Capability::ScanAnyOrder])
        .keys(0, 1 << 20)
        .values(1 << 30)
        .memory("all of the data", source, &[])
        .build()
}

struct Safe {
    environment: Rkv<SafeModeEnvironment>,
    records: SingleStore<SafeModeDatabase>,
    turn: RwLock<()>,
}

fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let directory: &Path = request.directory;
    let environment = Rkv::new::<SafeMode>(directory).map_err(error)?;
    let records = environment.open_single("records", StoreOptions::create()).map_err(error)?;
    Ok(Box::new(Safe { environment, records, turn: RwLock::default() }))
}

impl Store for Safe {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        match plan.batched {
            true => Err(StoreError::BadRequest("batches are left out here".to_owned())),
            false => work(&mut SafeSession(self)),
        }
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.environment.sync(true).map_err(error)
    }
}

struct SafeSession<'s>(&'s Safe);

impl Session for SafeSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.upsert(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let _alone = self.0.turn.write();
        let mut writer = self.0.environment.write().map_err(error)?;
        self.0.records.put(&mut writer, key, &Value::Blob(value)).map_err(error)?;
        writer.commit().map_err(error)
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let _shared = self.0.turn.read();
        let reader = self.0.environment.read().map_err(error)?;
        match self.0.records.get(&reader, key).map_err(error)? {
            Some(Value::Blob(found)) => value.extend_from_slice(found),
            Some(other) => return Err(StoreError::Store(format!("{other:?} is no value that was written here"))),
            None => return Ok(false),
        }
        Ok(true)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        let _alone = self.0.turn.write();
        let mut writer = self.0.environment.write().map_err(error)?;
        match self.0.records.delete(&mut writer, key) {
            Ok(()) | Err(rkv::StoreError::KeyValuePairNotFound) => writer.commit().map_err(error),
            Err(other) => Err(error(other)),
        }
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        if from.is_some() || direction == Direction::Reverse {
            return Err(StoreError::BadRequest("only scans of everything, forwards, are offered here".to_owned()));
        }
        let _shared = self.0.turn.read();
        let reader = self.0.environment.read().map_err(error)?;
        for entry in self.0.records.iter_start(&reader).map_err(error)? {
            let (key, value) = entry.map_err(error)?;
            let Value::Blob(value) = value else {
                return Err(StoreError::Store(format!("{value:?} is no value that was written here")));
            };
            if !visit(key, value) {
                break;
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

fn error(error: rkv::StoreError) -> StoreError {
    match error {
        rkv::StoreError::IoError(error) => error.into(),
        error => StoreError::Store(error.to_string()),
    }
}
