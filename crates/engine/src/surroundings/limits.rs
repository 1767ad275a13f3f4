//! Limits of the user's shell that would end the program without a word.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use bakeoff_limits::{Shortage, check_least, spawn_with_stack};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::SIGXFSZ;

/// The stack that the program and the drivers get, bytes: the usual limit of a shell.
const STACK_BYTES: u64 = 8 << 20;

/// Makes a file that grows beyond `ulimit -f` an error of the one who writes it, instead of the end of the program, and raises a smaller limit
/// on the stack as far as the user may.
///
/// # Errors
/// Signals cannot be caught, or a limit is so small that nothing can be done.
pub fn soften_limits() -> Result<()> {
    check_least()?;
    // A handler, which programs that are started do not inherit.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).context("cannot catch signals")?;
    let stack = getrlimit(Resource::Stack);
    if stack.current.is_some_and(|bytes| bytes < STACK_BYTES) {
        let with = |bytes, maximum| setrlimit(Resource::Stack, Rlimit { current: Some(bytes), maximum });
        let allowed = stack.maximum.map_or(STACK_BYTES, |maximum| maximum.min(STACK_BYTES));
        let raised = stack.maximum.map(|maximum| maximum.max(STACK_BYTES));
        // Root may raise both limits. Where neither is possible, a thread of this program has a stack of its own, and drivers fail.
        let _ = with(STACK_BYTES, raised).or_else(|_| with(allowed, stack.maximum));
    }
    Ok(())
}

/// Does the work in this thread, or in one with a stack of the usual size where the limit on the stack is smaller.
///
/// # Errors
/// That thread cannot be started.
pub fn with_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Shortage> {
    if getrlimit(Resource::Stack).current.is_none_or(|bytes| bytes >= STACK_BYTES) {
        return Ok(work());
    }
    spawn_with_stack(STACK_BYTES, work).map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
}
