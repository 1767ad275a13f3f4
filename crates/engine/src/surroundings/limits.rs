//! Limits of the user's shell that would end the program without a word.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use bakeoff_limits::{STACK_BYTES, check_least};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::SIGXFSZ;

/// Makes a file that grows beyond `ulimit -f` an error of the write, instead of the end of the program. Raises a
/// smaller limit on the stack, up to what the user may.
///
/// # Errors
/// Signals cannot be caught, or a limit is so small that nothing can be done.
pub fn soften_limits() -> Result<()> {
    check_least()?;
    // Drivers ignore the signal, as a handler is not inherited.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).context("cannot catch signals")?;
    let stack = getrlimit(Resource::Stack);
    if stack.current.is_some_and(|bytes| bytes < STACK_BYTES) {
        let with = |bytes, maximum| setrlimit(Resource::Stack, Rlimit { current: Some(bytes), maximum });
        let allowed = stack.maximum.map_or(STACK_BYTES, |maximum| maximum.min(STACK_BYTES));
        let raised = stack.maximum.map(|maximum| maximum.max(STACK_BYTES));
        // Root may raise both limits. Where neither is possible, a thread of this program has its own stack, and so has
        // one of each native driver.
        let _ = with(STACK_BYTES, raised).or_else(|_| with(allowed, stack.maximum));
    }
    Ok(())
}
