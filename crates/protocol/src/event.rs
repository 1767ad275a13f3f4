//! What a driver writes to standard output while it runs: one JSON object a line.

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
    /// All phases are done, the store is open, and the process dies now, as it was asked to. Its last line.
    Dying,
    /// The store was opened again and its whole content compared with what must be there.
    Verified(Verified),
    /// Everything asked for was done. Always the last line of a run that worked.
    Finished(Finished),
    /// The run cannot go on. Always the last line.
    Failed {
        /// What sort of failure.
        kind: FailureKind,
        /// The phase it happened in, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<String>,
        /// What happened, with the operation and key where that is known.
        message: String,
    },
}

/// The sorts of failure that a cell can end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The request is malformed, or of an unknown version, or asks for what the driver does not know.
    BadRequest,
    /// A tape or the pool is damaged, truncated or foreign.
    BadTape,
    /// The store gave an error.
    StoreError,
    /// The store gave a wrong answer.
    WrongAnswer,
    /// What the driver itself runs with, such as a Java, is missing or too old.
    Runtime,
    /// No space was left on the device.
    DiskFull,
    /// The store or the driver panicked.
    Panic,
    /// The process died without a word (seen by the caller, never written by a driver).
    Crash,
    /// Memory ran out.
    OutOfMemory,
    /// The time limit passed.
    Timeout,
    /// What the driver printed is not an event.
    BadOutput,
    /// What should have gone on beside the cell did not (seen by the caller).
    Disturbance,
    /// Nothing can be written where the store should lie, or its files cannot be dropped from the page cache (seen by the caller).
    Medium,
    /// The cell could not be started: its driver is gone, or too few files may be open (seen by the caller).
    SetUp,
}

impl FailureKind {
    /// Whether the machine was at fault and not the store: room, or what a cell is set up with, was missing. Such a cell is tried again when its
    /// run is resumed.
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
    /// The store's version as the library itself reports it.
    pub version: String,
    /// Time to create and open the empty store.
    pub open_ns: u64,
    /// Resident set with the empty store open and the harness's buffers in place: the baseline of memory figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_baseline_bytes: Option<u64>,
    /// The clock in use: `tsc` or `monotonic`.
    pub clock: String,
    /// What two successive readings of the clock cost, median.
    pub clock_pair_ns: u64,
    /// Every setting in force, defaults included.
    pub settings: crate::Settings,
    /// What runs the driver, where it is not the processor itself: a virtual machine and how it collects garbage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
}

/// How far a phase is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The phase.
    pub phase: String,
    /// Operations replayed so far.
    pub operations: u64,
    /// Operations on the tape.
    pub operations_total: u64,
}

/// How a phase was replayed whose operations are due at times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// What the tape's times were divided by.
    pub speed: f64,
    /// When the last operation was due, from the beginning: operations by this is the rate that was asked for.
    pub due_ns: u64,
}

/// What went on after a phase until nothing did any more: compaction, checkpoints, whatever a store puts off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackgroundWork {
    /// From the end of the phase until the process was last seen at work; absent if it still was after `waited_ns`.
    #[serde(rename = "settled_ns", default, skip_serializing_if = "Option::is_none")]
    pub done_ns: Option<u64>,
    /// How long it was watched, the quiet at the end included.
    pub waited_ns: u64,
    /// CPU time meanwhile, without the watching.
    pub cpu_ns: u64,
    /// Bytes passed to write calls meanwhile.
    pub process_write_bytes: u64,
    /// The store's directory once nothing went on any more; absent where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskUsage>,
}

/// What a phase did before it was measured, until its rate had settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarmUpOutcome {
    /// Timed operations that are no part of the phase's figures.
    pub operations: u64,
    /// From the phase's beginning until measuring began.
    pub wall_ns: u64,
    /// Whether the rate had settled then; absent where the warm-up was too short to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<bool>,
    /// What that was told from: the mean time of an operation in each interval, one after the other.
    pub interval_ns_means: Vec<u64>,
}

/// One phase of one cell in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseResult {
    /// The phase's name.
    pub phase: String,
    /// How time was taken.
    pub mode: crate::Mode,
    /// Threads that replayed.
    pub threads: u32,
    /// Time in the store: the sum of timed regions. With several threads, from the first one's begin to the last one's end less what they
    /// spent outside on average, at least the longest sum and at most all of them. Rates are per this time. In an open loop: from the
    /// beginning to the last answer, without what the harness held up.
    pub timed_ns: u64,
    /// The sum of the timed regions of all threads; if absent, `timed_ns` times `threads` stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads_timed_ns: Option<u64>,
    /// Time from start to end, reading the tape and checking answers included.
    pub wall_ns: u64,
    /// By kind of operation, in the order of first appearance.
    pub operations: Vec<OperationResult>,
    /// Answers compared with what the tape expects.
    pub answers_checked: u64,
    /// Answers that differed. A phase with any fails its cell; the first is described in the failure.
    pub answers_wrong: u64,
    /// What the process cost.
    pub resources: Resources,
    /// Absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// What came before the operations that were measured; absent where nobody asked for a steady rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUpOutcome>,
    /// How long opening again took before the phase; absent where nobody asked, or the store keeps nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopen_ns: Option<u64>,
    /// What the store had put off; absent where nobody asked, or the process could not be watched.
    #[serde(rename = "settled", default, skip_serializing_if = "Option::is_none")]
    pub background_work: Option<BackgroundWork>,
    /// How latency went; absent in throughput mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_time: Option<LatencyTimeline>,
    /// The slowest operations and why they were slow; absent in throughput mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<SlowOperations>,
}

/// The whole content was compared after closing and opening again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// Time to open the store with its data in it.
    pub reopen_ns: u64,
    /// Entries found, each compared by key and value.
    pub entries: u64,
    /// The copy that was asked for, whose content was compared in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compacted_copy: Option<CompactedCopy>,
}

/// A copy that a store made of itself, without the free space in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactedCopy {
    /// Time to make it.
    pub copy_ns: u64,
    /// The copy's directory, once it was made.
    pub disk: DiskUsage,
}

/// The last line of a run that worked.
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
    /// How much of the files in the store's directory was in the kernel's page cache just before closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_cache_bytes: Option<u64>,
    /// What the store counted about itself up to closing, by its own names; for those who know the store.
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
