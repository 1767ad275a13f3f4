//! Opens files that must be files, and replaces files.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file as these options say, and refuses at once whatever is no regular file, such as a FIFO that nobody writes to. A link to a file is
/// one.
///
/// # Errors
/// The file cannot be opened, or is something else.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Looked at before it is opened, since opening some devices does something, and afterwards, since it may have changed.
    if let Ok(facts) = path.metadata() {
        check_regular(facts.file_type())?;
    }
    let file = options.custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    check_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a regular file.
///
/// # Errors
/// As [`open_regular`], or it cannot be read.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path, OpenOptions::new().read(true))?.read_to_end(&mut content)?;
    Ok(content)
}

fn check_regular(kind: FileType) -> io::Result<()> {
    let what = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_dir() => "a directory",
        _ if kind.is_fifo() => "a FIFO",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("is {what}, and must be a file: put the file there")))
}

/// Writes a file in such a way that a reader sees the old content or the new, never half of either.
///
/// # Errors
/// The new file cannot be written, or not take the place of the old one.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    File::create(&new)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&new, path))
        .inspect_err(|_| drop(std::fs::remove_file(&new)))
}
