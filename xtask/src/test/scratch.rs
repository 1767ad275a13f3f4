//! A directory in memory for files of tests, if there is enough memory. Many tests flush their files, or make the
//! kernel flush a whole file system. On a disk they would wait for each other and for the build.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::output_of;

/// The mount point of Linux's file system in memory.
const MEMORY: &str = "/dev/shm";
/// The maximum size of test files. 1.5 GiB was observed.
const FILES_BYTES: u64 = 3 << 30;
/// Memory that must be available, for files and programs.
const MEMORY_BYTES: u64 = 6 << 30;

/// A directory that is removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty directory of this name in memory. `None` if memory is short.
    pub(crate) fn in_memory(name: &OsStr) -> Option<Self> {
        let df = ["--type=tmpfs", "--block-size=1", "--output=avail", MEMORY];
        let free = output_of(Command::new("df").args(df))?.lines().last()?.trim().parse::<u64>().ok()?;
        let available = available_bytes(&fs::read_to_string("/proc/meminfo").ok()?)?;
        (free >= FILES_BYTES && available >= MEMORY_BYTES).then(|| Self::new(Path::new(MEMORY), name)).flatten()
    }

    /// Removes the remains of an interrupted run: only one process at a time tests a clone. `None` if the directory
    /// belongs to another user, or if programs cannot start there, as in containers.
    fn new(parent: &Path, name: &OsStr) -> Option<Self> {
        let mut own = OsStr::new("bakeoff-tests-").to_owned();
        own.push(name);
        let directory = parent.join(own);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory).ok()?;
        let scratch = Self(directory);
        scratch.runs_programs().then_some(scratch)
    }

    /// Whether a program in the directory can be started.
    fn runs_programs(&self) -> bool {
        let program = self.0.join("true");
        let write = || {
            fs::write(&program, "#!/bin/sh\n")?;
            fs::set_permissions(&program, fs::Permissions::from_mode(0o700))
        };
        let runs = write().is_ok() && output_of(&mut Command::new(&program)).is_some();
        let _ = fs::remove_file(&program);
        runs
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The memory that programs can take without causing swapping.
fn available_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_removed_and_so_is_the_directory_in_the_end() {
        let parent = tempfile::tempdir().unwrap();
        let first = Scratch::new(parent.path(), OsStr::new("clone-1")).unwrap();
        fs::write(first.directory().join("left"), "by an interrupted run").unwrap();
        let again = Scratch::new(parent.path(), OsStr::new("clone-1")).unwrap();
        assert_eq!(fs::read_dir(again.directory()).unwrap().count(), 0);
        drop(again);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_name_that_is_taken_is_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("bakeoff-tests-x"), "a file").unwrap();
        assert!(Scratch::new(parent.path(), OsStr::new("x")).is_none());
        assert!(parent.path().join("bakeoff-tests-x").exists());
    }

    #[test]
    fn available_memory_is_read_in_bytes() {
        assert_eq!(available_bytes("MemTotal:  9 kB\nMemAvailable:    2048 kB\n"), Some(2 << 20));
        assert_eq!(available_bytes("MemTotal:  9 kB\n"), None);
    }
}
