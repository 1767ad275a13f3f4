//! Where stores and tapes live while a run goes on: a marked directory on each medium, removed at the end.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files::{Kind, OwnDirectory, count_files, empty_tree, remove_tree};

/// The scratch directories of a run, by medium.
pub(crate) struct Scratch {
    directories: BTreeMap<String, OwnDirectory>,
    /// Stores put aside so far.
    retired: u64,
}

/// The directory beside a store's where its driver puts temporary files.
pub(crate) const TEMPORARY: &str = "temporary";

/// A store of fewer files than this is removed at once.
const FILES_REMOVED_AT_ONCE: usize = 100;

/// Whether a tenth or less of the file system's space or inodes is left.
fn is_short_of_room(directory: &Path) -> bool {
    rustix::fs::statvfs(directory)
        .is_ok_and(|room| room.f_bavail < room.f_blocks / 10 || (room.f_files > 0 && room.f_favail < room.f_files / 10))
}

impl Scratch {
    /// Makes one in each medium's directory. `run` is a name that no other run has.
    pub(crate) fn create(media: &BTreeMap<String, PathBuf>, run: &str) -> Result<Self> {
        let mut directories = BTreeMap::new();
        for (medium, directory) in media {
            let path = directory.join(format!("bakeoff-scratch-{run}-{}-{medium}", std::process::id()));
            directories.insert(medium.clone(), OwnDirectory::create(&path, Kind::Scratch)?);
        }
        Ok(Self { directories, retired: 0 })
    }

    /// The directory of a medium.
    pub(crate) fn of(&self, medium: &str) -> Result<&Path> {
        let directory = self.directories.get(medium);
        Ok(directory
            .with_context(|| format!("no directory for the medium `{medium}`: give --medium {medium}=DIR"))?
            .path())
    }

    /// The directory of `medium` if there is one, else of any.
    pub(crate) fn of_any(&self, medium: &str) -> Result<&Path> {
        let directory = self.directories.get(medium).or_else(|| self.directories.values().next());
        Ok(directory.context("the run has no medium")?.path())
    }

    /// A fresh, empty directory for one cell's store.
    pub(crate) fn fresh(&self, medium: &str) -> Result<PathBuf> {
        let path = self.of(medium)?.join("store");
        std::fs::create_dir(&path).with_context(|| format!("cannot make the directory {}", path.display()))?;
        Ok(path)
    }

    /// Puts a cell's store out of the way, so that its leftovers are neither written nor removed while the next one is
    /// measured.
    ///
    /// A store of few files is removed at once. Many files are only cut to nothing, and removed at the end: a file system
    /// may look at every inode that was freed a moment ago before it gives out a new one (ext4 without a journal does, for
    /// up to six minutes), and the next cell that creates files would pay for it, ten times over where this was found.
    pub(crate) fn clear(&mut self, medium: &str) -> Result<()> {
        let scratch = self.of(medium)?;
        let store = scratch.join("store");
        if count_files(&store, FILES_REMOVED_AT_ONCE) < FILES_REMOVED_AT_ONCE {
            remove_tree(&store)?;
        } else {
            empty_tree(&store);
            let retired = scratch.join("retired");
            std::fs::create_dir_all(&retired)
                .and_then(|()| std::fs::rename(&store, retired.join(self.retired.to_string())))
                .with_context(|| format!("cannot move {} to {}", store.display(), retired.display()))?;
            if is_short_of_room(scratch) {
                remove_tree(&retired)?;
            }
            self.retired += 1;
        }
        let temporary = self.of(medium)?.join(TEMPORARY);
        if temporary.exists() {
            remove_tree(&temporary)?;
        }
        self.settle(medium)
    }

    /// Waits until everything written to the medium's file system is on the disk.
    pub(crate) fn settle(&self, medium: &str) -> Result<()> {
        let scratch = self.of(medium)?;
        let directory = File::open(scratch).with_context(|| format!("cannot open {}", scratch.display()))?;
        rustix::fs::syncfs(directory).map_err(std::io::Error::from).context("cannot flush the file system")
    }

    /// Removes everything.
    pub(crate) fn remove(mut self) -> Result<()> {
        std::mem::take(&mut self.directories).into_values().try_for_each(OwnDirectory::remove)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // On the way out of an error the error is what counts; `bakeoff clean` finds what is left.
        for directory in std::mem::take(&mut self.directories).into_values() {
            let _ = directory.remove();
        }
    }
}
