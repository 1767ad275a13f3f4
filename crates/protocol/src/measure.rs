//! Figures: latencies, resources of a process, contents of a directory.

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

/// A range of value sizes with separate latencies. A value belongs to the first range whose largest size is at least its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ValueSizeRange {
    /// Smallest, bytes.
    pub value_bytes_min: u64,
    /// Largest, bytes.
    pub value_bytes_max: u64,
}

/// Latencies of operations on values in one range of sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeResult {
    /// The sizes, as requested.
    #[serde(flatten)]
    pub sizes: ValueSizeRange,
    /// The number of timed operations, at least one.
    pub operations: u64,
    /// Their latencies.
    pub latency: Latency,
}

/// The figures of one kind of operation in a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationResult {
    /// The kind: `insert`, `update`, `upsert`, `get`, `delete`, `scan`, `scan-all`, `commit`, `walk`.
    pub operation: String,
    /// The number of timed operations.
    pub operations: u64,
    /// Entries returned or written: equals `operations` except for scans and walks.
    pub entries: u64,
    /// Bytes of keys and values returned or written.
    pub bytes: u64,
    /// Time in them, summed over threads. Absent in throughput mode when a phase mixes operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed_ns: Option<u64>,
    /// Their latencies; absent in throughput mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// The same by size of the value read or written, ascending; empty if not requested, or if the driver cannot do it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_size: Vec<SizeResult>,
}

/// Resources of the process and the machine during a phase. A figure is absent if it could not be read.
///
/// The figures include the driver's own work between timed blocks, such as reading the tape and checking answers. The `null` store shows
/// how much that is.
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
    /// The same above the resident set with the empty store open, which includes tape and pool buffers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_peak_above_baseline_bytes: Option<u64>,
    /// Anonymous and shared (not file-backed) resident memory at the end of the phase; the highest value seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_anonymous_bytes: Option<u64>,
    /// File-backed resident memory at the end of the phase: the part of the page cache mapped by mmap stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_file_bytes: Option<u64>,
    /// Bytes passed to read calls by the process (`rchar`), including page cache hits.
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
    /// Bytes that the process caused to be fetched from the block layer (`read_bytes`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_read_bytes: Option<u64>,
    /// Bytes that the process caused to be sent to the block layer (`write_bytes` less `cancelled_write_bytes`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_write_bytes: Option<u64>,
    /// Bytes read from the whole device that holds the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_read_bytes: Option<u64>,
    /// Bytes written to the whole device that holds the directory.
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
    /// Time in which any task on the machine waited for a CPU (pressure stall information).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall_cpu_ns: Option<u64>,
    /// Time in which any task on the machine waited for memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall_memory_ns: Option<u64>,
    /// Time in which any task on the machine waited for I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall_io_ns: Option<u64>,
    /// CPU time that the hypervisor gave to others, all CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steal_ns: Option<u64>,
    /// Garbage collections, in drivers with a garbage collector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_collections: Option<u64>,
    /// Time of collections as the runtime counts it: pauses, or work of their own threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_ns: Option<u64>,
    /// By how much collections reduced the part of the heap for new objects: collected bytes plus bytes moved elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_churn_eden_bytes: Option<u64>,
    /// The same for the part of objects that survived a collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_churn_survivor_bytes: Option<u64>,
    /// The same for all other parts: old objects, or the whole heap if a collector has no parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_churn_other_bytes: Option<u64>,
    /// Time the runtime spent compiling. If it is large compared with the phase, the runtime was not warm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jit_compile_ns: Option<u64>,
    /// Bytes of the garbage-collected heap that the replaying threads allocated in timed regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_bytes: Option<u64>,
    /// Peak use of the garbage-collected heap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_peak_bytes: Option<u64>,
    /// Peak memory outside that heap that the runtime knows of, without the driver's own: direct and mapped buffers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers_peak_bytes: Option<u64>,
}

/// The contents of a directory, summed over all its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskUsage {
    /// Sum of file lengths, as `ls` shows.
    pub apparent_bytes: u64,
    /// Allocated blocks of files and directories, as `du` shows.
    pub allocated_bytes: u64,
    /// Regular files.
    pub files: u64,
}
