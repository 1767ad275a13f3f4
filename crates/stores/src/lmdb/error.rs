//! LMDB's result codes as store errors.

use std::ffi::{CStr, c_int};

use bakeoff_store::StoreError;

use super::ffi;

/// `Ok` for success, else the error.
#[inline]
pub(super) fn check(code: c_int) -> Result<(), StoreError> {
    if code == ffi::MDB_SUCCESS { Ok(()) } else { Err(error_from_code(code)) }
}

/// As [`check`], for a call that creates a map of this length. The system's codes for too long a map do not mention the map.
pub(super) fn of_map(code: c_int, map_bytes: usize) -> Result<(), StoreError> {
    use std::io::ErrorKind::{FileTooLarge, InvalidInput, OutOfMemory};
    let is_too_long =
        || matches!(std::io::Error::from_raw_os_error(code).kind(), FileTooLarge | InvalidInput | OutOfMemory);
    check(code).map_err(|error| match code == ffi::TOO_LARGE || code > 0 && is_too_long() {
        true => StoreError::Store(format!(
            "a map of {map_bytes} bytes cannot be made ({error}): the file system may not let a file be so long, or the address space have no room: \
             give the store `{}` a smaller setting `map-size`",
            ffi::NAME
        )),
        false => error,
    })
}

#[cold]
fn error_from_code(code: c_int) -> StoreError {
    // Codes above zero are those of the operating system.
    if code > 0 {
        return std::io::Error::from_raw_os_error(code).into();
    }
    // SAFETY: for LMDB's own codes this is a static string.
    let message = unsafe { CStr::from_ptr(ffi::mdb_strerror(code)) }.to_string_lossy();
    StoreError::Store(match code {
        ffi::MDB_MAP_FULL => format!("{message}: give the store `{}` a larger setting `map-size`", ffi::NAME),
        _ => message.into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_system_and_of_the_library_are_told_apart() {
        assert!(check(ffi::MDB_SUCCESS).is_ok());
        assert!(matches!(check(28), Err(StoreError::DiskFull(_))));
        assert!(matches!(check(12), Err(StoreError::OutOfMemory(_))));
        let full = check(ffi::MDB_MAP_FULL).unwrap_err().to_string();
        assert!(full.contains("map-size"), "{full}");
    }
}
