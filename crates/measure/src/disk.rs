//! What a directory takes on disk.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_protocol::DiskUsage;
use rustix::fs::{StatVfs, statvfs};

/// `st_blocks` counts units of this many bytes, whatever the file system's block size.
const STAT_BLOCK_BYTES: u64 = 512;

/// Sums everything in a directory, the directory itself included.
///
/// Symbolic links are not followed, a file with several names counts once, and what vanishes while we look (a store's
/// background work) is left out. Blocks that the file system has promised but not yet written are counted by most.
///
/// # Errors
/// When the directory, or one in it, cannot be read for another reason than having vanished.
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

/// Less than this is nothing: a store asks for more at a time.
const FULL_BYTES: u64 = 1 << 16;

/// What is left for those without privileges on the file system of a directory, bytes, if that is nearly nothing: too little for
/// two of `piece_bytes`, the most that is written at a time. `None` where there is room, and where the file system does not tell.
pub fn room_bytes_if_full(directory: &Path, piece_bytes: u64) -> Option<u64> {
    room_bytes(directory).filter(|&room| room < piece_bytes.saturating_mul(2).max(FULL_BYTES))
}

/// Fewer than this are none: a store makes several at a time.
const FULL_FILES: u64 = 16;

/// How many files can still be made on the file system of a directory by those without privileges, if these are hardly any. `None` where there is
/// room for some, and where the file system does not tell.
pub fn room_files_if_full(directory: &Path) -> Option<u64> {
    room_files(directory).filter(|&files| files < FULL_FILES)
}

/// Room on the file system of a directory for those without privileges, bytes; `None` where it does not tell.
pub fn room_bytes(directory: &Path) -> Option<u64> {
    statvfs(directory).ok().as_ref().map(free_bytes)
}

/// Files that can still be made on the file system of a directory by those without privileges; `None` where it does not count them, as btrfs,
/// or does not tell.
pub fn room_files(directory: &Path) -> Option<u64> {
    statvfs(directory).ok().filter(|space| space.f_files > 0).map(|space| space.f_favail)
}

/// Room for those without privileges, bytes.
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
