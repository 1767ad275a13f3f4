//! The times that a driver claims, held against the time that went by for its caller.
//!
//! Two things show from outside, and no honest driver fails them. All that a driver claims together cannot be more than its process has lived.
//! And a phase cannot have been much shorter than the time between the event before and its own. An honest driver only makes threads, reads
//! what the kernel counts and sums up between the two.

use std::time::{Duration, Instant};

use bakeoff_protocol::{Event, PhaseResult};
use bakeoff_text::format_duration;

/// By how much claims may be too long: two clocks are never quite the same.
const CLOCKS: Duration = Duration::from_millis(50);

/// The time between two events that a phase need not account for.
const UNTOLD: Duration = Duration::from_secs(5);

/// How many times as long as a phase said it took it may have taken, besides [`UNTOLD`].
const UNTOLD_TIMES: u32 = 3;

/// What the process of a driver has claimed.
pub(crate) struct Claimed {
    begin: Instant,
    sum_ns: u64,
    /// When the event before came that is no progress.
    before: Instant,
    /// Whether an event since came late.
    is_late: bool,
}

impl Claimed {
    /// A process that starts now.
    pub(crate) fn begin() -> Self {
        let now = Instant::now();
        Self { begin: now, sum_ns: 0, before: now, is_late: false }
    }

    /// Takes an event that was read at a time, perhaps late. Gives the mistake in its times, as text.
    pub(crate) fn take(&mut self, event: &Event, at: Instant, is_late: bool) -> Result<(), String> {
        self.is_late |= is_late;
        let claimed_ns = match event {
            Event::Opened(opened) => opened.open_ns,
            Event::Phase(result) => phase_ns(result),
            Event::Verified(verified) => {
                verified.reopen_ns.saturating_add(verified.compacted_copy.map_or(0, |copy| copy.copy_ns))
            }
            Event::Finished(finished) => finished.close_ns,
            Event::Progress(_) | Event::Dying | Event::Inventory(_) | Event::Failed { .. } => return Ok(()),
        };
        self.sum_ns = self.sum_ns.saturating_add(claimed_ns);
        let (claimed, lived) = (Duration::from_nanos(self.sum_ns), at.saturating_duration_since(self.begin));
        if claimed > lived + lived / 100 + CLOCKS {
            return Err(format!(
                "the driver reported times of {} in all, but its process had lived for only {}",
                format_duration(claimed),
                format_duration(lived)
            ));
        }
        let (passed, was_late) = (at.saturating_duration_since(self.before), std::mem::take(&mut self.is_late));
        self.before = at;
        let Event::Phase(result) = event else { return Ok(()) };
        let told = Duration::from_nanos(claimed_ns);
        // Before it was opened again it was closed, which no figure has.
        let is_told = result.reopen_ns.is_none();
        if is_told && !was_late && passed > UNTOLD + told * UNTOLD_TIMES {
            return Err(format!(
                "the driver reported that the phase `{}` took {}, but {} went by since the event before",
                result.phase,
                format_duration(told),
                format_duration(passed)
            ));
        }
        Ok(())
    }
}

/// All that a phase says it took, what came before and after it included.
fn phase_ns(result: &PhaseResult) -> u64 {
    let warm_up_ns = result.warm_up.as_ref().map_or(0, |warm_up| warm_up.wall_ns);
    let waited_ns = result.background_work.map_or(0, |work| work.waited_ns);
    [warm_up_ns, waited_ns, result.reopen_ns.unwrap_or(0)].into_iter().fold(result.wall_ns, u64::saturating_add)
}
