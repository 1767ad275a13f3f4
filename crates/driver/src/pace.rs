//! Open loop: operations begin when they are due, and their latency counts from then, with the wait for those before them.
//!
//! The harness's work between operations (reading the tape, checking answers) is no wait: the schedule stands still
//! while it makes the store late. A wait for a time in the future ends by spinning, since a sleep ends some ten
//! microseconds late.

use std::time::Duration;

use bakeoff_measure::Clock;

/// How long before an operation is due sleeping ends and spinning begins.
const SPIN_NS: u64 = 200_000;

/// Sleeping for the rest is worth it only above this.
const SLEEP_NS_MIN: u64 = 100_000;

/// The schedule of one lane.
pub(crate) struct Pace<'a> {
    clock: &'a Clock,
    /// The tape's times are divided by this.
    speed: f64,
    /// No other thread replays: spinning takes no processor from one.
    alone: bool,
    /// When the schedule began, moved back by the time that it stood still; a reading of the clock.
    origin: u64,
    /// When the lane began, and when its last operation ended.
    begin: u64,
    last_end: u64,
    due_ns: u64,
}

impl<'a> Pace<'a> {
    pub(crate) fn new(clock: &'a Clock, speed: f64, alone: bool) -> Self {
        let now = clock.now();
        Self { clock, speed, alone, origin: now, begin: now, last_end: now, due_ns: 0 }
    }

    /// Waits until an operation is due. Gives two readings: the one from which its latency counts, and the one at which
    /// it begins.
    pub(crate) fn await_due(&mut self, due_ns: Option<u64>) -> (u64, u64) {
        let ready = self.clock.now();
        let Some(due_ns) = due_ns else { return (ready, ready) };
        self.due_ns = (due_ns as f64 / self.speed) as u64;
        let due = self.origin.saturating_add(self.clock.ticks(self.due_ns));
        if ready < due {
            let begin = self.wait(due);
            // Waking up late is the harness's doing too.
            self.origin += begin - due;
            return (begin, begin);
        }
        let spared = (ready - due).min(ready.saturating_sub(self.last_end));
        self.origin += spared;
        (due + spared, ready)
    }

    /// An operation of the schedule ended at this reading.
    pub(crate) fn ended(&mut self, end: u64) {
        self.last_end = end;
    }

    /// How long the store took for everything, from the beginning to the last answer: without what the harness held up.
    pub(crate) fn taken_ns(&self) -> u64 {
        let held_up = self.origin - self.begin;
        self.clock.ns(self.begin, self.last_end.saturating_sub(held_up).max(self.begin))
    }

    /// When the last operation was due, after the beginning.
    pub(crate) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// A reading that is not before `due`.
    fn wait(&self, due: u64) -> u64 {
        loop {
            let now = self.clock.now();
            if now >= due {
                return now;
            }
            let left_ns = self.clock.ns(now, due);
            if left_ns >= SPIN_NS + SLEEP_NS_MIN {
                std::thread::sleep(Duration::from_nanos(left_ns - SPIN_NS));
            } else if self.alone {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets this much time pass.
    fn pass(clock: &Clock, ns: u64) -> u64 {
        let end = clock.now() + clock.ticks(ns);
        while clock.now() < end {}
        clock.now()
    }

    #[test]
    fn an_operation_never_begins_before_it_is_due() {
        let clock = Clock::new();
        let mut pace = Pace::new(&clock, 2.0, true);
        for due_ns in [0, 100_000, 1_000_000, 4_000_000] {
            let (_, begin) = pace.await_due(Some(due_ns));
            assert!(begin >= pace.begin + clock.ticks(due_ns / 2));
            pace.ended(clock.now());
        }
        assert_eq!(pace.due_ns(), 2_000_000);
    }

    #[test]
    fn a_stall_counts_for_everything_that_was_due_meanwhile() {
        let clock = Clock::new();
        let mut pace = Pace::new(&clock, 1.0, true);
        let (from, _) = pace.await_due(Some(0));
        // The store takes 20 ms.
        let end = pass(&clock, 20_000_000);
        pace.ended(end);
        assert!(clock.ns(from, end) >= 20_000_000);
        for due_ns in [5_000_000, 10_000_000, 15_000_000] {
            let (from, _) = pace.await_due(Some(due_ns));
            let end = clock.now();
            pace.ended(end);
            assert!(clock.ns(from, end) >= 20_000_000 - due_ns, "{due_ns}");
        }
        assert!(pace.taken_ns() >= 20_000_000);
    }

    #[test]
    fn what_the_harness_takes_holds_the_schedule_up() {
        let clock = Clock::new();
        let mut pace = Pace::new(&clock, 1.0, true);
        pace.await_due(Some(0));
        pace.ended(clock.now());
        // Answers are checked for 20 ms, and operations fall due in that time.
        pass(&clock, 20_000_000);
        let (from, begin) = pace.await_due(Some(5_000_000));
        pace.ended(begin);
        let (next, _) = pace.await_due(Some(6_000_000));
        assert!(clock.ns(pace.begin, from) >= 20_000_000 && next > begin, "neither is late");
        assert!(pace.taken_ns() < 20_000_000, "{}", pace.taken_ns());
    }

    #[test]
    fn what_has_no_time_begins_at_once_and_counts_from_then() {
        let clock = Clock::new();
        let mut pace = Pace::new(&clock, 1.0, true);
        let (from, begin) = pace.await_due(None);
        assert!(from == begin && from >= pace.begin);
    }
}
