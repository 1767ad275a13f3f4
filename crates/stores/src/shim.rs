//! What our thin layers over C++ libraries and this crate pass to each other: borrowed bytes and error messages.

#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
use crate::StoreError;

/// Borrowed bytes. Null data means none at all.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'b> {
    data: *const u8,
    length: usize,
    borrowed: PhantomData<&'b [u8]>,
}

impl<'b> Bytes<'b> {
    /// No bytes at all: a place for an answer.
    pub(crate) const NONE: Self = Self { data: std::ptr::null(), length: 0, borrowed: PhantomData };

    /// The bytes, if there are any, be they of length zero.
    ///
    /// # Safety
    /// What a library pointed these to stays where it is for `'b`.
    pub(crate) unsafe fn get(self) -> Option<&'b [u8]> {
        // SAFETY: as the caller promises, `data` is valid for `length` bytes unless it is null.
        (!self.data.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.data, self.length) })
    }
}

impl<'b> From<&'b [u8]> for Bytes<'b> {
    fn from(bytes: &'b [u8]) -> Self {
        Self { data: bytes.as_ptr(), length: bytes.len(), borrowed: PhantomData }
    }
}

#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
unsafe extern "C" {
    fn free(memory: *mut c_char);
}

/// `Ok` for a null message, else the error it tells of. Frees the message.
#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
pub(crate) fn check(message: *mut c_char) -> Result<(), StoreError> {
    if message.is_null() { Ok(()) } else { Err(crate::error::from_message(take(message))) }
}

/// The text of a message, which ends with NUL and was allocated by the C library. Frees it.
#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
pub(crate) fn take(message: *mut c_char) -> String {
    // SAFETY: as described, and ours.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        free(message);
        text
    }
}
