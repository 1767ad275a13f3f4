//! The driver that is checked: a verb and a text go in, lines come out, and it ends in every case.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_tape::TapeError;

use crate::cell::log::Log;
use crate::drivers::process::{Answer, DriverStart, ask};
use crate::strays::Strays;
use crate::surroundings::interrupt::Interrupt;

/// Runs the driver with a verb and an input, for so long at most, and no longer than `goes_on` says so.
///
/// # Errors
/// It cannot be started, or the user wants to stop.
pub(super) fn run(
    program: &Path,
    (verb, input, time_max): (&str, &[u8], Duration),
    (temporary, log): (&Path, &Path),
    (interrupt, goes_on): (&Interrupt, &dyn Fn() -> bool),
) -> Result<Answer> {
    let mut log = Log::open(log, false)?;
    let start = DriverStart { temporary: Some(temporary), ..DriverStart::new(program, verb, &log) };
    let answer =
        ask(&start, input.to_vec(), time_max, Some(&Strays::watch()), &|| goes_on() && !interrupt.requested())?;
    log.cut();
    if interrupt.requested() {
        bail!(TapeError::Stopped);
    }
    Ok(answer)
}
