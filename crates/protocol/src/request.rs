//! The request that a driver reads from standard input: one cell, one round.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::durability::Durability;
use crate::measure::ValueSizeRange;

/// The value of an optional key that is present. `null` is refused.
fn there<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

/// How the replay loop measures time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Each operation separately, into a histogram.
    Latency,
    /// Each block of the tape as a whole, for operations hardly slower than the clock.
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

/// A store's settings by name, from the suite or the store's defaults.
pub type Settings = BTreeMap<String, serde_json::Value>;

/// What a store may know about the data in advance, as a developer who chooses its settings would.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataHints {
    /// The most records in the store at the same time.
    pub records_max: u64,
    /// Records that all phases insert together, including deleted ones.
    pub records_inserted: u64,
    /// Length of the longest key, bytes.
    pub key_bytes_max: u64,
    /// Mean length of a value, bytes.
    pub value_bytes_mean: u64,
    /// Length of the longest value, bytes.
    pub value_bytes_max: u64,
    /// The most bytes of keys and values in the store at the same time.
    pub data_bytes_max: u64,
    /// Bytes of keys and values that all phases write together.
    pub written_bytes: u64,
    /// All keys are big-endian integers of one length.
    pub integer_keys: bool,
    /// Threads that will replay at the same time.
    pub threads: u32,
}

/// The largest amount in a request. Languages without unsigned integers have no larger ones.
pub const AMOUNT_MAX: u64 = i64::MAX as u64;

/// The largest share of a phase's operations that may be warm-up, so that some remain to be measured.
pub const STEADY_WITHIN_MAX: f64 = 0.9;

impl DataHints {
    /// Every amount in it, by name.
    pub fn amounts(&self) -> [(&'static str, u64); 7] {
        [
            ("records_max", self.records_max),
            ("records_inserted", self.records_inserted),
            ("key_bytes_max", self.key_bytes_max),
            ("value_bytes_mean", self.value_bytes_mean),
            ("value_bytes_max", self.value_bytes_max),
            ("data_bytes_max", self.data_bytes_max),
            ("written_bytes", self.written_bytes),
        ]
    }
}

/// One phase to replay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseRequest {
    /// The phase's name, copied into its result.
    pub name: String,
    /// The tape to replay.
    pub tape: PathBuf,
    /// How to measure time.
    pub mode: Mode,
    /// Writes come in batches that commit operations on the tape end. Otherwise each write is acknowledged separately.
    pub batched: bool,
    /// The phase inserts keys in ascending order into an empty store, so an append mode may be used.
    pub ascending: bool,
    /// Open loop: operations begin at the tape's times divided by this, and latency counts from the due time. If absent, an operation
    /// begins when the previous one has ended.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// The phase begins with a warm-up that is not measured, until the rate is steady. This is the largest share of operations it may take.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub steady_within: Option<f64>,
    /// After the phase, wait until the store has done its deferred work in the background, and report how long that took.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settle: bool,
    /// Before the phase, close the store and open it again, untimed. A store that keeps nothing stays open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reopen: bool,
    /// With `reopen`: a file to read to its end after closing the store and before opening it. The caller ends the file when it is done
    /// with the store's files, for example has dropped them from the page cache.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub gate: Option<PathBuf>,
    /// Latency mode: report latencies of inserts, updates, upserts and gets by these ranges of value sizes too. The ranges ascend and do
    /// not overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub value_sizes: Vec<ValueSizeRange>,
}

impl PhaseRequest {
    /// A phase that only replays its tape.
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

/// A small workload of the same kind, replayed into separate empty stores repeatedly until one of the limits is reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    /// The maximum time, from when the first store is open.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<u64>,
    /// The maximum number of operations.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// The value pool that these tapes refer to.
    pub pool: PathBuf,
    /// What the store may know about this data.
    pub hints: DataHints,
    /// The phases, in order.
    pub phases: Vec<PhaseRequest>,
}

/// A request to a driver: one cell, one round, in a separate process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// [`crate::PROTOCOL_VERSION`].
    pub protocol: u32,
    /// The cell's id, copied into messages.
    pub cell: String,
    /// The round, from 1.
    pub round: u32,
    /// The store's name, as in `describe`.
    pub store: String,
    /// The durability level to measure at.
    pub durability: Durability,
    /// Settings that differ from the store's defaults.
    #[serde(default)]
    pub settings: Settings,
    /// An existing, empty directory for the store's files. The caller clears it afterwards.
    pub directory: PathBuf,
    /// The value pool for all tapes of this request.
    pub pool: PathBuf,
    /// What the store may know about the data.
    pub hints: DataHints,
    /// The phases, in order.
    pub phases: Vec<PhaseRequest>,
    /// What to replay before measuring; only for drivers that need a warm-up.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// A tape to replay untimed after closing and opening again. It scans the whole store and has the expected content.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub verify: Option<PathBuf>,
    /// The path for a compacted copy after that, where nothing exists yet. Only for stores with this capability.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub compacted_copy: Option<PathBuf>,
    /// The part of a recovery that this process performs; only for drivers with this capability.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
    /// A file with a slot for each lane. At any moment, it shows what the driver has acknowledged. Only for drivers with `power_cuts`.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<PathBuf>,
    /// In a recovery: the path for inventories of the store, where nothing exists yet. Not with `verify`; only for drivers with `power_cuts`.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub inventory: Option<PathBuf>,
    /// What the driver profiles itself; only for drivers with this capability.
    #[serde(default, deserialize_with = "there", skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileRequest>,
}

/// The part of a process in a recovery, which takes two: one dies, and the other opens its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Crash {
    /// After the phases, send [`crate::Event::Dying`] and die by SIGKILL with the store open.
    Die,
    /// The directory is as a process left it: open the store, timed as reopening, and compare its content. There are no phases, except
    /// after an inventory.
    Recover,
}

/// Whether stores may compress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// As each store does by default.
    #[default]
    Default,
    /// Nothing is compressed.
    None,
}

impl Compression {
    /// All choices.
    pub const ALL: [Self; 2] = [Self::Default, Self::None];

    /// The name used in suites, on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::None => "none",
        }
    }

    /// Whether stores compress as they do by default.
    pub fn is_default(&self) -> bool {
        *self == Self::Default
    }
}

/// What to profile: CPU time, or memory allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Samples of the stack, spaced evenly in CPU time.
    Cpu,
    /// Samples of the stack at memory allocations, weighted by bytes.
    Alloc,
}

impl Profile {
    /// All kinds.
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

/// A profile that the driver records itself, from before the first phase until after the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileRequest {
    /// What to profile.
    pub kind: Profile,
    /// The file to write, in an existing directory: a line per stack. Its frames are separated by `;`, outermost first, then a space and
    /// the number of samples or bytes.
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
