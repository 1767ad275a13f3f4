//! libmdbx's C interface under LMDB's names, so that LMDB's adapter code also works with libmdbx.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::ptr;

pub(super) use mdbx_sys::{
    MDBX_APPEND as MDB_APPEND, MDBX_CP_COMPACT as MDB_CP_COMPACT, MDBX_FIRST as MDB_FIRST, MDBX_LAST as MDB_LAST,
    MDBX_MAP_FULL as MDB_MAP_FULL, MDBX_NEXT as MDB_NEXT, MDBX_NOOVERWRITE as MDB_NOOVERWRITE, MDBX_NOSTICKYTHREADS,
    MDBX_NOTFOUND as MDB_NOTFOUND, MDBX_PREV as MDB_PREV, MDBX_RDONLY as MDB_RDONLY, MDBX_SET_RANGE as MDB_SET_RANGE,
    MDBX_SUCCESS as MDB_SUCCESS, MDBX_TOO_LARGE as TOO_LARGE, MDBX_UTTERLY_NOSYNC, MDBX_WRITEMAP,
    MDBX_cursor as MDB_cursor, MDBX_cursor_op as MDB_cursor_op, MDBX_dbi as MDB_dbi, MDBX_env as MDB_env,
    MDBX_txn as MDB_txn, MDBX_val as MDB_val, mdbx_cursor_close as mdb_cursor_close, mdbx_cursor_get as mdb_cursor_get,
    mdbx_cursor_open as mdb_cursor_open, mdbx_cursor_renew as mdb_cursor_renew, mdbx_dbi_open as mdb_dbi_open,
    mdbx_del as mdb_del, mdbx_env_copy as mdb_env_copy2, mdbx_env_create as mdb_env_create, mdbx_get as mdb_get,
    mdbx_put as mdb_put, mdbx_strerror as mdb_strerror, mdbx_txn_renew as mdb_txn_renew,
    mdbx_txn_reset as mdb_txn_reset,
};

/// The store's name.
pub(super) const NAME: &str = "libmdbx";

/// A key may have length zero.
pub(super) const TAKES_EMPTY_KEYS: bool = true;

/// The library's version.
pub(super) fn version() -> String {
    // SAFETY: the library's own constant.
    let version = unsafe { &mdbx_sys::mdbx_version };
    format!("{}.{}.{}", version.major, version.minor, version.patch)
}

/// Makes libmdbx print errors only. By default it prints every step to standard error.
pub(super) fn be_quiet() {
    // SAFETY: it only sets a level; without a log function it uses standard error.
    unsafe { mdbx_sys::mdbx_setup_debug(mdbx_sys::MDBX_LOG_ERROR, mdbx_sys::MDBX_DBG_DONTCHANGE, None) };
}

/// libmdbx's default page size: the system's.
pub(super) fn page_bytes_default() -> u64 {
    // SAFETY: it only asks the system.
    unsafe { mdbx_sys::mdbx_default_pagesize() as u64 }
}

/// The longest file with pages of this size; `None` for an invalid size.
pub(super) fn map_bytes_max(page_bytes: u64) -> Option<u64> {
    let page_bytes = signed(page_bytes);
    // SAFETY: it only computes.
    u64::try_from(unsafe { mdbx_sys::mdbx_limits_dbsize_max(page_bytes) }).ok()
}

/// A number of bytes in libmdbx's type.
fn signed(bytes: u64) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

/// The memory map to create.
pub(super) struct Map {
    /// Its maximum size, which the data can never exceed.
    pub(super) bytes: usize,
    /// The size of a page.
    pub(super) page_bytes: usize,
}

impl Map {
    /// Configures the environment for this map.
    ///
    /// # Safety
    /// The environment was created and is not open.
    pub(super) unsafe fn set(&self, environment: *mut MDB_env) -> c_int {
        let (bytes, page_bytes) = (signed(self.bytes as u64), signed(self.page_bytes as u64));
        // SAFETY: the caller guarantees it. The map grows as needed, up to its length; -1 means libmdbx's default.
        unsafe { mdbx_sys::mdbx_env_set_geometry(environment, -1, -1, bytes, -1, -1, page_bytes) }
    }
}

/// The longest key and value that fit pages of this size.
pub(super) fn limits(page_bytes: u64) -> (Option<u64>, Option<u64>) {
    let page_bytes = signed(page_bytes);
    // SAFETY: both only compute.
    let (key, value) =
        unsafe { (mdbx_sys::mdbx_limits_keysize_max(page_bytes, 0), mdbx_sys::mdbx_limits_valsize_max(page_bytes, 0)) };
    (u64::try_from(key).ok(), u64::try_from(value).ok())
}

/// The path of a copy of an environment that will be opened in this directory: a file that does not exist yet.
pub(super) fn path_of_copy(directory: &Path) -> PathBuf {
    directory.join("mdbx.dat")
}

/// Bytes in libmdbx's type.
pub(super) fn borrow(bytes: &[u8]) -> MDB_val {
    MDB_val { iov_len: bytes.len(), iov_base: bytes.as_ptr().cast_mut().cast() }
}

/// Bytes returned by libmdbx.
///
/// # Safety
/// The value points to bytes that live as long as the borrow of it, or is empty.
pub(super) unsafe fn bytes(value: &MDB_val) -> &[u8] {
    if value.iov_len == 0 {
        return &[];
    }
    // SAFETY: the caller guarantees it.
    unsafe { std::slice::from_raw_parts(value.iov_base.cast(), value.iov_len) }
}

// LMDB's calls where libmdbx has different ones. Each has the requirements of LMDB's.

pub(super) unsafe fn mdb_env_set_maxreaders(environment: *mut MDB_env, readers: c_uint) -> c_int {
    // SAFETY: the caller guarantees it.
    unsafe { mdbx_sys::mdbx_env_set_option(environment, mdbx_sys::MDBX_opt_max_readers, readers.into()) }
}

pub(super) unsafe fn mdb_env_open(
    environment: *mut MDB_env,
    path: *const c_char,
    flags: c_uint,
    mode: mdbx_sys::mdbx_mode_t,
) -> c_int {
    // SAFETY: the caller guarantees it.
    let opened = unsafe { mdbx_sys::mdbx_env_open(environment, path, flags, mode) };
    let flushes = flags & MDBX_UTTERLY_NOSYNC == 0;
    match opened {
        // SAFETY: the environment is open.
        MDB_SUCCESS if flushes => unsafe { flush_file(environment) },
        opened => opened,
    }
}

/// Flushes the file. libmdbx writes the first pages of a new file and does not flush them. A power cut may then leave only what commits
/// wrote later with `O_DSYNC`. Such a file opens once, and is corrupt after the next commits: `docs/findings/libmdbx-first-pages.md`.
///
/// # Safety
/// The environment must be open.
unsafe fn flush_file(environment: *mut MDB_env) -> c_int {
    let mut file = -1;
    // SAFETY: the caller guarantees that it is open; `file` is a place for a descriptor.
    let status = unsafe { mdbx_sys::mdbx_env_get_fd(environment, &mut file) };
    if status != MDB_SUCCESS {
        return status;
    }
    // SAFETY: the descriptor is that of the open environment, which keeps it open during the call.
    let file = unsafe { BorrowedFd::borrow_raw(file) };
    // The library's errors above 0 are those of the system.
    rustix::fs::fsync(file).map_or_else(rustix::io::Errno::raw_os_error, |()| MDB_SUCCESS)
}

pub(super) unsafe fn mdb_env_get_maxkeysize(environment: *mut MDB_env) -> c_int {
    // SAFETY: the caller guarantees it.
    unsafe { mdbx_sys::mdbx_env_get_maxkeysize_ex(environment, 0) }
}

pub(super) unsafe fn mdb_env_close(environment: *mut MDB_env) {
    // SAFETY: the caller guarantees it. An error can no longer be handled.
    unsafe { mdbx_sys::mdbx_env_close_ex(environment, false) };
}

pub(super) unsafe fn mdb_txn_begin(
    environment: *mut MDB_env,
    parent: *mut MDB_txn,
    flags: c_uint,
    transaction: *mut *mut MDB_txn,
) -> c_int {
    let nothing: *mut c_void = ptr::null_mut();
    // SAFETY: the caller guarantees it.
    unsafe { mdbx_sys::mdbx_txn_begin_ex(environment, parent, flags.cast_signed(), transaction, nothing) }
}

pub(super) unsafe fn mdb_txn_commit(transaction: *mut MDB_txn) -> c_int {
    // SAFETY: the caller guarantees it.
    unsafe { mdbx_sys::mdbx_txn_commit_ex(transaction, ptr::null_mut()) }
}

pub(super) unsafe fn mdb_txn_abort(transaction: *mut MDB_txn) {
    // SAFETY: the caller guarantees it.
    unsafe { mdbx_sys::mdbx_txn_abort_ex(transaction, ptr::null_mut()) };
}
