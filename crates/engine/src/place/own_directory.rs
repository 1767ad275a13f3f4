//! Directories of our own: made with a marker file, locked while in use, and only ever removed with
//! the marker in them.

use std::fs::{DirBuilder, DirEntry, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_files::{check_links, open_regular};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::explain::Advised;
use crate::place::mounts::unmount_all;
use crate::place::tree::remove_tree;

/// The file that says a directory is ours.
pub const MARKER: &str = ".bakeoff";

/// The same file in a directory that is about to be no longer ours.
const MARKER_ASIDE: &str = ".bakeoff-aside";

/// A path for people. Nothing in its names can control a terminal.
pub fn shown(path: &Path) -> String {
    bakeoff_text::printable(&path.display().to_string())
}

/// What a bakeoff directory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The stores' files and the tapes: removed at the end of a run.
    Scratch,
    /// A run's results.
    Results,
}

impl Kind {
    fn line(self) -> &'static str {
        match self {
            Self::Scratch => "bakeoff scratch directory: may be removed at any time\n",
            Self::Results => "bakeoff results\n",
        }
    }
}

/// A bakeoff directory, locked for as long as this value lives.
pub struct OwnDirectory {
    path: PathBuf,
    /// Of the directory: its file system, and its number there.
    identity: (u64, u64),
    lock: File,
}

fn identity(facts: &Metadata) -> (u64, u64) {
    (facts.dev(), facts.ino())
}

impl OwnDirectory {
    /// Makes a new directory; a scratch directory is for its owner alone. An existing one is an error, regardless of
    /// its contents.
    ///
    /// # Errors
    /// It cannot be made, or another user's link is on the way to it.
    pub fn create(path: &Path, kind: Kind) -> Result<Self> {
        check_links(path).with_context(|| format!("cannot make the directory {}", path.display()))?;
        // Tapes of a trace and the stores that replay them have an application's keys.
        let mode = if kind == Kind::Scratch { 0o700 } else { 0o777 };
        DirBuilder::new()
            .mode(mode)
            .create(path)
            .with_context(|| format!("cannot make the directory {}", path.display()))?;
        // As on a full disk: a directory without our marker would be nobody's.
        Self::mark(path, kind).inspect_err(|_| drop(std::fs::remove_dir(path)))
    }

    /// Marks a directory that this process made, and locks it.
    fn mark(path: &Path, kind: Kind) -> Result<Self> {
        let marker = path.join(MARKER);
        let cannot = || format!("cannot write {}", marker.display());
        let mut file = File::create_new(&marker).with_context(cannot)?;
        // Before it marks the directory: another run removes bakeoff directories that are not locked.
        lock(&mut file, path)
            .and_then(|()| Ok(file.write_all(kind.line().as_bytes())?))
            .and_then(|()| Self::locked(path, file))
            .inspect_err(|_| drop(std::fs::remove_file(&marker)))
            .with_context(cannot)
    }

    fn locked(path: &Path, lock: File) -> Result<Self> {
        let path = path.canonicalize().with_context(|| format!("cannot resolve {}", path.display()))?;
        let facts = path.metadata().with_context(|| format!("cannot look into {}", path.display()))?;
        Ok(Self { identity: identity(&facts), path, lock })
    }

    /// Opens a directory made by [`Self::create`].
    ///
    /// # Errors
    /// It is another directory, is in use, cannot be opened, or another user's link is on the way
    /// to it.
    pub fn open(path: &Path, kind: Kind) -> Result<Self> {
        check_links(path).with_context(|| format!("cannot use the directory {}", path.display()))?;
        match kind_of(path) {
            Some(found) if found == kind => {}
            _ => bail!(
                "{} is not a directory of bakeoff's (no marker file {MARKER} of the right kind in it): give one that \
                 `{} run` made",
                path.display(),
                bakeoff_text::program()
            ),
        }
        let mut marker =
            open_regular(&path.join(MARKER), OpenOptions::new().read(true).write(true)).with_context(|| {
                Advised(format!("cannot open {}: use it as the user who made it", path.join(MARKER).display()))
            })?;
        lock(&mut marker, path)?;
        Self::locked(path, marker)
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it a directory like any other, under another name on the same file system. Where that
    /// name cannot be given, as when something of that name has appeared, it stays ours.
    pub fn keep_as(self, path: &Path) -> Result<()> {
        let marker = self.path.join(MARKER);
        // Put aside and not removed: putting it back needs no room on the disk.
        let aside = self.path.join(MARKER_ASIDE);
        std::fs::rename(&marker, &aside).with_context(|| format!("cannot remove {}", marker.display()))?;
        std::fs::rename(&self.path, path).inspect_err(|_| drop(std::fs::rename(&aside, &marker))).with_context(
            || {
                let (name, made) = (path.display(), self.path.display());
                Advised(format!(
                    "cannot rename {made} to {name}. If something is there by now, move it away or choose another name"
                ))
            },
        )?;
        let aside = path.join(MARKER_ASIDE);
        std::fs::remove_file(&aside).with_context(|| format!("cannot remove {}", aside.display()))
    }

    /// Whether it is still there: somebody may have removed it, or put another in its place.
    pub(crate) fn is_there(&self) -> bool {
        let (here, made) = (self.path.join(MARKER).symlink_metadata(), self.lock.metadata());
        here.ok().map(|facts| identity(&facts)) == made.ok().map(|facts| identity(&facts))
    }

    /// Makes it again, if it is missing. Whether it did. `of_drivers` names what a driver may have made there since.
    ///
    /// # Errors
    /// Something else is there now, or another file system, or it cannot be made.
    pub(crate) fn restore(&mut self, kind: Kind, of_drivers: &[&str]) -> Result<bool> {
        if self.is_there() {
            return Ok(false);
        }
        let cannot = || format!("{} was removed while the run went on, and cannot be made again", self.path.display());
        let around = self.path.parent().unwrap_or(Path::new("/")).metadata().with_context(cannot)?;
        if around.dev() != self.identity.0 {
            return Err(anyhow!("another file system is there now: mount the earlier one")).with_context(cannot);
        }
        // The one who removes it may not have finished, and a driver makes the directories that its request names.
        let is_ours = self.path.symlink_metadata().is_ok_and(|facts| {
            let is_of_driver = facts.is_dir() && facts.uid() == geteuid().as_raw() && has_only(&self.path, of_drivers);
            identity(&facts) == self.identity || is_of_driver
        });
        let made = if is_ours { Self::mark(&self.path, kind) } else { Self::create(&self.path, kind) };
        let made = made.with_context(cannot)?;
        *self = made;
        Ok(true)
    }

    /// Removes it with everything in it. If somebody removed it already, that is no error.
    pub fn remove(self) -> Result<()> {
        if self.path.symlink_metadata().is_err_and(|why| why.kind() == io::ErrorKind::NotFound) {
            return Ok(());
        }
        if kind_of(&self.path).is_none() {
            bail!(
                "{} has lost its marker file and is left alone: remove it by hand if you need nothing in it",
                self.path.display()
            );
        }
        unmount_all(&self.path)?;
        // Each one separately, since the marker next to them would make one branch of the whole.
        for entry in std::fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                remove_tree(&entry.path())?;
            }
        }
        // A file system in user space keeps an open file's name, under another, until it is closed.
        drop(self.lock);
        remove_tree(&self.path)
    }
}

/// Whether a directory has nothing but these.
fn has_only(path: &Path, names: &[&str]) -> bool {
    let is_known =
        |entry: io::Result<DirEntry>| entry.is_ok_and(|entry| names.iter().any(|name| entry.file_name() == *name));
    path.read_dir().is_ok_and(|mut entries| entries.all(is_known))
}

/// Makes a directory that a user named, and those above it.
///
/// # Errors
/// It cannot be made, or another user's link is on the way to it.
pub(crate) fn make_named(path: &Path, option: &str) -> Result<()> {
    let cannot = || Advised(format!("cannot make the directory {}. Give {option} another", path.display()));
    check_links(path).and_then(|()| std::fs::create_dir_all(path)).with_context(cannot)
}

/// A child that a killed process was just starting has its lock for this time at most.
const UNLOCKED_WITHIN: Duration = Duration::from_millis(200);

fn lock(marker: &mut File, path: &Path) -> Result<()> {
    let begin = Instant::now();
    loop {
        match flock(&*marker, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if begin.elapsed() < UNLOCKED_WITHIN => std::thread::sleep(UNLOCKED_WITHIN / 20),
            locked => {
                return locked.map_err(io::Error::from).with_context(|| {
                    Advised(format!("{} is in use by another bakeoff: wait until that one has ended", path.display()))
                });
            }
        }
    }
}

/// What a bakeoff directory is for; `None` if it is none.
pub fn kind_of(path: &Path) -> Option<Kind> {
    if path.symlink_metadata().ok()?.is_symlink() {
        return None;
    }
    let mut line = String::new();
    let marker = open_regular(&path.join(MARKER), OpenOptions::new().read(true)).ok()?;
    marker.take(256).read_to_string(&mut line).ok()?;
    [Kind::Scratch, Kind::Results].into_iter().find(|kind| line == kind.line())
}

/// A directory is marked within this time after it was made, unless its maker was killed.
const MARKED_WITHIN: Duration = Duration::from_secs(2);

/// The directories in `base` whose makers were killed before they had marked them. They have an empty marker, or a name
/// that only bakeoff gives.
pub(crate) fn unmarked(base: &Path, is_our_name: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut unmarked = Vec::new();
    for entry in std::fs::read_dir(base).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_ours = has_empty_marker(&path) || is_our_name(&entry.file_name().to_string_lossy());
        let changed = entry.metadata().ok().filter(|facts| facts.is_dir()).and_then(|facts| facts.modified().ok());
        let is_old = changed.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > MARKED_WITHIN);
        if is_ours && is_old && is_unfinished(&path) {
            unmarked.push(path);
        }
    }
    unmarked.sort();
    unmarked
}

fn has_empty_marker(path: &Path) -> bool {
    path.join(MARKER).symlink_metadata().is_ok_and(|marker| marker.is_file() && marker.len() == 0)
}

/// Whether the maker of a directory was killed before its marker was written, or just after that
/// was removed: there is nothing in it, or an empty marker alone.
fn is_unfinished(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|entries| entries.count() == usize::from(has_empty_marker(path)))
}

/// Removes a directory whose maker was killed before its marker was written. Leaves any other as it is. Gives whether
/// it is gone.
pub fn remove_unfinished(path: &Path) -> bool {
    if !is_unfinished(path) {
        return false;
    }
    // That it cannot be removed shows at once.
    let _ = std::fs::remove_file(path.join(MARKER));
    std::fs::remove_dir(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_given_its_name_stays_ours() {
        let parent = tempfile::tempdir().unwrap();
        let (part, link, kept) = (parent.path().join("part"), parent.path().join("link"), parent.path().join("kept"));
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let why = OwnDirectory::create(&part, Kind::Scratch).unwrap().keep_as(&link).unwrap_err().to_string();
        assert!(why.contains("link. If something is there by now, move it away"), "{why}");
        assert_eq!(kind_of(&part), Some(Kind::Scratch));
        assert!(link.is_symlink() && !part.join(MARKER_ASIDE).exists());
        OwnDirectory::open(&part, Kind::Scratch).unwrap().keep_as(&kept).unwrap();
        assert!(!part.exists() && std::fs::read_dir(&kept).unwrap().next().is_none(), "like any other");
    }

    #[test]
    fn what_is_removed_meanwhile_is_made_again_and_what_others_put_there_is_theirs() {
        let base = tempfile::tempdir().unwrap();
        let mut own = OwnDirectory::create(&base.path().join("own"), Kind::Scratch).unwrap();
        let path = own.path().to_owned();
        assert!(!own.restore(Kind::Scratch, &["store"]).unwrap(), "it is there");
        // All of it, its marker alone, and all of it before a driver made the requested files.
        for remains in [None, Some("file"), Some("store")] {
            if remains == Some("file") {
                std::fs::write(path.join("file"), "").unwrap();
                std::fs::remove_file(path.join(MARKER)).unwrap();
            } else {
                std::fs::remove_dir_all(&path).unwrap();
            }
            if remains == Some("store") {
                std::fs::create_dir_all(path.join("store")).unwrap();
            }
            assert!(own.restore(Kind::Scratch, &["store"]).unwrap() && own.is_there(), "{remains:?}");
            assert_eq!(kind_of(&path), Some(Kind::Scratch));
        }
        std::fs::remove_dir_all(&path).unwrap();
        std::fs::create_dir_all(path.join("precious")).unwrap();
        let why = format!("{:#}", own.restore(Kind::Scratch, &["store"]).unwrap_err());
        assert!(why.contains("was removed while the run went on") && !path.join(MARKER).exists(), "{why}");
        assert!(own.remove().is_err() && path.join("precious").exists());
    }

    /// One in five hundred kills left one.
    #[test]
    fn what_was_killed_before_it_was_marked_is_removed_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        let make = |name: &str, file: Option<&str>, age_s: u64| {
            let path = base.path().join(name);
            std::fs::create_dir(&path).unwrap();
            file.into_iter().for_each(|file| std::fs::write(path.join(file), "").unwrap());
            let then = std::time::SystemTime::now() - Duration::from_secs(age_s);
            File::open(&path).unwrap().set_modified(then).unwrap();
        };
        make("ours-empty", None, 60);
        make("any-marked", Some(MARKER), 60);
        make("ours-young", None, 0);
        make("any-empty", None, 60);
        make("ours-full", Some("file"), 60);
        let removed = unmarked(base.path(), |name| name.starts_with("ours"));
        assert!(removed.iter().all(|path| remove_unfinished(path)));
        assert_eq!(removed, ["any-marked", "ours-empty"].map(|name| base.path().join(name)));
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 3);
    }

    #[test]
    fn only_a_marker_of_ours_makes_a_directory_ours() {
        let parent = tempfile::tempdir().unwrap();
        let own = OwnDirectory::create(&parent.path().join("own"), Kind::Scratch).unwrap();
        assert_eq!(kind_of(own.path()), Some(Kind::Scratch));
        assert!(OwnDirectory::open(own.path(), Kind::Results).is_err(), "of another kind");
        assert!(OwnDirectory::open(own.path(), Kind::Scratch).is_err(), "in use");
        assert!(OwnDirectory::create(own.path(), Kind::Scratch).is_err(), "there already");
        assert!(own.is_there());
        std::os::unix::fs::symlink(own.path(), parent.path().join("link")).unwrap();
        assert_eq!(kind_of(&parent.path().join("link")), None);
        std::fs::write(own.path().join(MARKER), "not ours").unwrap();
        let path = own.path().to_owned();
        // As of another directory of bakeoff's that took its place.
        std::fs::remove_file(path.join(MARKER)).unwrap();
        assert!(!own.is_there());
        std::fs::write(path.join(MARKER), "not ours").unwrap();
        assert!(!own.is_there());
        assert!(own.remove().is_err(), "the marker is gone");
        assert!(path.exists());
    }
}
