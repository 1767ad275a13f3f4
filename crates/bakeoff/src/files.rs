//! Directories of our own: made with a marker file, locked while in use, and only ever removed with the marker in them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rustix::fs::{FlockOperation, flock};

/// The file that says a directory is ours.
const MARKER: &str = ".bakeoff";

/// What a directory of ours is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The stores' files and the tapes: removed at the end of a run.
    Scratch,
    /// A run's results.
    Results,
}

impl Kind {
    fn line(self) -> &'static str {
        match self {
            Self::Scratch => "bakeoff scratch directory: may be removed at any time\n",
            Self::Results => "bakeoff results\n",
        }
    }
}

/// A directory of ours, locked for as long as this value lives.
pub(crate) struct OwnDirectory {
    path: PathBuf,
    _lock: File,
}

impl OwnDirectory {
    /// Makes a new directory; one that exists already is an error, whatever is in it.
    pub(crate) fn create(path: &Path, kind: Kind) -> Result<Self> {
        std::fs::create_dir(path).with_context(|| format!("cannot make the directory {}", path.display()))?;
        let mut marker = File::create_new(path.join(MARKER))
            .and_then(|mut marker| marker.write_all(kind.line().as_bytes()).map(|()| marker))
            .with_context(|| format!("cannot write {}", path.join(MARKER).display()))?;
        lock(&mut marker, path)?;
        let path = path.canonicalize().with_context(|| format!("cannot resolve {}", path.display()))?;
        Ok(Self { path, _lock: marker })
    }

    /// Opens a directory made by [`Self::create`].
    pub(crate) fn open(path: &Path, kind: Kind) -> Result<Self> {
        match kind_of(path) {
            Some(found) if found == kind => {}
            _ => bail!(
                "{} is not a directory of bakeoff's (no marker file {MARKER} of the right kind in it)",
                path.display()
            ),
        }
        let mut marker = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path.join(MARKER))
            .with_context(|| format!("cannot open {}", path.join(MARKER).display()))?;
        lock(&mut marker, path)?;
        let path = path.canonicalize().with_context(|| format!("cannot resolve {}", path.display()))?;
        Ok(Self { path, _lock: marker })
    }

    /// Its absolute path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it with everything in it.
    pub(crate) fn remove(self) -> Result<()> {
        if kind_of(&self.path).is_none() {
            bail!("{} has lost its marker file and is left alone", self.path.display());
        }
        std::fs::remove_dir_all(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

fn lock(marker: &mut File, path: &Path) -> Result<()> {
    flock(&*marker, FlockOperation::NonBlockingLockExclusive)
        .map_err(io::Error::from)
        .with_context(|| format!("{} is in use by another bakeoff", path.display()))
}

/// What a directory of ours is for; `None` if it is not ours.
pub(crate) fn kind_of(path: &Path) -> Option<Kind> {
    if path.symlink_metadata().ok()?.is_symlink() {
        return None;
    }
    let mut line = String::new();
    File::open(path.join(MARKER)).ok()?.take(256).read_to_string(&mut line).ok()?;
    [Kind::Scratch, Kind::Results].into_iter().find(|kind| line == kind.line())
}

/// The newest results directory below `out`, by name: names begin with the time.
pub(crate) fn newest_results(out: &Path) -> Result<PathBuf> {
    let entries = std::fs::read_dir(out)
        .with_context(|| format!("no results in {}: `bakeoff run` makes some, --out says where", out.display()))?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| kind_of(path) == Some(Kind::Results))
        .max()
        .with_context(|| format!("no results in {}: `bakeoff run` makes some", out.display()))
}

/// Writes a file so that a reader sees the old content or the new, never half of either.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> Result<()> {
    let beside = path.with_extension("new");
    File::create(&beside)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&beside, path))
        .with_context(|| format!("cannot write {}", path.display()))
}
