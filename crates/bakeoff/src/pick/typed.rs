//! What was typed of a need.

use anyhow::{Result, bail};
use bakeoff_need::{Given, Typed};
use bakeoff_trace::Summary;

use crate::cli::PickArguments;
use crate::output::REPORTER;

/// What flags and files say, and the trace summed up, where there is one.
///
/// # Errors
/// A file cannot be read, a word is wrong, or it says how to read a trace where there is none.
pub(crate) fn typed(arguments: &PickArguments) -> Result<(Typed, Option<Summary>)> {
    let flag = arguments.read.given().filter(|_| arguments.trace.is_none());
    if let Some(flag) = flag {
        bail!("{flag} says how a trace is to be read: give one with --trace, or leave {flag} out");
    }
    let read = arguments.read.options()?;
    let given = Given {
        items: &arguments.items.0,
        file: arguments.need.as_deref(),
        trace: arguments.trace.as_deref().map(|path| (path, &read)),
        tape: arguments.tape.as_deref(),
    };
    Typed::read(&given, REPORTER)
}
