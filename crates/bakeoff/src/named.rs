//! Runs by what people call them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use bakeoff_engine::{FoundRun, find_run, shown};

/// The directory of a run that was named; that it is the newest of several is said.
pub(crate) fn find(called: &Path, out: &Path) -> Result<PathBuf> {
    let FoundRun { path, named_so } = find_run(called, out)?;
    if named_so > 1 {
        tell!("note: {} names {named_so} runs, of which the newest is {}", shown(called), shown(&path));
    }
    Ok(path)
}
