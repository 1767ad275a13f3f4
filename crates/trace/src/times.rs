//! Times of a trace: how they are written, and the rule that they keep. They are in every line or in none, never fall, and do not go on for ever.

use bakeoff_text::format_count;
use jiff::civil::DateTime;
use jiff::{Timestamp, tz::TimeZone};

use crate::error::{Origin, TraceError};
use crate::event::Event;

/// Longer than any trace, in seconds: a time beyond is a mistake of its unit.
const DURATION_S_MAX: f64 = 1e9;

/// Later than any clock counts, in seconds: that are milliseconds, or less.
const TIME_S_MAX: f64 = 1e11;

/// Fewer operations a second, at whole times, are taken for a mistake of the unit: they are shown as 0.0.
const RATE_MIN: f64 = 0.05;

/// The unit of times that are plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
}

impl TimeUnit {
    /// All units, by the words for them.
    pub const ALL: [(&str, Self); 4] =
        [("s", Self::Seconds), ("ms", Self::Milliseconds), ("us", Self::Microseconds), ("ns", Self::Nanoseconds)];

    /// How many there are in a second.
    fn per_second(self) -> f64 {
        match self {
            Self::Seconds => 1.0,
            Self::Milliseconds => 1e3,
            Self::Microseconds => 1e6,
            Self::Nanoseconds => 1e9,
        }
    }
}

/// Reads times.
#[derive(Clone, Copy, Default)]
pub(crate) struct Clock {
    unit: Option<TimeUnit>,
}

impl Clock {
    /// A number of units, or a date with a time of the day as ISO 8601 writes it. One without a zone counts as UTC.
    #[inline]
    pub(crate) fn seconds(self, text: &[u8], origin: Origin) -> Result<f64, TraceError> {
        let text = std::str::from_utf8(text).unwrap_or_default();
        let number = text.parse::<f64>().ok().map(|number| number / self.unit.map_or(1.0, TimeUnit::per_second));
        let time = number.or_else(|| seconds_of_date(text)).filter(|time| time.is_finite() && *time >= 0.0);
        let expected = "a number of seconds, not negative, or a date with a time such as 2026-01-31T23:59:59.5Z";
        time.ok_or_else(|| TraceError::line(origin, "time", text.as_bytes(), expected))
    }
}

#[cold]
fn seconds_of_date(text: &str) -> Option<f64> {
    let in_utc = |time: DateTime| Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp());
    let time = text.parse::<Timestamp>().ok().or_else(|| in_utc(text.parse().ok()?))?;
    Some(time.as_nanosecond() as f64 / 1e9)
}

/// The times of a trace so far.
#[derive(Default)]
pub(crate) struct Times {
    clock: Clock,
    /// That of the first operation, which may have none; `None` before it.
    first: Option<Option<f64>>,
    last_s: f64,
    operations: u64,
    /// Some time is no whole number.
    is_fine: bool,
}

impl Times {
    /// Times in this unit.
    pub(crate) fn in_unit(unit: Option<TimeUnit>) -> Self {
        Self { clock: Clock { unit }, ..Self::default() }
    }

    /// What reads them.
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// Asks whether the next operation's time can be.
    #[inline]
    pub(crate) fn check(&mut self, event: &Event<'_>) -> Result<(), TraceError> {
        let wrong = |time_s: f64, expected: String| {
            Err(TraceError::line(event.origin, "time", time_s.to_string().as_bytes(), expected))
        };
        match (*self.first.get_or_insert(event.time_s), event.time_s) {
            (None, None) => Ok(()),
            (Some(_), Some(time_s)) if time_s > TIME_S_MAX => wrong(
                time_s,
                format!("seconds, no more than {TIME_S_MAX} (three thousand years): give --time-unit ms, us or ns"),
            ),
            (Some(_), Some(time_s)) if time_s < self.last_s => {
                wrong(time_s, format!("no less than {}, which came before: sort the trace by time", self.last_s))
            }
            (Some(first_s), Some(time_s)) if time_s - first_s > DURATION_S_MAX => wrong(
                time_s,
                format!(
                    "no more than {DURATION_S_MAX} seconds (thirty years) after the first, {first_s}: give --time-unit ms, us or ns"
                ),
            ),
            (Some(_), Some(time_s)) => {
                self.last_s = time_s;
                self.operations += 1;
                self.is_fine |= time_s.fract() != 0.0;
                Ok(())
            }
            (_, time_s) => {
                let found = time_s.map_or_else(String::new, |time_s| time_s.to_string());
                Err(TraceError::line(event.origin, "time", found.as_bytes(), "a time in every one, or in none"))
            }
        }
    }

    /// Asks, at the end, whether the unit can be right if nobody said it.
    pub(crate) fn end(&self) -> Result<(), TraceError> {
        let Some(Some(first_s)) = self.first else { return Ok(()) };
        let duration_s = self.last_s - first_s;
        let is_slow = self.operations as f64 / duration_s < RATE_MIN;
        if duration_s > 0.0 && is_slow && !self.is_fine && self.clock.unit.is_none() {
            let operations = format_count(self.operations);
            return Err(TraceError::Unit { operations, duration: format_count(duration_s as u64) });
        }
        Ok(())
    }
}
