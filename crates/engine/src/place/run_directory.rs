//! Directories of results: made for a run, and found again.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::place::own_directory::{Kind, MARKER, OwnDirectory, kind_of};

/// A new directory below `out`, named by time and suite, with one for logs in it.
pub fn make_run_directory(out: &Path, suite: &str) -> Result<OwnDirectory> {
    std::fs::create_dir_all(out).with_context(|| format!("cannot make the directory {}", out.display()))?;
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let names = std::iter::once(format!("{time}-{suite}")).chain((2..100).map(|n| format!("{time}-{suite}-{n}")));
    for path in names.map(|name| out.join(name)) {
        // Tried rather than asked for: another run may begin in the same second.
        let directory = match OwnDirectory::create(&path, Kind::Results) {
            Err(error) if is_there_already(&error) => continue,
            made => made?,
        };
        std::fs::create_dir(directory.path().join("logs")).context("cannot make the directory for logs")?;
        return Ok(directory);
    }
    bail!("cannot find a free name for results in {}", out.display())
}

fn is_there_already(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists)
}

/// The results directory below `out` that was begun last.
pub fn newest_results(out: &Path) -> Result<PathBuf> {
    let entries = std::fs::read_dir(out)
        .with_context(|| format!("no results in {}: `bakeoff run` makes some, --out says where", out.display()))?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| kind_of(path) == Some(Kind::Results))
        .max_by_key(|path| begun(path))
        .with_context(|| format!("no results in {}: `bakeoff run` makes some", out.display()))
}

/// How long a name's beginning is that tells the second, `20260131-235959`.
const SECOND_LENGTH: usize = 15;

/// What orders runs by when they began: the second in their names, and of those of one second when their marker was written, which is done once.
fn begun(path: &Path) -> (String, Option<SystemTime>, PathBuf) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let marked = path.join(MARKER).metadata().and_then(|facts| facts.modified()).ok();
    (name.chars().take(SECOND_LENGTH).collect(), marked, path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::*;

    #[test]
    fn runs_that_begin_in_the_same_second_have_directories_of_their_own() {
        let place = tempfile::tempdir().expect("a directory");
        let begin = std::sync::Barrier::new(16);
        let make = || {
            begin.wait();
            make_run_directory(place.path(), "quick").expect("a directory for results")
        };
        let made: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let paths: BTreeSet<_> = made.iter().map(|directory| directory.path().to_owned()).collect();
        assert_eq!(paths.len(), 16, "{paths:?}");
        assert!(paths.iter().all(|path| path.join("logs").is_dir()));
    }

    /// Names were compared as they stand, whatever comes after the second.
    #[test]
    fn of_runs_begun_in_the_same_second_the_last_is_the_newest() {
        let out = tempfile::tempdir().unwrap();
        for name in [
            "19700102-000000-b",
            "19700102-000000-b-2",
            "19700102-000000-b-10",
            "19700102-000000-a",
            "19700101-235959-c",
        ] {
            OwnDirectory::create(&out.path().join(name), Kind::Results).unwrap();
            // The file system's clock goes in steps.
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(newest_results(out.path()).unwrap(), out.path().join("19700102-000000-a"));
    }
}
