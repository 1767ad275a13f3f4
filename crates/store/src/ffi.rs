//! Helpers for stores in C and C++: paths, borrowed bytes, and error messages across a thin layer in C or C++.

use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::error::StoreError;

/// A path for a C library.
///
/// # Errors
/// The path contains a NUL.
pub fn c_path(path: &Path) -> Result<CString, StoreError> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| StoreError::BadRequest(format!("{} has a NUL in its name", path.display())))
}

/// Borrowed bytes. A null pointer means absent.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes<'b> {
    data: *const u8,
    length: usize,
    borrowed: PhantomData<&'b [u8]>,
}

impl<'b> Bytes<'b> {
    /// Absent bytes: a place for an answer.
    pub const NONE: Self = Self { data: std::ptr::null(), length: 0, borrowed: PhantomData };

    /// The bytes, if present; they may have length zero.
    ///
    /// # Safety
    /// What a library pointed these to stays where it is for `'b`.
    #[inline]
    #[must_use]
    pub unsafe fn get(self) -> Option<&'b [u8]> {
        // SAFETY: the caller guarantees that `data` is valid for `length` bytes unless it is null.
        (!self.data.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.data, self.length) })
    }
}

impl<'b> From<&'b [u8]> for Bytes<'b> {
    #[inline]
    fn from(bytes: &'b [u8]) -> Self {
        Self { data: bytes.as_ptr(), length: bytes.len(), borrowed: PhantomData }
    }
}

/// A message of a C or C++ layer: null for none, else text that ends with NUL and was allocated by the C library.
///
/// Only foreign functions create one, by returning it. The declaration of such a function guarantees this.
#[repr(transparent)]
pub struct Message(*mut c_char);

unsafe extern "C" {
    fn free(memory: *mut c_char);
}

/// Frees the message.
///
/// # Errors
/// There is a message: it is the error.
#[inline]
pub fn check(message: Message) -> Result<(), StoreError> {
    if message.0.is_null() { Ok(()) } else { Err(StoreError::from_message(take(message))) }
}

/// The text of a message; empty for none. Frees the message.
#[must_use]
pub fn take(message: Message) -> String {
    if message.0.is_null() {
        return String::new();
    }
    // SAFETY: by the type's contract this is text that ends with NUL, allocated by the C library, and owned by this value.
    unsafe {
        let text = CStr::from_ptr(message.0).to_string_lossy().into_owned();
        free(message.0);
        text
    }
}
