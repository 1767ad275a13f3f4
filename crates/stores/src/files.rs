//! One file per record: the shared part of the flat and the nested folder.
//!
//! Paths are relative to a directory that stays open, and are built in a reused buffer. This module decides what a level promises: how a
//! file is replaced, and what is flushed before a write returns.

mod directory;
mod error;
mod layout;
mod listing;
mod names;
mod session;

use std::sync::atomic::{AtomicU32, Ordering};

use bakeoff_store::{
    Capability, Description, Durability, Leaves::*, OpenRequest, SessionPlan, Store, StoreDescription, StoreError,
    Structure, Work, after,
};
use directory::Directory;
pub(crate) use layout::Layout;
use names::KEY_BYTES_MAX;
use session::FileSession;

/// The description of a folder store, except its name and summary.
pub(crate) fn describe((name, title): (&str, &str), summary: &str, files: &str, layout: Layout) -> StoreDescription {
    Description::new(name, title)
        .summary(format!(
            "{summary} The time of a scan includes listing the names, and sorting them if it needs an order."
        ))
        .version(env!("CARGO_PKG_VERSION"))
        .license("MIT OR Apache-2.0")
        .language("Rust")
        .structure(Structure::Files)
        .files(files)
        .directories(layout.directories())
        .durability(
            Durability::None,
            "a file is written in place, or as at level process if several threads work: a process that dies while it replaces \
            a value also loses the old value",
            after(PossiblyCorrupt, PossiblyCorrupt),
            "https://man7.org/linux/man-pages/man2/open.2.html",
        )
        .durability(
            Durability::Process,
            "a temporary file is written, closed and renamed to the record's name, so a record is complete whenever it is \
            there, and an old value stays until then",
            // A new file that is not flushed may exist and be empty. ext4 by default flushes only a file that replaces another by renaming.
            // That is "auto_da_alloc" in https://docs.kernel.org/admin-guide/ext4.html.
            after(Kept, PossiblyCorrupt),
            "https://man7.org/linux/man-pages/man2/rename.2.html",
        )
        .durability(
            Durability::Consistent,
            "as power: without a flush of its directory a file may be missing although later ones exist",
            // "Calling fsync() does not necessarily ensure that the entry in the directory containing the file has also reached disk."
            after(Kept, Kept),
            "https://man7.org/linux/man-pages/man2/fsync.2.html",
        )
        .durability(
            Durability::Power,
            "as process, plus fsync of the file before it is renamed or acknowledged, and of each changed directory. One \
            syncfs flushes a batch at its end",
            // "For that an explicit fsync() on a file descriptor for the directory is also needed."
            after(Kept, Kept),
            "https://man7.org/linux/man-pages/man2/fsync.2.html",
        )
        .can(&[
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::BatchReads,
            Capability::InsertRefuses,
            Capability::ParallelReaders,
            Capability::ParallelWriters,
            Capability::MultiProcess,
            Capability::ExistsCall,
        ])
        .keys(0, KEY_BYTES_MAX as u64)
        .memory(
            "none of its own: files are in the page cache, and the kernel decides how much of it they use",
            "https://man7.org/linux/man-pages/man2/read.2.html",
            &[],
        )
        .build()
}

/// Creates or opens the folder.
pub(crate) fn open(request: &OpenRequest<'_>, layout: Layout) -> Result<Box<dyn Store>, StoreError> {
    let directory = Directory::open(request.directory, request.durability, request.hints.threads)?;
    Ok(Box::new(Files { directory, layout, sessions: AtomicU32::new(0) }))
}

struct Files {
    directory: Directory,
    layout: Layout,
    /// The number of sessions so far: each has its own temporary files.
    sessions: AtomicU32,
}

impl Store for Files {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        work(&mut FileSession::new(&self.directory, self.layout, plan.batched, number))
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    use bakeoff_store::{DataHints, Direction, Session, Settings};

    use super::*;

    /// Works in a session of a flat folder at this level. The work also gets its directory.
    fn work(durability: Durability, work: impl Fn(&mut dyn Session, &std::path::Path)) {
        work_of_threads(1, durability, work);
    }

    /// The same with a folder for `threads` threads.
    fn work_of_threads(threads: u32, durability: Durability, work: impl Fn(&mut dyn Session, &std::path::Path)) {
        let parent = tempfile::tempdir().unwrap();
        let (settings, hints) = (Settings::new(), DataHints { threads, ..DataHints::default() });
        let request = OpenRequest { directory: parent.path(), durability, settings: &settings, hints: &hints };
        let store = open(&request, Layout { levels: 0 }).unwrap();
        let inside = &mut |session: &mut dyn Session| {
            work(session, &parent.path().join("records"));
            Ok(())
        };
        store.session(&SessionPlan::default(), inside).unwrap();
    }

    #[test]
    fn a_value_is_written_in_place_or_replaced_as_the_level_has_it() {
        for (durability, in_place) in Durability::ALL.map(|level| (level, level == Durability::None)) {
            work(durability, |session, records| {
                session.insert(b"key", b"a long first value").unwrap();
                let before = fs::File::open(records.join("key")).unwrap();
                session.update(b"key", b"second").unwrap();
                let after = fs::metadata(records.join("key")).unwrap();
                assert_eq!(before.metadata().unwrap().ino() == after.ino(), in_place, "{durability}");
                assert_eq!(fs::read(records.join("key")).unwrap(), b"second");
                assert_eq!(fs::read_dir(records).unwrap().count(), 1, "no temporary file stays");
            });
        }
    }

    /// A process that dies at this moment leaves what a reader sees at this moment.
    #[test]
    fn nobody_sees_a_part_of_a_new_record() {
        const VALUE_BYTES: usize = 1 << 20;
        for (threads, durability) in [(1, Durability::Process), (1, Durability::Power), (2, Durability::None)] {
            work_of_threads(threads, durability, |session, records| {
                let is_done = std::sync::atomic::AtomicBool::new(false);
                std::thread::scope(|scope| {
                    let seen = scope.spawn(|| {
                        let mut seen = std::collections::BTreeSet::new();
                        while !is_done.load(Ordering::Relaxed) {
                            (0..20).for_each(|number| {
                                seen.extend(fs::metadata(records.join(number.to_string())).map(|file| file.len()));
                            });
                        }
                        seen
                    });
                    for number in 0..20 {
                        session.insert(number.to_string().as_bytes(), &[1; VALUE_BYTES]).unwrap();
                    }
                    is_done.store(true, Ordering::Relaxed);
                    assert_eq!(Vec::from_iter(seen.join().unwrap()), [VALUE_BYTES as u64]);
                });
                assert_eq!(fs::read_dir(records).unwrap().count(), 20, "no temporary file stays");
                session.insert(b"7", b"another").unwrap_err();
                assert_eq!(fs::metadata(records.join("7")).unwrap().len(), VALUE_BYTES as u64);
                assert_eq!(fs::read_dir(records).unwrap().count(), 20, "no temporary file stays");
            });
        }
    }

    #[test]
    fn unfinished_files_are_no_records_and_foreign_files_are_an_error() {
        work(Durability::Process, |session, records| {
            session.insert(b"key", b"value").unwrap();
            fs::write(records.join("~1-0"), b"left by a process that was killed").unwrap();
            let mut entries = 0;
            let count = &mut |_: &[u8], _: &[u8]| {
                entries += 1;
                true
            };
            session.scan(None, Direction::Any, count).unwrap();
            assert_eq!(entries, 1);
            fs::write(records.join("Foreign.txt"), b"").unwrap();
            let error = session.scan(None, Direction::Any, &mut |_, _| true).unwrap_err().to_string();
            assert!(error.contains("Foreign.txt"), "{error}");
        });
    }

    #[test]
    fn a_link_in_the_place_of_a_record_is_not_followed() {
        work(Durability::None, |session, records| {
            let outside = records.with_file_name("outside");
            fs::write(&outside, b"precious").unwrap();
            std::os::unix::fs::symlink(&outside, records.join("key")).unwrap();
            session.update(b"key", b"overwritten").unwrap_err();
            session.get(b"key", &mut Vec::new()).unwrap_err();
            assert_eq!(fs::read(&outside).unwrap(), b"precious");
        });
    }

    #[test]
    fn a_missing_directory_is_an_error_that_names_it() {
        let (settings, hints) = (Settings::new(), DataHints::default());
        let (directory, durability) = (std::path::Path::new("/nowhere/at/all"), Durability::None);
        let request = OpenRequest { directory, durability, settings: &settings, hints: &hints };
        let error = open(&request, Layout { levels: 0 }).err().unwrap().to_string();
        assert!(error.contains("/nowhere/at/all"), "{error}");
    }
}
