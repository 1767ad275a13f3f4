//! What this program prints: text on standard output, which may fail, and notes on standard error, which nobody may read.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use bakeoff_engine::Reporter;

use crate::cli::COLUMNS;

/// Whether standard output was closed when the program was started.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before Rust's runtime, which opens `/dev/null` in place of a closed standard output. Afterwards nothing distinguishes that from
/// a `/dev/null` of the user's.
// SAFETY: functions of this section are called once before `main`, in a process with one thread. This one needs nothing of the runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_BEFORE_MAIN: extern "C" fn() = look_at_standard_output;

extern "C" fn look_at_standard_output() {
    // SAFETY: the call has no other effect than its value, whether or not the descriptor is open.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    WAS_CLOSED.store(flags == -1, Ordering::Relaxed);
}

/// Refuses to begin where nothing that is printed can arrive.
///
/// # Errors
/// Standard output is closed.
pub(crate) fn check_open() -> Result<()> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        bail!("cannot print: standard output is closed. Send it somewhere, such as to a file or to /dev/null");
    }
    Ok(())
}

/// Where the engine reports: standard error.
pub(crate) const REPORTER: Reporter = Reporter::new(|line| tell(format_args!("{line}")));

/// Prints a line on standard output; its value is a [`Result`].
macro_rules! print_line {
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints text on standard output as it is; its value is a [`Result`].
macro_rules! print_text {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

/// Prints a line on standard error. Where nobody takes it, nothing is lost but the line.
macro_rules! tell {
    ($($text:tt)*) => { $crate::output::tell(format_args!($($text)*)) };
}

/// Prints on standard output.
///
/// # Errors
/// Nobody reads it, or there is no room where it goes.
pub(crate) fn print(text: Arguments<'_>) -> Result<()> {
    anstream::stdout().write_fmt(text).context("cannot print")
}

/// Prints lines on standard error, if that can be done: on a terminal broken between words.
pub(crate) fn tell(lines: Arguments<'_>) {
    let text = match terminal_size::terminal_size_of(io::stderr()) {
        Some(_) => lines.to_string().lines().map(|line| fitting(line, columns())).collect(),
        None => format!("{lines}\n"),
    };
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// A line in as many as it takes, the later ones indented by more.
fn fitting(line: &str, columns: usize) -> String {
    let text = line.trim_start_matches(' ');
    let indent = " ".repeat(line.len() - text.len());
    bakeoff_text::paragraph(text, columns, &indent, &format!("{indent}  "))
}

/// Columns of standard error that text is to take at most.
pub(crate) fn columns() -> usize {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(COLUMNS, |(columns, _)| usize::from(columns.0)).min(COLUMNS)
}
