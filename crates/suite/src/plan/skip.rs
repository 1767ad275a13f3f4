//! What a plan leaves out, and why.

use std::fmt;

use bakeoff_protocol::{Durability, Profile, StoreDescription};
use bakeoff_tape::KeyForm;
use bakeoff_text::{approximate_size, format_count, format_size};
use serde::{Deserialize, Serialize};

/// Something that is not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The store; `None` where the reason holds for all stores.
    pub store: Option<String>,
    /// The values of the axes that the reason depends on, for people; empty where it depends on none.
    pub what: String,
    /// Why.
    pub why: SkipReason,
}

impl Skip {
    /// A store that is skipped whatever the axes are.
    pub(crate) fn of_store(store: String, why: SkipReason) -> Self {
        Self { store: Some(store), what: String::new(), why }
    }

    /// What is skipped, for people: the store, and the values of the axes.
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

/// Why something is not measured; sizes are in bytes.
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
    /// The medium has too little free space: three times the data must fit, for logs, copies on write and free pages, and twice more
    /// for a compacted copy.
    DiskTooSmall {
        /// What is needed.
        needed_bytes: u64,
        /// What is free.
        free_bytes: u64,
        /// Whether compacted copies are asked for.
        copied: bool,
    },
    /// The store keeps a file for each record, and the medium can hold fewer files and directories.
    TooFewFiles {
        /// How many are needed, directories included.
        needed_files: u64,
        /// How many of them are directories.
        directories: u64,
        /// How many can be made.
        free_files: u64,
    },
    /// The store keeps a file for each record, each file takes whole blocks, and the medium has fewer.
    TooFewBlocks {
        /// How many files are needed, directories included.
        needed_files: u64,
        /// What their blocks take, bytes.
        needed_bytes: u64,
        /// What is free, bytes.
        free_bytes: u64,
    },
    /// The tapes do not fit the disk on which they are to lie.
    NoRoomForTapes {
        /// What they take, bytes.
        needed_bytes: u64,
        /// What is free there, bytes.
        free_bytes: u64,
    },
    /// The store does not offer the durability level.
    DurabilityNotOffered {
        /// The level.
        durability: Durability,
        /// Those it offers.
        offered: Vec<Durability>,
        /// What the store says of it.
        why: Option<String>,
    },
    /// A value of one of its settings gives up what the level promises.
    SettingPromisesLess {
        /// The setting.
        setting: String,
        /// Its value.
        value: String,
        /// The most that this value promises.
        most: Durability,
    },
    /// With a value of one of its settings one thread alone can use the store.
    SettingForOneThread {
        /// The setting.
        setting: String,
        /// Its value.
        value: String,
    },
    /// Nothing is to be compressed, and a value of one of its settings compresses.
    SettingCompresses {
        /// The setting.
        setting: String,
        /// Its value.
        value: String,
    },
    /// Nothing is to be compressed, and no setting of the store keeps it from that.
    AlwaysCompresses {
        /// What the store says of it.
        why: String,
    },
    /// Keys are longer than the store takes.
    KeyTooLong {
        /// The key form.
        key: KeyForm,
        /// The length of its keys.
        key_bytes: u64,
        /// The longest that the store takes.
        key_bytes_max: u64,
    },
    /// Keys are shorter than the store takes.
    KeyTooShort {
        /// The key form.
        key: KeyForm,
        /// The length of its keys.
        key_bytes: u64,
        /// The shortest that the store takes.
        key_bytes_min: u64,
    },
    /// Values are longer than the store takes.
    ValueTooLong {
        /// The longest value.
        value_bytes: u64,
        /// The longest that the store takes.
        value_bytes_max: u64,
    },
    /// The store cannot do a phase that changes its content, so all answers after it would be wrong.
    PhaseNotOffered {
        /// The phase.
        phase: String,
        /// What the store lacks.
        why: String,
    },
    /// The store can do no phase after the load.
    NothingOffered,
    /// The suite gives memory, and the store does not say how it divides it.
    MemoryNotDivided,
    /// The memory that the suite gives is too little for one of the store's settings.
    MemoryTooSmall {
        /// The memory.
        memory_bytes: u64,
        /// The setting.
        setting: String,
        /// Its share.
        bytes: u64,
        /// The least it takes.
        bytes_min: u64,
    },
    /// The store's driver cannot profile this.
    ProfileNotOffered {
        /// What was to be profiled.
        profile: Profile,
    },
    /// The store's driver is there and does not answer.
    UnresponsiveDriver {
        /// Why.
        why: String,
    },
    /// The store's driver cannot die with the store open and recover it.
    KillNotOffered,
    /// A phase begins with cold caches, and nothing drops the medium's files from memory.
    CacheStays {
        /// What keeps them there.
        kept_by: String,
    },
    /// A limit on memory cannot be set on this machine.
    MemoryLimitNotPossible {
        /// Why, and what to do.
        why: String,
    },
}

impl SkipReason {
    /// That a store does not offer this level.
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
                "no room for its tapes: they need about {} where --dir is, or else the results, and {} are free",
                approximate_size(*needed_bytes),
                approximate_size(*free_bytes)
            ),
            Self::DurabilityNotOffered { durability, offered, why } => {
                let names: Vec<_> = offered.iter().map(|class| class.name()).collect();
                let why = why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
                write!(formatter, "durability {durability} is not offered{why}, only {}", names.join(", "))?;
                // Measured there, its figures would stand beside those of stores that promise less.
                match offered.iter().find(|level| level.includes(*durability)) {
                    Some(more) => write!(formatter, "; {more} promises more, and is measured where it is asked for"),
                    None => Ok(()),
                }
            }
            Self::SettingPromisesLess { setting, value, most } => {
                write!(
                    formatter,
                    "n/a: setting `{setting}` = {value} promises no more than durability {most}: give another, or ask for that level"
                )
            }
            Self::SettingForOneThread { setting, value } => {
                write!(
                    formatter,
                    "n/a: setting `{setting}` = {value} is for one thread alone: give another, or 1 thread"
                )
            }
            Self::SettingCompresses { setting, value } => {
                write!(formatter, "n/a: setting `{setting}` = {value} compresses: give another, or compression default")
            }
            Self::AlwaysCompresses { why } => write!(formatter, "n/a: the store cannot leave compression off: {why}"),
            Self::KeyTooLong { key, key_bytes, key_bytes_max } => {
                write!(formatter, "{} keys have {key_bytes} bytes, the store takes {key_bytes_max}", key.name())
            }
            Self::KeyTooShort { key, key_bytes, key_bytes_min } => {
                write!(
                    formatter,
                    "{} keys have {key_bytes} bytes, the store takes no less than {key_bytes_min}",
                    key.name()
                )
            }
            Self::ValueTooLong { value_bytes, value_bytes_max } => write!(
                formatter,
                "values have up to {}, the store takes {}",
                format_size(*value_bytes),
                format_size(*value_bytes_max)
            ),
            Self::PhaseNotOffered { phase, why } => write!(formatter, "the store {why}, which phase `{phase}` needs"),
            Self::NothingOffered => formatter.write_str("the store offers none of the phases after the load"),
            Self::MemoryNotDivided => {
                formatter.write_str("its driver does not say how the store divides the memory it is given")
            }
            Self::MemoryTooSmall { memory_bytes, setting, bytes, bytes_min } => write!(
                formatter,
                "memory {} is too little: `{setting}` would get {}, and takes no less than {}",
                format_size(*memory_bytes),
                format_size(*bytes),
                format_size(*bytes_min)
            ),
            Self::ProfileNotOffered { profile } => write!(
                formatter,
                "n/a: its driver does not profile `{profile}`; `bakeoff run --profile cpu` works for every store"
            ),
            Self::UnresponsiveDriver { why } => write!(formatter, "its driver does not answer: {why}"),
            Self::KillNotOffered => write!(formatter, "n/a: its driver does not measure recovery"),
            Self::CacheStays { kept_by } => write!(
                formatter,
                "n/a: caches cannot be cold, since {kept_by} keeps files in memory: use --dir or --medium with a directory on a disk"
            ),
            Self::MemoryLimitNotPossible { why } => write!(formatter, "memory cannot be limited here: {why}"),
        }
    }
}
