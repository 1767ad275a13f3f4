//! What a phase of a workload does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Consumer, Operation, Shape, SizeRange};

/// Which records operations use. Every phase has its own random stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Access {
    /// In ascending key order, starting again at the lowest.
    Sequential,
    /// In the order in which records were inserted (for an insert phase: ascending index).
    Insertion,
    /// Each live record equally likely; for a load, a random permutation.
    Uniform,
    /// Zipfian with this exponent, popular records scattered over the key space.
    Zipfian {
        /// The exponent: 0.99 in YCSB.
        theta: f64,
    },
    /// Zipfian over age: the newest record is the most popular.
    Latest {
        /// The exponent.
        theta: f64,
    },
    /// A part of the records takes a part of the operations.
    Hot {
        /// Part of the records that is hot, between 0 and 1.
        records: f64,
        /// Part of the operations that fall on them, between 0 and 1.
        operations: f64,
    },
    /// Ranges of neighbouring records whose popularity falls by two exponentials, and within each a power law, as in RocksDB's mixgraph.
    Ranges {
        /// Into how many ranges of equal length the records are divided.
        ranges: u32,
        /// `[a, b, c, d]`: the range of rank `x`, from 1, has the weight `a·e^(b·x) + c·e^(d·x)`.
        range: [f64; 4],
        /// `[a, b]`: the part `a·x^b` of a range's operations falls on its first `x` records, which are scattered over
        /// it. The `x` at which the part reaches 1 may be more than the range has.
        key: [f64; 2],
    },
}

impl Access {
    /// Whether some records are more popular than others, for no reason such as their age or place.
    pub(crate) fn has_popular_records(self) -> bool {
        matches!(self, Self::Zipfian { .. } | Self::Hot { .. })
    }
}

/// Threads of a phase that all do the same, next to others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Role {
    /// Its share of the threads that all roles of the phase have together. A multiple of that total has the same
    /// multiple of each.
    pub threads: u32,
    /// Their part of the operations of the phase, by weight.
    pub share: f64,
    /// What they do, by weight.
    pub mix: BTreeMap<Operation, f64>,
}

/// How writes are acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Batch {
    /// Each write is a batch.
    Each,
    /// A commit after this many writes, and after the last.
    Writes(u64),
    /// One commit at the end.
    All,
}

/// How the phase is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Each operation.
    Latency,
    /// Blocks of operations.
    Throughput,
}

/// Operations that are due at fixed times, regardless of how long earlier ones take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum OpenLoop {
    /// Independent arrivals: the time between two is exponential.
    Poisson {
        /// Operations a second, of all lanes together.
        per_second: f64,
    },
    /// At equal distances.
    Fixed {
        /// Operations a second, of all lanes together.
        per_second: f64,
    },
    /// At the times on the tape, divided by a number. The tape is imported, or was drawn for another rate.
    Recorded {
        /// The number.
        speed: f64,
    },
}

impl OpenLoop {
    /// What the times on the tape are divided by when it is replayed.
    pub fn speed(self) -> f64 {
        match self {
            Self::Recorded { speed } => speed,
            Self::Poisson { .. } | Self::Fixed { .. } => 1.0,
        }
    }
}

/// One phase, measured separately.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseSpec {
    /// Its name in results: lower case, `-` between words, unique in the cell.
    pub name: String,
    /// Operations by relative weight; each operation's kind is drawn independently of its key and value. One entry for a pure phase.
    pub mix: BTreeMap<Operation, f64>,
    /// Threads with their own mixes, if not all do the same; [`PhaseSpec::in_roles`] sets them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Operations of all lanes together, without commits and operations that restore records. `None`: the workload's
    /// `records`.
    pub operations: Option<u64>,
    /// Which records the operations use. Inserts take new indexes, ascending, or shuffled if `Uniform`. Walks always
    /// end at a random leaf.
    pub access: Access,
    /// Kinds of operation that fall on records chosen otherwise. Accesses that go by popularity agree on which records are popular.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub access_of: BTreeMap<Operation, Access>,
    /// How writes are acknowledged.
    pub batch: Batch,
    /// How it is timed.
    pub measure: Measure,
    /// Part of the gets and existence checks that ask for a key that was never inserted, between 0 and 1.
    pub missing: f64,
    /// Put each deleted key back at once, with a new value, and remove inserted ones whenever a lane has grown to five times its records, and at the
    /// end. All of it is outside the clock: the number of records stays.
    pub restore: bool,
    /// Above 0, the phase ages the store: it replaces the value of every loaded record this many times, each time in
    /// another random order. It is the second phase, has only updates, and no number of operations. The load then
    /// writes other values, so that the content afterwards is that of a store that was not aged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turnovers: u32,
    /// Lanes that only read share the records of lanes that write, which replace values by others of the same length.
    /// Lanes scan while others write. There are no deletes then, and no inserts next to scans.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shared: bool,
    /// A get of the same record precedes each update, upsert and delete, and counts as another operation.
    #[serde(default, skip_serializing_if = "is_false")]
    pub read_first: bool,
    /// When operations are due, if not as soon as the one before has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// Measure only once the rate of operations is steady, at the latest after this part of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_within: Option<f64>,
    /// Wait afterwards until the store's background work is done, and report how long that took.
    #[serde(default, skip_serializing_if = "is_false")]
    pub settle: bool,
    /// Before it, the store is closed and opened again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reopen: bool,
    /// The page cache of the store's files is dropped before it is opened again; only with `reopen`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cold: bool,
    /// For scans: entries to read.
    pub scan_entries: SizeRange,
    /// Their distribution in that range.
    #[serde(default, skip_serializing_if = "Shape::is_uniform")]
    pub scan_shape: Shape,
    /// For scans of a prefix and first entries: how many bytes their keys have in common; 0 for first entries of all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub prefix_bytes: u32,
    /// For scans, whole scans and first entries: downwards.
    pub reverse: bool,
    /// For whole scans: any order will do, so stores without order can take part.
    pub any_order: bool,
    /// For scans and whole scans.
    pub consumer: Consumer,
    /// For walks: every field of each value is read, not the object id alone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all_fields: bool,
    /// For walks: each goes on below its leaf, where nothing is found.
    #[serde(default, skip_serializing_if = "is_false")]
    pub past_leaf: bool,
}

impl PhaseSpec {
    /// A phase that reads and writes uniformly. Each write is acknowledged separately, and each operation is timed and
    /// starts as soon as the one before has ended. Set the fields for anything else.
    pub fn new(name: &str, mix: impl IntoIterator<Item = (Operation, f64)>, operations: Option<u64>) -> Self {
        Self {
            name: name.to_owned(),
            mix: mix.into_iter().collect(),
            roles: Vec::new(),
            operations,
            access: Access::Uniform,
            access_of: BTreeMap::new(),
            batch: Batch::Each,
            measure: Measure::Latency,
            missing: 0.0,
            restore: false,
            turnovers: 0,
            shared: false,
            read_first: false,
            open_loop: None,
            steady_within: None,
            settle: false,
            reopen: false,
            cold: false,
            scan_entries: SizeRange { min: 0, max: 0 },
            scan_shape: Shape::Uniform,
            prefix_bytes: 0,
            reverse: false,
            any_order: false,
            consumer: Consumer::Touch,
            all_fields: false,
            past_leaf: false,
        }
    }

    /// Operations of all lanes together when `records` records are loaded. Commits, and operations that restore
    /// records, are not counted.
    pub fn drawn(&self, records: u64) -> u64 {
        let each = self.operations.unwrap_or(records);
        each.saturating_mul(u64::from(self.turnovers.max(1)))
    }

    /// Which records operations of a kind fall on.
    pub fn access_to(&self, operation: Operation) -> Access {
        self.access_of.get(&operation).copied().unwrap_or(self.access)
    }

    /// The kinds of its operations that fall on a record which is there.
    pub(crate) fn picking(&self) -> impl Iterator<Item = Operation> {
        use Operation::{Delete, Exists, First, Get, Scan, ScanPrefix, Update, Upsert};
        // A turnover goes through all of them.
        let kinds = [Delete, Exists, Get, Scan, ScanPrefix, Update, Upsert, First].into_iter();
        kinds.filter(|&kind| self.turnovers == 0 && self.has(kind) && (kind != First || self.prefix_bytes > 0))
    }

    /// Whether some records are more popular for it than others, for no reason such as their age or place.
    pub fn has_popular_records(&self) -> bool {
        self.picking().any(|kind| self.access_to(kind).has_popular_records())
    }

    /// Whether some of them are chosen so.
    pub(crate) fn picks_by(&self, access: Access) -> bool {
        self.picking().any(|kind| self.access_to(kind) == access)
    }

    /// Whether a kind of operation occurs.
    pub(crate) fn has(&self, operation: Operation) -> bool {
        self.mix.get(&operation).is_some_and(|weight| *weight > 0.0)
    }

    /// Whether a kind of operation occurs, and no other.
    pub(crate) fn does_only(&self, operation: Operation) -> bool {
        Operation::ALL.into_iter().all(|kind| self.has(kind) == (kind == operation))
    }

    /// Whether the phase changes the store.
    pub(crate) fn writes(&self) -> bool {
        Operation::ALL.into_iter().any(|operation| operation.writes() && self.has(operation))
    }
}

/// False fields are left out where a workload is written, so that new fields do not change the cells of older
/// workloads.
fn is_false(value: &bool) -> bool {
    !*value
}

/// As [`is_false`].
fn is_zero(value: &u32) -> bool {
    *value == 0
}
