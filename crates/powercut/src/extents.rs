//! Where on a disk the blocks of a file are.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

const FS_IOC_FIEMAP: libc::Ioctl = 0xC020_660B;
/// What is only in memory is written first.
const SYNC: u32 = 1;
/// The last extent of the file.
const LAST: u32 = 1;
/// Extents that are asked for at once.
const AT_ONCE: usize = 64;

/// Linux's `struct fiemap_extent`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    bytes: u64,
    reserved: [u64; 2],
    flags: u32,
    rest: [u32; 3],
}

/// Linux's `struct fiemap`.
#[repr(C)]
struct Map {
    start: u64,
    bytes: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
    extents: [Extent; AT_ONCE],
}

/// The ranges of a disk, bytes, that a file's blocks are in. Some file systems, such as btrfs, give addresses of their own.
///
/// # Errors
/// The file system does not tell.
pub fn extents(file: &File) -> io::Result<Vec<Range<u64>>> {
    let (mut ranges, mut start) = (Vec::new(), 0);
    loop {
        let extents = [Extent::default(); AT_ONCE];
        let mut map =
            Map { start, bytes: u64::MAX - start, flags: SYNC, mapped: 0, room: AT_ONCE as u32, reserved: 0, extents };
        // SAFETY: the argument is the structure that the request reads and writes, with room for as many extents as it says.
        if unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP, &raw mut map) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let found = map.extents.get(..map.mapped as usize).unwrap_or_default();
        ranges.extend(found.iter().map(|extent| extent.physical..extent.physical + extent.bytes));
        match found.last() {
            Some(last) if last.flags & LAST == 0 => start = last.logical + last.bytes,
            _ => return Ok(ranges),
        }
    }
}
