//! The share of a directory's files in the kernel's page cache, which is memory that stores use without owning it. Also empties it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::ptr;

use bakeoff_protocol::DroppedCache;
use rustix::fs::{Advice, FileType, Mode, OFlags, SeekFrom, fadvise, openat, seek, syncfs};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Bytes of a file that are examined together, a multiple of any page size.
const WINDOW_BYTES: u64 = 1 << 30;

/// Sums the pages of all files in a directory that are in the page cache, in bytes.
///
/// Reads no file's content, so the page cache does not change. Symbolic links are not followed. A file that vanishes at the same time
/// counts zero, as does a hole.
///
/// # Errors
/// The directory, one in it, or a file cannot be opened for another reason than having vanished. Or the kernel gives no information, which
/// it gives to a file's owner and to users who may write it.
pub fn page_cache_bytes(directory: &Path) -> io::Result<u64> {
    let page_bytes = rustix::param::page_size() as u64;
    let (mut resident, mut pages) = (Vec::new(), 0);
    each_file(directory, |file| {
        pages += pages_of_file(file, page_bytes, &mut resident)?;
        Ok(())
    })?;
    Ok(pages * page_bytes)
}

/// Drops the pages of all files in a directory from the page cache, after flushing their file system to the disk.
///
/// Pages that a process has mapped stay, and so do all pages of a file system in memory. The kernel also keeps names and inodes.
///
/// # Errors
/// As [`page_cache_bytes`], or the file system cannot be flushed.
pub fn drop_page_cache(directory: &Path) -> io::Result<DroppedCache> {
    syncfs(File::open(directory)?)?;
    let resident_before_bytes = page_cache_bytes(directory)?;
    each_file(directory, |file| Ok(fadvise(file, 0, None, Advice::DontNeed)?))?;
    Ok(DroppedCache { resident_before_bytes, resident_after_bytes: page_cache_bytes(directory)? })
}

/// Opens every file in a directory and below it.
fn each_file(directory: &Path, mut act: impl FnMut(&OwnedFd) -> io::Result<()>) -> io::Result<()> {
    let mut pending = vec![File::open(directory)?];
    while let Some(current) = pending.pop() {
        for entry in rustix::fs::Dir::read_from(&current)? {
            let entry = entry?;
            if matches!(entry.file_name().to_bytes(), b"." | b"..") {
                continue;
            }
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let opened = match openat(&current, entry.file_name(), flags, Mode::empty()) {
                Ok(opened) => opened,
                Err(rustix::io::Errno::NOENT | rustix::io::Errno::LOOP) => continue,
                Err(errno) => return Err(errno.into()),
            };
            match FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode) {
                FileType::Directory => pending.push(File::from(opened)),
                FileType::RegularFile => act(&opened)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// Pages of a file that are in the page cache. Skips holes, which may be far longer than the data.
fn pages_of_file(file: impl AsFd, page_bytes: u64, resident: &mut Vec<u8>) -> io::Result<u64> {
    let mut pages = 0;
    let mut begin = 0;
    loop {
        let data = match seek(&file, SeekFrom::Data(begin)) {
            Ok(data) => data / page_bytes * page_bytes,
            // No more data.
            Err(rustix::io::Errno::NXIO) => return Ok(pages),
            Err(errno) => return Err(errno.into()),
        };
        let end = seek(&file, SeekFrom::Hole(data.max(begin)))?.min(data + WINDOW_BYTES);
        pages += pages_of_range(&file, data, end - data, page_bytes, resident)?;
        begin = end;
    }
}

fn pages_of_range(file: impl AsFd, begin: u64, bytes: u64, page_bytes: u64, resident: &mut Vec<u8>) -> io::Result<u64> {
    // At most a window, which fits the address space.
    let length = bytes as usize;
    if length == 0 {
        return Ok(0);
    }
    resident.clear();
    resident.resize(bytes.div_ceil(page_bytes) as usize, 0);
    // SAFETY: a new mapping at an address of the kernel's choice; none of it is read or written.
    let mapped = unsafe { mmap(ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, begin)? };
    // SAFETY: the range was just mapped, and there is a byte for each of its pages.
    let code = unsafe { libc::mincore(mapped, length, resident.as_mut_ptr()) };
    let told = if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    // SAFETY: mapped above, and no longer used.
    unsafe { munmap(mapped, length)? };
    told?;
    Ok(resident.iter().filter(|page| **page & 1 == 1).count() as u64)
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};

    use super::*;

    #[test]
    fn what_a_process_has_mapped_stays() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        let file = File::open(&path).unwrap();
        // SAFETY: a new mapping at an address of the kernel's choice; nobody truncates the file.
        let mapped = unsafe { mmap(ptr::null_mut(), 1 << 20, ProtFlags::READ, MapFlags::SHARED, &file, 0).unwrap() };
        // SAFETY: the mapping exists and has this length.
        let read = unsafe { std::slice::from_raw_parts(mapped.cast::<u8>(), 1 << 20) };
        assert_eq!(read.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 1 << 20);
        let dropped = drop_page_cache(directory.path()).unwrap();
        assert!(!dropped.is_cold(), "{dropped:?}");
        // SAFETY: mapped above, and no longer used.
        unsafe { munmap(mapped, 1 << 20).unwrap() };
        let dropped = drop_page_cache(directory.path()).unwrap();
        assert!(dropped.is_cold(), "{dropped:?}");
    }

    #[test]
    fn what_was_just_written_is_in_the_page_cache_and_what_was_dropped_is_not() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        assert_eq!(page_cache_bytes(directory.path()).unwrap(), 0);
        let below = directory.path().join("below");
        std::fs::create_dir(&below).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", directory.path().join("link")).unwrap();
        let mut file = File::create(below.join("file")).unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        // Far behind a hole, in the middle of a page.
        file.seek(SeekFrom::Start((1 << 40) + 5_000)).unwrap();
        file.write_all(&[1; 10]).unwrap();
        let page_bytes = rustix::param::page_size() as u64;
        let expected = 100_000_u64.next_multiple_of(page_bytes) + page_bytes;
        assert_eq!(page_cache_bytes(directory.path()).unwrap(), expected);
        // The kernel may keep some of it.
        let dropped = drop_page_cache(directory.path()).unwrap();
        assert_eq!(dropped.resident_before_bytes, expected);
        assert_eq!(dropped.resident_after_bytes, page_cache_bytes(directory.path()).unwrap());
        assert!(dropped.resident_after_bytes < expected, "{dropped:?}");
        assert!(page_cache_bytes(Path::new("/no/such/directory")).is_err());
    }
}
