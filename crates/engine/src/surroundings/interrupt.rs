//! Ctrl-C and its like: a flag that the engine looks at; asking again ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bakeoff_limits::spawn;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::surroundings::progress::restore_terminal;

/// The exit status of a program that a signal ended.
pub const INTERRUPTED: u8 = 130;

/// Signals that come within this time ask once: `timeout` sends two, one to the program and one to its group.
const AT_ONCE: Duration = Duration::from_millis(500);

/// Set when the user has asked to stop.
#[derive(Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Catches the signals from now on. A process does this once: later callers also see signals that came before.
    pub(crate) fn install() -> Result<Self> {
        static INSTALLED: Mutex<Option<Interrupt>> = Mutex::new(None);
        let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(interrupt) = &*installed {
            return Ok(interrupt.clone());
        }
        let interrupt = Self::default();
        let requested = Arc::clone(&interrupt.0);
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT]).context("cannot catch signals")?;
        spawn(move || {
            let mut first: Option<Instant> = None;
            for _ in signals.forever() {
                if first.get_or_insert_with(Instant::now).elapsed() > AT_ONCE {
                    restore_terminal();
                    std::process::exit(INTERRUPTED.into());
                }
                requested.store(true, Ordering::Relaxed);
            }
        })?;
        Ok(installed.insert(interrupt).clone())
    }

    /// Whether to stop.
    pub(crate) fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
