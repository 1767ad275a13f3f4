//! Names of new files through a power cut: for libraries that flush what they write to a log, and not that there is a new log.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bakeoff_store::{Durability, OpenRequest, StoreError};

/// File systems tell times in steps of up to so much: two names that came within one cannot be told apart by them.
const STEP_MAX: Duration = Duration::from_millis(20);

/// The names in a store's directory, flushed where they changed.
pub(super) struct NewNames {
    directory: PathBuf,
    /// When the directory had changed last when it was flushed last.
    flushed: Mutex<Option<SystemTime>>,
}

impl NewNames {
    /// In the directory of a store, at levels whose writes are flushed; nothing has to be done at the others.
    pub(super) fn of(request: &OpenRequest<'_>) -> Option<Self> {
        request
            .durability
            .includes(Durability::Consistent)
            .then(|| Self { directory: request.directory.to_owned(), flushed: Mutex::default() })
    }

    /// Flushes the directory if a name came or went since. To be called after a write is flushed and before it is acknowledged; where nothing
    /// changed it takes a look at the directory, a microsecond.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        let changed = std::fs::metadata(&self.directory)?.modified()?;
        let mut flushed = self.flushed.lock().unwrap_or_else(PoisonError::into_inner);
        if *flushed == Some(changed) {
            return Ok(());
        }
        let now = SystemTime::now();
        File::open(&self.directory)?.sync_all()?;
        // What comes within the same step is flushed the next time, as what has changed meanwhile is.
        if now.duration_since(changed).is_ok_and(|age| age > STEP_MAX) {
            *flushed = Some(changed);
        }
        Ok(())
    }
}
