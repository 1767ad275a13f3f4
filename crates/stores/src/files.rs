//! One file a record: what the flat and the nested folder share.
//!
//! Paths are relative to a directory that is kept open, and are built in a buffer that is kept too. What a class promises
//! is decided here: how a file is replaced, and what is flushed before a write returns.

mod directory;
mod error;
mod listing;
mod session;

use std::sync::atomic::{AtomicU32, Ordering};

use bakeoff_protocol::{Capabilities, Durability, StoreDescription, Structure};

use crate::describe::classes;
use crate::file_names::KEY_BYTES_MAX;
use crate::{OpenRequest, SessionPlan, Store, StoreError, Work};
use directory::Directory;
use session::FileSession;

/// How records' files are spread over directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Levels of directories, each named by two hexadecimal digits of the XXH64 of the key.
    pub(crate) levels: usize,
}

/// What a folder store says of itself, but for its name and summary.
pub(crate) fn describe(name: &str, title: &str, summary: &str, files: &str) -> StoreDescription {
    StoreDescription {
        name: name.to_owned(),
        title: title.to_owned(),
        summary: format!(
            "{summary} Names are listed, and sorted where an order is asked for, inside the clock of a scan."
        ),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        license: "MIT OR Apache-2.0".to_owned(),
        language: "Rust".to_owned(),
        structure: Structure::Files,
        durability: classes(&[
            (
                Durability::None,
                "a file is written in place: a process that dies while it replaces a value loses the old one too",
                "https://man7.org/linux/man-pages/man2/open.2.html",
            ),
            (
                Durability::Process,
                "a new file is written and closed; a value is replaced by renaming a file written beside it, so the old one \
                 is there until the new one is whole",
                "https://man7.org/linux/man-pages/man2/rename.2.html",
            ),
            (
                Durability::Power,
                "as process, with fsync of the file before it is renamed or acknowledged, and of each directory that changed",
                "https://man7.org/linux/man-pages/man2/fsync.2.html",
            ),
        ]),
        capabilities: Capabilities {
            scan_from: false,
            scan_ordered: true,
            scan_any_order: true,
            batch: false,
            atomic_batch: false,
            parallel_readers: true,
            parallel_writers: true,
            multi_process: true,
            keeps_data: true,
        },
        key_bytes_max: Some(KEY_BYTES_MAX as u64),
        value_bytes_max: None,
        key_bytes_min: 0,
        files: files.to_owned(),
        settings: Vec::new(),
        test_only: false,
    }
}

/// Creates or opens the folder.
pub(crate) fn open(request: &OpenRequest<'_>, layout: Layout) -> Result<Box<dyn Store>, StoreError> {
    let directory = Directory::open(request.directory, request.durability)?;
    Ok(Box::new(Files { directory, layout, sessions: AtomicU32::new(0) }))
}

struct Files {
    directory: Directory,
    layout: Layout,
    /// Sessions so far: each has temporary files of its own.
    sessions: AtomicU32,
}

impl Store for Files {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        if plan.batched {
            let message = "a folder of files cannot acknowledge several writes together: write each by itself";
            return Err(StoreError::BadRequest(message.to_owned()));
        }
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        work(&mut FileSession::new(&self.directory, self.layout, number))
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}
