//! `bakeoff clean`: removes what earlier runs left behind, and nothing without our marker.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cli::{CleanArguments, DEFAULT_RESULTS};
use crate::outcome::Outcome;
use bakeoff_engine::{
    Kind, MemoryGroups, OwnDirectory, is_unbegun, kind_of, remove_results, remove_unmarked_in, shown,
};

/// Runs the verb.
pub(crate) fn main(arguments: &CleanArguments) -> Result<Outcome> {
    let (mut removed, mut kept) = (0, 0);
    for directory in &arguments.directories {
        for (path, kind) in ours(directory)? {
            if kind == Kind::Results && !arguments.results && !is_unbegun(&path) {
                continue;
            }
            match remove(&path, kind, arguments.dry_run)? {
                true => removed += 1,
                false => kept += 1,
            }
        }
    }
    if !arguments.dry_run {
        let mut unmarked = Vec::new();
        arguments.directories.iter().for_each(|base| remove_unmarked_in(base, |path| unmarked.push(shown(path))));
        for path in &unmarked {
            print_line!("removed {path}")?;
        }
        removed += unmarked.len();
        // Where no control group can be made, there is none to remove.
        let groups = MemoryGroups::find().map_or(0, |groups| groups.remove_leftovers());
        if groups > 0 {
            print_line!("removed {groups} control group(s) of runs that were killed")?;
        }
        removed += groups as usize;
    }
    if removed == 0 && kept == 0 {
        print_line!(
            "nothing to remove{}",
            if arguments.results { "" } else { " (results are kept; --results removes them too)" }
        )?;
    }
    Ok(if kept > 0 { Outcome::SomeFailed } else { Outcome::Good })
}

/// The directories of ours directly below `directory`.
fn ours(directory: &Path) -> Result<Vec<(PathBuf, Kind)>> {
    if !directory.exists() && directory == Path::new(DEFAULT_RESULTS) {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(directory).with_context(|| {
        format!("cannot look into {}: name a directory that was given to --out or --dir", directory.display())
    })?;
    let mut found: Vec<_> = entries
        .flatten()
        .filter_map(|entry| {
            let path = entry.path();
            kind_of(&path).map(|kind| (path, kind))
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// Removes one, unless it is in use, and reports that; false if it could not be removed.
fn remove(path: &Path, kind: Kind, dry_run: bool) -> Result<bool> {
    let removed = OwnDirectory::open(path, kind).and_then(|own| match kind {
        _ if dry_run => Ok("would remove"),
        Kind::Scratch => own.remove().map(|()| "removed"),
        Kind::Results => remove_results(own).map(|()| "removed"),
    });
    match &removed {
        Ok(word) => print_line!("{word} {}", shown(path))?,
        Err(error) => print_line!("kept: {}", bakeoff_text::printable(&format!("{error:#}")))?,
    }
    Ok(removed.is_ok())
}
