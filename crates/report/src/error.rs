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
    /// A row of the CSV export cannot be written.
    #[error("cannot write the export")]
    Csv(#[from] csv::Error),
    /// The JSON export cannot be written.
    #[error("cannot write the export")]
    Json(#[from] serde_json::Error),
}
