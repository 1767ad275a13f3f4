//! The files of a directory.

use std::fs;
use std::path::{Path, PathBuf};

/// All files below a directory in order, without those of git, builds and editors, and without failed snapshots.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| !is_left_out(path)).collect();
    paths.sort();
    let is_directory = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    paths.into_iter().flat_map(|path| if is_directory(&path) { files_below(&path) } else { vec![path] }).collect()
}

fn is_left_out(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    matches!(name.as_ref(), ".git" | "target" | "proptest-regressions")
        || name.ends_with('~')
        || name.ends_with(".snap.new")
        // Temporary directories of tests.
        || name.starts_with(".tmp")
}
