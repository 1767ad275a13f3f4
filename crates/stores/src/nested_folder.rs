//! One file a record, spread by hash over three levels of folders.

use bakeoff_protocol::StoreDescription;

use crate::files::{self, Layout};
use crate::{OpenRequest, Store, StoreError};

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    files::describe(
        "nested-folder",
        "Nested folder",
        "One file a record, in three levels of folders named by two hexadecimal digits each of the XXH64 of the key.",
        "records/xx/xx/xx/, with a file a record, named by its key",
    )
}

/// Creates or opens the folder.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    files::open(request, Layout { levels: 3 })
}
