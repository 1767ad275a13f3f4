//! Failed system calls as store errors, with the call and the path.

use bakeoff_store::StoreError;
use rustix::io::Errno;

/// The error for a call that failed on a path.
pub(super) fn failed(call: &str, path: &[u8], errno: Errno) -> StoreError {
    let path = String::from_utf8_lossy(path);
    let message = format!("{call} {path:?}: {}", std::io::Error::from(errno));
    match errno {
        Errno::NOSPC | Errno::DQUOT => StoreError::DiskFull(message),
        Errno::NOMEM => StoreError::OutOfMemory(message),
        Errno::MFILE => StoreError::Store(format!("{message}; raise the limit on open files, see `ulimit -n`")),
        _ => StoreError::Store(message),
    }
}
