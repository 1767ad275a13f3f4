//! Writes events to standard output, a line each, from whichever thread has one.

use std::io::Write;

use bakeoff_protocol::Event;

/// The way out for events.
pub(crate) struct Emitter;

impl Emitter {
    pub(crate) fn new() -> Self {
        Self
    }

    /// Writes one event and flushes. A caller that has gone away is not an error of the cell: nobody is left to tell.
    pub(crate) fn emit(&self, event: &Event) {
        if let Ok(mut line) = serde_json::to_vec(event) {
            line.push(b'\n');
            let mut out = std::io::stdout().lock();
            let _ = out.write_all(&line).and_then(|()| out.flush());
        }
    }
}
