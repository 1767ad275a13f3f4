//! Numbers, sizes, times, tables and shell commands as people read and write them.
//!
//! - `format_…` functions write a number exactly; `parse_…` functions read it back. Suites and flags use them.
//! - [`time`], [`bytes`], [`rate`] and similar functions round to three significant digits.
//! - [`did_you_mean`] suggests the known word nearest to a misspelt one.
//! - [`printable`] makes text safe to show in a terminal.
//! - [`TextTable`] and [`paragraph`] lay text out in columns and lines; [`shell_command`] quotes a command for a POSIX shell.
//! - [`program`] is how the user called this program.
//!
//! Nothing here performs I/O or knows a suite, a store or a result.

mod exact;
mod nearest;
mod parse;
mod printable;
mod program;
mod rounded;
mod sentence;
mod shell;
mod table;

pub use exact::{format_count, format_data, format_duration, format_size, format_size_range};
pub use nearest::{did_you_mean, nearest};
pub use parse::{UnitError, parse_count, parse_count_range, parse_duration, parse_size, parse_size_range};
pub use printable::{printable, printable_lines, shorten, shorten_error, shorten_middle, shorten_to};
pub use program::{command_again, program, set_program};
pub use rounded::{
    approximate_size, bytes, digits, minutes_or_seconds, percent, rate, ratio, ratio_range, roughly, time, time_range,
};
pub use sentence::{counted, listed, listed_at_most, or_dash};
pub use shell::{command as shell_command, command_lines};
pub use table::{HARD_SPACE, Side, Text, TextTable, paragraph};
