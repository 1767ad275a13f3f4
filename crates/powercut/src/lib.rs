//! A disk whose power can be cut.
//!
//! ```text
//! file system ─loop device→ FUSE file ─/dev/fuse→ server process ─→ content (memfd) + log (memfd)
//!                                                                      │
//!                           image of a cut (memfd) ←Recording::image───┘
//! ```
//! The disk is a file in memory, which a process of its own serves over FUSE ([`Disk`], [`serve`]). It writes every write and flush to
//! a log, with the numbers of acknowledgements at that moment ([`bakeoff_tape::Acknowledged`]). The log becomes a [`Recording`]. From it images are made
//! of what a power cut at any moment may leave: everything before the last flush, and a seeded choice of what was pending ([`Cut`]).
//!
//! Nothing has a name: the disk's mount is attached nowhere, the loop device is given back by its last user, and the rest is
//! memory. So a kill of any of the processes leaves nothing behind.

mod base;
mod cut;
mod disk;
mod extents;
mod fuse;
mod image;
mod log;
mod loop_device;
mod mount;
mod random;
mod recording;

pub use base::Base;
pub use cut::{Cut, Flushes, Policy};
pub use disk::{Disk, serve};
pub use extents::extents;
pub use log::LOG_BYTES_MAX;
pub use loop_device::LoopDevice;
pub use mount::{Mount, bind, mount};
pub use random::Random;
pub use recording::{Recorded, Recording};

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use bakeoff_tape::Acknowledged;
use rustix::fs::{MemfdFlags, memfd_create};

/// Makes a file in memory, without a name, sparse and of this length.
///
/// # Errors
/// The system allows no more memory or files.
pub fn memory_file(bytes: u64) -> io::Result<File> {
    let file = File::from(memfd_create("power-cut", MemfdFlags::CLOEXEC)?);
    file.set_len(bytes)?;
    Ok(file)
}

/// Makes a file in memory for the acknowledgements of so many lanes.
fn acknowledgements(lanes: u32) -> io::Result<(File, Acknowledged)> {
    let file = memory_file(Acknowledged::file_bytes(lanes))?;
    let acknowledged = Acknowledged::of_file(&file)?;
    Ok((file, acknowledged))
}

/// A path by which other processes of this user find a file that has no name, as long as this process has it open.
pub fn path_for_others(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()))
}
