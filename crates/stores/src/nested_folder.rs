//! One file per record, spread by hash over nested folders.
//!
//! Hines 2023 (section 4) nests three levels with two hexadecimal digits each. So 16,777,216 records (256 × 256 × 256) would leave about
//! 256 files in each folder. This means that the third level is the files themselves, below two levels of folders. Its published space
//! efficiency agrees: 12 % for a million values of 1 B to 1 KiB. A third level of folders, of a block each, would leave 6 %.

use bakeoff_store::{OpenRequest, Store, StoreDescription, StoreError};

use crate::files::{self, Layout};

const LAYOUT: Layout = Layout { levels: 2 };

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    files::describe(
        ("nested-folder", "Nested folder"),
        "One file per record, three levels deep: two levels of folders, each named by two hexadecimal digits of the key's \
        XXH64, then the files.",
        "records/xx/xx/, with one file per record, named by its key",
        LAYOUT,
    )
}

/// Creates or opens the folder.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    files::open(request, LAYOUT)
}
