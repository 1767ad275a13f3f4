//! How latency went over the time of a phase, which operations were slow, and why.

use serde::{Deserialize, Serialize};

/// How latency went over the time of a phase, in slices of equal length. Operations of all kinds and threads together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyTimeline {
    /// How long a slice is.
    pub slice_ns: u64,
    /// For each slice in order: operations that ended in it, the sum of their latencies, the largest of them.
    pub slices: Vec<(u64, u64, u64)>,
}

/// The slowest thousandth of a phase's operations, eight at least, and why they were slow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowOperations {
    /// How many they are.
    pub operations: u64,
    /// The quickest of them.
    pub latency_ns_min: u64,
    /// What they waited for, the most time first.
    pub causes: Vec<CauseShare>,
    /// The slowest of them, slowest first.
    pub slowest: Vec<SlowOperation>,
}

/// The slow operations of one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseShare {
    /// The cause.
    pub cause: Cause,
    /// Operations.
    pub operations: u64,
    /// Their latencies together.
    pub latency_ns_sum: u64,
}

/// Where the largest part of a slow operation's time went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Its thread slept while the machine waited for a disk, or it fetched pages from one.
    Disk,
    /// Its thread slept while other threads of the process computed: compaction, checkpoints, eviction.
    Background,
    /// Its thread slept, for neither of these: a lock, a timer, a queue, another program that serves its file system.
    Waiting,
    /// Its thread was ready, but another had the processor.
    Preempted,
    /// Its thread neither ran, nor slept, nor stood in line: the hypervisor or an interrupt had the processor.
    Stolen,
    /// Its thread ran, mostly to have pages of memory mapped.
    PageFaults,
    /// Its thread ran.
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

/// What went on while a slow operation, and the quick ones of the millisecond before it, ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Activity {
    /// The thread slept, or the processor was taken from the machine.
    pub blocked_ns: u64,
    /// The thread was ready, and waited for a processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runqueue_ns: Option<u64>,
    /// The thread itself waited for a block device, in full hundredths of a second (delay accounting, where the kernel has it switched on).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_io_ns: Option<u64>,
    /// Some task of the machine waited for I/O (pressure stall information).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall_io_ns: Option<u64>,
    /// Requests that the disk under the store was done with, whoever they were of; absent for a store on no disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_requests: Option<u64>,
    /// How long those took, to a millisecond, each by itself but all no longer than the disk had any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_requests_ns: Option<u64>,
    /// CPU time of the other threads of the process; absent if several threads replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_cpu_ns: Option<u64>,
    /// Page faults served from memory.
    pub page_faults_minor: u64,
    /// Page faults that needed a disk.
    pub page_faults_major: u64,
    /// Times the thread gave up the processor.
    pub context_switches_voluntary: u64,
    /// Times the processor was taken from it.
    pub context_switches_involuntary: u64,
}

/// One slow operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowOperation {
    /// Its kind.
    pub operation: String,
    /// When it began, from the beginning of the phase.
    pub at_ns: u64,
    /// How long it took.
    pub latency_ns: u64,
    /// Where the largest part of its time went.
    pub cause: Cause,
    /// What went on meanwhile.
    #[serde(flatten)]
    pub meanwhile: Activity,
}
