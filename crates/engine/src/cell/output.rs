//! What a driver prints: lines of bounded length, through a queue of bounded length.

use std::io::{BufRead, BufReader, Read};
use std::process::ChildStdout;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use bakeoff_limits::{Shortage, spawn};
use bakeoff_text::format_size;

use crate::quote::beginning;

/// The longest line of an event. The histograms of a phase take some 100 KB for each kind of
/// operation.
pub(crate) const LINE_BYTES_MAX: u64 = 4 << 20;

/// Lines that are read ahead. A driver that prints more waits until they are taken.
const LINES_AHEAD: usize = 4;

/// How much of a driver's output after its last line that counts is read, and thrown away.
const REST_BYTES_MAX: usize = 1 << 20;

/// How long the output may stay open after all processes that had it were killed.
const CLOSED_WITHIN: Duration = Duration::from_secs(1);

/// A line, and when its last byte was read.
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) at: Instant,
}

/// What came within a time.
pub(crate) enum Next {
    Line(Line),
    /// What cannot be a line of an event, in words.
    Unreadable(String),
    /// Nothing yet.
    Nothing,
    /// There is no more.
    End,
}

/// The standard output of a driver, read in a thread so that waiting for a line can time out.
pub(crate) struct Output {
    /// `None` once nobody wants more: the driver then finds its output closed.
    lines: Option<Receiver<Result<Line, String>>>,
    /// Bytes that were thrown away.
    thrown_away: usize,
    /// The beginning of the first line that was thrown away.
    first_thrown_away: Option<String>,
}

impl Output {
    /// Begins to read what a driver prints.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn of(stdout: Option<ChildStdout>) -> Result<Self, Shortage> {
        let (sender, receiver) = sync_channel(LINES_AHEAD);
        if let Some(stdout) = stdout {
            spawn(move || {
                let mut reader = BufReader::new(stdout);
                while let Some(line) = read_line(&mut reader) {
                    let is_last = line.is_err();
                    if sender.send(line).is_err() || is_last {
                        return;
                    }
                }
            })?;
        }
        Ok(Self { lines: Some(receiver), thrown_away: 0, first_thrown_away: None })
    }

    /// The next line, if one comes within this time.
    pub(crate) fn next(&self, within: Duration) -> Next {
        let Some(lines) = &self.lines else { return Next::End };
        match lines.recv_timeout(within) {
            Ok(Ok(line)) => Next::Line(line),
            Ok(Err(what)) => Next::Unreadable(what),
            Err(RecvTimeoutError::Timeout) => Next::Nothing,
            Err(RecvTimeoutError::Disconnected) => Next::End,
        }
    }

    /// Throws away what has been printed up to now, so that the driver is not held up; closes the
    /// output if that is too much.
    pub(crate) fn throw_away(&mut self) {
        loop {
            match self.next(Duration::ZERO) {
                Next::Line(line) => {
                    self.thrown_away += line.text.len();
                    if self.first_thrown_away.is_none() && !line.text.trim().is_empty() {
                        self.first_thrown_away = Some(beginning(&line.text));
                    }
                }
                Next::Unreadable(what) => drop(self.first_thrown_away.get_or_insert(what)),
                Next::Nothing | Next::End => return,
            }
            if self.thrown_away > REST_BYTES_MAX {
                self.lines = None;
            }
        }
    }

    /// Whether it was closed, as too much was thrown away.
    pub(crate) fn is_closed(&self) -> bool {
        self.lines.is_none()
    }

    /// Throws away the rest, after all that may print was killed. The beginning of the first line
    /// that was thrown away, if any was.
    pub(crate) fn end(mut self) -> Option<String> {
        let begin = Instant::now();
        while begin.elapsed() < CLOSED_WITHIN {
            self.throw_away();
            match self.next(Duration::from_millis(10)) {
                Next::Line(line) if !line.text.trim().is_empty() => {
                    self.first_thrown_away.get_or_insert_with(|| beginning(&line.text));
                }
                Next::End => break,
                Next::Unreadable(_) | Next::Line(_) | Next::Nothing => {}
            }
        }
        self.first_thrown_away
    }
}

/// The next line; `None` at the end of the output.
fn read_line(reader: &mut impl BufRead) -> Option<Result<Line, String>> {
    let mut line = Vec::new();
    // One byte more than a line may have, so that one of just this length is read.
    match reader.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line) {
        Ok(0) => None,
        Ok(_) if line.len() as u64 > LINE_BYTES_MAX => {
            Some(Err(format!("a line of more than {}", format_size(LINE_BYTES_MAX))))
        }
        Ok(_) => Some(match String::from_utf8(line) {
            Ok(text) => Ok(Line { text, at: Instant::now() }),
            Err(_) => Err("a line that is not UTF-8".to_owned()),
        }),
        Err(error) => Some(Err(format!("an unreadable line ({error})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        let of_length = |bytes: u64| "x".repeat(bytes as usize - 1) + "\n";
        let read = |text: String| read_line(&mut BufReader::new(text.as_bytes())).unwrap().map(|line| line.text.len());
        assert_eq!(read(of_length(LINE_BYTES_MAX)), Ok(LINE_BYTES_MAX as usize));
        assert_eq!(read(of_length(LINE_BYTES_MAX + 1)), Err("a line of more than 4MiB".to_owned()));
        assert_eq!(read("x".repeat(LINE_BYTES_MAX as usize + 9)), Err("a line of more than 4MiB".to_owned()));
    }
}
