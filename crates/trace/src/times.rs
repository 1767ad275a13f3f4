//! The rule that times of a trace keep: in every line or in none, never falling, and not for ever.

use crate::error::TraceError;
use crate::event::Event;

/// Longer than any trace, in seconds: a time beyond is a mistake of its unit.
const DURATION_S_MAX: f64 = 1e9;

/// Later than any clock counts, in seconds: that are milliseconds, or less.
const TIME_S_MAX: f64 = 1e11;

/// The times of a trace so far.
#[derive(Default)]
pub(crate) struct Times {
    /// That of the first operation, which may have none; `None` before it.
    first: Option<Option<f64>>,
    last_s: f64,
}

impl Times {
    /// Asks whether the next operation's time can be.
    #[inline]
    pub(crate) fn check(&mut self, event: &Event<'_>) -> Result<(), TraceError> {
        let wrong = |time_s: f64, expected: String| {
            Err(TraceError::line(event.origin, "time", time_s.to_string().as_bytes(), expected))
        };
        match (*self.first.get_or_insert(event.time_s), event.time_s) {
            (None, None) => Ok(()),
            (Some(_), Some(time_s)) if time_s > TIME_S_MAX => {
                wrong(time_s, format!("seconds, no more than {TIME_S_MAX} (three thousand years)"))
            }
            (Some(_), Some(time_s)) if time_s < self.last_s => {
                wrong(time_s, format!("no less than {}, which came before", self.last_s))
            }
            (Some(first_s), Some(time_s)) if time_s - first_s > DURATION_S_MAX => wrong(
                time_s,
                format!("no more than {DURATION_S_MAX} seconds (thirty years) after the first, {first_s}"),
            ),
            (Some(_), Some(time_s)) => {
                self.last_s = time_s;
                Ok(())
            }
            (_, time_s) => {
                let found = time_s.map_or_else(String::new, |time_s| time_s.to_string());
                Err(TraceError::line(event.origin, "time", found.as_bytes(), "a time in every one, or in none"))
            }
        }
    }
}
