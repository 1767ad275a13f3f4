//! The store that does nothing, as a driver offers it. Drivers also replay into it as [`Null`].

use bakeoff_store::{
    Capability, Description, Durability, Leaves::Kept, Null, OpenRequest, Store, StoreDescription, StoreError,
    Structure, after,
};

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let source = "crates/stores/src/null.rs";
    let how = "keeps nothing, so nothing can be lost";
    Description::new("null", "Null")
        .summary("Does nothing and finds nothing: shows the overhead of the harness.")
        .version(env!("CARGO_PKG_VERSION"))
        .license("MIT OR Apache-2.0")
        .language("Rust")
        .structure(Structure::Memory)
        .files("none")
        .durability(Durability::None, how, after(Kept, Kept), source)
        .durability(Durability::Process, how, after(Kept, Kept), source)
        .durability(Durability::Consistent, how, after(Kept, Kept), source)
        .durability(Durability::Power, how, after(Kept, Kept), source)
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::BatchReads,
            Capability::AtomicBatch,
            Capability::ParallelReaders,
            Capability::ParallelWriters,
            Capability::MultiProcess,
        ])
        .keeps_nothing()
        .memory("none: it keeps nothing", "https://en.wikipedia.org/wiki/Null_device", &[])
        .test_only()
        .build()
}

/// "Opens" the store.
pub(crate) fn open(_request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    Ok(Box::new(Null))
}
