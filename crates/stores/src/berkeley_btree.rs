//! Berkeley DB's B-tree.

use bakeoff_store::{OpenRequest, Store, StoreDescription, StoreError, Structure};

use crate::berkeley_db;

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let summary = "B+ tree in one file, with a page cache, and a log if transactions are used.";
    berkeley_db::describe("berkeley-db", "Berkeley DB", summary, Structure::BTree)
}

/// Creates or opens the tree.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    berkeley_db::open(request, Structure::BTree)
}
