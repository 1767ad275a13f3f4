//! What is mounted in bakeoff's directories: by a run, or by a driver.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustix::mount::{UnmountFlags, unmount};

use crate::explain::Advised;

/// Where something is mounted inside a bakeoff directory, deepest last.
pub(crate) fn mounts_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(directory) = directory.canonicalize() else { return Vec::new() };
    let mut mounts = mounts_in(&directory);
    mounts.retain(|point| *point != directory);
    mounts
}

/// The same with the directory itself, which must be without links.
fn mounts_in(directory: &Path) -> Vec<PathBuf> {
    let mut mounts = bakeoff_measure::mount_points();
    mounts.retain(|point| point.starts_with(directory));
    mounts.sort();
    mounts
}

/// Unmounts what was mounted in a bakeoff directory, or over it: nothing is ever removed through a mount.
///
/// # Errors
/// Something cannot be unmounted.
pub(crate) fn unmount_all(directory: &Path) -> Result<()> {
    let Ok(directory) = directory.canonicalize() else { return Ok(()) };
    for point in mounts_in(&directory).into_iter().rev() {
        unmount(&point, UnmountFlags::empty())
            // Busy, or its server is gone: out of sight at once, unmounted when nobody uses it any
            // more.
            .or_else(|_| unmount(&point, UnmountFlags::DETACH))
            .map_err(io::Error::from)
            .with_context(|| Advised(format!("cannot unmount {}. Run: umount {}", point.display(), point.display())))?;
    }
    Ok(())
}
