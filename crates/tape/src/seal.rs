//! Finds files that were changed since they were made.

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bakeoff_files::open_regular;
use xxhash_rust::xxh64::Xxh64;

use crate::TapeError;

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 1 << 20;

/// Checksums of files that must not change.
pub struct Seal {
    files: Vec<Sealed>,
    trusts_stamps: bool,
    is_broken: Cell<bool>,
}

struct Sealed {
    path: PathBuf,
    bytes: u64,
    checksum: u64,
    stamp: Cell<Stamp>,
}

/// A file's identity, length and times. On most file systems every write changes them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp([u64; 3], [i64; 4]);

impl Stamp {
    fn of(facts: &Metadata) -> Self {
        Self(
            [facts.dev(), facts.ino(), facts.len()],
            [facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()],
        )
    }
}

impl Seal {
    /// Seals these files. With `trusts_stamps` a file is read again only if its identity, length or times have changed. Some file systems,
    /// such as those in memory, do not update times when a file is written through a mapping.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn new<'a>(files: impl IntoIterator<Item = &'a Path>, trusts_stamps: bool) -> Result<Self, TapeError> {
        let sealed = |path: &Path| {
            let seal = || {
                let facts = path.metadata()?;
                let (path, stamp) = (path.to_owned(), Cell::new(Stamp::of(&facts)));
                Ok(Sealed { bytes: facts.len(), checksum: checksum(&path)?, path, stamp })
            };
            seal().map_err(TapeError::io("read", path))
        };
        let files = files.into_iter().map(sealed).collect::<Result<_, _>>()?;
        Ok(Self { files, trusts_stamps, is_broken: Cell::new(false) })
    }

    /// The sealed files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// Returns the first file that has changed.
    pub fn broken(&self) -> Option<&Path> {
        let broken = self.files.iter().find(|file| !self.is_whole(file));
        self.is_broken.set(broken.is_some());
        broken.map(|file| file.path.as_path())
    }

    /// Whether [`Self::broken`] has found one.
    pub fn is_broken(&self) -> bool {
        self.is_broken.get()
    }

    fn is_whole(&self, file: &Sealed) -> bool {
        let Ok(facts) = file.path.metadata() else { return false };
        let stamp = Stamp::of(&facts);
        if self.trusts_stamps && stamp == file.stamp.get() {
            return true;
        }
        let is_whole =
            facts.len() == file.bytes && checksum(&file.path).is_ok_and(|checksum| checksum == file.checksum);
        if is_whole {
            file.stamp.set(stamp);
        }
        is_whole
    }
}

/// XXH64 of a file.
fn checksum(path: &Path) -> std::io::Result<u64> {
    let mut file = open_regular(path, File::options().read(true))?;
    let (mut piece, mut checksum) = (vec![0; PIECE_BYTES], Xxh64::new(0));
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(checksum.digest()),
            bytes => checksum.update(&piece[..bytes]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memmap2::MmapMut;

    #[test]
    fn a_file_that_is_changed_breaks_its_seal() {
        let place = tempfile::tempdir().unwrap();
        let paths = ["pool", "tape"].map(|name| place.path().join(name));
        let changes: [fn(&Path); 6] = [
            |path| std::fs::write(path, "x").unwrap(),
            |path| std::fs::write(path, [8; 9_000]).unwrap(),
            |path| std::fs::remove_file(path).unwrap(),
            |path| std::fs::remove_file(path).and_then(|()| std::fs::create_dir(path)).unwrap(),
            |path| File::options().write(true).open(path).unwrap().set_len(8_999).unwrap(),
            |path| {
                let file = File::options().read(true).write(true).open(path).unwrap();
                // SAFETY: nobody else changes the file.
                let mut map = unsafe { MmapMut::map_mut(&file) }.unwrap();
                map[4_000] = 8;
            },
        ];
        for (number, change) in changes.into_iter().enumerate() {
            for path in &paths {
                let _ = std::fs::remove_dir(path);
                std::fs::write(path, [7; 9_000]).unwrap();
            }
            let seal = Seal::new(paths.iter().map(PathBuf::as_path), false).unwrap();
            assert!(seal.broken().is_none() && !seal.is_broken(), "{number}");
            change(&paths[1]);
            assert_eq!(seal.broken(), Some(paths[1].as_path()), "{number}");
            assert!(seal.is_broken());
        }
        assert!(Seal::new([place.path().join("gone").as_path()], false).is_err());
    }

    #[test]
    fn a_link_to_a_file_breaks_no_seal() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pool");
        std::fs::write(&path, "values").unwrap();
        let seal = Seal::new([path.as_path()], true).unwrap();
        std::fs::hard_link(&path, place.path().join("lent")).unwrap();
        assert_eq!([seal.broken(), seal.broken()], [None, None]);
    }
}
