//! Directories of our own: made with a marker file, locked while in use, and only ever removed with
//! the marker in them.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_files::{check_links, open_regular};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount};

use crate::place::tree::remove_tree;

/// The file that says a directory is ours.
pub const MARKER: &str = ".bakeoff";

/// The same file in a directory that is about to be no longer ours.
const MARKER_ASIDE: &str = ".bakeoff-aside";

/// A path for people, whatever is in its names: nothing of it steers a terminal.
pub fn shown(path: &Path) -> String {
    bakeoff_text::printable(&path.display().to_string())
}

/// What a directory of ours is for.
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

/// A directory of ours, locked for as long as this value lives.
pub struct OwnDirectory {
    path: PathBuf,
    lock: File,
}

impl OwnDirectory {
    /// Makes a new directory, one of scratch for its owner alone; one that exists already is an
    /// error, whatever is in it.
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
        let marker = File::create_new(path.join(MARKER))
            .map_err(anyhow::Error::from)
            .and_then(|mut marker| {
                // Before it says that the directory is ours: another run removes what is ours and
                // not locked.
                lock(&mut marker, path)?;
                marker.write_all(kind.line().as_bytes())?;
                Ok(marker)
            })
            .inspect_err(|_| {
                // As on a full disk: a directory without our marker would be nobody's.
                let _ = std::fs::remove_file(path.join(MARKER)).and_then(|()| std::fs::remove_dir(path));
            })
            .with_context(|| format!("cannot write {}", path.join(MARKER).display()))?;
        let path = path.canonicalize().with_context(|| format!("cannot resolve {}", path.display()))?;
        Ok(Self { path, lock: marker })
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
                "{} is not a directory of bakeoff's (no marker file {MARKER} of the right kind in it)",
                path.display()
            ),
        }
        let mut marker = open_regular(&path.join(MARKER), OpenOptions::new().read(true).write(true))
            .with_context(|| format!("cannot open {}: use it as the user who made it", path.join(MARKER).display()))?;
        lock(&mut marker, path)?;
        let path = path.canonicalize().with_context(|| format!("cannot resolve {}", path.display()))?;
        Ok(Self { path, lock: marker })
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
                format!(
                    "cannot rename {made} to {name}. If something is there by now, move it away or choose another name"
                )
            },
        )?;
        let aside = path.join(MARKER_ASIDE);
        std::fs::remove_file(&aside).with_context(|| format!("cannot remove {}", aside.display()))
    }

    /// Removes it with everything in it.
    pub fn remove(self) -> Result<()> {
        if kind_of(&self.path).is_none() {
            bail!("{} has lost its marker file and is left alone", self.path.display());
        }
        unmount_below(&self.path)?;
        // Each by itself, since the marker beside them would make one branch of the whole.
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

/// Makes a directory that a user named, and those above it.
///
/// # Errors
/// It cannot be made, or another user's link is on the way to it.
pub(crate) fn make_named(path: &Path, option: &str) -> Result<()> {
    let cannot = || format!("cannot make the directory {}. Give {option} another", path.display());
    check_links(path).and_then(|()| std::fs::create_dir_all(path)).with_context(cannot)
}

/// Where something is mounted inside a directory of ours, deepest last.
pub(crate) fn mounts_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(directory) = directory.canonicalize() else { return Vec::new() };
    let mut mounts = bakeoff_measure::mount_points();
    mounts.retain(|point| point.starts_with(&directory) && *point != directory);
    mounts.sort();
    mounts
}

/// Unmounts what a run mounted in a directory of its own: nothing is ever removed through a mount.
fn unmount_below(directory: &Path) -> Result<()> {
    for point in mounts_below(directory).into_iter().rev() {
        unmount(&point, UnmountFlags::empty())
            // Busy, or its server is gone: out of sight at once, unmounted when nobody uses it any
            // more.
            .or_else(|_| unmount(&point, UnmountFlags::DETACH))
            .map_err(io::Error::from)
            .with_context(|| format!("cannot unmount {}. Run: umount {}", point.display(), point.display()))?;
    }
    Ok(())
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
                    format!("{} is in use by another bakeoff: wait until that one has ended", path.display())
                });
            }
        }
    }
}

/// What a directory of ours is for; `None` if it is not ours.
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

/// The directories in `base` whose makers were killed before they had marked them. They are known
/// by an empty marker, or by a name that only bakeoff gives.
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

/// Removes a directory whose maker was killed before its marker was written. Any other is left as
/// it is. Whether it is gone.
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
        std::os::unix::fs::symlink(own.path(), parent.path().join("link")).unwrap();
        assert_eq!(kind_of(&parent.path().join("link")), None);
        std::fs::write(own.path().join(MARKER), "not ours").unwrap();
        let path = own.path().to_owned();
        assert!(own.remove().is_err(), "the marker is gone");
        assert!(path.exists());
    }
}
