//! Replaces files.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

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
