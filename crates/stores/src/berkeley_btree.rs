//! Berkeley DB's B-tree.

use bakeoff_store::{OpenRequest, Store, StoreDescription, StoreError, Structure};

use crate::berkeley_db;

/// What the store reports about itself.
pub(crate) fn describe() -> StoreDescription {
    let summary = "B+ tree in one file, with a cache of its pages, and a log where transactions are asked for.";
    berkeley_db::describe("berkeley-db", "Berkeley DB", summary, Structure::BTree)
}

/// Creates or opens the tree.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    berkeley_db::open(request, Structure::BTree)
}
