//! Berkeley DB's error codes.

use std::ffi::{CStr, c_int};

use bakeoff_store::StoreError;

use super::sys;

/// `Ok` for success, else the error.
pub(super) fn check(code: c_int) -> Result<(), StoreError> {
    match code {
        0 => Ok(()),
        // Codes above zero are those of the operating system.
        1.. => Err(std::io::Error::from_raw_os_error(code).into()),
        // SAFETY: for Berkeley DB's own codes this is a static string.
        _ => Err(StoreError::Store(unsafe { CStr::from_ptr(sys::db_strerror(code)) }.to_string_lossy().into_owned())),
    }
}
