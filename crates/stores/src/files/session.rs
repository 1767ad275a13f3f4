//! One thread's paths and buffers.

use bakeoff_store::{Direction, Session, StoreError};

use super::directory::{Directory, Flush, read_at};
use super::layout::Layout;
use super::listing::{Keys, Listing};
use super::names::{KEY_BYTES_MAX, MARK, encode, push_hexadecimal};

/// The buffers of a session.
pub(super) struct FileSession<'s> {
    directory: &'s Directory,
    layout: Layout,
    flush: Flush,
    /// The path of the current record.
    path: Vec<u8>,
    /// The path of its temporary file.
    temporary: Vec<u8>,
    /// The name of this session's temporary file. No other session, here or in another process, uses it.
    temporary_name: Vec<u8>,
    scan: ScanBuffers,
}

#[derive(Default)]
struct ScanBuffers {
    listing: Listing,
    keys: Keys,
    value: Vec<u8>,
}

impl<'s> FileSession<'s> {
    /// The session with this number in this process.
    pub(super) fn new(directory: &'s Directory, layout: Layout, batched: bool, number: u32) -> Self {
        let temporary_name = format!("{}{}-{number}", char::from(MARK), std::process::id()).into_bytes();
        let (path, temporary, scan) = (Vec::new(), Vec::new(), ScanBuffers::default());
        Self { directory, layout, flush: directory.flush(batched), path, temporary, temporary_name, scan }
    }

    /// Sets the paths of a key's file and of the temporary file next to it.
    fn set_paths(&mut self, key: &[u8]) -> Result<(), StoreError> {
        refuse_too_long(key)?;
        set_path(&mut self.path, self.layout, key);
        let parent_bytes = self.path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        self.temporary.clear();
        self.temporary.extend_from_slice(&self.path[..parent_bytes]);
        self.temporary.extend_from_slice(&self.temporary_name);
        Ok(())
    }

    /// Writes a file that may exist.
    fn replace(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.set_paths(key)?;
        self.directory.replace(&self.path, &self.temporary, value, self.flush)
    }

    fn scan_unordered(&mut self, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) -> Result<(), StoreError> {
        let value = &mut self.scan.value;
        self.scan.listing.visit(self.directory.root()?, self.layout, &mut |directory, name, key| {
            value.clear();
            // A file that another thread has removed since it was listed is not an entry.
            Ok(!read_at(directory, name, value)? || visit(key, value))
        })
    }

    fn scan_ordered(
        &mut self,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let ScanBuffers { listing, keys, value } = &mut self.scan;
        keys.clear();
        listing.visit(self.directory.root()?, self.layout, &mut |_, _, key| {
            keys.push(key);
            Ok(true)
        })?;
        keys.sort();
        let mut up = keys.iter();
        let mut down = keys.iter().rev();
        let order: &mut dyn Iterator<Item = &[u8]> = if direction == Direction::Reverse { &mut down } else { &mut up };
        for key in order {
            set_path(&mut self.path, self.layout, key);
            value.clear();
            if self.directory.read(&self.path, value)? && !visit(key, value) {
                break;
            }
        }
        Ok(())
    }
}

/// Refuses keys that are too long. Otherwise the limit would depend on a key's bytes, since an escaped byte takes three.
fn refuse_too_long(key: &[u8]) -> Result<(), StoreError> {
    match key.len() {
        0..=KEY_BYTES_MAX => Ok(()),
        length => Err(StoreError::BadRequest(format!(
            "a key of {length} bytes is too long for a file's name: use keys of at most {KEY_BYTES_MAX} bytes"
        ))),
    }
}

/// Writes the path of a key's file into `path`.
fn set_path(path: &mut Vec<u8>, layout: Layout, key: &[u8]) {
    path.clear();
    if layout.levels > 0 {
        let hash = xxhash_rust::xxh64::xxh64(key, 0).to_be_bytes();
        for &byte in hash.iter().take(layout.levels) {
            push_hexadecimal(byte, path);
            path.push(b'/');
        }
    }
    encode(key, path);
}

impl Session for FileSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.set_paths(key)?;
        self.directory.create(&self.path, &self.temporary, value, self.flush)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.replace(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.replace(key, value)
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        set_path(&mut self.path, self.layout, key);
        self.directory.read(&self.path, value)
    }

    fn exists(&mut self, key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        set_path(&mut self.path, self.layout, key);
        self.directory.has(&self.path)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        set_path(&mut self.path, self.layout, key);
        self.directory.remove(&self.path, self.flush)
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        match (from, direction) {
            (Some(_), _) => {
                let message = "a folder of files cannot be scanned from a key: scan it whole";
                Err(StoreError::BadRequest(message.to_owned()))
            }
            (None, Direction::Any) => self.scan_unordered(visit),
            (None, _) => self.scan_ordered(direction, visit),
        }
    }

    /// Flushes everything that was not flushed with its write.
    fn commit(&mut self) -> Result<(), StoreError> {
        match self.flush {
            Flush::Together => self.directory.flush_all(),
            Flush::Each | Flush::Never => Ok(()),
        }
    }
}
