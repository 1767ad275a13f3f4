//! Files that are written for other programs and for people: whole or not at all, and never over a
//! run's results.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Kind, MARKER, kind_of};
use bakeoff_files::check_links;
use bakeoff_results::record::RUN_FILE;
use bakeoff_results::results_file::RESULTS_FILE;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

/// Two exports must not be written into each other.
pub(crate) fn check_files<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
    let mut seen = Vec::new();
    for file in files {
        let place = place_of(file);
        if seen.contains(&place) {
            bail!("two exports would be written into {}: give them different files", file.display());
        }
        seen.push(place);
    }
    Ok(())
}

/// Where a file is or will be, with links and detours resolved.
///
/// This does not refuse links: [`export`] does.
pub(crate) fn place_of(file: &Path) -> PathBuf {
    let parent = file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let place = |parent: PathBuf| file.file_name().map(|name| parent.join(name));
    let found = file.canonicalize().ok().or_else(|| parent.canonicalize().ok().and_then(place));
    found.unwrap_or_else(|| file.to_owned())
}

/// Whether a run keeps something there that cannot be made again.
fn is_of_a_run(place: &Path) -> bool {
    let is_named =
        place.file_name().is_some_and(|name| [RUN_FILE, RESULTS_FILE, MARKER].iter().any(|own| name == *own));
    let directory = place.parent();
    (is_named && directory.and_then(kind_of) == Some(Kind::Results))
        || directory
            .is_some_and(|logs| logs.ends_with("logs") && logs.parent().and_then(kind_of) == Some(Kind::Results))
}

/// Opens something other than a file to write to it. A FIFO that no program reads is refused:
/// opening it would wait for one.
fn open_other(place: &Path) -> Result<File> {
    let waits_not = OFlags::NONBLOCK.bits().cast_signed();
    let file = match OpenOptions::new().write(true).custom_flags(waits_not).open(place) {
        Err(why) if why.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
            bail!("no program reads from it: start one first, or give a file")
        }
        file => file?,
    };
    // From here on a program that reads slowly is waited for.
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Writes an export to a file, or to standard output for `-`.
pub(crate) fn export<E>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<()>
where
    E: std::error::Error + Send + Sync + 'static,
{
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        write(&mut out).context("cannot print the export")?;
        return out.flush().context("cannot print the export");
    }
    let cannot = || format!("cannot write {}", path.display());
    check_links(path).with_context(cannot)?;
    let place = place_of(path);
    if is_of_a_run(&place) {
        bail!("{} holds a run's results, which an export would replace: give another file", place.display());
    }
    // A device, or a pipe of the shell's, is written to; a file is replaced when the export is
    // whole.
    if place.metadata().is_ok_and(|facts| !facts.is_file()) {
        let mut out = BufWriter::new(open_other(&place).with_context(cannot)?);
        write(&mut out).with_context(cannot)?;
        return out.flush().with_context(cannot);
    }
    let parent = place.parent().unwrap_or(Path::new("."));
    parent.metadata().with_context(cannot)?;
    // Readable as the umask allows. Errors are the system's own, which do not name the temporary file.
    let file = tempfile::Builder::new().make_in(parent, |path| File::create_new(path)).with_context(cannot)?;
    let (file, temporary) = file.into_parts();
    let mut out = BufWriter::new(file);
    write(&mut out).with_context(cannot)?;
    out.flush().with_context(cannot)?;
    temporary.persist(&place).map_err(|error| error.error).with_context(cannot)
}
