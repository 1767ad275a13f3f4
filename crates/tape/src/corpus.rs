//! A folder of text files as one endless text: the files in the order of their names, again from the first when they
//! are used up.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::{TapeError, consume};

/// Bytes at the beginning of a file that decide whether it is text.
const PROBE_BYTES: u64 = 8192;

/// Refuses a folder that has no text to take values from.
///
/// # Errors
/// It cannot be read, or there is no file of text in it.
pub fn check_corpus(directory: &Path) -> Result<(), TapeError> {
    Corpus::open(directory).map(drop)
}

pub(crate) struct Corpus {
    directory: PathBuf,
    files: Vec<PathBuf>,
    next: usize,
    open: Option<File>,
    /// Whether anything was read since the first file was opened last.
    something: bool,
}

impl Corpus {
    /// Finds the text files in `directory` and in folders below it.
    pub(crate) fn open(directory: &Path) -> Result<Self, TapeError> {
        let mut files = Vec::new();
        collect(directory, &mut files)?;
        files.sort();
        if files.is_empty() {
            let what = "no text files in this folder: give one with files of text, or none to use built-in words";
            return Err(TapeError::Corpus { path: directory.to_owned(), what: what.to_owned() });
        }
        Ok(Self { directory: directory.to_owned(), files, next: 0, open: None, something: false })
    }

    /// A number that changes when files come, go, or are written to.
    pub(crate) fn stamp(&self) -> Result<u64, TapeError> {
        let mut facts = Vec::new();
        for file in &self.files {
            let metadata = file.metadata().map_err(TapeError::io("read the size of", file))?;
            let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            facts.extend_from_slice(file.as_os_str().as_encoded_bytes());
            facts.extend_from_slice(&metadata.len().to_le_bytes());
            facts.extend_from_slice(&changed.map_or(0, |time| time.as_nanos()).to_le_bytes());
        }
        Ok(consume::xxh64(&facts))
    }

    pub(crate) fn fill(&mut self, mut bytes: &mut [u8]) -> Result<(), TapeError> {
        while !bytes.is_empty() {
            let read = self.read(bytes)?;
            bytes = &mut bytes[read..];
        }
        Ok(())
    }

    /// Reads from the current file, or goes to the next and reads nothing.
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, TapeError> {
        let path = &self.files[self.next];
        let file = match &mut self.open {
            Some(file) => file,
            closed => closed.insert(File::open(path).map_err(TapeError::io("read", path))?),
        };
        let read = file.read(bytes).map_err(TapeError::io("read", path))?;
        self.something |= read > 0;
        if read == 0 {
            self.open = None;
            self.next = (self.next + 1) % self.files.len();
            if self.next == 0 && !std::mem::take(&mut self.something) {
                let what = "the text files in this folder are empty: give a folder with files of text".to_owned();
                return Err(TapeError::Corpus { path: self.directory.clone(), what });
            }
        }
        Ok(read)
    }
}

/// Adds the text files in `directory` and below; links are not followed out of it.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), TapeError> {
    for entry in std::fs::read_dir(directory).map_err(TapeError::io("read the folder of texts", directory))? {
        let entry = entry.map_err(TapeError::io("read the folder of texts", directory))?;
        let (path, kind) = (entry.path(), entry.file_type());
        let kind = kind.map_err(TapeError::io("read the type of", &path))?;
        if kind.is_dir() {
            collect(&path, files)?;
        } else if kind.is_file() && is_text(&path)? {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a file begins with something, and without a zero byte.
fn is_text(path: &Path) -> Result<bool, TapeError> {
    let mut beginning = Vec::new();
    File::open(path)
        .and_then(|file| file.take(PROBE_BYTES).read_to_end(&mut beginning))
        .map_err(TapeError::io("read", path))?;
    Ok(!beginning.is_empty() && !beginning.contains(&0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_follow_each_other_in_order_and_repeat() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("c")).unwrap();
        for (name, text) in [("b.txt", "second "), ("a.txt", "first "), ("c/d", "third "), ("x.bin", "\0\0"), ("e", "")]
        {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let mut bytes = [0; 25];
        Corpus::open(directory.path()).unwrap().fill(&mut bytes).unwrap();
        assert_eq!(&bytes, b"first second third first ");
    }

    #[test]
    fn a_folder_without_text_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("binary"), [1, 0, 2]).unwrap();
        let error = Corpus::open(directory.path()).err().unwrap().to_string();
        assert!(error.contains("no text files"), "{error}");
        let missing = directory.path().join("missing");
        let error = Corpus::open(&missing).err().unwrap().to_string();
        assert!(error.contains("missing") && error.contains("No such file"), "{error}");
    }

    #[test]
    fn the_stamp_follows_the_files() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a"), "text").unwrap();
        let stamp = || Corpus::open(directory.path()).unwrap().stamp().unwrap();
        let before = stamp();
        assert_eq!(before, stamp());
        std::fs::write(directory.path().join("b"), "text").unwrap();
        assert_ne!(before, stamp());
    }
}
