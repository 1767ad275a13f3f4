//! What a plan skips, and why.

use std::fmt;

use bakeoff_protocol::{Durability, Profile, StoreDescription};
use bakeoff_tape::KeyForm;
use bakeoff_text::{approximate_size, format_count, format_size};
use serde::{Deserialize, Serialize};

/// Something that is not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The store. `None` if the reason holds for all stores.
    pub store: Option<String>,
    /// The values of the axes on which the reason depends, for people. Empty if it depends on none.
    pub what: String,
    /// Why.
    pub why: SkipReason,
}

impl Skip {
    /// A store that is skipped for all values of the axes.
    pub(crate) fn of_store(store: String, why: SkipReason) -> Self {
        Self { store: Some(store), what: String::new(), why }
    }

    /// A label of what is skipped: the store, and the values of the axes.
    pub fn label(&self) -> String {
        match &self.store {
            None => self.what.clone(),
            Some(store) if self.what.is_empty() => store.clone(),
            Some(store) => format!("{store}, {}", self.what),
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.label(), self.why)
    }
}

/// Why something is not measured. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// Mean value size × records is above the suite's limit.
    AboveLimit {
        /// Mean value size × records.
        db_bytes: u64,
        /// The limit.
        db_bytes_max: u64,
    },
    /// The medium has too little free space. A store needs three times its data, for logs, copies on write and free
    /// pages. A compacted copy needs twice its data more.
    DiskTooSmall {
        /// What is needed.
        needed_bytes: u64,
        /// What is free.
        free_bytes: u64,
        /// Whether compacted copies are part of the suite.
        copied: bool,
    },
    /// The store keeps a file for each record, and the medium can hold too few files and directories.
    TooFewFiles {
        /// How many are needed, directories included.
        needed_files: u64,
        /// How many of them are directories.
        directories: u64,
        /// How many can be made.
        free_files: u64,
    },
    /// The store keeps a file for each record, and the medium has too few blocks for them.
    TooFewBlocks {
        /// How many files are needed, directories included.
        needed_files: u64,
        /// The size of their blocks, bytes.
        needed_bytes: u64,
        /// What is free, bytes.
        free_bytes: u64,
    },
    /// The tapes do not fit the disk on which they are stored.
    NoRoomForTapes {
        /// Their size, bytes.
        needed_bytes: u64,
        /// What is free there, bytes.
        free_bytes: u64,
    },
    /// The store does not offer the durability level.
    DurabilityNotOffered {
        /// The level.
        durability: Durability,
        /// The levels it offers.
        offered: Vec<Durability>,
        /// The reason that the store's description gives.
        why: Option<String>,
    },
    /// A value of one of the store's settings lowers its durability level.
    SettingPromisesLess {
        /// The setting.
        setting: String,
        /// Its value.
        value: String,
        /// The highest level with this value.
        most: Durability,
    },
    /// A value of one of the store's settings limits it to one thread.
    SettingForOneThread {
        /// The setting.
        setting: String,
        /// Its value.
        value: String,
    },
    /// Compression is not allowed, and a value of one of the store's settings compresses.
    SettingCompresses {
        /// The setting.
        setting: String,
        /// Its value.
        value: String,
    },
    /// Compression is not allowed, and no setting of the store prevents it.
    AlwaysCompresses {
        /// The reason that the store's description gives.
        why: String,
    },
    /// Keys are longer than the store allows.
    KeyTooLong {
        /// The key form.
        key: KeyForm,
        /// The length of its keys.
        key_bytes: u64,
        /// The longest that the store allows.
        key_bytes_max: u64,
    },
    /// Keys are shorter than the store allows.
    KeyTooShort {
        /// The key form.
        key: KeyForm,
        /// The length of its keys.
        key_bytes: u64,
        /// The shortest that the store allows.
        key_bytes_min: u64,
    },
    /// Values are longer than the store allows.
    ValueTooLong {
        /// The longest value.
        value_bytes: u64,
        /// The longest that the store allows.
        value_bytes_max: u64,
    },
    /// The store cannot do a phase that changes its content, so all later answers would be wrong.
    PhaseNotOffered {
        /// The phase.
        phase: String,
        /// What the store lacks.
        why: String,
    },
    /// The store cannot do any phase after the load.
    NothingOffered,
    /// The suite gives memory, and the store's description does not divide it.
    MemoryNotDivided,
    /// The memory that the suite gives is too small for one of the store's settings.
    MemoryTooSmall {
        /// The memory.
        memory_bytes: u64,
        /// The setting.
        setting: String,
        /// Its share.
        bytes: u64,
        /// The minimum of the setting.
        bytes_min: u64,
    },
    /// The store's driver cannot profile this.
    ProfileNotOffered {
        /// The kind of profile.
        profile: Profile,
    },
    /// The store's driver exists but does not answer.
    UnresponsiveDriver {
        /// Why.
        why: String,
    },
    /// The store's driver cannot be killed with the store open and recover it.
    KillNotOffered,
    /// The store cannot list what a power cut left of it, or its driver does not.
    CutNotOffered,
    /// A phase begins with cold caches, but the medium's files cannot be dropped from memory.
    CacheStays {
        /// What keeps them there.
        kept_by: String,
    },
    /// This machine cannot limit memory.
    MemoryLimitNotPossible {
        /// Why, and what to do.
        why: String,
    },
}

impl SkipReason {
    /// The reason that a store does not offer this level.
    pub fn durability_not_offered(store: &StoreDescription, durability: Durability) -> Self {
        let offered = store.durability.keys().copied().collect();
        Self::DurabilityNotOffered {
            durability,
            offered,
            why: store.why_not(durability).map(|reason| reason.why.clone()),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AboveLimit { db_bytes, db_bytes_max } => write!(
                formatter,
                "too large: about {} of values, and max-db-size is {}",
                approximate_size(*db_bytes),
                format_size(*db_bytes_max)
            ),
            Self::DiskTooSmall { needed_bytes, free_bytes, copied } => write!(
                formatter,
                "too large for the disk: needs about {} (three times the data, {}and the tapes), and {} are free; fewer --records, a smaller --value-size or --scale need less",
                approximate_size(*needed_bytes),
                if *copied { "twice for its compacted copy, " } else { "" },
                approximate_size(*free_bytes)
            ),
            Self::TooFewFiles { needed_files, directories, free_files } => write!(
                formatter,
                "too many files for the file system: needs {} (one for each record{}), and {} can be made; use fewer \
                 --records, or another file system",
                format_count(*needed_files),
                match directories {
                    0 => String::new(),
                    directories => format!(", and {} directories", format_count(*directories)),
                },
                format_count(*free_files)
            ),
            Self::TooFewBlocks { needed_files, needed_bytes, free_bytes } => write!(
                formatter,
                "too large for the disk: {} files (one for each record) take about {} in whole blocks, and {} are free; fewer --records need less",
                format_count(*needed_files),
                approximate_size(*needed_bytes),
                approximate_size(*free_bytes)
            ),
            Self::NoRoomForTapes { needed_bytes, free_bytes } => write!(
                formatter,
                "no room for its tapes: they need about {} on the disk of --dir, or else of the results, and {} are free",
                approximate_size(*needed_bytes),
                approximate_size(*free_bytes)
            ),
            Self::DurabilityNotOffered { durability, offered, why } => {
                let names: Vec<_> = offered.iter().map(|class| class.name()).collect();
                let why = why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
                write!(formatter, "durability {durability} is not offered{why}, only {}", names.join(", "))?;
                // At a higher level, its results would appear next to those of stores with a lower one.
                match offered.iter().find(|level| level.includes(*durability)) {
                    Some(more) => write!(formatter, "; ask for {more}, which is stricter, to measure it"),
                    None => Ok(()),
                }
            }
            Self::SettingPromisesLess { setting, value, most } => {
                write!(
                    formatter,
                    "n/a: setting `{setting}` = {value} lowers the level to {most}: give another, or ask for that level"
                )
            }
            Self::SettingForOneThread { setting, value } => {
                write!(
                    formatter,
                    "n/a: setting `{setting}` = {value} works with one thread only: give another, or 1 thread"
                )
            }
            Self::SettingCompresses { setting, value } => {
                write!(formatter, "n/a: setting `{setting}` = {value} compresses: give another, or compression default")
            }
            Self::AlwaysCompresses { why } => write!(formatter, "n/a: the store cannot switch compression off: {why}"),
            Self::KeyTooLong { key, key_bytes, key_bytes_max } => {
                write!(
                    formatter,
                    "{} keys have {key_bytes} bytes, and the store's limit is {key_bytes_max}",
                    key.name()
                )
            }
            Self::KeyTooShort { key, key_bytes, key_bytes_min } => {
                write!(
                    formatter,
                    "{} keys have {key_bytes} bytes, and the store's minimum is {key_bytes_min}",
                    key.name()
                )
            }
            Self::ValueTooLong { value_bytes, value_bytes_max } => write!(
                formatter,
                "values have up to {}, and the store's limit is {}",
                format_size(*value_bytes),
                format_size(*value_bytes_max)
            ),
            Self::PhaseNotOffered { phase, why } => write!(formatter, "the store {why}, which phase `{phase}` needs"),
            Self::NothingOffered => formatter.write_str("the store offers none of the phases after the load"),
            Self::MemoryNotDivided => formatter.write_str("its driver does not describe how the store divides memory"),
            Self::MemoryTooSmall { memory_bytes, setting, bytes, bytes_min } => write!(
                formatter,
                "memory {} is too little: `{setting}` would get {}, and takes no less than {}",
                format_size(*memory_bytes),
                format_size(*bytes),
                format_size(*bytes_min)
            ),
            Self::ProfileNotOffered { profile } => write!(
                formatter,
                "n/a: its driver does not profile `{profile}`; `{} run --profile cpu` works for every store",
                bakeoff_text::program()
            ),
            Self::UnresponsiveDriver { why } => write!(formatter, "its driver does not answer: {why}"),
            Self::KillNotOffered => write!(formatter, "n/a: its driver does not measure recovery"),
            Self::CutNotOffered => {
                write!(formatter, "n/a: it does not list what is in it, or its driver does not take part in power cuts")
            }
            Self::CacheStays { kept_by } => write!(
                formatter,
                "n/a: caches cannot be cold, since {kept_by} keeps files in memory: use --dir or --medium with a directory on a disk"
            ),
            Self::MemoryLimitNotPossible { why } => write!(formatter, "memory cannot be limited here: {why}"),
        }
    }
}
