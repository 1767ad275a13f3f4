//! An imported tape: opened, and replayed instead of tapes that are recorded for a suite.

use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_tape::{Recording, Workload, open_import};
use bakeoff_trace::WARM_UP_DIRECTORY;

/// An imported tape, every file of which was found whole.
pub(crate) struct Replayed {
    pub(crate) workload: Workload,
    pub(crate) recording: Recording,
    /// Its beginning; a short tape is its own.
    pub(crate) warm_up: Recording,
}

impl Replayed {
    /// Opens the tape of a suite.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let absolute = path.canonicalize().with_context(|| format!("cannot find the tape {}", path.display()))?;
        let (workload, recording) = open_import(&absolute)?;
        let beginning = absolute.join(WARM_UP_DIRECTORY);
        let warm_up = if beginning.exists() { open_import(&beginning)?.1 } else { recording.clone() };
        Ok(Self { workload, recording, warm_up })
    }

    /// A suite that replays the tape on these stores, in the default class.
    pub(crate) fn suite(path: &Path, stores: &[String]) -> Result<String> {
        let tape = Self::path_as_toml(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let title = toml::Value::from(format!("Replay of {name}"));
        Ok(format!(
            "title = {title}\nsummary = \"What an application did, replayed.\"\ntape = {tape}\n\n[axes]\nstores = {stores:?}\n"
        ))
    }

    /// Where a tape is, from wherever the suite is read.
    pub(crate) fn path_as_toml(path: &Path) -> Result<toml::Value> {
        let absolute = path.canonicalize().with_context(|| format!("cannot find the tape {}", path.display()))?;
        Ok(toml::Value::from(absolute.to_string_lossy().as_ref()))
    }
}
