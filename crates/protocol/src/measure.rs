//! Figures: latencies, what a process cost, what a directory holds.

use serde::{Deserialize, Serialize};

/// The distribution of one operation's latency in one phase of one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Mean, to the nearest nanosecond, from the exact sum (not from histogram buckets).
    pub latency_ns_mean: u64,
    /// Smallest, exact.
    pub latency_ns_min: u64,
    /// Median.
    pub latency_ns_p50: u64,
    /// 90th percentile.
    pub latency_ns_p90: u64,
    /// 99th percentile.
    pub latency_ns_p99: u64,
    /// 99.9th percentile.
    pub latency_ns_p999: u64,
    /// Largest, exact.
    pub latency_ns_max: u64,
    /// The whole HdrHistogram (V2, deflate-free, base64), 3 significant digits, nanoseconds.
    pub histogram: String,
}

/// A range of value sizes whose latencies are kept apart. Of several ranges, a value is of the first whose largest size is not below its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ValueSizeRange {
    /// Smallest, bytes.
    pub value_bytes_min: u64,
    /// Largest, bytes.
    pub value_bytes_max: u64,
}

/// What operations on values of one range of sizes took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeResult {
    /// The sizes, as they were asked for.
    #[serde(flatten)]
    pub sizes: ValueSizeRange,
    /// How many were timed, at least one.
    pub operations: u64,
    /// Their latencies.
    pub latency: Latency,
}

/// What one kind of operation cost in a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationResult {
    /// The kind: `insert`, `update`, `upsert`, `get`, `delete`, `scan`, `scan-all`, `commit`, `walk`.
    pub operation: String,
    /// How many were timed.
    pub operations: u64,
    /// Entries they delivered or wrote: equals `operations` except for scans and walks.
    pub entries: u64,
    /// Bytes of keys and values they delivered or wrote.
    pub bytes: u64,
    /// Time in them, summed over threads. Absent in throughput mode when a phase mixes operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed_ns: Option<u64>,
    /// Their latencies; absent in throughput mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// The same by the size of the value read or written, ascending; empty where nobody asked, or the driver cannot tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_size: Vec<SizeResult>,
}

/// What the process and the machine spent during a phase. Each is absent where it could not be read.
///
/// The driver's own work between timed blocks (reading the tape, checking answers) is part of these figures; the
/// `null` store shows how much that is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Resources {
    /// CPU time in user mode, all threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_user_ns: Option<u64>,
    /// CPU time in the kernel, all threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_system_ns: Option<u64>,
    /// Highest resident set during the phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_peak_bytes: Option<u64>,
    /// The same above the resident set measured after the store was opened empty (tape and pool buffers included there).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_peak_above_baseline_bytes: Option<u64>,
    /// Highest anonymous and shared (not file-backed) resident memory seen at the end of the phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_anonymous_bytes: Option<u64>,
    /// File-backed resident memory at the end of the phase: the part of the page cache that mmap stores have mapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_file_bytes: Option<u64>,
    /// Bytes passed to read calls by the process (`rchar`), page cache hits included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_read_bytes: Option<u64>,
    /// Bytes passed to write calls by the process (`wchar`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_write_bytes: Option<u64>,
    /// Read calls (`syscr`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_calls: Option<u64>,
    /// Write calls (`syscw`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_calls: Option<u64>,
    /// Bytes the process caused to be fetched from the block layer (`read_bytes`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_read_bytes: Option<u64>,
    /// Bytes the process caused to be sent to the block layer (`write_bytes` less `cancelled_write_bytes`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_write_bytes: Option<u64>,
    /// Bytes read by the whole device that holds the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_read_bytes: Option<u64>,
    /// Bytes written by the whole device that holds the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_write_bytes: Option<u64>,
    /// Voluntary context switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_switches_voluntary: Option<u64>,
    /// Involuntary context switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_switches_involuntary: Option<u64>,
    /// Page faults that needed a disk read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_faults_major: Option<u64>,
    /// Page faults served from memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_faults_minor: Option<u64>,
    /// Open file descriptors at the end of the phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
    /// Threads of the process at the end of the phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// Time in which some task of the machine waited for a CPU (pressure stall information).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall_cpu_ns: Option<u64>,
    /// Time in which some task of the machine waited for memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall_memory_ns: Option<u64>,
    /// Time in which some task of the machine waited for I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall_io_ns: Option<u64>,
    /// CPU time that the hypervisor gave to others, all CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steal_ns: Option<u64>,
    /// Garbage collections, of drivers in languages that have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_collections: Option<u64>,
    /// Time in which they stopped or kept a thread of their own busy, as the runtime counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_ns: Option<u64>,
    /// How far collections brought down the use of the heap's part for new objects: what they collected, and what they moved elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_churn_eden_bytes: Option<u64>,
    /// The same of the part for objects that were kept once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_churn_survivor_bytes: Option<u64>,
    /// The same of every other part: old objects, or the whole heap where a collector does not tell parts apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_churn_other_bytes: Option<u64>,
    /// Time the runtime spent compiling. Large beside the phase's time: it was not warm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jit_compile_ns: Option<u64>,
    /// Bytes of the garbage-collected heap that the replaying threads allocated while the clock ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_bytes: Option<u64>,
    /// Most of the garbage-collected heap in use at one moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_peak_bytes: Option<u64>,
    /// Most memory outside that heap that the runtime knows of, without the driver's own: direct and mapped buffers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers_peak_bytes: Option<u64>,
}

/// What a directory holds, summed over every file in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskUsage {
    /// Sum of file lengths, as `ls` shows.
    pub apparent_bytes: u64,
    /// Blocks taken, files and directories, as `du` shows.
    pub allocated_bytes: u64,
    /// Regular files.
    pub files: u64,
}
