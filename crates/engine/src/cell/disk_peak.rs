//! The most that a store's directory takes on disk while a driver runs, as seen from outside.
//!
//! A driver could not look so often without stopping: it would have to measure between its blocks. So another thread of
//! this process looks, for drivers in any language. It looks less often where a look takes long, as at a store of very
//! many files.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use bakeoff_measure::disk_usage;

/// Between two looks at least.
const PAUSE_MIN: Duration = Duration::from_millis(20);

/// A pause is this many times as long as the look before it, so that looking takes at most 1/200 of a processor's time.
const PAUSE_BY_LOOK: u32 = 200;

/// Looks at a directory until it ends.
pub(crate) struct DiskPeak {
    /// Dropped to end it.
    end: Sender<()>,
    watcher: JoinHandle<Option<u64>>,
}

impl DiskPeak {
    /// Looks at `directory` from now on.
    pub(crate) fn watch(directory: PathBuf) -> Self {
        let (end, ended) = channel();
        Self { end, watcher: spawn(move || largest(&directory, &ended)) }
    }

    /// Looks no more. The most bytes that were allocated in any look; `None` if the directory could never be measured.
    pub(crate) fn end(self) -> Option<u64> {
        drop(self.end);
        self.watcher.join().ok().flatten()
    }
}

/// Looks until the other end of `ended` is dropped.
fn largest(directory: &Path, ended: &Receiver<()>) -> Option<u64> {
    let mut largest = None;
    loop {
        let begin = Instant::now();
        largest = largest.max(disk_usage(directory).ok().map(|usage| usage.allocated_bytes));
        let pause = (begin.elapsed() * PAUSE_BY_LOOK).max(PAUSE_MIN);
        if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            return largest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_in_between_counts() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("log");
        let peak = DiskPeak::watch(place.path().to_owned());
        std::fs::write(&file, vec![1; 3 << 20]).unwrap();
        // Longer than any pause after so quick a look, on however busy a machine.
        let begin = Instant::now();
        while begin.elapsed() < PAUSE_MIN * 25 {
            std::thread::sleep(PAUSE_MIN);
        }
        std::fs::remove_file(&file).unwrap();
        assert!(peak.end().is_some_and(|bytes| bytes >= 3 << 20));
    }

    #[test]
    fn a_directory_that_cannot_be_measured_has_no_peak() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(DiskPeak::watch(place.path().join("none")).end(), None);
    }
}
