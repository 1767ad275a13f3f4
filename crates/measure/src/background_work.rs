//! When the other threads of this process have finished their background work.
//!
//! They are at work while they use CPU time, pass bytes to write calls, or sleep for a disk. Many threads never end and wake up now and
//! then, so a little CPU time is not work. Work has pauses, so the idle time must last.

use std::time::{Duration, Instant};

use bakeoff_protocol::BackgroundWork;

use crate::process::{IoCounters, Usage};

/// Time between two checks.
const LOOK: Duration = Duration::from_millis(20);

/// The idle time after which all work counts as done.
const QUIET: Duration = Duration::from_millis(500);

/// The share of the time between two checks in which other threads may use CPU time and still count as idle.
const IDLE_PART: f64 = 0.05;

/// What the other threads have done until now.
#[derive(Clone, Copy)]
struct Work {
    cpu_ns: u64,
    write_bytes: u64,
}

impl Work {
    fn read() -> Option<Self> {
        let (all, own) = (Usage::read(libc::RUSAGE_SELF)?, Usage::read(libc::RUSAGE_THREAD)?);
        Some(Self {
            cpu_ns: all.cpu_ns().saturating_sub(own.cpu_ns()),
            write_bytes: IoCounters::read()?.written_bytes(),
        })
    }

    /// Whether the difference from `before`, `passed` earlier, is work.
    fn is_work(&self, before: &Self, passed: Duration) -> bool {
        let idle_ns = passed.as_nanos() as f64 * IDLE_PART;
        self.write_bytes > before.write_bytes || self.cpu_ns.saturating_sub(before.cpu_ns) as f64 > idle_ns
    }
}

/// Waits until the other threads have been idle for half a second, at most for `longest`. `None` if the kernel does not report their
/// activity.
pub fn wait_for_background_work(longest: Duration) -> Option<BackgroundWork> {
    let begin = Instant::now();
    let first = Work::read()?;
    let (mut before, mut looked, mut busy_until) = (first, begin, begin);
    loop {
        std::thread::sleep(LOOK);
        let (now, work) = (Instant::now(), Work::read()?);
        if work.is_work(&before, now - looked) || waits_for_disk() {
            busy_until = now;
        }
        (before, looked) = (work, now);
        let is_quiet = now - busy_until >= QUIET;
        if is_quiet || now - begin >= longest {
            return Some(BackgroundWork {
                done_ns: is_quiet.then(|| nanoseconds(busy_until - begin)),
                waited_ns: nanoseconds(now - begin),
                cpu_ns: before.cpu_ns.saturating_sub(first.cpu_ns),
                process_write_bytes: before.write_bytes.saturating_sub(first.write_bytes),
                disk: None,
            });
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Whether any thread sleeps for a disk: state `D`, after the name in brackets.
fn waits_for_disk() -> bool {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return false };
    threads.flatten().any(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('D'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_and_computing_are_work_and_waking_up_is_none() {
        let work = |cpu_ns, write_bytes| Work { cpu_ns, write_bytes };
        let passed = Duration::from_millis(20);
        assert!(!work(1_000, 10).is_work(&work(1_000, 10), passed));
        assert!(!work(1_001_000, 10).is_work(&work(1_000, 10), passed), "a twentieth of the time");
        assert!(work(1_002_000, 10).is_work(&work(1_000, 10), passed));
        assert!(work(1_000, 11).is_work(&work(1_000, 10), passed));
    }

    #[test]
    fn what_never_ends_is_watched_no_longer_than_asked_for() {
        let stop = std::sync::atomic::AtomicBool::new(false);
        let settled = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            let settled = wait_for_background_work(Duration::from_millis(300));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            settled
        });
        let settled = settled.expect("Linux tells");
        assert!(settled.done_ns.is_none() && settled.waited_ns >= 300_000_000 && settled.cpu_ns > 0, "{settled:?}");
    }
}
