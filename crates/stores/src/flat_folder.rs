//! One file per record, all in one folder.

use bakeoff_store::{OpenRequest, Store, StoreDescription, StoreError};

use crate::files::{self, Layout};

const LAYOUT: Layout = Layout { levels: 0 };

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    files::describe(
        ("flat-folder", "Flat folder"),
        "One file per record, all in one folder.",
        "records/, with one file per record, named by its key",
        LAYOUT,
    )
}

/// Creates or opens the folder.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    files::open(request, LAYOUT)
}
