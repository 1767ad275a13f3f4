//! The driver that is checked: a verb and a text go in, lines come out, and it ends in every case.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use bakeoff_tape::TapeError;

use crate::cell::log::Log;
use crate::drivers::discovery::DESCRIBE_TIME_MAX;
use crate::drivers::process::{Answer, DriverStart, ask};
use crate::strays::Strays;
use crate::surroundings::interrupt::Interrupt;

/// How long a driver may take, except for `describe`. What is asked here takes well under a second,
/// and starting a virtual machine a few.
const TIME_MAX: Duration = Duration::from_secs(120);

/// Runs the driver with a verb.
///
/// # Errors
/// It cannot be started, or the user wants to stop.
pub(super) fn run(
    program: &Path,
    verb: &str,
    input: &[u8],
    (temporary, log): (&Path, &Path),
    interrupt: &Interrupt,
) -> Result<Answer> {
    let mut log = Log::open(log, false)?;
    let time_max = if verb == "describe" { DESCRIBE_TIME_MAX } else { TIME_MAX };
    let start = DriverStart { temporary: Some(temporary), ..DriverStart::new(program, verb, &log) };
    let answer = ask(&start, input.to_vec(), time_max, Some(&Strays::watch()), &|| !interrupt.requested())?;
    log.cut();
    if interrupt.requested() {
        bail!(TapeError::Stopped);
    }
    Ok(answer)
}
