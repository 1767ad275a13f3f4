//! The request a driver reads from standard input: one cell, one round.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::durability::Durability;
use crate::measure::ValueSizeRange;

/// How the replay loop takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Each operation by itself, into a histogram.
    Latency,
    /// Each block of the tape as a whole: for operations hardly slower than the clock.
    Throughput,
}

impl Mode {
    /// The name in JSON and in suites.
    pub fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Throughput => "throughput",
        }
    }
}

/// A store's settings by name, as the suite or the store's defaults give them.
pub type Settings = BTreeMap<String, serde_json::Value>;

/// What a store may know beforehand about the data, as a developer who chooses its settings would.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataHints {
    /// Records alive at the same time, at most.
    pub records_max: u64,
    /// Records that all phases insert together, deleted ones included.
    pub records_inserted: u64,
    /// Length of the longest key.
    pub key_bytes_max: u64,
    /// Mean length of a value.
    pub value_bytes_mean: u64,
    /// Length of the longest value.
    pub value_bytes_max: u64,
    /// Bytes of keys and values alive at the same time, at most.
    pub data_bytes_max: u64,
    /// Bytes of keys and values that all phases write together.
    pub written_bytes: u64,
    /// All keys are big-endian integers of one length.
    pub integer_keys: bool,
    /// Threads that will replay at the same time.
    pub threads: u32,
}

/// The largest part of a phase's operations that may be a warm-up: some are left to be measured.
pub const STEADY_WITHIN_MAX: f64 = 0.9;

/// One phase to replay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseRequest {
    /// The phase's name, copied into its result.
    pub name: String,
    /// The tape to replay.
    pub tape: PathBuf,
    /// How to take time.
    pub mode: Mode,
    /// Writes come in batches that the tape ends with commit operations; otherwise each write is acknowledged alone.
    pub batched: bool,
    /// The phase inserts keys in ascending order into an empty store, so that an append mode may be used.
    pub ascending: bool,
    /// Open loop: operations begin at the tape's times divided by this, and latency counts from when each was due. Absent: an operation
    /// begins when the one before has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// The phase's first operations are a warm-up, which is not measured, until their rate has settled; this part of them at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_within: Option<f64>,
    /// After the phase, wait until the store has done in the background whatever it put off, and say how long that took.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settle: bool,
    /// Before the phase, close the store and open it again, outside the clock. A store that keeps nothing is left open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reopen: bool,
    /// With `reopen`: a file to read to its end once the store is closed, before it is opened again. The caller ends it when it has done
    /// with the store's files what it had to, such as drop them from the page cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<PathBuf>,
    /// Latency mode: report latencies of inserts, updates, upserts and gets by these ranges of value sizes too. They ascend and do not overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub value_sizes: Vec<ValueSizeRange>,
}

impl PhaseRequest {
    /// A phase of which nothing is asked but to replay its tape.
    pub fn new(name: &str, tape: PathBuf, mode: Mode) -> Self {
        Self {
            name: name.to_owned(),
            tape,
            mode,
            batched: false,
            ascending: false,
            speed: None,
            steady_within: None,
            settle: false,
            reopen: false,
            gate: None,
            value_sizes: Vec::new(),
        }
    }
}

/// A small workload of the same kind, replayed into empty stores of its own, again and again, until one of the limits is reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    /// How long, at most, from when the first store is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<u64>,
    /// How many operations, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// The value pool that these tapes refer to.
    pub pool: PathBuf,
    /// What the store may know about this data.
    pub hints: DataHints,
    /// The phases, in order.
    pub phases: Vec<PhaseRequest>,
}

/// What a driver is asked to do: one cell, one round, in a process of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// [`crate::PROTOCOL_VERSION`].
    pub protocol: u32,
    /// The cell's id, copied into messages.
    pub cell: String,
    /// The round, from 1.
    pub round: u32,
    /// The store's name, as `describe` gives it.
    pub store: String,
    /// The durability level to measure at.
    pub durability: Durability,
    /// Settings that differ from the store's defaults.
    #[serde(default)]
    pub settings: Settings,
    /// An existing, empty directory for the store's files. The driver leaves clearing it to the caller.
    pub directory: PathBuf,
    /// The value pool that all tapes of this request refer to.
    pub pool: PathBuf,
    /// What the store may know about the data.
    pub hints: DataHints,
    /// The phases, in order.
    pub phases: Vec<PhaseRequest>,
    /// What to replay before anything is measured; only for drivers that want it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// A tape to replay untimed after closing and opening again: it scans the whole store and knows what must be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<PathBuf>,
    /// Where to make a compacted copy after that: a path with nothing there yet. Only for stores that describe themselves as able to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compacted_copy: Option<PathBuf>,
    /// The part of a recovery that this process has; only for drivers that describe themselves as able to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
    /// What the driver is to profile by itself; only for drivers that describe themselves so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileRequest>,
}

/// What a process does of a recovery, which takes two: one that dies, and one that finds what it has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Crash {
    /// After the phases, say [`crate::Event::Dying`] and die by SIGKILL with the store open.
    Die,
    /// There are no phases, and the directory is not empty: open what is there, which is timed as opening again, and compare it.
    Recover,
}

/// What stores may do about compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// As each store is set by itself.
    #[default]
    Default,
    /// Nothing is compressed.
    None,
}

impl Compression {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Default, Self::None];

    /// The name used in suites, on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::None => "none",
        }
    }

    /// Whether stores compress as they are set by themselves.
    pub fn is_default(&self) -> bool {
        *self == Self::Default
    }
}

/// What to profile: where CPU time goes, or where memory is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Samples of the stack, spread evenly over CPU time.
    Cpu,
    /// Samples of the stack where memory is allocated, weighed by bytes.
    Alloc,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::Alloc];

    /// The name used on the command line, in requests and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Alloc => "alloc",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.name() == word)
            .ok_or_else(|| format!("there is no profile `{word}`: use cpu, or alloc for stores on the JVM"))
    }
}

/// What a driver that profiles itself is to do, from before the first phase until after the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileRequest {
    /// What to profile.
    pub kind: Profile,
    /// The file to write, in a directory that is there: a line for each stack, its frames from the outermost on with `;` between them, a
    /// space, and the number of samples, or bytes.
    pub file: PathBuf,
}

impl ProfileRequest {
    /// The file to write instead, with the reason, if there is no profile.
    pub fn trouble(&self) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(".trouble");
        name.into()
    }
}
