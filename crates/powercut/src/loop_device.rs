//! Loop devices: a file becomes a disk for the kernel.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

const CONTROL: &str = "/dev/loop-control";
const LOOP_CONFIGURE: libc::Ioctl = 0x4C0A;
const LOOP_CTL_GET_FREE: libc::Ioctl = 0x4C82;
/// Its last user gives it back.
const AUTOCLEAR: u32 = 4;
/// The file is read and written past the page cache.
const DIRECT_IO: u32 = 16;

/// Others may take a device that was free a moment ago.
const ATTEMPTS: u32 = 64;

/// Linux's `struct loop_config`, with `struct loop_info64` in it.
#[repr(C)]
#[allow(dead_code, reason = "the kernel reads it")]
struct Config {
    fd: u32,
    block_bytes: u32,
    /// Device, inode, device of the file, offset, limit.
    places: [u64; 5],
    /// Number, kind and length of a key.
    unused: [u32; 3],
    flags: u32,
    names: [[u8; 64]; 2],
    key: [u8; 32],
    rest: [u64; 10],
}

/// A loop device, which is given back when the last user of it is gone: this, or what is mounted from it.
#[derive(Debug)]
pub struct LoopDevice {
    _device: File,
    path: PathBuf,
}

impl LoopDevice {
    /// Makes a device of a file. `direct` passes by the page cache, which only files outside of memory need.
    ///
    /// # Errors
    /// The system has no loop devices, or none is free.
    pub fn attach(file: &File, direct: bool) -> io::Result<Self> {
        let control = OpenOptions::new().read(true).write(true).open(CONTROL)?;
        let flags = AUTOCLEAR | if direct { DIRECT_IO } else { 0 };
        let config = Config {
            fd: file.as_raw_fd() as u32,
            block_bytes: 0,
            places: [0; 5],
            unused: [0; 3],
            flags,
            names: [[0; 64]; 2],
            key: [0; 32],
            rest: [0; 10],
        };
        for _ in 0..ATTEMPTS {
            // SAFETY: the request takes no argument.
            let number = unsafe { libc::ioctl(control.as_raw_fd(), LOOP_CTL_GET_FREE) };
            if number < 0 {
                return Err(io::Error::last_os_error());
            }
            let path = PathBuf::from(format!("/dev/loop{number}"));
            let device = OpenOptions::new().read(true).write(true).open(&path)?;
            // SAFETY: the argument is the structure that the request reads.
            if unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CONFIGURE, &raw const config) } == 0 {
                return Ok(Self { _device: device, path });
            }
            let why = io::Error::last_os_error();
            if why.raw_os_error() != Some(libc::EBUSY) {
                return Err(why);
            }
        }
        Err(io::Error::other("other programs took every loop device that was free"))
    }

    /// Its path in `/dev`.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
