//! The interface of a key-value store: a description, and a trait with one session per thread.
//!
//! To add a store, a crate implements [`Store`] and [`Session`] over the store's library. It builds a [`Description`], and passes
//! both as an [`Entry`] to `bakeoff_driver::main`. bakeoff learns everything else from the description. With the feature `checks`,
//! the module `conformance` has the checks that every store must pass, and `durability` traces and kills it.
//!
//! An adapter does what a careful program that uses the store directly does, and nothing else. It prepares statements once, and
//! keeps transactions and cursors if the library can renew them. Apart from copies in the library's own interface, a value is
//! copied once into the caller's buffer, and a key never.
//!
//! # A whole store
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::{Mutex, PoisonError};
//!
//! use bakeoff_store::{
//!     Capability, Description, Direction, Durability, Entry, Leaves, OpenRequest, Session, SessionPlan, Store, StoreDescription,
//!     StoreError, Structure, Work, after,
//! };
//!
//! /// The line that a driver needs.
//! pub const ENTRY: Entry = Entry { describe, open };
//!
//! fn describe() -> StoreDescription {
//!     let source = "https://doc.rust-lang.org/std/collections/struct.BTreeMap.html";
//!     Description::new("btreemap", "BTreeMap")
//!         .summary("The standard library's B-tree, in memory, behind a lock.")
//!         .version(env!("CARGO_PKG_VERSION"))
//!         .license("MIT OR Apache-2.0")
//!         .language("Rust")
//!         .structure(Structure::Memory)
//!         .files("none")
//!         .durability(Durability::None, "nothing is written", after(Leaves::EarlierState, Leaves::EarlierState), source)
//!         .not_offered(Durability::Process, "it is in memory alone", source)
//!         .not_offered(Durability::Consistent, "it is in memory alone", source)
//!         .not_offered(Durability::Power, "it is in memory alone", source)
//!         .can(&[Capability::ScanAnyOrder, Capability::InsertRefuses])
//!         .memory("none of its own", source, &[])
//!         .build()
//! }
//!
//! fn open(_request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
//!     Ok(Box::new(Tree::default()))
//! }
//!
//! type Content = BTreeMap<Vec<u8>, Vec<u8>>;
//!
//! #[derive(Default)]
//! struct Tree(Mutex<Content>);
//!
//! impl Store for Tree {
//!     fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
//!         if plan.batched {
//!             return Err(StoreError::BadRequest("a BTreeMap has no batches".to_owned()));
//!         }
//!         work(&mut TreeSession(&self.0))
//!     }
//!
//!     fn close(self: Box<Self>) -> Result<(), StoreError> {
//!         Ok(())
//!     }
//! }
//!
//! struct TreeSession<'s>(&'s Mutex<Content>);
//!
//! impl TreeSession<'_> {
//!     fn content(&self) -> std::sync::MutexGuard<'_, Content> {
//!         self.0.lock().unwrap_or_else(PoisonError::into_inner)
//!     }
//! }
//!
//! impl Session for TreeSession<'_> {
//!     fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
//!         if self.content().contains_key(key) {
//!             return Err(StoreError::Store("the key is there already".to_owned()));
//!         }
//!         self.upsert(key, value)
//!     }
//!
//!     fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
//!         self.upsert(key, value)
//!     }
//!
//!     fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
//!         self.content().insert(key.to_vec(), value.to_vec());
//!         Ok(())
//!     }
//!
//!     fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
//!         let content = self.content();
//!         Ok(content.get(key).map(|found| value.extend_from_slice(found)).is_some())
//!     }
//!
//!     fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
//!         self.content().remove(key);
//!         Ok(())
//!     }
//!
//!     fn scan(
//!         &mut self,
//!         from: Option<&[u8]>,
//!         direction: Direction,
//!         visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
//!     ) -> Result<(), StoreError> {
//!         if from.is_some() || direction != Direction::Any {
//!             return Err(StoreError::BadRequest("scan all of it, in any order".to_owned()));
//!         }
//!         let _ = self.content().iter().all(|(key, value)| visit(key, value));
//!         Ok(())
//!     }
//!
//!     fn commit(&mut self) -> Result<(), StoreError> {
//!         Ok(())
//!     }
//! }
//! # let (settings, hints) = (bakeoff_store::Settings::new(), bakeoff_store::DataHints::default());
//! # let directory = std::path::Path::new("unused");
//! # let request = OpenRequest { directory, durability: Durability::None, settings: &settings, hints: &hints };
//! # let store = (ENTRY.open)(&request).unwrap();
//! # store.session(&SessionPlan::default(), &mut |session| {
//! #     session.insert(b"key", b"value")?;
//! #     let mut value = Vec::new();
//! #     assert!(session.get(b"key", &mut value)? && value == b"value");
//! #     session.insert(b"key", b"other").unwrap_err();
//! #     Ok(())
//! # }).unwrap();
//! # assert_eq!((ENTRY.describe)().name, "btreemap");
//! ```
//!
//! Its driver and its test, in the same crate. This store fails the checks that open it again, because it keeps nothing on disk.
//! ```ignore
//! // src/main.rs, the program `bakeoff-driver-btreemap`, which bakeoff finds in PATH
//! fn main() -> std::process::ExitCode {
//!     bakeoff_driver::main("bakeoff-driver-btreemap", &[btreemap::ENTRY])
//! }
//!
//! // tests/conformance.rs
//! #[test]
//! fn conformance() {
//!     bakeoff_store::conformance::check(&[btreemap::ENTRY]);
//! }
//! ```

pub mod batch;
#[cfg(feature = "checks")]
pub mod conformance;
mod describe;
#[cfg(feature = "checks")]
pub mod durability;
mod error;
pub mod ffi;
mod null;
pub mod setting;
mod settings;
mod store;

pub use bakeoff_protocol::{
    AfterFailure, Capabilities, DataHints, Durability, Leaves, MemoryShare, Overhead, Room, Setting, SettingKind,
    Settings, Step, StoreDescription, Structure,
};

pub use describe::{Capability, Description, after, share};
pub use error::StoreError;
pub use null::Null;
pub use settings::resolve_settings;
pub use store::{Direction, Entry, OpenRequest, Session, SessionPlan, Store, Work, flush_directories};
