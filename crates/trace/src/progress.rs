//! Progress of what takes long, and how to stop it.

use std::ops::ControlFlow;

use bakeoff_tape::{Progress, TapeError, report_progress};

use crate::position::Position;

/// Operations between two reports of progress.
pub(crate) const PROGRESS_OPERATIONS: u64 = 1 << 16;

/// Hears how far an import has come, in bytes of the trace, of the pool and so on, and says whether to go on. What has no known end has a
/// total of 0. Called many times a second, and from several threads.
pub type OnProgress<'a> = &'a (dyn Fn(Progress<'_>) -> ControlFlow<()> + Sync);

/// Reports progress and ends the import if that is wanted.
pub(crate) fn report(on_progress: OnProgress<'_>, what: &str, (done, total): (u64, u64)) -> Result<(), TapeError> {
    report_progress(&mut |progress| on_progress(progress), Progress { what, done, total })
}

/// The same for a trace that is read: how much of its file, or without an end the number of operations.
pub(crate) fn report_read(
    progress: OnProgress<'_>,
    position: Option<&Position>,
    operations: u64,
) -> Result<(), TapeError> {
    report(progress, "reading the trace", position.map_or((operations, 0), Position::of_all))
}
