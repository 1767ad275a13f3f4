//! The lines of `results.jsonl`. Each is complete in itself; the machine and the versions stand in `run.json` beside it.

use serde::{Deserialize, Serialize};

use crate::axes::Axes;
use crate::{FailureKind, Finished, Opened, PhaseResult, Settings, Verified};

/// What identifies a tape and its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TapeFacts {
    /// XXH64 of the tape's header, which covers everything in the tape; 16 hex digits.
    pub tape_checksum: String,
    /// Operations on the tape.
    pub operations: u64,
    /// Records alive after the phase.
    pub records_after: u64,
    /// Bytes of keys and values alive after the phase.
    pub data_bytes_after: u64,
}

/// What was in the page cache of a closed store's files, as the caller saw it, before and after it dropped that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedCache {
    /// Before, with everything on the disk.
    pub resident_before_bytes: u64,
    /// After: what stayed.
    pub resident_after_bytes: u64,
}

impl DroppedCache {
    /// Whether hardly anything stayed: at most a hundredth.
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
    /// Which try of the round this is, from 1: one that the machine failed is tried again. Absent in the first.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// The cell's axes.
    #[serde(flatten)]
    pub axes: Axes,
    /// The tape that was replayed.
    #[serde(flatten)]
    pub tape: TapeFacts,
    /// What dropping the page cache of the store's files came to before the phase; absent where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_cache: Option<DroppedCache>,
    /// Bytes in the store's table files once the phase had ended, as the caller saw them; absent where the store collects no writes in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_bytes: Option<u64>,
    /// What was measured.
    pub result: PhaseResult,
}

/// The number of a round's first try.
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
    /// Every phase was measured, every answer right, the content verified.
    Ok,
    /// Something failed: none of its figures are ranked.
    Failed,
}

/// The last line of a cell's round. A cell's round without one did not finish and is done again by `--resume`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellEnd {
    /// The cell's id.
    pub cell: String,
    /// The round, from 1.
    pub round: u32,
    /// Which try of the round this is, from 1: one that the machine failed is tried again. Absent in the first.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub attempt: u32,
    /// The cell's axes.
    #[serde(flatten)]
    pub axes: Axes,
    /// How it ended.
    pub status: CellStatus,
    /// What sort of failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureKind>,
    /// The phase it failed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_phase: Option<String>,
    /// What happened, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_message: Option<String>,
    /// The command that repeats the cell by hand, if it failed; absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_again: Option<String>,
    /// How many phases it measured: so many lines belong to this one. Absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases_measured: Option<u64>,
    /// When it started, RFC 3339, UTC.
    pub started: String,
    /// Wall time of the driver process, start to exit.
    pub process_ns: u64,
    /// What `memory_bytes` became: the settings that share it. How is in the store's description.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub memory_settings: Settings,
    /// The most memory that the driver's process and the page cache of its files took together; absent without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_peak_bytes: Option<u64>,
    /// The most that the store's directory took on disk at one time: blocks, as the caller saw it while the driver ran, or the driver before and after
    /// closing. Absent in results of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_peak_allocated_bytes: Option<u64>,
    /// What a flush took right before, in the middle of several: of 4 KiB that were added to a file on the same medium, nanoseconds. Absent where
    /// the store flushes no single write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_ns: Option<u64>,
    /// Phases left out because the store does not offer what they need: name and reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_offered: Vec<(String, String)>,
    /// The empty store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Opened>,
    /// The whole content, compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// Closing, and the disk before and after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Finished>,
    /// Bytes of keys and values alive at the end.
    pub data_bytes: u64,
    /// Records alive at the end.
    pub records_alive: u64,
    /// The log of the driver, relative to the run's directory.
    pub log: String,
    /// What came of profiling it; absent where it was not profiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiled: Option<ProfileOutcome>,
}

/// What came of profiling a cell's round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileOutcome {
    /// The flame graph, relative to the run's directory; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flame_graph: Option<String>,
    /// Samples in it: of CPU time their number, of allocations their bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Why there is none, or why it may not be whole.
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
    /// Says which try of its round this is.
    pub fn set_attempt(&mut self, attempt: u32) {
        match self {
            Self::Phase(phase) => phase.attempt = attempt,
            Self::Cell(end) => end.attempt = attempt,
        }
    }

    /// Reads a line.
    ///
    /// Callers read them here and not by themselves, since the code for it is large, and is compiled once in this way.
    ///
    /// # Errors
    /// Where the line is none, or of a kind that this version does not know.
    pub fn from_json(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }
}
