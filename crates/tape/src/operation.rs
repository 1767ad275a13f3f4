//! The kinds of operation, and how the entries of a scan are consumed.

use serde::{Deserialize, Serialize};

/// The kinds of operation, with their code on the tape (`docs/TAPE.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Operation {
    /// Write a key that is not there.
    Insert = 1,
    /// Replace the value of a key that is there.
    Update = 2,
    /// Write a key whether or not it is there.
    Upsert = 3,
    /// Read a key.
    Get = 4,
    /// Remove a key.
    Delete = 5,
    /// Read some entries in key order.
    Scan = 6,
    /// Read every entry.
    ScanAll = 7,
    /// End a batch.
    Commit = 8,
    /// Look up a path in a directory tree, a component at a time.
    Walk = 9,
    /// Ask whether a key is there.
    Exists = 10,
    /// Read the entries with a common beginning of keys, in key order.
    ScanPrefix = 11,
    /// Read the first entry, of all or of those with a common beginning of keys.
    First = 12,
}

impl Operation {
    /// All kinds, by code.
    pub const ALL: [Self; 12] = [
        Self::Insert,
        Self::Update,
        Self::Upsert,
        Self::Get,
        Self::Delete,
        Self::Scan,
        Self::ScanAll,
        Self::Commit,
        Self::Walk,
        Self::Exists,
        Self::ScanPrefix,
        Self::First,
    ];

    /// The kind with this code.
    #[inline]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// The name used in suites and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Upsert => "upsert",
            Self::Get => "get",
            Self::Delete => "delete",
            Self::Scan => "scan",
            Self::ScanAll => "scan-all",
            Self::Commit => "commit",
            Self::Walk => "walk",
            Self::Exists => "exists",
            Self::ScanPrefix => "scan-prefix",
            Self::First => "first",
        }
    }

    /// Whether it goes through entries that the store chooses: a scan or a walk.
    #[inline]
    pub fn visits(self) -> bool {
        self.scans() || self == Self::Walk
    }

    /// Whether it is some kind of scan, whose record has scan fields.
    #[inline]
    pub fn scans(self) -> bool {
        matches!(self, Self::Scan | Self::ScanAll | Self::ScanPrefix | Self::First)
    }

    /// Whether its key is only the beginning of keys.
    #[inline]
    pub fn has_prefix(self) -> bool {
        matches!(self, Self::ScanPrefix | Self::First)
    }

    /// Whether a store answers it with something that is compared at once.
    #[inline]
    pub fn answers(self) -> bool {
        self.visits() || matches!(self, Self::Get | Self::Exists)
    }

    /// Whether it changes the store.
    #[inline]
    pub fn writes(self) -> bool {
        self.writes_value() || self == Self::Delete
    }

    /// Whether it writes a value.
    #[inline]
    pub fn writes_value(self) -> bool {
        matches!(self, Self::Insert | Self::Update | Self::Upsert)
    }
}

/// How each entry of a scan is consumed inside the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Consumer {
    /// Count entries and bytes.
    Count = 0,
    /// Read the first and last 8 bytes of key and value.
    Touch = 1,
    /// CRC-32 of all bytes.
    Crc32 = 2,
    /// XXH64 of all bytes.
    Xxh64 = 3,
    /// Copy key and value to the caller's buffer.
    Copy = 4,
    /// As `Touch`, but it compares only keys and the lengths of values: values may change while the scan goes on.
    Keys = 5,
}

impl Consumer {
    /// All consumers, by code.
    pub const ALL: [Self; 6] = [Self::Count, Self::Touch, Self::Crc32, Self::Xxh64, Self::Copy, Self::Keys];

    /// Whether what values hold decides its answer, and not only how long they are.
    pub fn compares_values(self) -> bool {
        !matches!(self, Self::Count | Self::Keys)
    }

    /// The consumer with this code on the tape.
    #[inline]
    pub fn from_code(code: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}
