//! Why a store could not do what it was asked.

/// An error from a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No space was left on the device.
    #[error("no space left on the device: {0}")]
    DiskFull(String),
    /// Memory ran out, as the store itself reports it.
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// The request does not fit the store: an unknown setting, a value outside its limits.
    #[error("{0}")]
    BadRequest(String),
    /// Any other error, in the store's words.
    #[error("{0}")]
    Store(String),
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull(error.to_string()),
            std::io::ErrorKind::OutOfMemory => Self::OutOfMemory(error.to_string()),
            _ => Self::Store(error.to_string()),
        }
    }
}
