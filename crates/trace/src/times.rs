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

/// A time zone.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of this name in the system's database, such as `Europe/Zurich`; `None` if it is missing.
    pub fn named(name: &str) -> Option<Self> {
        TimeZone::get(name).ok().map(Self)
    }
}

/// How a time is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    Number,
    DateWithZone,
    DateWithoutZone,
}

/// Reads times.
pub(crate) struct Clock {
    unit: Option<TimeUnit>,
    zone: Option<Zone>,
    /// How the times before were written.
    writing: Option<Writing>,
}

impl Clock {
    /// For numbers in this unit, and dates in this zone where they carry none; seconds and UTC if not given.
    pub(crate) fn new(unit: Option<TimeUnit>, zone: Option<Zone>) -> Self {
        Self { unit, zone, writing: None }
    }

    /// A number of units, or a date with a time of the day as ISO 8601 writes it.
    #[inline]
    pub(crate) fn seconds(&mut self, text: &[u8], origin: Origin) -> Result<f64, TraceError> {
        let text = std::str::from_utf8(text).unwrap_or_default();
        let number = text.parse::<f64>().ok().map(|number| number / self.unit.map_or(1.0, TimeUnit::per_second));
        let time = number.map(|number| (number, Writing::Number)).or_else(|| self.date(text));
        let time = time.filter(|(time_s, _)| time_s.is_finite() && *time_s >= 0.0);
        let wrong = |expected| TraceError::line(origin, "time", text.as_bytes(), expected);
        let Some((time_s, writing)) = time else {
            return Err(wrong(
                "a number of seconds, not negative, or a date with a time such as 2026-01-31T23:59:59.5Z",
            ));
        };
        if *self.writing.get_or_insert(writing) == writing {
            return Ok(time_s);
        }
        Err(wrong("all times to be numbers, or all dates with a zone, or all dates without one"))
    }

    #[cold]
    fn date(&self, text: &str) -> Option<(f64, Writing)> {
        let (time, writing) = match text.parse::<Timestamp>() {
            Ok(time) => (time, Writing::DateWithZone),
            Err(_) => {
                let zone = self.zone.as_ref().map_or(TimeZone::UTC, |zone| zone.0.clone());
                (text.parse::<DateTime>().ok()?.to_zoned(zone).ok()?.timestamp(), Writing::DateWithoutZone)
            }
        };
        Some((time.as_nanosecond() as f64 / 1e9, writing))
    }

    /// Whether times are dates without a zone, and nobody named one.
    pub(crate) fn lacks_zone(&self) -> bool {
        self.writing == Some(Writing::DateWithoutZone) && self.zone.is_none()
    }
}

/// The times of a trace so far.
pub(crate) struct Times {
    pub(crate) clock: Clock,
    is_ignored: bool,
    /// The command that sorts lines of the form by time.
    sort: Option<&'static str>,
    /// The time of the first operation, which may have none; `None` before it.
    first: Option<Option<f64>>,
    last_s: f64,
    operations: u64,
    /// Some time is no whole number.
    is_fine: bool,
}

impl Times {
    /// Times that this clock reads, if they matter, of lines that this command sorts.
    pub(crate) fn new(clock: Clock, is_ignored: bool, sort: Option<&'static str>) -> Self {
        Self { clock, is_ignored, sort, first: None, last_s: 0.0, operations: 0, is_fine: false }
    }

    /// Asks whether the next operation's time can be. The operation loses it if times do not matter.
    #[inline]
    pub(crate) fn check(&mut self, event: &mut Event<'_>) -> Result<(), TraceError> {
        if event.is_before {
            return Ok(());
        }
        if self.is_ignored {
            event.time_s = None;
        }
        let wrong = |time_s: f64, expected: String| {
            Err(TraceError::line(event.origin, "time", time_s.to_string().as_bytes(), expected))
        };
        match (*self.first.get_or_insert(event.time_s), event.time_s) {
            (None, None) => Ok(()),
            (Some(_), Some(time_s)) if time_s > TIME_S_MAX => wrong(
                time_s,
                format!("seconds, no more than {TIME_S_MAX} (three thousand years): give --time-unit ms, us or ns"),
            ),
            (Some(_), Some(time_s)) if time_s < self.last_s => wrong(time_s, self.order()),
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

    /// The expected order, for an error about a time below the one before.
    #[cold]
    fn order(&self) -> String {
        let by = self.sort.map_or_else(String::new, |command| format!(" ({command})"));
        format!(
            "no less than {}, which came before: sort the trace by time{by}, or leave times out with --ignore time",
            self.last_s
        )
    }

    /// Asks, at the end, whether the unit can be right if nobody said it.
    pub(crate) fn end(&self) -> Result<(), TraceError> {
        let Some(Some(first_s)) = self.first else { return Ok(()) };
        let duration_s = self.last_s - first_s;
        let is_slow = self.operations as f64 / duration_s < RATE_MIN;
        let may_be_another = self.clock.unit.is_none() && self.clock.writing == Some(Writing::Number);
        if duration_s > 0.0 && is_slow && !self.is_fine && may_be_another {
            let operations = format_count(self.operations);
            return Err(TraceError::Unit { operations, duration: format_count(duration_s as u64) });
        }
        Ok(())
    }
}
