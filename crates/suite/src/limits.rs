//! Limits of suites and of the workloads they describe.

/// The longest suite file, in bytes.
pub const SUITE_BYTES_MAX: u64 = 1 << 20;

/// The longest value that a suite may use, in bytes.
pub const VALUE_BYTES_MAX: u64 = 1 << 30;

/// The maximum of records that the phases of a workload insert together: records have 32-bit numbers.
pub const RECORDS_MAX: u64 = u32::MAX as u64;
