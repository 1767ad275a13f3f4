//! Errors of stores.

/// An error from a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No space was left on the device.
    #[error("no space left on the device: {0}")]
    DiskFull(String),
    /// Memory ran out, as the store itself reports it.
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// The request does not suit the store: an unknown setting, or a value outside its limits.
    #[error("{0}")]
    BadRequest(String),
    /// Any other error, with the store's message.
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

impl StoreError {
    /// The error of a library that reports the operating system's error only as English text.
    #[must_use]
    pub fn from_message(message: String) -> Self {
        let has = |text: &str| message.contains(text);
        if has("No space left on device") || has("Disk quota exceeded") {
            Self::DiskFull(message)
        } else if has("Cannot allocate memory") {
            Self::OutOfMemory(message)
        } else {
            Self::Store(message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_operating_system_are_told_apart() {
        for (errno, expected) in [(28, "DiskFull"), (122, "DiskFull"), (12, "OutOfMemory"), (5, "Store")] {
            let words = std::io::Error::from_raw_os_error(errno).to_string();
            let error = format!("{:?}", StoreError::from_message(format!("IO error: /records/000003.log: {words}")));
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
