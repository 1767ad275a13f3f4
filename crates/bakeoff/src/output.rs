//! What this program prints: text on standard output, which may fail, and notes on standard error, which nobody may read.

use std::fmt::Arguments;
use std::io::Write;

use anyhow::{Context, Result};
use bakeoff_engine::Reporter;

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

/// Prints a line on standard error, if that can be done.
pub(crate) fn tell(line: Arguments<'_>) {
    let _ = anstream::stderr().write_fmt(format_args!("{line}\n"));
}
