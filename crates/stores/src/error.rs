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

/// The error of a library that says only in words, and in English, what the operating system told it.
#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
pub(crate) fn from_message(message: String) -> StoreError {
    let says = |words: &str| message.contains(words);
    if says("No space left on device") || says("Disk quota exceeded") {
        StoreError::DiskFull(message)
    } else if says("Cannot allocate memory") {
        StoreError::OutOfMemory(message)
    } else {
        StoreError::Store(message)
    }
}

#[cfg(all(test, feature = "leveldb"))]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_operating_system_are_told_apart() {
        for (errno, expected) in [(28, "DiskFull"), (122, "DiskFull"), (12, "OutOfMemory"), (5, "Store")] {
            let words = std::io::Error::from_raw_os_error(errno).to_string();
            let error = format!("{:?}", from_message(format!("IO error: /records/000003.log: {words}")));
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
