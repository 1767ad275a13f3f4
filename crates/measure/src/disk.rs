//! Disk usage of a directory.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_protocol::DiskUsage;
use rustix::fs::{StatVfs, statvfs};

/// `st_blocks` counts units of this many bytes, independent of the file system's block size.
const STAT_BLOCK_BYTES: u64 = 512;

/// Sums everything in a directory, including the directory itself.
///
/// Symbolic links are not followed, and a file with several names counts once. Files that vanish at the same time, through a store's
/// background work, are omitted. Most file systems count blocks that are reserved but not yet written.
///
/// # Errors
/// The directory, or one in it, cannot be read for another reason than having vanished.
pub fn disk_usage(directory: &Path) -> io::Result<DiskUsage> {
    let mut walk = Walk::default();
    walk.usage.allocated_bytes = allocated_bytes(&fs::metadata(directory)?);
    let mut pending = vec![directory.to_owned()];
    while let Some(current) = pending.pop() {
        let entries = match fs::read_dir(&current) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && current != directory => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let Some(metadata) = unless_vanished(entry.metadata())? else { continue };
            if metadata.is_dir() {
                pending.push(entry.path());
            }
            walk.add(&metadata);
        }
    }
    Ok(walk.usage)
}

/// Less than this counts as nothing: a store allocates more at a time.
const FULL_BYTES: u64 = 1 << 16;

/// The free space for unprivileged users on a directory's file system in bytes, if it is nearly zero: below two pieces of `piece_bytes`,
/// the largest single write. `None` if there is space, or if the file system does not report it.
pub fn room_bytes_if_full(directory: &Path, piece_bytes: u64) -> Option<u64> {
    room_bytes(directory).filter(|&room| room < piece_bytes.saturating_mul(2).max(FULL_BYTES))
}

/// Fewer count as none: a store creates several at a time.
const FULL_FILES: u64 = 16;

/// The number of files that unprivileged users can still create on a directory's file system, if it is nearly zero. `None` if there are
/// enough, or if the file system does not report it.
pub fn room_files_if_full(directory: &Path) -> Option<u64> {
    room_files(directory).filter(|&files| files < FULL_FILES)
}

/// Free space for unprivileged users on a directory's file system, bytes; `None` if the file system does not report it.
pub fn room_bytes(directory: &Path) -> Option<u64> {
    statvfs(directory).ok().as_ref().map(free_bytes)
}

/// The number of files that unprivileged users can still create on a directory's file system. `None` if it has no such limit, as btrfs, or
/// does not report it.
pub fn room_files(directory: &Path) -> Option<u64> {
    statvfs(directory).ok().filter(|space| space.f_files > 0).map(|space| space.f_favail)
}

/// Free space for unprivileged users, bytes.
pub(crate) fn free_bytes(space: &StatVfs) -> u64 {
    space.f_bavail.saturating_mul(space.f_frsize)
}

#[derive(Default)]
struct Walk {
    usage: DiskUsage,
    /// Device and inode of files with more than one name.
    linked: HashSet<(u64, u64)>,
}

impl Walk {
    fn add(&mut self, metadata: &Metadata) {
        let has_names = metadata.is_file() && metadata.nlink() > 1;
        if has_names && !self.linked.insert((metadata.dev(), metadata.ino())) {
            return;
        }
        self.usage.allocated_bytes += allocated_bytes(metadata);
        if metadata.is_file() {
            self.usage.apparent_bytes += metadata.len();
            self.usage.files += 1;
        }
    }
}

fn allocated_bytes(metadata: &Metadata) -> u64 {
    metadata.blocks() * STAT_BLOCK_BYTES
}

fn unless_vanished<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
