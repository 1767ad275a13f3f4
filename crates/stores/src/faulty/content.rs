//! The faulty store's content, and its file between closing and opening. For each record the file has the lengths of key and value (8 bytes
//! each, little-endian), then both.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use bakeoff_store::StoreError;

/// Values by key.
pub(super) type Content = BTreeMap<Vec<u8>, Vec<u8>>;

/// The saved content; empty if there is no file.
pub(super) fn load(path: &Path) -> Result<Content, StoreError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Content::new()),
        Err(error) => return Err(error.into()),
    };
    let damaged = || StoreError::Store(format!("{} is cut short or damaged", path.display()));
    let mut content = Content::new();
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let (key_bytes, after) = length(rest).ok_or_else(damaged)?;
        let (value_bytes, after) = length(after).ok_or_else(damaged)?;
        let (key, after) = after.split_at_checked(key_bytes).ok_or_else(damaged)?;
        let (value, after) = after.split_at_checked(value_bytes).ok_or_else(damaged)?;
        content.insert(key.to_vec(), value.to_vec());
        rest = after;
    }
    Ok(content)
}

fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (length, after) = bytes.split_first_chunk::<8>()?;
    Some((usize::try_from(u64::from_le_bytes(*length)).ok()?, after))
}

/// Writes the whole content.
pub(super) fn save(path: &Path, content: &Content) -> Result<(), StoreError> {
    let mut file = BufWriter::new(File::create(path)?);
    for (key, value) in content {
        for length in [key.len() as u64, value.len() as u64] {
            file.write_all(&length.to_le_bytes())?;
        }
        file.write_all(key)?;
        file.write_all(value)?;
    }
    file.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_loaded_and_a_cut_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("records.faulty");
        let content = Content::from([(vec![], b"empty key".to_vec()), (b"empty value".to_vec(), vec![])]);
        save(&path, &content).unwrap();
        assert_eq!(load(&path).unwrap(), content);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("cut short"));
    }
}
