//! Paths for libraries in C.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::StoreError;

/// A path as C libraries take it.
pub(crate) fn c_path(path: &Path) -> Result<CString, StoreError> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| StoreError::BadRequest(format!("{} has a NUL in its name", path.display())))
}
