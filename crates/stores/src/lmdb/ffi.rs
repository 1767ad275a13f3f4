//! LMDB's interface in C.

use std::path::{Path, PathBuf};

pub(super) use lmdb_master_sys::*;

/// The store's name.
pub(super) const NAME: &str = "lmdb";

/// A code for a map that is too long. LMDB has none; this is not one of its codes.
pub(super) const TOO_LARGE: std::ffi::c_int = std::ffi::c_int::MIN;

/// Keys have at least one byte.
pub(super) const TAKES_EMPTY_KEYS: bool = false;

/// The library's version.
pub(super) fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: three places for an integer.
    unsafe { mdb_version(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// The memory map to create. LMDB always uses the system's page size.
pub(super) struct Map {
    /// Its length, which the data can never exceed.
    pub(super) bytes: usize,
}

impl Map {
    /// Configures the environment for this map.
    ///
    /// # Safety
    /// The environment was created and is not open.
    pub(super) unsafe fn set(&self, environment: *mut MDB_env) -> std::ffi::c_int {
        // SAFETY: the caller guarantees it.
        unsafe { mdb_env_set_mapsize(environment, self.bytes) }
    }
}

/// The path of a copy of an environment that will be opened in this directory.
pub(super) fn path_of_copy(directory: &Path) -> PathBuf {
    directory.to_owned()
}

/// Bytes in LMDB's type.
pub(super) fn borrow(bytes: &[u8]) -> MDB_val {
    MDB_val { mv_size: bytes.len(), mv_data: bytes.as_ptr().cast_mut().cast() }
}

/// Bytes returned by LMDB.
///
/// # Safety
/// The value points to bytes that live as long as the borrow of it.
pub(super) unsafe fn bytes(value: &MDB_val) -> &[u8] {
    // SAFETY: the caller guarantees it. LMDB's pointers are never null, and neither are those of `borrow`.
    unsafe { std::slice::from_raw_parts(value.mv_data.cast(), value.mv_size) }
}
