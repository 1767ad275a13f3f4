//! Berkeley DB's hash table.

use bakeoff_store::{OpenRequest, Store, StoreDescription, StoreError, Structure};

use crate::berkeley_db;

/// What the store reports about itself.
pub(crate) fn describe() -> StoreDescription {
    let summary = "Extended linear hash table in one file, with a cache of its pages, and a log where transactions are asked for.";
    berkeley_db::describe("berkeley-db-hash", "Berkeley DB hash", summary, Structure::Hash)
}

/// Creates or opens the table.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    berkeley_db::open(request, Structure::Hash)
}
