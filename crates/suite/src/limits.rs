//! How large suites may be, and what they ask for.

/// The longest suite file that is read, in bytes.
pub const SUITE_BYTES_MAX: u64 = 1 << 20;

/// The longest value that a suite may ask for, in bytes.
pub const VALUE_BYTES_MAX: u64 = 1 << 30;

/// The most records that the phases of a workload may insert together: records are numbered with 32 bits.
pub const RECORDS_MAX: u64 = u32::MAX as u64;
