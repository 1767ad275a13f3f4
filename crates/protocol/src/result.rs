//! The lines of `results.jsonl`. Each line is self-contained; the machine and the versions are in `run.json` in the same directory.

use serde::{Deserialize, Serialize};

use crate::axes::Axes;
use crate::{FailureKind, Finished, Opened, PhaseResult, PowerCuts, Settings, Verified};

/// The identity of a tape and its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TapeFacts {
    /// XXH64 of the tape's header, which covers everything in the tape; 16 hex digits.
    pub tape_checksum: String,
    /// Operations on the tape.
    pub operations: u64,
    /// Records in the store after the phase.
    pub records_after: u64,
    /// Bytes of keys and values in the store after the phase.
    pub data_bytes_after: u64,
}

/// Bytes of a closed store's files in the page cache, before and after the caller dropped them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedCache {
    /// Before, with everything written to the disk.
    pub resident_before_bytes: u64,
    /// After: what remained.
    pub resident_after_bytes: u64,
}

impl DroppedCache {
    /// Whether at most 1 % remained.
    pub fn is_cold(self) -> bool {
        self.resident_after_bytes <= self.resident_before_bytes / 100
    }
}

/// One phase of one cell in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseLine {
    /// The cell's id: 16 hex digits.
    pub cell: String,
    /// The round, from 1.
    pub round: u32,
    /// Which attempt at the round this is, from 1; absent in the first. A round that failed because of the machine runs again.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// The cell's axes.
    #[serde(flatten)]
    pub axes: Axes,
    /// The replayed tape.
    #[serde(flatten)]
    pub tape: TapeFacts,
    /// The page cache of the store's files, dropped before the phase; absent if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_cache: Option<DroppedCache>,
    /// Bytes in the store's table files after the phase, as the caller saw them; absent if the store collects no writes in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_bytes: Option<u64>,
    /// The figures.
    pub result: PhaseResult,
}

/// The number of a round's first attempt.
fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_first(attempt: &u32) -> bool {
    *attempt == first()
}

/// How a cell's round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellStatus {
    /// Every phase was measured, every answer was right, and the content was verified.
    Ok,
    /// Something failed: none of its figures are ranked.
    Failed,
}

/// The last line of a cell's round. A round without it did not finish, and `--resume` runs it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellEnd {
    /// The cell's id.
    pub cell: String,
    /// The round, from 1.
    pub round: u32,
    /// Which attempt at the round this is, from 1; absent in the first. A round that failed because of the machine runs again.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// The cell's axes.
    #[serde(flatten)]
    pub axes: Axes,
    /// How it ended.
    pub status: CellStatus,
    /// The kind of failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureKind>,
    /// The phase in which it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_phase: Option<String>,
    /// The message for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_message: Option<String>,
    /// The command that repeats the cell by hand, if it failed; absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_again: Option<String>,
    /// The number of phases measured, and so of lines that belong to this one. Absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases_measured: Option<u64>,
    /// When it started, RFC 3339, UTC.
    pub started: String,
    /// Wall time of the driver process, start to exit.
    pub process_ns: u64,
    /// The settings that share `memory_bytes`, with their values. The store's description has the shares.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub memory_settings: Settings,
    /// Peak memory of the driver's process and the page cache of its files together; absent without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_peak_bytes: Option<u64>,
    /// Peak disk use of the store's directory, in allocated bytes. The maximum of what the caller saw while the driver ran, and what the
    /// driver saw before and after closing. Absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_peak_allocated_bytes: Option<u64>,
    /// The time of a flush just before the round, in nanoseconds: the median of several flushes of 4 KiB appended to a file on the same
    /// medium. Absent if the store does not flush each write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_ns: Option<u64>,
    /// Phases skipped because the store lacks a capability: name and reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_offered: Vec<(String, String)>,
    /// The open and empty store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Opened>,
    /// The comparison of the whole content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// Closing, and the disk before and after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Finished>,
    /// What power cuts left of the store; absent if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_cuts: Option<Box<PowerCuts>>,
    /// Bytes of keys and values in the store at the end.
    pub data_bytes: u64,
    /// Records in the store at the end.
    pub records_alive: u64,
    /// The driver's log, relative to the run's directory.
    pub log: String,
    /// The profile; absent if it was not profiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiled: Option<ProfileOutcome>,
}

/// The result of profiling a cell's round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileOutcome {
    /// The flame graph, relative to the run's directory; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flame_graph: Option<String>,
    /// Its samples: the number for CPU time, bytes for allocations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Why there is none, or why it may be incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// One line of `results.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum ResultLine {
    /// A phase was measured.
    Phase(Box<PhaseLine>),
    /// A cell's round ended.
    Cell(Box<CellEnd>),
}

impl ResultLine {
    /// Sets which attempt at its round this is.
    pub fn set_attempt(&mut self, attempt: u32) {
        match self {
            Self::Phase(phase) => phase.attempt = attempt,
            Self::Cell(end) => end.attempt = attempt,
        }
    }

    /// Parses a line.
    ///
    /// Callers use this function, so that its large code is compiled only once.
    ///
    /// # Errors
    /// The text is not a line, or of a kind that this version does not know.
    pub fn from_json(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }
}
