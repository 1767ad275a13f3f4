//! Keeps names of new files through a power cut, for libraries that flush a log but not the name of a new log.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bakeoff_store::{Durability, OpenRequest, StoreError};

/// The coarsest time stamps of file systems. Two names that appear within this time may be indistinguishable by it.
const STEP_MAX: Duration = Duration::from_millis(20);

/// Flushes a store's directory if its names changed.
pub(super) struct NewNames {
    directory: PathBuf,
    /// The directory's time of change at its last flush.
    flushed: Mutex<Option<SystemTime>>,
}

impl NewNames {
    /// For a store's directory, at levels that flush writes; `None` at the others.
    pub(super) fn of(request: &OpenRequest<'_>) -> Option<Self> {
        request
            .durability
            .includes(Durability::Consistent)
            .then(|| Self { directory: request.directory.to_owned(), flushed: Mutex::default() })
    }

    /// Flushes the directory if a name appeared or disappeared since. Call it after a write is flushed and before it is acknowledged. If
    /// nothing changed, it only reads the directory's time of change, which takes about 1 µs.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        let changed = std::fs::metadata(&self.directory)?.modified()?;
        let mut flushed = self.flushed.lock().unwrap_or_else(PoisonError::into_inner);
        if *flushed == Some(changed) {
            return Ok(());
        }
        let now = SystemTime::now();
        File::open(&self.directory)?.sync_all()?;
        // Names that appear within the same step, like later ones, are flushed the next time.
        if now.duration_since(changed).is_ok_and(|age| age > STEP_MAX) {
            *flushed = Some(changed);
        }
        Ok(())
    }
}
