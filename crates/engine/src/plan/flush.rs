//! What a flush takes where stores are to be measured: tried before a run is sized, since devices differ a thousandfold.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::place::made_media::NewFileSystem;
use crate::place::names;
use crate::place::own_directory::{Kind, OwnDirectory};

/// Flushes that are timed before a run, and how long at most.
const FLUSHES: usize = 15;
const PATIENCE: Duration = Duration::from_secs(1);

/// The same before each cell, which must not wait long for it.
const FLUSHES_OF_CELL: usize = 9;
const PATIENCE_OF_CELL: Duration = Duration::from_millis(100);

/// The bytes written before each.
const BYTES: [u8; 4096] = [7; 4096];

/// What one flush takes on each medium where some store flushes its writes, nanoseconds; `None` where it could not be tried. Media that are made
/// in memory are not among them: there is nothing to flush to.
#[derive(Default)]
pub(crate) struct Flushes(BTreeMap<String, Option<f64>>);

impl Flushes {
    /// Tries each of `media`, which are those where some store flushes its writes: in its directory, or in `base` where it is to be made.
    pub(crate) fn measure<'a>(
        media: impl Iterator<Item = &'a String>,
        directories: &BTreeMap<String, PathBuf>,
        made: &BTreeMap<String, NewFileSystem>,
        base: &Path,
    ) -> Self {
        let in_memory = |medium: &str| made.get(medium).is_some_and(NewFileSystem::is_in_memory);
        let media: BTreeSet<&String> = media.filter(|medium| !in_memory(medium)).collect();
        let tried = |medium: &String| match made.get(medium) {
            // It does not exist yet, but its image will be there.
            Some(_) => flush_ns(base).ok(),
            None => flush_ns(directories.get(medium)?).ok(),
        };
        Self(media.into_iter().map(|medium| (medium.clone(), tried(medium))).collect())
    }

    /// What one takes on a medium; nothing where that is not known.
    pub(crate) fn of(&self, medium: &str) -> f64 {
        self.0.get(medium).copied().flatten().unwrap_or(0.0)
    }

    /// The flushes that an estimate counts, for people; nothing where there are none.
    pub(crate) fn label(&self) -> Option<String> {
        let label = |(medium, ns): (&String, &Option<f64>)| match ns {
            Some(ns) => format!("{} on {medium}", bakeoff_text::time(*ns)),
            None => format!("unknown and not counted on {medium}"),
        };
        let media: Vec<String> = self.0.iter().map(label).collect();
        (!media.is_empty()).then(|| {
            format!(
                "with three flushes (each {}) for each write that is acknowledged when it is flushed: a store may need one, or six",
                media.join(", ")
            )
        })
    }
}

/// The median time of flushing an append to a small file, nanoseconds.
///
/// The file has a name, since a file system may know that a nameless one need not be flushed. Its directory is marked
/// as bakeoff's, in case this process is killed now.
fn flush_ns(directory: &Path) -> Result<f64> {
    let path = directory.join(names::flushes());
    let own = OwnDirectory::create(&path, Kind::Scratch)?;
    let times = flushes_ns(own.path().join("file"), FLUSHES, PATIENCE);
    own.remove()?;
    bakeoff_stats::median(&times?).context("no flush was timed")
}

/// The same right before a cell, in `scratch`, our directory on its medium; `None` where it cannot be timed. The cell's figures are what counts, so
/// that it fails is no failure of the cell.
pub(crate) fn flush_ns_before_cell(scratch: &Path) -> Option<u64> {
    let path = scratch.join(names::flushes());
    let times = flushes_ns(path.clone(), FLUSHES_OF_CELL, PATIENCE_OF_CELL);
    let removed = std::fs::remove_file(path);
    let median = bakeoff_stats::median(&times.ok()?)?;
    removed.ok().map(|()| median as u64)
}

fn flushes_ns(path: PathBuf, count: usize, patience: Duration) -> std::io::Result<Vec<f64>> {
    let mut file = std::fs::File::create_new(path)?;
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.len() < count && begin.elapsed() < patience {
        file.write_all(&BYTES)?;
        let flush = Instant::now();
        file.sync_data()?;
        times.push(flush.elapsed().as_nanos() as f64);
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trying_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        assert!(flush_ns(directory.path()).unwrap() > 0.0);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        assert!(flush_ns(&directory.path().join("missing")).is_err());
        assert!(flush_ns_before_cell(directory.path()).unwrap() > 0);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        assert_eq!(flush_ns_before_cell(&directory.path().join("missing")), None);
    }

    #[test]
    fn what_is_not_known_is_not_counted_and_said() {
        let flushes = Flushes(BTreeMap::from([("a".to_owned(), Some(2e6)), ("b".to_owned(), None)]));
        assert_eq!((flushes.of("a"), flushes.of("b"), flushes.of("c")), (2e6, 0.0, 0.0));
        assert!(flushes.label().unwrap().contains("(each 2.00 ms on a, unknown and not counted on b)"));
        assert_eq!(Flushes::default().label(), None);
    }
}
