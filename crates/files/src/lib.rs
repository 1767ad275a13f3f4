//! Opens regular files only, replaces files atomically, and refuses links that other users may have made.

use std::collections::VecDeque;
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::OFlags;

/// The most links to follow in a chain, as in the kernel.
const LINKS_MAX: usize = 40;

/// The mode bits of a directory where everyone may write and only owners may remove, such as `/tmp`.
const SHARED: u32 = 0o1002;

/// Opens a regular file, directly or through a link. Refuses anything else at once, such as a FIFO without a writer. Creates no file
/// through a dangling link.
///
/// # Errors
/// The file cannot be opened, or is not a regular file.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Checked before opening, since opening some devices has effects, and again after it, since the file may have changed.
    match path.metadata() {
        Ok(facts) => {
            check_regular(facts.file_type())?;
            open_checked(path, options, OFlags::empty())
        }
        Err(_) if path.is_symlink() => Err(not_a_file("a link to nothing")),
        Err(_) => open_checked(path, options, OFlags::NOFOLLOW),
    }
}

/// Opens or creates a file of a run, such as a log, as [`open_regular`] does. Refuses links, since writing would replace their target.
///
/// # Errors
/// The file cannot be opened, it or its directory is a link, or it is not a regular file.
pub fn open_without_links(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if let Some(link) = [path.parent(), Some(path)].into_iter().flatten().find(|place| place.is_symlink()) {
        let why = format!("{} is a link, which bakeoff does not write through: remove it", link.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    check_links(path)?;
    if let Ok(facts) = path.metadata() {
        check_regular(facts.file_type())?;
    }
    open_checked(path, options, OFlags::NOFOLLOW)
}

fn open_checked(path: &Path, options: &mut OpenOptions, flags: OFlags) -> io::Result<File> {
    let file = options.custom_flags((flags | OFlags::NONBLOCK).bits().cast_signed()).open(path)?;
    check_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Refuses a path with a link that another user may have put in a directory where everyone may write, such as `/tmp`. Writing would replace
/// a file of that user's choice. The rule is the kernel's for `fs.protected_symlinks`, which may be off.
///
/// # Errors
/// There is such a link, there are too many links, or a directory cannot be read.
pub fn check_links(path: &Path) -> io::Result<()> {
    let owned = |component: Component<'_>| component.as_os_str().to_owned();
    let mut rest: VecDeque<_> = path.components().map(owned).collect();
    let (mut place, mut links) = (PathBuf::from("."), 0);
    while let Some(name) = rest.pop_front() {
        // An absolute link target replaces the path before it.
        let entry = place.join(&name);
        // A path that does not exist yet has no links.
        let Ok(facts) = entry.symlink_metadata() else { return Ok(()) };
        if !facts.is_symlink() {
            place = entry;
            continue;
        }
        let directory = place.metadata()?;
        let is_shared = directory.mode() & SHARED == SHARED;
        let is_trusted = [directory.uid(), rustix::process::geteuid().as_raw()].contains(&facts.uid());
        links += 1;
        if is_shared && !is_trusted || links > LINKS_MAX {
            let why = match links {
                0..=LINKS_MAX => "is another user's link, in a directory that is everyone's: give another path",
                _ => "leads through too many links: give a path with fewer",
            };
            let why = format!("{} {why}", entry.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        for component in entry.read_link()?.components().rev() {
            rest.push_front(owned(component));
        }
    }
    Ok(())
}

/// Reads a regular file of at most `bytes_max` bytes. The length is checked before reading.
///
/// # Errors
/// As [`open_regular`]; or the file is longer, or cannot be read.
pub fn read_regular(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path, OpenOptions::new().read(true))?;
    let mut content = Vec::with_capacity(usize::try_from(check_length(&file, bytes_max)?).unwrap_or_default());
    // The file may grow while it is read.
    file.take(bytes_max).read_to_end(&mut content)?;
    Ok(content)
}

/// The length of a file in bytes, if it is at most `bytes_max`.
///
/// # Errors
/// The file is longer, or its length cannot be read.
pub fn check_length(file: &File, bytes_max: u64) -> io::Result<u64> {
    let bytes = file.metadata()?.len();
    if bytes <= bytes_max {
        return Ok(bytes);
    }
    let why = format!(
        "has {bytes} bytes, and such a file has at most {bytes_max}. It is damaged, or another file: restore it"
    );
    Err(io::Error::new(io::ErrorKind::FileTooLarge, why))
}

fn check_regular(kind: FileType) -> io::Result<()> {
    let what = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_dir() => "a directory",
        _ if kind.is_fifo() => "a FIFO",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(not_a_file(what))
}

fn not_a_file(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("is {what}, and must be a file: give another path, or put a file there"),
    )
}

/// Replaces a file atomically: a reader sees the old content or the new, never a mixture.
///
/// # Errors
/// The new file cannot be written or renamed, or another user's link is on the path.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    check_links(path)?;
    let new = path.with_extension("new");
    // A killed process may have left a file of this name. If it is a link, it is removed, not followed.
    let _ = std::fs::remove_file(&new);
    File::create_new(&new)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&new, path))
        .inspect_err(|_| drop(std::fs::remove_file(&new)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_made_through_a_link_to_nothing_and_a_link_to_a_file_is_one() {
        let place = tempfile::tempdir().unwrap();
        let (link, file) = (place.path().join("link"), place.path().join("file"));
        symlink(&file, &link).unwrap();
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let why = open_regular(&link, options).unwrap_err().to_string();
        assert!(why.contains("is a link to nothing, and must be a file") && !file.exists(), "{why}");
        open_regular(&file, options).unwrap();
        open_regular(&link, options).unwrap();
        let why = open_without_links(&link, options).unwrap_err().to_string();
        assert!(why.ends_with("link is a link, which bakeoff does not write through: remove it"), "{why}");
    }

    /// The owner of a directory of results could choose a file to be overwritten.
    #[test]
    fn a_file_is_replaced_and_never_what_a_link_beside_it_leads_to() {
        let place = tempfile::tempdir().unwrap();
        let (precious, page) = (place.path().join("precious"), place.path().join("report.html"));
        std::fs::write(&precious, "mine").unwrap();
        symlink(&precious, place.path().join("report.new")).unwrap();
        replace_file(&page, b"page").unwrap();
        assert_eq!(std::fs::read(&precious).unwrap(), b"mine");
        assert_eq!(std::fs::read(&page).unwrap(), b"page");
    }

    /// A sparse file of 100 GB was read until memory was full.
    #[test]
    fn no_more_is_read_than_such_a_file_may_have() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        std::fs::write(&path, "123").unwrap();
        assert_eq!(read_regular(&path, 3).unwrap(), b"123");
        let why = read_regular(&path, 2).unwrap_err().to_string();
        assert!(why.starts_with("has 3 bytes, and such a file has at most 2"), "{why}");
        File::create(&path).unwrap().set_len(100 << 30).unwrap();
        assert_eq!(read_regular(&path, 1 << 20).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn links_that_lead_in_a_circle_are_refused_and_what_is_not_there_is_none() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (place.path().join("one"), place.path().join("other"));
        symlink(&one, &other).unwrap();
        symlink("other", &one).unwrap();
        let why = check_links(&one.join("file")).unwrap_err().to_string();
        assert!(why.contains("too many links"), "{why}");
        check_links(&place.path().join("not/there/../yet")).unwrap();
        check_links(Path::new("")).unwrap();
    }
}
