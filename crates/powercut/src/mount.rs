//! Mounts that are attached nowhere until somebody wants them to be.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::CWD;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, fsconfig_create,
    fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, move_mount, open_tree, unmount,
};

/// A mounted file system; unmounted when dropped.
#[derive(Debug)]
pub struct Mount {
    mount: Option<OwnedFd>,
    at: Option<PathBuf>,
}

/// Mounts a file system of a kind with options, each a name and perhaps a value.
///
/// # Errors
/// The kernel refuses it; has the kernel's words, where there are any.
pub fn mount(kind: &str, options: &[(&str, Option<&str>)]) -> io::Result<Mount> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    let configured = options.iter().try_for_each(|(name, value)| match value {
        Some(value) => fsconfig_set_string(&context, *name, *value),
        None => fsconfig_set_flag(&context, *name),
    });
    let mounted = configured
        .and_then(|()| fsconfig_create(&context))
        .and_then(|()| fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::MOUNT_ATTR_NODEV));
    match mounted {
        Ok(mount) => Ok(Mount { mount: Some(mount), at: None }),
        Err(why) => Err(with_words(why.into(), &context)),
    }
}

/// Mounts what is at a path another time: a bind mount.
///
/// # Errors
/// The kernel refuses it.
pub fn bind(path: &Path) -> io::Result<Mount> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    Ok(Mount { mount: Some(open_tree(CWD, path, flags)?), at: None })
}

/// An error with what the kernel wrote about a mount.
fn with_words(why: io::Error, context: &OwnedFd) -> io::Error {
    let (mut words, mut message) = (Vec::new(), [0_u8; 1024]);
    while let Ok(bytes @ 1..) = rustix::io::read(context, &mut message[..]) {
        words.push(String::from_utf8_lossy(&message[..bytes]).trim().to_owned());
    }
    if words.is_empty() { why } else { io::Error::new(why.kind(), format!("{why} ({})", words.join("; "))) }
}

impl Mount {
    /// Where this process finds its root.
    pub fn path(&self) -> PathBuf {
        let through = |mount: &OwnedFd| PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        self.at.clone().or_else(|| self.mount.as_ref().map(through)).unwrap_or_default()
    }

    /// Attaches it to a directory, or a mounted file to a file.
    ///
    /// # Errors
    /// It cannot be attached there.
    pub fn attach(&mut self, at: &Path) -> io::Result<()> {
        if let Some(mount) = &self.mount {
            move_mount(mount, "", CWD, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
            self.at = Some(at.to_owned());
            self.mount = None;
        }
        Ok(())
    }

    /// Unmounts it: returns once everything is written.
    ///
    /// # Errors
    /// Somebody uses it still.
    pub fn end(mut self) -> io::Result<()> {
        self.try_end()
    }

    /// The same, to be tried again.
    ///
    /// # Errors
    /// Somebody uses it still.
    pub fn try_end(&mut self) -> io::Result<()> {
        self.mount = None;
        if let Some(at) = &self.at {
            unmount(at, UnmountFlags::empty())?;
        }
        self.at = None;
        Ok(())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if let Some(at) = &self.at {
            let _ = unmount(at, UnmountFlags::DETACH);
        }
    }
}
