//! How far a phase is, told now and then by whichever thread has just ended a block.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Counts the operations of a phase, and tells of them once a second, between blocks.
///
/// There is no thread for it: where a process has two, the kernel counts the users of a file at every call, and the C library locks its
/// heap. That took a fourteenth of SQLite's gets, which read pages from its file.
pub struct Reporter<'a> {
    done: AtomicU64,
    begin: Instant,
    /// Seconds after the beginning at the last report.
    reported_s: AtomicU64,
    report: Box<dyn Fn(u64) + Sync + 'a>,
}

impl<'a> Reporter<'a> {
    /// Of a phase that begins now; `report` is given the operations done so far by all threads.
    pub fn new(report: impl Fn(u64) + Sync + 'a) -> Self {
        Self { done: AtomicU64::new(0), begin: Instant::now(), reported_s: AtomicU64::new(0), report: Box::new(report) }
    }

    /// This many more operations are done.
    pub(crate) fn add(&self, operations: u32) {
        let done = self.done.fetch_add(operations.into(), Ordering::Relaxed) + u64::from(operations);
        let (now_s, reported_s) = (self.begin.elapsed().as_secs(), self.reported_s.load(Ordering::Relaxed));
        // One thread of several reports it.
        let is_due = now_s > reported_s
            && self.reported_s.compare_exchange(reported_s, now_s, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_due {
            (self.report)(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_ends_a_block_tells_once_a_second() {
        let told = Mutex::new(Vec::new());
        let mut reporter = Reporter::new(|operations| told.lock().unwrap().push(operations));
        reporter.add(256);
        reporter.begin -= Duration::from_millis(2_500);
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(|| reporter.add(1)))));
        reporter.begin -= Duration::from_secs(1);
        reporter.add(40);
        let told = told.lock().unwrap();
        assert!(matches!(told[..], [257..=260, 300]), "once at 2.5 s and once at 3.5 s: {told:?}");
    }
}
