//! Names of new files through a power cut: for libraries that flush what they write to a log, and not that there is a new log.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_protocol::Durability;

use crate::{OpenRequest, StoreError};

/// File systems tell times in steps of up to so much: two names that came within one cannot be told apart by them.
const STEP_MAX: Duration = Duration::from_millis(20);

/// The names in a store's directory, flushed where they changed.
pub(crate) struct NewNames {
    directory: PathBuf,
    /// When the directory had changed last when it was flushed last, since 1970.
    flushed: Mutex<Duration>,
}

impl NewNames {
    /// In the directory of a store, if the class is `power`; nothing has to be seen to in the others.
    pub(crate) fn of(request: &OpenRequest<'_>) -> Option<Self> {
        let new = |directory: &Path| Self { directory: directory.to_owned(), flushed: Mutex::default() };
        (request.durability == Durability::Power).then(|| new(request.directory))
    }

    /// Flushes the directory if a name came or went since. To be called after a write is flushed and before it is acknowledged; where nothing
    /// changed it takes a look at the directory, a microsecond.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let facts = std::fs::metadata(&self.directory)?;
        let changed =
            Duration::new(u64::try_from(facts.mtime()).unwrap_or(0), u32::try_from(facts.mtime_nsec()).unwrap_or(0));
        let mut flushed = self.flushed.lock().unwrap_or_else(PoisonError::into_inner);
        if *flushed == changed {
            return Ok(());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        File::open(&self.directory)?.sync_all()?;
        // What comes within the same step is flushed the next time, as what has changed meanwhile is.
        if now.saturating_sub(changed) > STEP_MAX {
            *flushed = changed;
        }
        Ok(())
    }
}
