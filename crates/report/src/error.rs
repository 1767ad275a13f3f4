//! Why a report cannot be made.

use std::io;
use std::path::PathBuf;

use bakeoff_results::error::{PublishedError, RunError};

/// Why a run cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The run cannot be read, or not be taken for a measurement.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no such publication, or its files are wrong.
    #[error(transparent)]
    Published(#[from] PublishedError),
    /// A run and a publication have nothing in common.
    #[error("nothing in {} can be set against {name}: {why}", directory.display())]
    NothingInCommon {
        /// The run.
        directory: PathBuf,
        /// The publication.
        name: String,
        /// What would be needed.
        why: &'static str,
    },
    /// An export cannot be written.
    #[error("cannot write the export")]
    Write(#[from] io::Error),
    /// The JSON export cannot be written.
    #[error("cannot write the export")]
    Json(#[source] serde_json::Error),
}

// Neither gives the error of the system as its source.
impl From<serde_json::Error> for ReportError {
    fn from(why: serde_json::Error) -> Self {
        if why.is_io() { Self::Write(why.into()) } else { Self::Json(why) }
    }
}

impl From<csv::Error> for ReportError {
    fn from(why: csv::Error) -> Self {
        let text = why.to_string();
        match why.into_kind() {
            csv::ErrorKind::Io(why) => Self::Write(why),
            _ => Self::Write(io::Error::other(text)),
        }
    }
}
