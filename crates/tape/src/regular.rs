//! Opens what must be a file.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::TapeError;

/// Opens a regular file. Anything else, such as a FIFO that nobody writes to, is refused before it is opened. `what` follows "cannot".
pub(crate) fn open(path: &Path, what: &'static str) -> Result<File, TapeError> {
    let facts = std::fs::metadata(path).map_err(TapeError::io(what, path))?;
    if !facts.is_file() {
        return Err(TapeError::io(what, path)(io::Error::other("not a file: only a file can be mapped")));
    }
    File::open(path).map_err(TapeError::io(what, path))
}
