//! A file system of one file, its root, over `/dev/fuse`: the kernel's requests are answered from a file in memory.
//!
//! Numbers and layouts are those of Linux's `include/uapi/linux/fuse.h`, version 7.31 and later.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileExt;

use bakeoff_tape::Acknowledged;
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

use crate::log::{Kind, Log};

const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const READ: u32 = 15;
const WRITE: u32 = 16;
const STATFS: u32 = 17;
const RELEASE: u32 = 18;
const FSYNC: u32 = 20;
const FLUSH: u32 = 25;
const INIT: u32 = 26;
const FALLOCATE: u32 = 43;
/// Requests that expect no answer: FORGET, INTERRUPT, BATCH_FORGET.
const UNANSWERED: [u32; 3] = [2, 36, 42];

/// Reads, writes and flushes may be under way at the same time, and larger than 128 KiB.
const INIT_FLAGS: u32 = ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES;
const ASYNC_READ: u32 = 1;
const BIG_WRITES: u32 = 1 << 5;
const ASYNC_DIO: u32 = 1 << 15;
const MAX_PAGES: u32 = 1 << 22;
const VERSION: (u32, u32) = (7, 31);

/// What the kernel must not cache: it would write back when it likes.
const OPEN_DIRECT_IO: u32 = 1;

/// The most that a request writes.
const WRITE_BYTES_MAX: usize = 1 << 20;
const PAGE_BYTES: usize = 4096;
const HEAD_BYTES: usize = 40;
const WRITE_HEAD_BYTES: usize = 40;

/// The mode of the file, for the mount: a regular file, read and written by its owner.
pub(crate) const MODE: u32 = 0o100_600;

/// What is served.
pub(crate) struct Served<'a> {
    pub(crate) content: &'a File,
    pub(crate) bytes: u64,
    pub(crate) log: Log,
    pub(crate) acknowledged: &'a Acknowledged,
}

/// Answers requests until the file system is unmounted.
pub(crate) fn serve(device: BorrowedFd<'_>, mut served: Served<'_>) -> io::Result<()> {
    let mut request = vec![0; HEAD_BYTES + WRITE_HEAD_BYTES + WRITE_BYTES_MAX + PAGE_BYTES];
    let mut answer = Vec::with_capacity(WRITE_BYTES_MAX + PAGE_BYTES);
    loop {
        let bytes = match rustix::io::read(device, &mut request[..]) {
            Ok(bytes) => bytes,
            // A request was taken back.
            Err(Errno::INTR | Errno::NOENT | Errno::AGAIN) => continue,
            Err(Errno::NODEV) => return Ok(()),
            Err(why) => return Err(why.into()),
        };
        let Some(request) = Request::of(&request[..bytes]) else { continue };
        if UNANSWERED.contains(&request.opcode) {
            continue;
        }
        answer.clear();
        answer.resize(16, 0);
        let error = served.answer(&request, &mut answer).err().map_or(0, |why| why.raw_os_error().unwrap_or(libc::EIO));
        if error != 0 {
            answer.truncate(16);
        }
        let length = answer.len() as u32;
        answer[..4].copy_from_slice(&length.to_ne_bytes());
        answer[4..8].copy_from_slice(&(-error).to_ne_bytes());
        answer[8..16].copy_from_slice(&request.unique.to_ne_bytes());
        match rustix::io::write(device, &answer) {
            Ok(_) | Err(Errno::NOENT) => {}
            Err(Errno::NODEV) => return Ok(()),
            Err(why) => return Err(why.into()),
        }
    }
}

/// A request of the kernel.
struct Request<'a> {
    opcode: u32,
    unique: u64,
    body: &'a [u8],
}

impl<'a> Request<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let (head, body) = bytes.split_at_checked(HEAD_BYTES)?;
        Some(Self { opcode: u32_at(head, 4)?, unique: u64_at(head, 8)?, body })
    }

    fn u32(&self, at: usize) -> io::Result<u32> {
        u32_at(self.body, at).ok_or_else(|| Errno::INVAL.into())
    }

    fn u64(&self, at: usize) -> io::Result<u64> {
        u64_at(self.body, at).ok_or_else(|| Errno::INVAL.into())
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn put(answer: &mut Vec<u8>, numbers: &[u32]) {
    numbers.iter().for_each(|number| answer.extend_from_slice(&number.to_ne_bytes()));
}

fn put_long(answer: &mut Vec<u8>, numbers: &[u64]) {
    numbers.iter().for_each(|number| answer.extend_from_slice(&number.to_ne_bytes()));
}

impl Served<'_> {
    fn answer(&mut self, request: &Request<'_>, answer: &mut Vec<u8>) -> io::Result<()> {
        match request.opcode {
            INIT => initialise(request, answer)?,
            GETATTR => self.attributes(answer),
            OPEN => {
                put_long(answer, &[0]);
                put(answer, &[OPEN_DIRECT_IO, 0]);
            }
            READ => self.read(request, answer)?,
            WRITE => self.write(request, answer)?,
            FSYNC => self.log.add((Kind::Flush, 0, 0), &[], self.acknowledged)?,
            FALLOCATE => self.zero(request)?,
            STATFS => self.room(answer),
            FLUSH | RELEASE => {}
            _ => return Err(Errno::NOSYS.into()),
        }
        Ok(())
    }

    fn attributes(&self, answer: &mut Vec<u8>) {
        // For how long they hold, seconds and nanoseconds.
        put_long(answer, &[3_600, 0]);
        // Inode, size, blocks of 512 bytes, and the times of access, change, and change of the inode.
        put_long(answer, &[1, self.bytes, self.bytes / 512, 0, 0, 0]);
        // Nanoseconds of the times, mode, links, user, group, device, preferred block, flags.
        put(answer, &[0, 0, 0, MODE, 1, 0, 0, 0, PAGE_BYTES as u32, 0]);
    }

    fn room(&self, answer: &mut Vec<u8>) {
        put_long(answer, &[self.bytes / PAGE_BYTES as u64, 0, 0, 1, 0]);
        // Block, longest name, fragment, padding, spare.
        put(answer, &[PAGE_BYTES as u32, 255, PAGE_BYTES as u32, 0, 0, 0, 0, 0, 0, 0]);
    }

    fn read(&self, request: &Request<'_>, answer: &mut Vec<u8>) -> io::Result<()> {
        let (offset, bytes) = (request.u64(8)?, u64::from(request.u32(16)?).min(WRITE_BYTES_MAX as u64));
        let bytes = bytes.min(self.bytes.saturating_sub(offset)) as usize;
        let begin = answer.len();
        answer.resize(begin + bytes, 0);
        self.content.read_exact_at(&mut answer[begin..], offset)
    }

    fn write(&mut self, request: &Request<'_>, answer: &mut Vec<u8>) -> io::Result<()> {
        let (offset, bytes) = (request.u64(8)?, request.u32(16)?);
        let data = request.body.get(WRITE_HEAD_BYTES..).and_then(|data| data.get(..bytes as usize));
        let data = data.ok_or(Errno::INVAL)?;
        if offset.checked_add(data.len() as u64).is_none_or(|end| end > self.bytes) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.log.add((Kind::Write, offset, u64::from(bytes)), data, self.acknowledged)?;
        self.content.write_all_at(data, offset)?;
        put(answer, &[bytes, 0]);
        Ok(())
    }

    /// Discarded or zeroed: both read as zeros afterwards.
    fn zero(&mut self, request: &Request<'_>) -> io::Result<()> {
        let (offset, bytes, mode) = (request.u64(8)?, request.u64(16)?, request.u32(24)?);
        if mode & (FallocateFlags::PUNCH_HOLE | FallocateFlags::ZERO_RANGE).bits() == 0 {
            return Err(Errno::OPNOTSUPP.into());
        }
        let bytes = bytes.min(self.bytes.saturating_sub(offset));
        self.log.add((Kind::Zero, offset, bytes), &[], self.acknowledged)?;
        zero(self.content, offset, bytes)
    }
}

/// Makes a range of a file in memory zeros, and gives its memory back.
pub(crate) fn zero(file: &File, offset: u64, bytes: u64) -> io::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    Ok(fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, bytes)?)
}

/// Agrees on a version and on what both sides can do.
fn initialise(request: &Request<'_>, answer: &mut Vec<u8>) -> io::Result<()> {
    if request.u32(0)? != VERSION.0 {
        return Err(Errno::PROTO.into());
    }
    let (read_ahead, flags) = (request.u32(8)?, request.u32(12)? & INIT_FLAGS);
    put(answer, &[VERSION.0, VERSION.1, read_ahead, flags]);
    // Two pairs of halves: requests under way, and pages of one with its alignment. Between them the longest write and the grain of times.
    put(answer, &[u32::from_ne_bytes([64, 0, 48, 0]), WRITE_BYTES_MAX as u32, 1]);
    put(answer, &[(WRITE_BYTES_MAX / PAGE_BYTES) as u32]);
    put(answer, &[0; 8]);
    Ok(())
}
