//! Files that are written for other programs and for people: whole or not at all, and never over a run's results.

use std::fs::{OpenOptions, Permissions};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Kind, MARKER, kind_of, shown};
use bakeoff_results::record::RUN_FILE;
use bakeoff_results::results_file::RESULTS_FILE;

/// Links that lead from one to the next, at most, as for the kernel.
const LINKS_MAX: usize = 40;

/// The bits of a directory where everyone may write, and only owners may remove.
const SHARED: u32 = 0o1002;

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

/// Where a file is or will be, whatever links and detours lead there.
///
/// This does not refuse links: [`export`] does.
pub(crate) fn place_of(file: &Path) -> PathBuf {
    let parent = file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let place = |parent: PathBuf| file.file_name().map(|name| parent.join(name));
    let found = file.canonicalize().ok().or_else(|| parent.canonicalize().ok().and_then(place));
    found.unwrap_or_else(|| file.to_owned())
}

/// Refuses a link that somebody else may have put in a directory where everyone may write, such as `/tmp`: the export would replace a file of its
/// choice. The rule is the kernel's for `fs.protected_symlinks`, which need not be on.
fn check_links(file: &Path) -> Result<()> {
    let mut file = file.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(link) = file.symlink_metadata() else { return Ok(()) };
        if !link.is_symlink() {
            return Ok(());
        }
        let parent = file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        let directory = parent.metadata().with_context(|| format!("cannot look into {}", shown(parent)))?;
        let is_shared = directory.mode() & SHARED == SHARED;
        let is_trusted = [directory.uid(), rustix::process::geteuid().as_raw()].contains(&link.uid());
        if is_shared && !is_trusted {
            bail!("{} is another user's link, in a directory that is everyone's: give another file", shown(&file));
        }
        let target = file.read_link().with_context(|| format!("cannot read the link {}", shown(&file)))?;
        file = parent.join(target);
    }
    bail!("{} leads through too many links: give another file", shown(&file))
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
    check_links(path)?;
    let place = place_of(path);
    if is_of_a_run(&place) {
        bail!("{} holds a run's results, which an export would replace: give another file", place.display());
    }
    let cannot = || format!("cannot write {}", path.display());
    // A pipe or a device is written to; a file is replaced when the export is whole.
    if place.metadata().is_ok_and(|facts| !facts.is_file()) {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(&place).with_context(cannot)?);
        write(&mut out).with_context(cannot)?;
        return out.flush().with_context(cannot);
    }
    let parent = place.parent().unwrap_or(Path::new("."));
    parent.metadata().with_context(cannot)?;
    let readable = Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().permissions(readable).tempfile_in(parent);
    // Its own message names the temporary file.
    let file = file.map_err(|error| io::Error::from(error.kind())).with_context(cannot)?;
    let mut out = BufWriter::new(file);
    write(&mut out).with_context(cannot)?;
    let file = out.into_inner().map_err(IntoInnerError::into_error).with_context(cannot)?;
    // Its own message tells its cause, which is told behind it again.
    file.persist(&place).map(drop).map_err(|error| error.error).with_context(cannot)
}
