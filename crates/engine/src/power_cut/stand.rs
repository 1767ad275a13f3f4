//! Where a worker mounts disks, one after the other, and keeps in memory what belongs to none of them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bakeoff_powercut::{Mount, mount};

use crate::power_cut::grounds::{Options, STORE, mount_image};

/// The most that a driver may write besides its store: inventories, and what it unpacks.
const MEMORY: &str = "256m";

/// How long a disk may be in use by processes that were just killed.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where one worker mounts disks.
pub(super) struct Stand {
    disk: PathBuf,
    memory: PathBuf,
    _memory: Mount,
}

impl Stand {
    /// Makes it in a directory that is there.
    pub(super) fn make(directory: &Path) -> Result<Self> {
        let (disk, memory) = (directory.join("disk"), directory.join("memory"));
        for directory in [&disk, &memory] {
            std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        }
        let mut mounted = mount("tmpfs", &[("size", Some(MEMORY))]).context("cannot mount a tmpfs")?;
        mounted.attach(&memory).context("cannot attach a tmpfs")?;
        Ok(Self { disk, memory, _memory: mounted })
    }

    /// Mounts a disk; `Ok(Err(_))` if the kernel cannot mount its file system.
    pub(super) fn mount(
        &self,
        file_system: &str,
        image: &File,
        direct: bool,
        options: Options,
    ) -> Result<Result<Mount, io::Error>> {
        let mut mounted = match mount_image(file_system, image, direct, options)? {
            Ok(mounted) => mounted,
            Err(why) if why.kind() == io::ErrorKind::PermissionDenied => {
                return Err(why).context("cannot mount a disk");
            }
            Err(why) => return Ok(Err(why)),
        };
        mounted.attach(&self.disk).context("cannot attach a mounted disk")?;
        Ok(Ok(mounted))
    }

    /// Unmounts a disk, which a process that was just killed may still use.
    pub(super) fn unmount(mut mounted: Mount) {
        let begin = Instant::now();
        while mounted.try_end().is_err_and(|why| why.kind() == io::ErrorKind::ResourceBusy)
            && begin.elapsed() < PATIENCE
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Dropped, it is detached: its image goes with its last user.
        drop(mounted);
    }

    /// Where the store is, on the disk that is mounted.
    pub(super) fn store(&self) -> PathBuf {
        self.disk.join(STORE)
    }

    /// The store's files that can be opened, with their paths in its directory: of each directory at most so many entries.
    pub(super) fn files(&self, most: usize) -> Vec<(PathBuf, File)> {
        let (store, mut files, mut directories) = (self.store(), Vec::new(), vec![PathBuf::new()]);
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(store.join(&directory)).into_iter().flatten().flatten().take(most) {
                let name = directory.join(entry.file_name());
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => directories.push(name),
                    Ok(kind) if kind.is_file() => files.extend(File::open(entry.path()).map(|file| (name, file))),
                    _ => {}
                }
            }
        }
        files
    }

    /// Where a driver unpacks things.
    pub(super) fn memory(&self) -> &Path {
        &self.memory
    }

    /// Where a driver writes what it found.
    pub(super) fn inventory(&self) -> PathBuf {
        self.memory.join("inventory")
    }
}
