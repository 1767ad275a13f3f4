//! The directory of a tape that is made of a trace.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Kind, OwnDirectory, Watch, kind_of, shown};
use bakeoff_trace::{ImportOptions, ImportOutcome, import};

use crate::output::REPORTER;

/// Operations of the small tape that drivers are warmed up with.
pub(crate) const WARM_UP_OPERATIONS: u64 = 10_000;

/// What something is called while it is made.
pub(crate) fn part_of(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// A directory next to the final one, so that nobody ever sees half of a tape. What a killed import left is removed.
pub(crate) fn work_directory(out: &Path) -> Result<OwnDirectory> {
    let path = part_of(out);
    if kind_of(&path) == Some(Kind::Scratch) {
        OwnDirectory::open(&path, Kind::Scratch)?.remove()?;
    }
    if path.symlink_metadata().is_ok() {
        bail!("{} is there already, and an import makes it: move it away, or give another --out", shown(&path));
    }
    OwnDirectory::create(&path, Kind::Scratch)
}

/// Imports a trace into a directory that is not there yet.
pub(crate) fn import_into(trace: &Path, out: &Path, options: &ImportOptions) -> Result<ImportOutcome> {
    let watch = Watch::begin(REPORTER)?;
    let directory = work_directory(out)?;
    let imported = match import(trace, directory.path(), options, &|progress| watch.hear(progress)) {
        Ok(imported) => imported,
        Err(why) => {
            directory.remove()?;
            return Err(why).with_context(|| format!("cannot import {}", trace.display()));
        }
    };
    directory.keep_as(out)?;
    Ok(imported)
}

/// What a tape is called after its trace, which has no name of its own if it comes through a pipe.
pub(crate) fn name_of(trace: &Path) -> PathBuf {
    let is_compressed = trace.extension().is_some_and(|end| ["gz", "zst"].iter().any(|known| end == *known));
    let trace = if is_compressed { trace.with_extension("") } else { trace.to_owned() };
    match trace.with_extension("tape").file_name() {
        Some(name) if !trace.starts_with("-") && !trace.starts_with("/dev") && !trace.starts_with("/proc") => {
            name.into()
        }
        _ => PathBuf::from("trace.tape"),
    }
}
