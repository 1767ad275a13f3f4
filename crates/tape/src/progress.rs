//! Progress of a recording, and how to stop it.

use std::ops::ControlFlow;

use crate::TapeError;

/// How far recording has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The current task: `pool`, or a phase's name.
    pub what: &'a str,
    /// Operations (pool: bytes) done of it.
    pub done: u64,
    /// Operations (pool: bytes) in all.
    pub total: u64,
}

/// Hears how far recording has come, and says whether to go on. Called several times a second.
pub type OnProgress<'a> = &'a mut dyn FnMut(Progress<'_>) -> ControlFlow<()>;

/// Reports progress.
///
/// # Errors
/// [`TapeError::Stopped`] if `on_progress` says to stop.
pub fn report_progress(on_progress: OnProgress<'_>, progress: Progress<'_>) -> Result<(), TapeError> {
    match on_progress(progress) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(TapeError::Stopped),
    }
}
