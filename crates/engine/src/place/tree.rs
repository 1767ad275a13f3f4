//! Trees of directories, emptied and removed by many threads.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bakeoff_limits::spawn_in;

use crate::place::mounts::unmount_all;

/// How long a file that a killed program had open may keep its directory from being removed.
const CLOSED_WITHIN: Duration = Duration::from_secs(2);

/// Threads that work on a tree together. Removing a directory is mostly waiting: on one kernel
/// tried each `rmdir` sleeps for a clock tick, and 20,000 directories take 30 s one after the other
/// and 2 s with 16 threads.
const HANDS: usize = 32;

/// Removes a bakeoff directory, or one inside it, with everything in it. A missing one is no error. If a driver has put
/// something else in its place, such as a link to someone else's directory, only that is removed. What it has mounted
/// there keeps its files.
pub(crate) fn remove_tree(root: &Path) -> Result<()> {
    if is_other(root) {
        return std::fs::remove_file(root).with_context(|| format!("cannot remove {}", root.display()));
    }
    unmount_all(root)?;
    // What cannot be removed by one of the threads is met again below, where the error is kept.
    on_branches(root, &|branch| drop(std::fs::remove_dir_all(branch)));
    let begin = Instant::now();
    let mut removed = std::fs::remove_dir_all(root);
    // A program that was killed a moment ago may still have a file open, which a file system in
    // user space keeps under another name until then.
    while is_not_empty(&removed) && begin.elapsed() < CLOSED_WITHIN {
        std::thread::sleep(Duration::from_millis(20));
        removed = std::fs::remove_dir_all(root);
    }
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", root.display()))
        }
        _ => Ok(()),
    }
}

/// Whether there is something that is no directory. A link to one is none.
fn is_other(root: &Path) -> bool {
    root.symlink_metadata().is_ok_and(|facts| !facts.is_dir())
}

fn is_not_empty(removed: &io::Result<()>) -> bool {
    removed.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::DirectoryNotEmpty)
}

/// Cuts every file in a bakeoff directory to nothing, and keeps the files. A file that cannot be cut stays as it is.
/// Gives the number of files and directories.
pub(crate) fn empty_tree(root: &Path) -> u64 {
    if is_other(root) {
        return 1;
    }
    let count = AtomicU64::new(0);
    on_branches(root, &|branch| {
        count.fetch_add(empty_branch(branch), Ordering::Relaxed);
    });
    count.into_inner()
}

fn empty_branch(directory: &Path) -> u64 {
    let mut count = 1;
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        count += match entry.file_type() {
            Ok(kind) if kind.is_dir() => empty_branch(&entry.path()),
            Ok(kind) if kind.is_file() => {
                drop(OpenOptions::new().write(true).truncate(true).open(entry.path()));
                1
            }
            _ => 1,
        };
    }
    count
}

/// How many files a bakeoff directory holds, counted up to `limit`.
pub(crate) fn count_files(directory: &Path, limit: usize) -> usize {
    if is_other(directory) {
        return 1;
    }
    let mut count = 0;
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        count += match entry.file_type() {
            Ok(kind) if kind.is_dir() => count_files(&entry.path(), limit - count),
            _ => 1,
        };
        if count >= limit {
            return limit;
        }
    }
    count
}

/// Does `work` on directories that together are all of the tree, several at a time.
fn on_branches(root: &Path, work: &(dyn Fn(&Path) + Sync)) {
    let branches = branches(root);
    let next = AtomicUsize::new(0);
    let hand = || {
        while let Some(branch) = branches.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(branch);
        }
    };
    std::thread::scope(|scope| {
        // This thread is one of them, and does all where no other can be started.
        let _ = (1..HANDS.min(branches.len())).try_for_each(|_| spawn_in(scope, hand).map(drop));
        hand();
    });
}

/// Directories on one level of the tree, enough to keep all hands busy, or the root alone: a level
/// counts only if there are no files above it.
fn branches(root: &Path) -> Vec<PathBuf> {
    let mut level = vec![root.to_owned()];
    while level.len() < 4 * HANDS {
        let below: Vec<_> = level.iter().map(|directory| only_directories_in(directory)).collect();
        match below.into_iter().collect::<Option<Vec<_>>>() {
            Some(below) if below.iter().any(|some| !some.is_empty()) => level = below.concat(),
            _ => break,
        }
    }
    level
}

/// The entries of a directory, if all are directories. The type is the entry's own: a link is no directory.
fn only_directories_in(directory: &Path) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory).ok()?;
    entries
        .map(|entry| {
            let entry = entry.ok()?;
            entry.file_type().is_ok_and(|kind| kind.is_dir()).then(|| entry.path())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_emptied_and_removed_whole_and_links_are_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let (root, outside) = (parent.path().join("root"), parent.path().join("outside"));
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("precious"), "kept").unwrap();
        for number in 0..100 {
            let leaf = root.join(format!("{}/{}/{number}", number % 10, number % 7));
            std::fs::create_dir_all(&leaf).unwrap();
            std::fs::write(leaf.join("file"), "x").unwrap();
        }
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("0/link")).unwrap();
        assert_eq!((count_files(&root, 1000), count_files(&root, 50)), (102, 50));
        empty_tree(&root);
        assert_eq!(std::fs::read(root.join("3/3/3/file")).unwrap(), b"");
        assert_eq!(count_files(&root, 1000), 102);
        remove_tree(&root).unwrap();
        assert!(!root.exists());
        assert_eq!(std::fs::read_to_string(outside.join("precious")).unwrap(), "kept");
        remove_tree(&root).unwrap();
    }

    /// When a driver put a link in the place of its directory, the link's target was removed.
    #[test]
    fn what_stands_in_the_place_of_a_tree_is_removed_alone() {
        let parent = tempfile::tempdir().unwrap();
        let (root, outside) = (parent.path().join("root"), parent.path().join("outside"));
        for number in 0..200 {
            let leaf = outside.join(number.to_string());
            std::fs::create_dir_all(&leaf).unwrap();
            std::fs::write(leaf.join("precious"), "kept").unwrap();
        }
        std::os::unix::fs::symlink(&outside, &root).unwrap();
        assert_eq!((count_files(&root, 1000), empty_tree(&root)), (1, 1));
        remove_tree(&root).unwrap();
        assert!(root.symlink_metadata().is_err());
        for number in 0..200 {
            assert_eq!(std::fs::read_to_string(outside.join(format!("{number}/precious"))).unwrap(), "kept");
        }
        std::fs::write(&root, "a file").unwrap();
        remove_tree(&root).unwrap();
        assert!(!root.exists());
    }
}
