//! Directories of results: made for a run, and found again.

use std::cmp::Reverse;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use bakeoff_results::record::{RUN_FILE, RunRecord};
use bakeoff_results::results_file::RESULTS_FILE;
use rustix::fs::Mode;
use rustix::process::umask;

use crate::explain::Advised;
use crate::place::own_directory::{Kind, MARKER, OwnDirectory, kind_of, make_named};
use crate::surroundings::interrupt::Interrupt;

/// Who may read the results, if the umask allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Their owner alone: they are about an application's trace.
    Owner,
    /// Everyone.
    All,
}

impl Readers {
    /// The readers of an existing directory.
    pub fn of(directory: &Path) -> Self {
        let is_private = directory.metadata().is_ok_and(|facts| facts.permissions().mode() & OTHERS == 0);
        if is_private { Self::Owner } else { Self::All }
    }

    /// From now on, nobody else may read a file or directory that this process or its drivers make.
    pub fn hold(self) {
        if self == Self::Owner {
            umask(Mode::from_bits_truncate(OTHERS));
        }
    }
}

/// What users other than the owner may do.
const OTHERS: u32 = 0o077;

/// A new directory below `out`, named by time and suite, with one for logs in it. From now on a signal ends the run,
/// which removes what it made, and no longer the process.
pub fn make_run_directory(out: &Path, suite: &str, readers: Readers) -> Result<OwnDirectory> {
    Interrupt::install()?;
    make_named(out, "--out")?;
    readers.hold();
    let time = jiff::Zoned::now().strftime(NAMED_BY).to_string();
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
    bail!("cannot find a free name for results in {}: remove some of today's, or give another --out", out.display())
}

fn is_there_already(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists)
}

/// Whether a directory of results is one of a run that was killed before it wrote anything.
pub fn is_unbegun(path: &Path) -> bool {
    [RUN_FILE, RESULTS_FILE].iter().all(|file| path.join(file).symlink_metadata().is_err())
}

/// The results directory below `out` that was begun last, as [`results_newest_first`].
pub fn newest_results(out: &Path) -> Result<PathBuf> {
    Ok(results_newest_first(out)?.swap_remove(0))
}

/// The results directories below `out`, at least one, that which was begun last first. Directories of runs that were
/// killed before they wrote anything do not count.
pub fn results_newest_first(out: &Path) -> Result<Vec<PathBuf>> {
    let none = || {
        let program = bakeoff_text::program();
        Advised(format!("no results in {}: `{program} run` makes some, and --out names their directory", out.display()))
    };
    let entries = std::fs::read_dir(out).with_context(none)?;
    let is_begun = |path: &PathBuf| kind_of(path) == Some(Kind::Results) && !is_unbegun(path);
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_begun).collect();
    found.sort_by_cached_key(|path| Reverse(begun(path)));
    if found.is_empty() { bail!(none()) } else { Ok(found) }
}

/// A run that was found by what a person calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRun {
    /// Its directory.
    pub path: PathBuf,
    /// How many runs have that name; 1 where a directory was named.
    pub named_so: usize,
}

/// The run with this name: its directory, a directory that holds it alone, or the newest below `out` to which
/// `run --name` gave that name. Any other name is taken for the directory of a run.
///
/// # Errors
/// The directory holds several runs.
pub fn find_run(called: &Path, out: &Path) -> Result<FoundRun> {
    let found = |path: PathBuf| Ok(FoundRun { path, named_so: 1 });
    if !is_unbegun(called) {
        return found(called.to_owned());
    }
    let below = runs_below(called);
    match below.as_slice() {
        [only] => return found(only.clone()),
        [_, ..] => {
            let newest = below.iter().max_by_key(|path| begun(path)).unwrap_or(&below[0]);
            bail!("{} holds {} runs: name one of them, such as {}", called.display(), below.len(), newest.display())
        }
        [] => {}
    }
    let is_called_so = |path: &PathBuf| {
        RunRecord::read(path).is_ok_and(|(record, _)| record.name.as_deref().map(Path::new) == Some(called))
    };
    let named: Vec<PathBuf> = runs_below(out).into_iter().filter(is_called_so).collect();
    let newest = named.iter().max_by_key(|path| begun(path)).cloned();
    newest.map_or_else(|| found(called.to_owned()), |path| Ok(FoundRun { path, named_so: named.len() }))
}

/// The directories in a directory that hold a run.
fn runs_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !is_unbegun(path)).collect()
}

/// How a name begins, with the second.
const NAMED_BY: &str = "%Y%m%d-%H%M%S";

/// How long that is, `20260131-235959`.
const SECOND_LENGTH: usize = 15;

/// A clock may be changed by so much, as between time zones, and still be right.
const CLOCK_CHANGE: Duration = Duration::from_secs(26 * 60 * 60);

/// The order of runs by their beginning: the second in their names, and within one second the time when their marker
/// was written, which happens once. A run of a clock that was far ahead comes before all others.
fn begun(path: &Path) -> (bool, String, Option<SystemTime>, PathBuf) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let second: String = name.chars().take(SECOND_LENGTH).collect();
    let marked = path.join(MARKER).metadata().and_then(|facts| facts.modified()).ok();
    let latest = (jiff::Zoned::now() + CLOCK_CHANGE).strftime(NAMED_BY).to_string();
    (second <= latest, second, marked, path.to_owned())
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
            make_run_directory(place.path(), "quick", Readers::All).expect("a directory for results")
        };
        let made: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let paths: BTreeSet<_> = made.iter().map(|directory| directory.path().to_owned()).collect();
        assert_eq!(paths.len(), 16, "{paths:?}");
        assert!(paths.iter().all(|path| path.join("logs").is_dir()));
    }

    /// Makes the directory of a run that has begun.
    fn make_begun(path: &Path) {
        OwnDirectory::create(path, Kind::Results).unwrap();
        std::fs::write(path.join(RUN_FILE), "{}").unwrap();
    }

    #[test]
    fn a_run_that_never_began_and_one_of_a_clock_far_ahead_are_not_the_newest() {
        let out = tempfile::tempdir().unwrap();
        let path = |name: &str| out.path().join(name);
        make_begun(&path("21500101-000000-ahead"));
        assert_eq!(newest_results(out.path()).unwrap(), path("21500101-000000-ahead"), "the only one");
        make_begun(&path("19700101-000000-a"));
        drop(OwnDirectory::create(&path("19700102-000000-killed"), Kind::Results).unwrap());
        assert_eq!(newest_results(out.path()).unwrap(), path("19700101-000000-a"));
        assert!(is_unbegun(&path("19700102-000000-killed")) && !is_unbegun(&path("19700101-000000-a")));
    }

    /// Names were compared as text, including the part after the second.
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
            make_begun(&out.path().join(name));
            // The file system's clock goes in steps.
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(newest_results(out.path()).unwrap(), out.path().join("19700102-000000-a"));
    }
}
