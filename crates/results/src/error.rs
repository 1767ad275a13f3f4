//! Why a run or publication cannot be read or used.

use std::io;
use std::path::PathBuf;

use bakeoff_protocol::{PROTOCOL_VERSION, Profile};

/// Why a run cannot be read or used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The directory has no `run.json` from bakeoff.
    #[error(
        "{} is not a bakeoff run: {why}. Name a directory that `{} run` made, such as bakeoff-results/<time>-<suite>, \
         or the name that `run --name` gave it; or restore run.json from a copy",
        directory.display(),
        bakeoff_text::program()
    )]
    NotARun {
        /// The directory.
        directory: PathBuf,
        /// What is missing or wrong.
        why: String,
    },
    /// A file of the run exists but cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of the run cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A run cannot be resumed because it has another version of the format.
    #[error(
        "{} was written by another version of bakeoff (protocol {protocol}, this is {PROTOCOL_VERSION}): use that version, or start a new run",
        path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version in it.
        protocol: u64,
    },
    /// A run cannot be resumed because its `run.json` is damaged.
    #[error("{} is damaged: restore it from a copy, or start a new run: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A run cannot be resumed because an older version wrote it without its options.
    #[error(
        "the run was started by bakeoff {version}, which did not record its options: start a new run, or resume with that version"
    )]
    WithoutOptions {
        /// The version of bakeoff that began it.
        version: String,
    },
    /// A run was profiled, but a measurement is needed.
    #[error(
        "{} was profiled (--profile {profile}), which slows each store down in its own way: its figures are not to be compared with any; \
         run it again without --profile",
        directory.display()
    )]
    Profiled {
        /// The run.
        directory: PathBuf,
        /// What was profiled.
        profile: Profile,
    },
    /// Two runs have nothing in common.
    #[error(
        "{} and {} have no figure in common: compare runs of the same suite, or of suites that share workloads, phases, stores, durability and medium's name",
        a.display(),
        b.display()
    )]
    NothingToCompare {
        /// The first run.
        a: PathBuf,
        /// The second run.
        b: PathBuf,
    },
}

/// Why a publication cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// No publication has this name.
    #[error("there is no publication `{name}`: use {names}")]
    Unknown {
        /// The requested name.
        name: String,
        /// All names.
        names: String,
    },
    /// A file in `published/` is wrong.
    #[error("published/{name} cannot be read: {why}. Fix the file and build again")]
    Unreadable {
        /// The publication.
        name: String,
        /// The cause.
        why: String,
    },
}
