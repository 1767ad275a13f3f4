//! One file a record, spread by hash over folders in folders.
//!
//! Hines 2023 (section 4) nests three levels deep with two hexadecimal digits a level, so that 16,777,216 records (256 × 256 × 256) would leave
//! about 256 files in each folder: the third level is the files themselves, below two levels of folders. Its published space efficiency says the same: 12 % for a
//! million values of 1 B to 1 KiB, where a third level of folders, of a block each, would leave 6 %.

use bakeoff_store::{OpenRequest, Store, StoreDescription, StoreError};

use crate::files::{self, Layout};

const LAYOUT: Layout = Layout { levels: 2 };

/// What the store reports about itself.
pub(crate) fn describe() -> StoreDescription {
    files::describe(
        ("nested-folder", "Nested folder"),
        "One file a record, three levels deep: two of folders, named by two hexadecimal digits each of the XXH64 of the key, and the files.",
        "records/xx/xx/, with a file a record, named by its key",
        LAYOUT,
    )
}

/// Creates or opens the folder.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    files::open(request, LAYOUT)
}
