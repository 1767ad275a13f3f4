//! The memory and the open files of other processes.

use std::path::Path;

use procfs::process::{FDTarget, MMapPath, Process};

use crate::process::kib;

/// The memory of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessMemory {
    /// Resident bytes now.
    pub resident_bytes: u64,
    /// Largest resident bytes since the process last reset its peak.
    pub peak_bytes: u64,
}

impl ProcessMemory {
    /// Reads it. `None` if the process is gone or cannot be read.
    pub fn of(process: i32) -> Option<Self> {
        let status = Process::new(process).ok()?.status().ok()?;
        let resident_bytes = kib(status.vmrss)?;
        Some(Self { resident_bytes, peak_bytes: kib(status.vmhwm).unwrap_or(0).max(resident_bytes) })
    }
}

/// Whether a process has one of these files, or a file in one of these directories, open or mapped. False if that cannot be read.
pub fn has_open(process: i32, paths: &[&Path]) -> bool {
    let is_one = |path: &Path| paths.iter().any(|of| path.starts_with(of));
    let Ok(process) = Process::new(process) else { return false };
    let is_open = process.fd().into_iter().flatten().flatten().any(|file| match &file.target {
        FDTarget::Path(path) => is_one(path),
        _ => false,
    });
    is_open
        || process.maps().into_iter().flatten().any(|map| match &map.pathname {
            MMapPath::Path(path) => is_one(path),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_files_of_a_process_are_seen_from_outside() {
        let own = i32::try_from(std::process::id()).unwrap();
        let memory = ProcessMemory::of(own).unwrap();
        assert!(memory.resident_bytes > 1 << 20 && memory.peak_bytes >= memory.resident_bytes);
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().canonicalize().unwrap();
        let file = directory.join("file");
        std::fs::write(&file, "something").unwrap();
        assert!(!has_open(own, &[&directory]));
        let opened = std::fs::File::open(&file).unwrap();
        assert!(has_open(own, &[&directory]) && has_open(own, &[&file]));
        assert!(!has_open(own, &[&directory.join("fi")]), "that is another path");
        drop(opened);
        assert!(!has_open(own, &[&directory]));
        // No process has a number that large.
        assert!(ProcessMemory::of(i32::MAX).is_none() && !has_open(i32::MAX, &[&directory]));
    }
}
