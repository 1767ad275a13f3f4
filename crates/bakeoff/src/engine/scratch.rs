//! Where stores and tapes live while a run goes on: a marked directory on each medium, removed at the end.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files::{Kind, OwnDirectory, remove_tree};

/// The scratch directories of a run, by medium.
pub(crate) struct Scratch {
    directories: BTreeMap<String, OwnDirectory>,
}

impl Scratch {
    /// Makes one in each medium's directory. `run` is a name that no other run has.
    pub(crate) fn create(media: &BTreeMap<String, PathBuf>, run: &str) -> Result<Self> {
        let mut directories = BTreeMap::new();
        for (medium, directory) in media {
            let path = directory.join(format!("bakeoff-scratch-{run}-{}-{medium}", std::process::id()));
            directories.insert(medium.clone(), OwnDirectory::create(&path, Kind::Scratch)?);
        }
        Ok(Self { directories })
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

    /// Removes a cell's store and lets the file system settle, so that one cell's leftovers are not written while the next is
    /// measured.
    pub(crate) fn clear(&self, medium: &str) -> Result<()> {
        remove_tree(&self.of(medium)?.join("store"))?;
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
