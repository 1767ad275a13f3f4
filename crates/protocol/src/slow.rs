//! Latency over the time of a phase, the slow operations, and their causes.

use serde::{Deserialize, Serialize};

/// Latency over the time of a phase, in slices of equal length, for operations of all kinds and threads together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyTimeline {
    /// Length of a slice.
    pub slice_ns: u64,
    /// For each slice in order: operations that ended in it, the sum of their latencies, the largest latency.
    pub slices: Vec<(u64, u64, u64)>,
}

/// The slowest 0.1 % of a phase's operations, at least eight, and their causes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowOperations {
    /// The number of slow operations.
    pub operations: u64,
    /// The shortest latency among them.
    pub latency_ns_min: u64,
    /// Their causes, the largest total latency first.
    pub causes: Vec<CauseShare>,
    /// The slowest of them, slowest first.
    pub slowest: Vec<SlowOperation>,
}

/// The slow operations of one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseShare {
    /// The cause.
    pub cause: Cause,
    /// The number of operations.
    pub operations: u64,
    /// The sum of their latencies.
    pub latency_ns_sum: u64,
}

/// The largest part of a slow operation's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The thread slept while the machine waited for a disk, or it fetched pages from one.
    Disk,
    /// The thread slept while other threads of the process used CPU time: compaction, checkpoints, eviction.
    Background,
    /// The thread slept for another reason: a lock, a timer, a queue, another program that serves the file system.
    Waiting,
    /// The thread was ready, but another one had the processor.
    Preempted,
    /// The thread neither ran, nor slept, nor was queued: the hypervisor or an interrupt had the processor.
    Stolen,
    /// The thread ran, mostly to map pages of memory.
    PageFaults,
    /// The thread ran.
    Computing,
}

impl Cause {
    /// A short name of the cause.
    pub fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Background => "own threads",
            Self::Waiting => "waiting",
            Self::Preempted => "preempted",
            Self::Stolen => "stolen",
            Self::PageFaults => "page faults",
            Self::Computing => "computing",
        }
    }

    /// Describes the cause.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Disk => "waiting for the disk",
            Self::Background => "waiting for the store's own threads",
            Self::Waiting => "waiting for something else: a lock, a timer, another program, a loop device",
            Self::Preempted => "another had the processor",
            Self::Stolen => "processor taken by hypervisor or interrupt",
            Self::PageFaults => "page faults",
            Self::Computing => "computing",
        }
    }
}

/// The activity during a slow operation, and during the fast ones in the millisecond before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Activity {
    /// Time in which the thread slept, or the processor was taken from the machine.
    pub blocked_ns: u64,
    /// Time in which the thread was ready and waited for a processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runqueue_ns: Option<u64>,
    /// Time in which the thread itself waited for a block device, in whole hundredths of a second. From delay accounting, if the kernel has
    /// it on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_io_ns: Option<u64>,
    /// Time in which any task on the machine waited for I/O (pressure stall information).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall_io_ns: Option<u64>,
    /// Completed requests of any process to the disk under the store; absent if the store is on no disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_requests: Option<u64>,
    /// The total duration of those requests, to a millisecond each. It is limited to the time in which the disk had requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_requests_ns: Option<u64>,
    /// CPU time of the other threads of the process; absent if several threads replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_cpu_ns: Option<u64>,
    /// Page faults served from memory.
    pub page_faults_minor: u64,
    /// Page faults that needed a disk.
    pub page_faults_major: u64,
    /// How often the thread released the processor.
    pub context_switches_voluntary: u64,
    /// How often the processor was taken from the thread.
    pub context_switches_involuntary: u64,
}

/// One slow operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowOperation {
    /// The kind of operation.
    pub operation: String,
    /// Its start, from the beginning of the phase.
    pub at_ns: u64,
    /// Its latency.
    pub latency_ns: u64,
    /// The largest part of its time.
    pub cause: Cause,
    /// The activity during it.
    #[serde(flatten)]
    pub meanwhile: Activity,
}
