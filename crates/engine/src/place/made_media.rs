//! Media made for one run: a file system in an image file (or in memory), mounted in a marked
//! directory and removed with it.
//!
//! Nothing of them outlives a run that is killed. They are mounted in a namespace of the run's own,
//! which goes with its last process. The image loses its name as soon as it is there, with NTFS
//! once it is mounted. The marked directories they were mounted in, and that of the run's tapes,
//! are removed by its [`Guard`](crate::place::guard::Guard), which unmounts too where a namespace
//! is not permitted. If that is killed as well, the next run with the same base directory removes
//! them ([`remove_left_behind`]), and so does `bakeoff clean`.
//!
//! [`remove_left_behind`]: crate::place::scratch::remove_left_behind

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_measure::Medium;
use bakeoff_text::{format_size, parse_size};
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::geteuid;
use rustix::thread::{UnshareFlags, unshare_unsafe};

use crate::place::mounts::mounts_below;
use crate::place::names;
use crate::place::own_directory::{Kind, OwnDirectory};
use crate::programs::{Missing, dies_with_us, need, run};

/// What stands before a file system's name instead of a directory.
const PREFIX: &str = "new:";

/// Size of a file system unless one is given.
pub(crate) const BYTES_DEFAULT: u64 = 4 << 30;

/// The smallest that can be made.
const BYTES_MIN: u64 = 512 << 20;

/// How long the server of a file system may take to mount it.
const PATIENCE: Duration = Duration::from_secs(20);

/// How what we start finds an image that has no name: as its standard input.
const NAMELESS: &str = "/proc/self/fd/0";

/// How file systems are made: name, the Debian package, and the program with its arguments before
/// the image; none for one in memory.
///
/// Nothing is left to be done in the background after mounting, and ext4 has room for as many files
/// as it has blocks.
const FILE_SYSTEMS: [(&str, &str, &[&str]); 5] = [
    ("ext4", "e2fsprogs", &["mkfs.ext4", "-q", "-F", "-i", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0"]),
    ("xfs", "xfsprogs", &["mkfs.xfs", "-q", "-f"]),
    ("btrfs", "btrfs-progs", &["mkfs.btrfs", "-q", "-f"]),
    ("ntfs", "ntfs-3g", &["mkfs.ntfs", "-q", "-Q", "-F"]),
    ("tmpfs", "mount", &[]),
];

/// A file system to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewFileSystem {
    /// One of [`FILE_SYSTEMS`].
    pub(crate) name: &'static str,
    /// Its size.
    pub(crate) bytes: u64,
}

impl NewFileSystem {
    /// Reads `new:FS`, which gets `bytes` bytes, or `new:FS:SIZE`; `None` for a directory.
    pub(crate) fn parse(text: &str, bytes: u64) -> Result<Option<Self>> {
        let Some(wanted) = text.strip_prefix(PREFIX) else { return Ok(None) };
        let (name, size) = wanted.split_once(':').map_or((wanted, None), |(name, size)| (name, Some(size)));
        let names = FILE_SYSTEMS.map(|(name, ..)| name);
        let Some(name) = names.into_iter().find(|known| *known == name) else {
            let near = bakeoff_text::did_you_mean(name, &names);
            bail!("cannot make a file system `{name}`{near}: use one of {}", names.join(", "));
        };
        let bytes = match size {
            Some(size) => parse_size(size).map_err(|why| anyhow::anyhow!("the size of the new {name}: {why}"))?,
            None => bytes,
        };
        if bytes < BYTES_MIN {
            bail!("a new {name} of {} is too small: give {} or more", format_size(bytes), format_size(BYTES_MIN));
        }
        Ok(Some(Self { name, bytes }))
    }

    /// Checks that it can be made here, so that a run does not end in the middle.
    pub(crate) fn check(&self, missing: Missing) -> Result<()> {
        if !geteuid().is_root() {
            bail!("mounting a new {} needs root: run as root, or give a directory that is there", self.name);
        }
        let (package, command) = self.make();
        let program = if self.name == "ntfs" { Some(&"ntfs-3g") } else { command.first() };
        let what = format!("a new {}", self.name);
        program.map_or(Ok(()), |program| need(program, package, &what, missing))?;
        need("mount", "mount", &what, missing)
    }

    /// Whether it lies on no disk.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.name == "tmpfs"
    }

    fn make(&self) -> (&'static str, &'static [&'static str]) {
        let found = FILE_SYSTEMS.into_iter().find(|(name, ..)| *name == self.name);
        found.map_or(("mount", &[]), |(_, package, command)| (package, command))
    }

    /// Makes and mounts it in `own`; its server, if it has one.
    fn mount(&self, own: &Path) -> Result<Option<Child>> {
        let (image, point) = (own.join("image"), own.join(MOUNTED));
        make_point(own)?;
        if self.is_in_memory() {
            let size = format!("size={}", self.bytes);
            run(dies_with_us(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "bakeoff"]).arg(&point)))?;
            return Ok(None);
        }
        let file = File::create_new(&image).with_context(|| format!("cannot make {}", image.display()))?;
        file.set_len(self.bytes).with_context(|| format!("cannot make {}", image.display()))?;
        let remove_name =
            || std::fs::remove_file(&image).with_context(|| format!("cannot remove the name of {}", image.display()));
        // Its server wants a name.
        let by_name = self.name == "ntfs";
        if !by_name {
            remove_name()?;
        }
        self.format(&file)?;
        if by_name {
            let server = serve_ntfs(own, &image, &point)?;
            remove_name()?;
            return Ok(Some(server));
        }
        // mount gives the loop device back when it is unmounted.
        run_on_image(&file, "mount", &["-t", self.name, "-o", "loop"], &[&point]).map(|()| None)
    }

    /// Makes it in an image, which needs no name.
    pub(crate) fn format(&self, image: &File) -> Result<()> {
        match self.make().1.split_first() {
            Some((program, arguments)) => run_on_image(image, program, arguments, &[]),
            None => Ok(()),
        }
    }
}

/// Runs a program on an image, which it finds without a name.
fn run_on_image(image: &File, program: &str, arguments: &[&str], last: &[&Path]) -> Result<()> {
    let image = image.try_clone().context("cannot open an image twice")?;
    run(dies_with_us(Command::new(program).args(arguments).arg(NAMELESS).args(last).stdin(image)))
}

/// Bytes that the images will take in the end. They are sparse at first, but a file system rarely
/// writes where an earlier cell's files were. So later cells would not find the room that was free
/// at the beginning.
pub(crate) fn images_bytes(made: &BTreeMap<String, NewFileSystem>) -> u64 {
    let images = made.values().filter(|new| !new.is_in_memory());
    images.fold(0, |sum, new| sum.saturating_add(new.bytes))
}

/// Checks that all images fit together, and all that lie in memory.
pub(crate) fn check_room(wanted: &BTreeMap<String, NewFileSystem>, base: &Path) -> Result<()> {
    let (in_memory, images): (Vec<_>, Vec<_>) = wanted.values().partition(|new| new.is_in_memory());
    must_fit(&images, Medium::read(base).free_bytes, &base.display().to_string())?;
    // A file system larger than memory takes what programs need, and the kernel kills them.
    must_fit(&in_memory, bakeoff_measure::memory_available_bytes(), "the memory")
}

/// Refuses file systems that are together larger than the room there is, if that is known.
fn must_fit(wanted: &[&NewFileSystem], free: Option<u64>, place: &str) -> Result<()> {
    let bytes = wanted.iter().fold(0_u64, |sum, new| sum.saturating_add(new.bytes));
    let (Some(last), Some(free)) = (wanted.last(), free.filter(|free| *free < bytes)) else { return Ok(()) };
    let names: Vec<String> =
        wanted.iter().map(|new| format!("a new {} of {}", new.name, format_size(new.bytes))).collect();
    let fit = if names.len() == 1 { "does" } else { "do" };
    bail!(
        "{} {fit} not fit {place}: {} are free; {}",
        names.join(" and "),
        bakeoff_text::approximate_size(free),
        largest_that_fits(free / wanted.len() as u64, last.name)
    );
}

/// What to give instead, where `bytes` are free for each.
fn largest_that_fits(bytes: u64, name: &str) -> String {
    let step = if bytes < 1 << 30 { 1 << 20 } else { 1 << 30 };
    match bytes / step * step {
        bytes if bytes < BYTES_MIN => {
            format!("a new {name} takes at least {}: make room first", format_size(BYTES_MIN))
        }
        bytes => format!("give at most new:{name}:{}", format_size(bytes)),
    }
}

/// Mounts an image with NTFS. The program that serves it stays our child, so that it ends when we
/// do.
fn serve_ntfs(own: &Path, image: &Path, point: &Path) -> Result<Child> {
    let log = own.join("log");
    let output = File::create(&log).with_context(|| format!("cannot make {}", log.display()))?;
    let mut command = Command::new("ntfs-3g");
    command.args(["-o", "no_detach"]).arg(image).arg(point).process_group(0);
    let errors = output.try_clone().context("cannot open a log twice")?;
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    let mut server = dies_with_us(&mut command).spawn().context("cannot start ntfs-3g")?;
    let begin = Instant::now();
    while mounts_below(own).is_empty() {
        let ended = server.try_wait().context("cannot ask after ntfs-3g")?;
        if ended.is_some() || begin.elapsed() > PATIENCE {
            let _ = server.kill();
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            let said = bakeoff_text::printable(said.trim().lines().last().unwrap_or("it said nothing"));
            bail!("ntfs-3g did not mount {}: {said}. Fix that, or give a directory instead", image.display());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(server)
}

/// From now on, only this thread sees what it mounts, and the threads and programs that it starts.
/// The mounts go with the last of these. Where that is not permitted, everybody sees the mounts.
pub(crate) fn mount_for_ourselves() {
    // SAFETY: no file descriptors are unshared, which is what could surprise other threads.
    let alone = unsafe { unshare_unsafe(UnshareFlags::NEWNS) };
    // What others unmount is still unmounted here.
    let _ = alone.and_then(|()| mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC));
}

/// Where in its directory a file system is mounted.
const MOUNTED: &str = "mounted";

fn make_point(own: &Path) -> Result<()> {
    let point = own.join(MOUNTED);
    std::fs::create_dir(&point).with_context(|| format!("cannot make the directory {}", point.display()))
}

/// A medium made for a run.
struct Made {
    own: OwnDirectory,
    server: Option<Child>,
}

impl Made {
    fn remove(self) -> Result<()> {
        let removed = self.own.remove();
        if let Some(mut server) = self.server {
            // It ends once the image is unmounted.
            let _ = server.wait();
        }
        removed
    }
}

/// The media made for a run; unmounted and removed when dropped.
#[derive(Default)]
pub(crate) struct MadeMedia {
    made: BTreeMap<String, Made>,
}

impl MadeMedia {
    /// Makes every one of `wanted` in `base`, and mounts it unless disks are only made by cells.
    pub(crate) fn create(
        wanted: &BTreeMap<String, NewFileSystem>,
        base: &Path,
        run: &str,
        by_cells: bool,
    ) -> Result<Self> {
        let mut made = Self::default();
        if !wanted.is_empty() {
            mount_for_ourselves();
        }
        for (medium, file_system) in wanted {
            let path = base.join(names::made_medium(run, medium));
            let own = OwnDirectory::create(&path, Kind::Scratch)?;
            let inside = own.path().to_owned();
            // Kept before mounting, so that it is removed however that ends.
            let kept = made.made.entry(medium.clone()).or_insert(Made { own, server: None });
            let made = match by_cells {
                true => make_point(&inside).map(|()| None),
                false => file_system.mount(&inside),
            };
            kept.server = made.with_context(|| format!("cannot make the medium `{medium}`"))?;
        }
        Ok(made)
    }

    /// Where each is mounted.
    pub(crate) fn directories(&self) -> impl Iterator<Item = (String, PathBuf)> {
        self.made.iter().map(|(medium, made)| (medium.clone(), made.own.path().join(MOUNTED)))
    }

    /// Unmounts and removes all of them.
    pub(crate) fn remove(mut self) -> Result<()> {
        // If one file system stays, the others are still removed.
        let made = std::mem::take(&mut self.made).into_values();
        made.map(Made::remove).fold(Ok(()), Result::and)
    }
}

impl Drop for MadeMedia {
    fn drop(&mut self) {
        // On the way out of an error, that error counts. The next run or `bakeoff clean` finds the
        // rest.
        for made in std::mem::take(&mut self.made).into_values() {
            let _ = made.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::scratch::remove_left_behind;
    use crate::programs::say_skipped;
    use crate::reporter::Reporter;

    #[test]
    fn new_file_systems_are_told_from_directories() {
        assert_eq!(NewFileSystem::parse("/mnt/a", BYTES_DEFAULT).unwrap(), None);
        assert_eq!(
            NewFileSystem::parse("new:xfs", BYTES_DEFAULT).unwrap(),
            Some(NewFileSystem { name: "xfs", bytes: 4 << 30 })
        );
        let small = NewFileSystem::parse("new:ext4:1GiB", BYTES_DEFAULT).unwrap();
        assert_eq!(small, Some(NewFileSystem { name: "ext4", bytes: 1 << 30 }));
        for (wrong, says) in
            [("new:ext5", "did you mean `ext4`?"), ("new:xfs:big", "size"), ("new:xfs:1MiB", "too small")]
        {
            let error = NewFileSystem::parse(wrong, BYTES_DEFAULT).unwrap_err().to_string();
            assert!(error.contains(says), "{wrong}: {error}");
        }
    }

    #[test]
    fn what_is_larger_than_the_room_there_is_is_refused() {
        let new = |text: &str| NewFileSystem::parse(text, BYTES_DEFAULT).unwrap().unwrap();
        let (small, large) = (new("new:tmpfs:1GiB"), new("new:tmpfs:100TiB"));
        let here = std::env::current_dir().unwrap();
        let check = |file_system: &NewFileSystem| {
            check_room(&BTreeMap::from([("disk".to_owned(), file_system.clone())]), &here)
        };
        let error = check(&large).unwrap_err().to_string();
        assert!(error.starts_with("a new tmpfs of 100TiB does not fit the memory: "), "{error}");
        let largest = error.rsplit("give at most ").next().unwrap();
        check(&new(largest)).unwrap_or_else(|error| panic!("{largest} is said to fit: {error}"));
        let error = check(&new("new:ext4:1000TiB")).unwrap_err().to_string();
        assert!(error.contains(&format!("does not fit {}: ", here.display())), "{error}");
        must_fit(&[&small], Some(1 << 30), "the memory").unwrap();
        must_fit(&[&large], None, "the memory").unwrap();
        let error = must_fit(&[&small, &small], Some((2 << 30) - 1), "the memory").unwrap_err().to_string();
        assert!(error.starts_with("a new tmpfs of 1GiB and a new tmpfs of 1GiB do not fit the memory"), "{error}");
        assert!(error.ends_with(" are free; give at most new:tmpfs:1023MiB"), "{error}");
        let error = must_fit(&[&small, &small], Some((1 << 30) - 1), "the memory").unwrap_err().to_string();
        assert!(error.ends_with(" are free; a new tmpfs takes at least 512MiB: make room first"), "{error}");
    }

    #[test]
    fn each_can_be_made_filled_and_removed_without_a_trace() {
        let parent = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        for (name, ..) in FILE_SYSTEMS {
            let wanted = NewFileSystem { name, bytes: 512 << 20 };
            if let Err(why) = wanted.check(Missing::Tell) {
                say_skipped(&format!("a file system made for a run, {name}"), &why);
                continue;
            }
            let wanted = BTreeMap::from([("disk".to_owned(), wanted)]);
            let made = match MadeMedia::create(&wanted, parent.path(), "test", false) {
                Ok(made) => made,
                Err(why) => {
                    // A container may have root and no right to mount.
                    say_skipped(&format!("a file system made for a run, {name}"), &why);
                    continue;
                }
            };
            let (_, point) = made.directories().next().unwrap();
            std::fs::write(point.join("file"), vec![7; 1 << 20]).unwrap();
            assert!(!point.with_file_name("image").exists());
            let found = Medium::read(&point).file_system.unwrap();
            assert!(found == name || (name == "ntfs" && found.starts_with("fuse")), "{name}: {found}");
            if name == "ext4" {
                // As after a kill: nobody unmounts, and the next run cleans up.
                let left = made.made["disk"].own.path().to_owned();
                let mut made = made;
                drop(std::mem::take(&mut made.made));
                assert_eq!(mounts_below(&left).len(), 1);
                remove_left_behind(parent.path(), Reporter::new(|_| ()));
                assert!(!left.exists());
            } else {
                made.remove().unwrap();
            }
            assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0, "{name}");
            assert_eq!(mounts_below(parent.path()), Vec::<PathBuf>::new());
        }
    }
}
