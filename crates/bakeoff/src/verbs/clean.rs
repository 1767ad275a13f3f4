//! `bakeoff clean`: removes what earlier runs left behind, and nothing without our marker.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_engine::{
    Advised, Kind, MemoryGroups, Removal, explained, is_unbegun, kind_of, remove_unfinished, shown, unmarked_in,
};
use bakeoff_text::printable;

use crate::cli::{CleanArguments, DEFAULT_RESULTS};
use crate::outcome::Outcome;

/// Runs the verb. What is listed comes from one place, whether or not it is removed.
pub(crate) fn main(arguments: &CleanArguments) -> Result<Outcome> {
    let mut cleaning = Cleaning { is_dry: arguments.dry_run, removed: 0, kept: 0 };
    let mut seen = Vec::new();
    for directory in &arguments.directories {
        // A directory that is named twice is looked into once.
        let place = directory.canonicalize().unwrap_or_else(|_| directory.clone());
        if seen.contains(&place) {
            continue;
        }
        seen.push(place);
        for (path, kind) in ours(directory)? {
            if kind == Kind::Results && !arguments.results && !is_unbegun(&path) {
                continue;
            }
            cleaning.remove(&path, kind)?;
        }
        for path in unmarked_in(directory) {
            cleaning.list(&path, || remove_unfinished(&path))?;
        }
    }
    // Where no control group can be made, there is none to remove.
    for group in MemoryGroups::find().map_or(Vec::new(), |groups| groups.leftovers()) {
        cleaning.list(&group, || std::fs::remove_dir(&group).is_ok())?;
    }
    if cleaning.removed == 0 && cleaning.kept == 0 {
        print_line!(
            "nothing to remove{}",
            if arguments.results { "" } else { " (results are kept; --results removes them too)" }
        )?;
    }
    Ok(if cleaning.kept > 0 { Outcome::SomeFailed } else { Outcome::Good })
}

/// What was removed so far, or would be.
struct Cleaning {
    is_dry: bool,
    removed: usize,
    kept: usize,
}

impl Cleaning {
    /// Removes a directory that bakeoff made, unless it is in use, and reports that.
    fn remove(&mut self, path: &Path, kind: Kind) -> Result<()> {
        let removal = match Removal::plan(path, kind) {
            Ok(removal) => removal,
            Err(why) => return self.keep(&explained(&why)),
        };
        let (targets, kept) = (removal.targets().to_vec(), removal.kept());
        if !self.is_dry
            && let Err(why) = removal.carry_out()
        {
            return self.keep(&explained(&why));
        }
        targets.iter().try_for_each(|path| self.list(path, || true))?;
        kept.map_or(Ok(()), |kept| self.keep(&kept))
    }

    /// Lists what is removed by `remove`, which returns whether that worked.
    fn list(&mut self, path: &Path, remove: impl FnOnce() -> bool) -> Result<()> {
        if self.is_dry || remove() {
            self.removed += 1;
            print_line!("{} {}", if self.is_dry { "would remove" } else { "removed" }, shown(path))?;
        }
        Ok(())
    }

    fn keep(&mut self, why: &str) -> Result<()> {
        self.kept += 1;
        print_line!("{}: {}", if self.is_dry { "would keep" } else { "kept" }, printable(why))
    }
}

/// The directories that bakeoff made directly below `directory`.
fn ours(directory: &Path) -> Result<Vec<(PathBuf, Kind)>> {
    if !directory.exists() && directory == Path::new(DEFAULT_RESULTS) {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(directory).with_context(|| {
        Advised(format!("cannot look into {}: name a directory that was given to --out or --dir", directory.display()))
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
