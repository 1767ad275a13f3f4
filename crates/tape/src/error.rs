//! What can go wrong with a tape, a pool or a workload.

use std::io;
use std::path::{Path, PathBuf};

use bakeoff_limits::remedy;
use thiserror::Error;

/// Why a tape, a pool or a recording could not be made or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TapeError {
    /// The operating system refused something.
    #[error("cannot {what} {}: {cause}{}", path.display(), remedy(cause))]
    Io {
        /// What was attempted, e.g. `read`.
        what: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The cause. Part of the message, so not a source besides.
        cause: io::Error,
    },
    /// The file is not a tape at all.
    #[error(
        "{} is not a tape: it {}, a tape begins with \"{}\"; give a file that ends in .tape, or record it again if this one should be a tape",
        path.display(),
        if found.is_empty() { "is empty".to_owned() } else { format!("begins with \"{}\"", found.escape_ascii()) },
        expected.escape_ascii()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The first bytes, up to 8.
        found: Vec<u8>,
        /// The magic.
        expected: [u8; 8],
    },
    /// The tape has a format this program does not know.
    #[error(
        "{}: offset 8: tape format version {found}, but this program reads version {expected}; record the tape again, \
         or use the version of bakeoff that made it",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: u32,
        /// The version known.
        expected: u32,
    },
    /// The file is shorter or longer than its header says.
    #[error("{}: {found} bytes long, expected {expected}; it was cut short or added to: record it again", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// The length it should have.
        expected: u64,
    },
    /// The file for acknowledgements has another number of slots than the store and the lanes need.
    #[error("{}: {found} bytes long, expected {expected}: 64 for the store, and 64 for each lane, all zero", path.display())]
    Slots {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// The length it should have.
        expected: u64,
    },
    /// The file was written to between its check and the end of its replay.
    #[error("{} was changed while it was being read: record it again, and let nothing else write to it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Something in the tape is not as it was written, or breaks a rule of the format.
    #[error("{}: offset {offset}: {what} is {found}, expected {expected}; the tape is damaged: record it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in the file, bytes.
        offset: u64,
        /// The field.
        what: &'static str,
        /// Its value.
        found: String,
        /// What it should have been.
        expected: String,
    },
    /// The tape does not have the requested lane.
    #[error("{}: lane {found} was asked for, expected one below {expected}: record the tape for as many threads", path.display())]
    NoSuchLane {
        /// The file.
        path: PathBuf,
        /// The lane asked for.
        found: u32,
        /// How many lanes there are.
        expected: u32,
    },
    /// A record handed to the writer breaks a rule of the format.
    #[error("cannot write to {}: {what} is {found}, expected {expected}", path.display())]
    Unwritable {
        /// The tape being written.
        path: PathBuf,
        /// The field.
        what: &'static str,
        /// Its value.
        found: String,
        /// What the format takes.
        expected: String,
    },
    /// The caller asked to stop when it was shown the progress.
    #[error("recording was stopped")]
    Stopped,
    /// The workload cannot be recorded.
    #[error("{what}: {found} is impossible: {expected}")]
    Workload {
        /// The field, with its phase.
        what: String,
        /// Its value.
        found: String,
        /// What is allowed, and how to fix it.
        expected: String,
    },
    /// A directory was taken for an imported tape.
    #[error("{} is no imported tape: {what}; `{} tape import` makes one", path.display(), bakeoff_text::program())]
    NotImported {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A folder of texts cannot serve as a source of values.
    #[error("{}: {what}", path.display())]
    Corpus {
        /// The folder.
        path: PathBuf,
        /// What is wrong, and how to fix it.
        what: String,
    },
}

impl TapeError {
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { what, path, cause }
    }

    pub(crate) fn workload(what: impl Into<String>, found: impl ToString, expected: impl Into<String>) -> Self {
        Self::Workload { what: what.into(), found: found.to_string(), expected: expected.into() }
    }
}
