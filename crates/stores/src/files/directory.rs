//! The directory of the records' files: creates, replaces, reads and removes a file, and flushes what the durability level requires. Paths
//! are relative to it and come from `names`, so they never lead out of it.

use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use bakeoff_store::{Durability, StoreError};
use rustix::buffer::spare_capacity;
use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, fstat, fsync, linkat, mkdirat, openat, renameat_with, statat, syncfs, unlinkat,
};
use rustix::io::Errno;

use super::error::failed;

/// The directory of the records' files, below the store's directory.
const NAME: &str = "records";
const READ_DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// When the changes of a write are flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flush {
    /// Never by the adapter.
    Never,
    /// Before the write returns.
    Each,
    /// With the rest of the batch, by [`Directory::flush_all`].
    Together,
}

/// The open directory and the durability level.
pub(super) struct Directory {
    root: OwnedFd,
    durability: Durability,
    /// Whether a record appears, or changes, by renaming a complete file to its name. Otherwise it is written in place.
    writes_by_renaming: bool,
    /// Whether the file system was found to have no `RENAME_NOREPLACE`.
    links: AtomicBool,
    /// Held while directories are created and flushed. A writer may find a directory that another thread has just created. It acquires this
    /// lock before it acknowledges, so it never relies on a directory that a power cut could remove.
    making: RwLock<()>,
}

impl Directory {
    /// Creates or opens the directory for `threads` threads. Where there are several, one could read a file that another writes in place.
    pub(super) fn open(parent: &Path, durability: Durability, threads: u32) -> Result<Self, StoreError> {
        let in_words = parent.as_os_str().as_encoded_bytes();
        let outside = openat(rustix::fs::CWD, parent, READ_DIRECTORY, Mode::empty())
            .map_err(|errno| failed("open", in_words, errno))?;
        match mkdirat(&outside, NAME, directory_mode()) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(failed("mkdir", NAME.as_bytes(), errno)),
        }
        let root = openat(&outside, NAME, READ_DIRECTORY | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|errno| failed("open", NAME.as_bytes(), errno))?;
        if durability.includes(Durability::Consistent) {
            // Flushes this directory's own entry, and directories that a killed process created without flushing them.
            syncfs(&root).map_err(|errno| failed("syncfs", NAME.as_bytes(), errno))?;
        }
        let writes_by_renaming = durability != Durability::None || threads > 1;
        Ok(Self { root, durability, writes_by_renaming, links: AtomicBool::new(false), making: RwLock::new(()) })
    }

    /// The directory itself, for listing.
    pub(super) fn root(&self) -> Result<OwnedFd, StoreError> {
        open_directory(self.root.as_fd(), b".")
    }

    /// When a session's writes are flushed, with or without batches.
    pub(super) fn flush(&self, batched: bool) -> Flush {
        match (self.durability, batched) {
            (Durability::None | Durability::Process, _) => Flush::Never,
            (Durability::Consistent | Durability::Power, false) => Flush::Each,
            (Durability::Consistent | Durability::Power, true) => Flush::Together,
        }
    }

    /// Flushes everything written so far, on the whole file system.
    pub(super) fn flush_all(&self) -> Result<(), StoreError> {
        syncfs(&self.root).map_err(|errno| failed("syncfs", NAME.as_bytes(), errno))
    }

    /// Writes a file that must not exist. By renaming, others see no file there, or the complete one.
    pub(super) fn create(&self, path: &[u8], temporary: &[u8], value: &[u8], flush: Flush) -> Result<(), StoreError> {
        if self.writes_by_renaming {
            self.rename_written(path, temporary, value, (flush, RenameFlags::NOREPLACE))?;
        } else {
            self.write(path, OFlags::EXCL, value, flush)?;
        }
        self.flush_parent(path, flush)
    }

    /// Writes a file that may exist.
    pub(super) fn replace(&self, path: &[u8], temporary: &[u8], value: &[u8], flush: Flush) -> Result<(), StoreError> {
        if self.writes_by_renaming {
            // Also in a batch the new file must be on the disk before it replaces the old one: data acknowledged before the batch must
            // survive a power cut inside it.
            let of_file = if flush == Flush::Together { Flush::Each } else { flush };
            self.rename_written(path, temporary, value, (of_file, RenameFlags::empty()))?;
        } else {
            self.write(path, OFlags::TRUNC, value, flush)?;
        }
        self.flush_parent(path, flush)
    }

    /// Writes a temporary file and renames it to `path`.
    fn rename_written(
        &self,
        path: &[u8],
        temporary: &[u8],
        value: &[u8],
        (flush, flags): (Flush, RenameFlags),
    ) -> Result<(), StoreError> {
        let written = self
            .write(temporary, OFlags::TRUNC, value, flush)
            .and_then(|()| self.rename(temporary, path, flags).map_err(|errno| failed("rename to", path, errno)));
        if written.is_err() {
            // The rest of it is useless. If it does not exist, that is no second error.
            let _ = unlinkat(&self.root, temporary, AtFlags::empty());
        }
        written
    }

    /// Renames a file. A file system without `RENAME_NOREPLACE`, such as NTFS in user space, gets a second name and loses the first, which also
    /// refuses a name that is taken.
    fn rename(&self, temporary: &[u8], path: &[u8], flags: RenameFlags) -> Result<(), Errno> {
        if flags.is_empty() || !self.links.load(Ordering::Relaxed) {
            match renameat_with(&self.root, temporary, &self.root, path, flags) {
                Err(Errno::INVAL | Errno::NOSYS) if !flags.is_empty() => self.links.store(true, Ordering::Relaxed),
                renamed => return renamed,
            }
        }
        linkat(&self.root, temporary, &self.root, path, AtFlags::empty())?;
        unlinkat(&self.root, temporary, AtFlags::empty())
    }

    /// Appends a file's content to `value`; false if there is no such file.
    pub(super) fn read(&self, path: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        read_at(self.root.as_fd(), path, value)
    }

    /// Whether there is such a file, without opening it.
    pub(super) fn has(&self, path: &[u8]) -> Result<bool, StoreError> {
        match statat(&self.root, path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(failed("stat", path, errno)),
        }
    }

    /// Removes a file if it exists.
    pub(super) fn remove(&self, path: &[u8], flush: Flush) -> Result<(), StoreError> {
        match unlinkat(&self.root, path, AtFlags::empty()) {
            Ok(()) => self.flush_parent(path, flush),
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(failed("unlink", path, errno)),
        }
    }

    fn write(&self, path: &[u8], flags: OFlags, value: &[u8], flush: Flush) -> Result<(), StoreError> {
        let flags = flags | OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || openat(&self.root, path, flags, Mode::from_raw_mode(0o666));
        let file = match open() {
            Err(Errno::NOENT) => {
                self.make_parents(path, flush)?;
                open()
            }
            opened => opened,
        };
        let file = file.map_err(|errno| failed("create", path, errno))?;
        write_whole(file.as_fd(), value).map_err(|errno| failed("write", path, errno))?;
        if flush == Flush::Each {
            fsync(&file).map_err(|errno| failed("fsync", path, errno))?;
        }
        close(file).map_err(|errno| failed("close", path, errno))
    }

    /// Creates the directories on a path. Flushes each one's entry if the level requires it.
    fn make_parents(&self, path: &[u8], flush: Flush) -> Result<(), StoreError> {
        let _making = self.making.write().unwrap_or_else(PoisonError::into_inner);
        let slashes = path.iter().enumerate().filter_map(|(index, &byte)| (byte == b'/').then_some(index));
        for end in slashes {
            let directory = &path[..end];
            match mkdirat(&self.root, directory, directory_mode()) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(failed("mkdir", directory, errno)),
            }
            if flush == Flush::Each {
                self.fsync_parent(directory)?;
            }
        }
        Ok(())
    }

    /// Flushes the entry of a file that was created, renamed or removed, if the level requires it.
    fn flush_parent(&self, path: &[u8], flush: Flush) -> Result<(), StoreError> {
        if flush != Flush::Each {
            return Ok(());
        }
        self.fsync_parent(path)?;
        drop(self.making.read().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    fn fsync_parent(&self, path: &[u8]) -> Result<(), StoreError> {
        let flushed = match path.iter().rposition(|&byte| byte == b'/') {
            None => fsync(&self.root),
            Some(end) => fsync(open_directory(self.root.as_fd(), &path[..end])?),
        };
        flushed.map_err(|errno| failed("fsync the directory of", path, errno))
    }
}

/// Appends the content of a file in a directory to `value`; false if there is no such file.
pub(super) fn read_at(directory: BorrowedFd<'_>, path: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match openat(directory, path, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(false),
        Err(errno) => return Err(failed("open", path, errno)),
    };
    read_whole(file.as_fd(), value).map_err(|errno| failed("read", path, errno))?;
    Ok(true)
}

/// Opens a directory below another one, for listing or flushing.
pub(super) fn open_directory(directory: BorrowedFd<'_>, path: &[u8]) -> Result<OwnedFd, StoreError> {
    openat(directory, path, READ_DIRECTORY | OFlags::NOFOLLOW, Mode::empty())
        .map_err(|errno| failed("open", path, errno))
}

/// Reads a file into spare capacity, so that the kernel's copy is the only one.
fn read_whole(file: BorrowedFd<'_>, value: &mut Vec<u8>) -> Result<(), Errno> {
    let length = usize::try_from(fstat(file)?.st_size).map_err(|_| Errno::FBIG)?;
    let end = value.len().checked_add(length).ok_or(Errno::FBIG)?;
    value.try_reserve(length).map_err(|_| Errno::NOMEM)?;
    while value.len() < end {
        match rustix::io::read(file, spare_capacity(value)) {
            Ok(0) => return Ok(()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

fn write_whole(file: BorrowedFd<'_>, mut value: &[u8]) -> Result<(), Errno> {
    while !value.is_empty() {
        match rustix::io::write(file, value) {
            Ok(written) => value = &value[written..],
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Closes a file and returns the file system's error: some report a failed write only here.
fn close(file: OwnedFd) -> Result<(), Errno> {
    // SAFETY: the descriptor was owned and nothing uses it any more.
    match unsafe { rustix::io::try_close(file.into_raw_fd()) } {
        // Linux has closed it anyway.
        Err(Errno::INTR) => Ok(()),
        closed => closed,
    }
}

/// Read, write and search permission for everyone, limited by the process's umask.
fn directory_mode() -> Mode {
    Mode::from_raw_mode(0o777)
}
