//! The output of a driver while it runs: one JSON object per line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{DiskUsage, LatencyTimeline, OperationResult, Resources, SlowOperations};

/// One line from a driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The store is open and empty.
    Opened(Opened),
    /// About once a second while a phase runs.
    Progress(Progress),
    /// A phase ended and its answers were checked.
    Phase(Box<PhaseResult>),
    /// All phases are done and the store is open; the process now dies as requested. The last line.
    Dying,
    /// The store was opened again, and its whole content compared with the expected content.
    Verified(Verified),
    /// What was found in the store is listed in a file.
    Inventory(Inventory),
    /// Everything requested was done. Always the last line of a successful run.
    Finished(Finished),
    /// The run cannot continue. Always the last line.
    Failed {
        /// The kind of failure.
        kind: FailureKind,
        /// The phase in which it happened, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<String>,
        /// The message, with the operation and key if known.
        message: String,
    },
}

/// The kinds of failure that end a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The request is malformed, has an unknown version, or asks for something the driver does not know.
    BadRequest,
    /// A tape or the pool is damaged, truncated or foreign.
    BadTape,
    /// The store returned an error.
    StoreError,
    /// The store returned a wrong answer.
    WrongAnswer,
    /// Something that the driver needs, such as Java, is missing or too old.
    Runtime,
    /// No space was left on the device.
    DiskFull,
    /// The store or the driver panicked.
    Panic,
    /// The process died without an event. The caller reports it, never a driver.
    Crash,
    /// Memory ran out.
    OutOfMemory,
    /// The time limit passed.
    Timeout,
    /// The driver's output is not an event.
    BadOutput,
    /// The load that should run at the same time did not run. The caller reports it.
    Disturbance,
    /// The store's medium cannot be written, or its files cannot be dropped from the page cache. The caller reports it.
    Medium,
    /// The cell could not be started: its driver is missing, or the limit of open files is too low. The caller reports it.
    SetUp,
}

impl FailureKind {
    /// Whether the machine was at fault and not the store: disk space, or something that the cell needs, was missing. Such a cell runs
    /// again when its run is resumed.
    pub fn is_of_surroundings(self) -> bool {
        matches!(self, Self::DiskFull | Self::Medium | Self::Disturbance | Self::SetUp)
    }

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::BadRequest => "bad-request",
            Self::BadTape => "bad-tape",
            Self::StoreError => "store-error",
            Self::WrongAnswer => "wrong-answer",
            Self::Runtime => "runtime",
            Self::DiskFull => "disk-full",
            Self::Panic => "panic",
            Self::Crash => "crash",
            Self::OutOfMemory => "out-of-memory",
            Self::Timeout => "timeout",
            Self::BadOutput => "bad-output",
            Self::Disturbance => "disturbance",
            Self::Medium => "medium",
            Self::SetUp => "set-up",
        }
    }

    /// The words for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::BadRequest => "bad request",
            Self::BadTape => "bad tape",
            Self::StoreError => "store error",
            Self::WrongAnswer => "wrong answer",
            Self::DiskFull => "disk full",
            Self::OutOfMemory => "out of memory",
            Self::BadOutput => "bad output",
            Self::SetUp => "set up",
            Self::Runtime | Self::Panic | Self::Crash | Self::Timeout | Self::Disturbance | Self::Medium => self.name(),
        }
    }
}

/// The store is open and empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The version that the library itself reports.
    pub version: String,
    /// Time to create and open the empty store.
    pub open_ns: u64,
    /// Resident set with the empty store open and the harness's buffers in place: the baseline of memory figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_baseline_bytes: Option<u64>,
    /// The clock in use: `tsc` or `monotonic`.
    pub clock: String,
    /// The time of two successive readings of the clock, median.
    pub clock_pair_ns: u64,
    /// Every setting in force, including defaults.
    pub settings: crate::Settings,
    /// The runtime, if the driver has one: a virtual machine and its garbage collector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
}

/// The progress of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The phase.
    pub phase: String,
    /// Operations replayed so far.
    pub operations: u64,
    /// Operations on the tape.
    pub operations_total: u64,
}

/// How an open-loop phase was replayed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// The divisor of the tape's times.
    pub speed: f64,
    /// When the last operation was due, from the beginning. Operations divided by this are the requested rate.
    pub due_ns: u64,
}

/// Work that continued after a phase until it ended: compaction, checkpoints and other deferred work.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackgroundWork {
    /// From the end of the phase until the last observed activity of the process; absent if it was still active after `waited_ns`.
    #[serde(rename = "settled_ns", default, skip_serializing_if = "Option::is_none")]
    pub done_ns: Option<u64>,
    /// How long the process was watched, including the idle time at the end.
    pub waited_ns: u64,
    /// CPU time during that, without the watching itself.
    pub cpu_ns: u64,
    /// Bytes passed to write calls during that.
    pub process_write_bytes: u64,
    /// The store's directory after the work ended; absent if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskUsage>,
}

/// The part of a phase before it was measured, until its rate was steady.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarmUpOutcome {
    /// Timed operations that are not part of the phase's figures.
    pub operations: u64,
    /// From the phase's beginning until measuring began.
    pub wall_ns: u64,
    /// Whether the rate was steady then; absent if the warm-up was too short to judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<bool>,
    /// The basis of that decision: the mean time of an operation in successive intervals.
    pub interval_ns_means: Vec<u64>,
}

/// One phase of one cell in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseResult {
    /// The phase's name.
    pub phase: String,
    /// How time was taken.
    pub mode: crate::Mode,
    /// The number of threads that replayed.
    pub threads: u32,
    /// Time in the store: the sum of timed regions.
    ///
    /// With several threads: from the first begin to the last end, minus their average time outside the store. It is at least the longest
    /// of their sums, and at most the total. Rates use this time. In an open loop: from the beginning to the last answer, without delays by
    /// the harness.
    pub timed_ns: u64,
    /// The sum of the timed regions of all threads; if absent, use `timed_ns` times `threads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads_timed_ns: Option<u64>,
    /// Time from start to end, including reading the tape and checking answers.
    pub wall_ns: u64,
    /// By kind of operation, in the order of first appearance.
    pub operations: Vec<OperationResult>,
    /// The number of answers compared with what the tape expects.
    pub answers_checked: u64,
    /// The number of wrong answers. Any fails the cell; the failure describes the first.
    pub answers_wrong: u64,
    /// The resources used by the process.
    pub resources: Resources,
    /// Absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// The warm-up before the measured operations; absent if no steady rate was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUpOutcome>,
    /// The time to open the store again before the phase; absent if not requested, or if the store keeps nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopen_ns: Option<u64>,
    /// The store's deferred work; absent if not requested, or if the process could not be watched.
    #[serde(rename = "settled", default, skip_serializing_if = "Option::is_none")]
    pub background_work: Option<BackgroundWork>,
    /// Latency over the time of the phase; absent in throughput mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_time: Option<LatencyTimeline>,
    /// The slowest operations and their causes; absent in throughput mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<SlowOperations>,
}

/// The whole content was compared after closing and opening again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// Time to open the store with its data.
    pub reopen_ns: u64,
    /// Entries found, each compared by key and value.
    pub entries: u64,
    /// The requested copy, whose content was compared in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compacted_copy: Option<CompactedCopy>,
}

/// An inventory is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// Entries that the store delivered.
    pub entries: u64,
}

/// A copy that a store made of itself, without free space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactedCopy {
    /// Time to make it.
    pub copy_ns: u64,
    /// The copy's directory afterwards.
    pub disk: DiskUsage,
}

/// The last line of a successful run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Time to close the store after the last phase.
    pub close_ns: u64,
    /// The store's directory just before closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_before_close: Option<DiskUsage>,
    /// The store's directory just after closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_after_close: Option<DiskUsage>,
    /// Bytes of the store's files that were in the kernel's page cache just before closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_cache_bytes: Option<u64>,
    /// The store's own counters up to closing, by its own names, for people who know the store.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub store_properties: BTreeMap<String, u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_failures_are_those_in_json() {
        use FailureKind::*;
        let own = [BadRequest, BadTape, StoreError, WrongAnswer, Runtime, DiskFull, Panic, Crash];
        let seen = [OutOfMemory, Timeout, BadOutput, Disturbance, Medium, SetUp];
        for kind in own.into_iter().chain(seen) {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(kind.label(), kind.name().replace('-', " "));
        }
    }
}
