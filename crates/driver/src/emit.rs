//! Writes events to standard output, a line each, from whichever thread has one.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use bakeoff_protocol::Event;

/// The way out for events.
pub(crate) struct Emitter {
    lost: AtomicBool,
}

impl Emitter {
    pub(crate) fn new() -> Self {
        Self { lost: AtomicBool::new(false) }
    }

    /// Writes one event and flushes. That nobody takes it does not end the cell; [`Self::has_lost`] tells.
    pub(crate) fn emit(&self, event: &Event) {
        if let Ok(mut line) = serde_json::to_vec(event) {
            line.push(b'\n');
            let mut out = std::io::stdout().lock();
            if out.write_all(&line).and_then(|()| out.flush()).is_err() {
                self.lost.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether an event could not be written.
    pub(crate) fn has_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }
}
