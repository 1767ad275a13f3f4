//! Recordings that are kept in a run's directory, since some cut of them broke a promise.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_powercut::Recording;

/// Their directory in that of the run.
const RECORDINGS: &str = "recordings";

fn path_of(run: &Path, cell: &str, round: u32) -> PathBuf {
    run.join(RECORDINGS).join(format!("{cell}-{round}.cut"))
}

/// Keeps the recording of a cell's round.
pub(super) fn keep(recording: &Recording, run: &Path, cell: &str, round: u32) -> Result<()> {
    let path = path_of(run, cell, round);
    let write = || {
        std::fs::create_dir_all(path.parent().unwrap_or(run))?;
        let mut file = BufWriter::new(File::create(&path)?);
        recording.save(&mut file)?;
        file.flush()
    };
    write().with_context(|| format!("cannot keep the recording {}", path.display()))
}

/// Reads the recording of a cell's round again.
pub(super) fn find(run: &Path, cell: &str, round: u32) -> Result<Recording> {
    let path = path_of(run, cell, round);
    let file = File::open(&path).with_context(|| {
        format!("no recording {}: a run keeps those in which a cut broke a promise about power cuts", path.display())
    })?;
    Recording::load(&mut BufReader::new(file)).with_context(|| format!("cannot read {}", path.display()))
}
