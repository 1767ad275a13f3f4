//! Messages to the user.

/// Prints a message to standard error.
macro_rules! say {
    ($($argument:tt)*) => { eprintln!("bakeoff: {}", format_args!($($argument)*)) };
}
pub(crate) use say;
