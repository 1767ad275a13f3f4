//! Berkeley DB's hash table.

use bakeoff_store::{OpenRequest, Store, StoreDescription, StoreError, Structure};

use crate::berkeley_db;

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let summary = "Extended linear hash table in one file, with a page cache, and a log if transactions are used.";
    berkeley_db::describe("berkeley-db-hash", "Berkeley DB hash", summary, Structure::Hash)
}

/// Creates or opens the table.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    berkeley_db::open(request, Structure::Hash)
}
