//! A trace that comes through a pipe: its reader waits for the next bytes, and can be stopped while
//! it waits.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use bakeoff_tape::{Progress, TapeError, report_progress};
use libc::{O_NONBLOCK, POLLIN, poll, pollfd};

use crate::progress::OnProgress;

/// How often a reader that waits asks whether to go on, milliseconds.
const ASKED_EVERY_MS: i32 = 50;

/// Opens a file. A FIFO is opened whether or not another program writes to it yet.
///
/// # Errors
/// The file cannot be opened.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path)
}

/// A file or a pipe that may have no bytes to read yet.
pub(crate) struct Awaited<'a> {
    file: File,
    progress: OnProgress<'a>,
    bytes: u64,
}

impl<'a> Awaited<'a> {
    pub(crate) fn new(file: File, progress: OnProgress<'a>) -> Self {
        Self { file, progress, bytes: 0 }
    }

    pub(crate) fn into_file(self) -> File {
        self.file
    }

    /// Waits until something can be read, or the pipe ends.
    ///
    /// # Errors
    /// [`TapeError::Stopped`], if the user wants to stop.
    fn wait(&self) -> io::Result<()> {
        let mut within_ms = 0;
        while !is_ready(&self.file, within_ms)? {
            let what = "waiting for the trace, bytes so far";
            let waiting = Progress { what, done: self.bytes, total: 0 };
            let mut progress = |progress: Progress<'_>| (self.progress)(progress);
            report_progress(&mut progress, waiting).map_err(io::Error::other)?;
            within_ms = ASKED_EVERY_MS;
        }
        Ok(())
    }
}

impl Read for Awaited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.wait()?;
            match self.file.read(buffer) {
                // Another reader of the same pipe was faster.
                Err(why) if why.kind() == ErrorKind::WouldBlock => {}
                read => return read.inspect(|bytes| self.bytes += *bytes as u64),
            }
        }
    }
}

/// Waits up to `within_ms` milliseconds. Whether a file then has bytes to read, or a pipe has ended.
fn is_ready(file: &File, within_ms: i32) -> io::Result<bool> {
    let mut asked = pollfd { fd: file.as_raw_fd(), events: POLLIN, revents: 0 };
    // SAFETY: the pointer is to one structure that outlives the call, and the descriptor is open.
    let ready = unsafe { poll(&raw mut asked, 1, within_ms) };
    match io::Error::last_os_error() {
        _ if ready >= 0 => Ok(ready > 0),
        why if why.kind() == ErrorKind::Interrupted => Ok(false),
        why => Err(why),
    }
}

/// Whether a read failed because the user wants to stop.
pub(crate) fn is_stopped(why: &io::Error) -> bool {
    why.get_ref().and_then(|inner| inner.downcast_ref()).is_some_and(|why| matches!(why, TapeError::Stopped))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::PathBuf;
    use std::process::Command;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::{ImportOptions, ReadOptions, Summary, Trace, TraceError, import};

    fn fifo_in(directory: &Path) -> PathBuf {
        let fifo = directory.join("trace");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        fifo
    }

    /// Asks to stop at its third call.
    fn patience(asked: &AtomicU32) -> ControlFlow<()> {
        if asked.fetch_add(1, Ordering::Relaxed) < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn assert_stopped<T>(read: Result<T, TraceError>) {
        let why = read.err().expect("it was stopped");
        assert!(matches!(why, TraceError::Tape(TapeError::Stopped)), "{why}");
    }

    /// Opening a FIFO, and reading a line that never ends, waited for ever.
    #[test]
    fn a_trace_that_does_not_come_can_be_stopped() {
        let place = tempfile::tempdir().unwrap();
        let fifo = fifo_in(place.path());
        let options = ReadOptions::default();
        let summary = |path: &Path, asked: AtomicU32| {
            let progress = |_: Progress<'_>| patience(&asked);
            Summary::read(Trace::open(path, &options, &progress)?, &progress)
        };
        assert_stopped(summary(&fifo, AtomicU32::new(0)));
        // A writer that stops: after half a line, and before it is clear how the trace is
        // compressed.
        for begun in [&b"op,key,value_size\nget,a"[..], b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", b"op"] {
            let mut both = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
            io::Write::write_all(&mut both, begun).unwrap();
            assert_stopped(summary(&fifo, AtomicU32::new(0)));
        }
        let (asked, out) = (AtomicU32::new(0), place.path().join("tape"));
        std::fs::create_dir(&out).unwrap();
        let mut writer = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
        io::Write::write_all(&mut writer, b"op,key,value_size\nset,a,1\nset,").unwrap();
        assert_stopped(import(&fifo, &out, &ImportOptions::default(), &|_| patience(&asked)));
    }

    #[test]
    fn a_fifo_is_read_to_its_end() {
        let place = tempfile::tempdir().unwrap();
        let fifo = fifo_in(place.path());
        let writer = std::thread::spawn({
            let fifo = fifo.clone();
            move || std::fs::write(fifo, "op,key,value_size\nset,a,1\nget,a,1\n").unwrap()
        });
        let go_on = |_: Progress<'_>| ControlFlow::Continue(());
        let summary =
            Trace::open(&fifo, &ReadOptions::default(), &go_on).and_then(|trace| Summary::read(trace, &go_on));
        assert_eq!(summary.unwrap().operations, 2);
        writer.join().unwrap();
    }
}
