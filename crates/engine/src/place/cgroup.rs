//! Control groups of the kernel that hold a cell's driver to an amount of memory, page cache
//! included.
//!
//! bakeoff makes its group in the group that this process is in, or in the nearest one above it where groups can be
//! made, and names it after this process. It removes the group when its cell has ended; the next run removes groups of
//! a killed one. A group can only be removed when no process is in it, so nothing else can be hit.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// How the names of our groups begin; then comes the process that made it, and a number.
const PREFIX: &str = "bakeoff-cell-";

/// Where control groups are mounted, as nearly all systems do.
const MOUNT: &str = "/sys/fs/cgroup";

/// How often, and after what pause each, bakeoff tries to remove a group whose last process has just gone.
const REMOVALS: (u32, Duration) = (100, Duration::from_millis(10));

/// The kernel has two versions of control groups, whose files have different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    /// The files that limit memory, and memory with swap.
    fn limits(self) -> [&'static str; 2] {
        match self {
            Self::One => ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"],
            Self::Two => ["memory.max", "memory.swap.max"],
        }
    }

    /// The file with the highest use so far.
    fn peak(self) -> &'static str {
        match self {
            Self::One => "memory.max_usage_in_bytes",
            Self::Two => "memory.peak",
        }
    }

    /// The file with a line `oom_kill N`.
    fn events(self) -> &'static str {
        match self {
            Self::One => "memory.oom_control",
            Self::Two => "memory.events",
        }
    }
}

/// A place where groups that limit memory can be made.
#[derive(Clone, Debug)]
pub struct MemoryGroups {
    version: Version,
    parent: PathBuf,
}

impl MemoryGroups {
    /// Finds one, and tries it by making a group and removing it.
    ///
    /// # Errors
    /// Why there is none, and how to get one.
    pub fn find() -> Result<Self> {
        let own = fs::read_to_string("/proc/self/cgroup")
            .context("this kernel shows no control groups (/proc/self/cgroup)")?;
        let mut why = None;
        for groups in places(&own, Path::new(MOUNT)) {
            match groups.create(u64::from(u32::MAX)).and_then(MemoryGroup::remove) {
                Ok(()) => return Ok(groups),
                // What went wrong in the innermost group says most.
                Err(error) => _ = why.get_or_insert(error),
            }
        }
        let why = why.unwrap_or_else(|| {
            anyhow::anyhow!("the memory controller of control groups is not there or not mounted at {MOUNT}")
        });
        bail!(
            "{why:#}. Run as root, or, where systemd runs, with: systemd-run --user --scope -p Delegate=memory -- bakeoff …"
        )
    }

    /// Makes a group that may have `bytes` of memory, and no swap beyond.
    pub(crate) fn create(&self, bytes: u64) -> Result<MemoryGroup> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = self.parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot make the control group {}", path.display()))?;
        // From here on it is removed in every case.
        let group = MemoryGroup { version: self.version, path };
        let [memory, with_swap] = self.version.limits();
        group.write(memory, bytes)?;
        // Absent where the kernel does not count swap.
        if group.path.join(with_swap).exists() {
            group.write(with_swap, if self.version == Version::One { bytes } else { 0 })?;
        }
        Ok(group)
    }

    /// Groups of ended processes that can be removed.
    pub fn leftovers(&self) -> Vec<PathBuf> {
        let is_left = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            let maker = name.and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
            // One with a process in it stays, and is met again by the next run.
            maker.is_some_and(|(process, _)| !Path::new("/proc").join(process).exists())
                && fs::read(path.join("cgroup.procs")).map_or(true, |processes| processes.is_empty())
        };
        let entries = fs::read_dir(&self.parent).into_iter().flatten().flatten();
        let mut left: Vec<_> = entries.map(|entry| entry.path()).filter(is_left).collect();
        left.sort();
        left
    }
}

/// The groups that this process is in, innermost first, as the kernel lists them: `4:memory:/a/b`
/// or `0::/a/b`.
fn places(own_groups: &str, mount: &Path) -> Vec<MemoryGroups> {
    let mut places = Vec::new();
    for line in own_groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (version, root) = match controllers {
            "" => (Version::Two, mount.to_owned()),
            controllers if controllers.split(',').any(|name| name == "memory") => (Version::One, mount.join("memory")),
            _ => continue,
        };
        let relative = PathBuf::from(path.trim_start_matches('/'));
        for group in relative.ancestors() {
            let parent = root.join(group);
            if version == Version::One && parent.join("memory.limit_in_bytes").exists() || passes_memory_on(&parent) {
                places.push(MemoryGroups { version, parent });
            }
        }
    }
    places
}

/// Whether groups made in this one, of version 2, can limit memory.
fn passes_memory_on(group: &Path) -> bool {
    fs::read_to_string(group.join("cgroup.subtree_control"))
        .is_ok_and(|controllers| controllers.split_whitespace().any(|name| name == "memory"))
}

/// A control group that bakeoff made.
pub(crate) struct MemoryGroup {
    version: Version,
    path: PathBuf,
}

impl MemoryGroup {
    /// A file that moves the process which writes `0` to it into the group.
    pub(crate) fn door(&self) -> Result<File> {
        let path = self.path.join("cgroup.procs");
        OpenOptions::new().write(true).open(&path).with_context(|| format!("cannot open {}", path.display()))
    }

    /// The most memory that was used in it, in bytes; `None` where the kernel does not tell.
    pub(crate) fn peak_bytes(&self) -> Option<u64> {
        fs::read_to_string(self.path.join(self.version.peak())).ok()?.trim().parse().ok()
    }

    /// Whether the kernel killed a process of it because the limit was reached.
    pub(crate) fn ran_out(&self) -> bool {
        let text = fs::read_to_string(self.path.join(self.version.events())).unwrap_or_default();
        text.lines().filter_map(|line| line.strip_prefix("oom_kill ")).any(|count| count.trim() != "0")
    }

    /// Removes it. Its processes must have ended.
    pub(crate) fn remove(self) -> Result<()> {
        // Dropping it tries once more, which does no harm.
        remove(&self.path).with_context(|| format!("cannot remove the control group {}", self.path.display()))
    }

    fn write(&self, file: &str, bytes: u64) -> Result<()> {
        let path = self.path.join(file);
        OpenOptions::new()
            .write(true)
            .open(&path)
            .and_then(|mut file| file.write_all(bytes.to_string().as_bytes()))
            .with_context(|| format!("cannot write {bytes} to {}", path.display()))
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        let _ = remove(&self.path);
    }
}

/// A process that has ended may stay in its group for a moment.
fn remove(path: &Path) -> io::Result<()> {
    let (times, pause) = REMOVALS;
    for _ in 1..times {
        match fs::remove_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(pause),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            removed => return removed,
        }
    }
    fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_groups_of_both_versions_from_the_inside_out() {
        let mount = tempfile::tempdir().unwrap();
        let make = |file: &str, text: &str| {
            let path = mount.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        make("memory/a/b/memory.limit_in_bytes", "1");
        make("memory/a/memory.limit_in_bytes", "1");
        make("user/app/cgroup.subtree_control", "cpu memory pids\n");
        make("user/app/shell/cgroup.subtree_control", "\n");
        let found = places("9:cpu:/a\n4:memory:/a/b\n0::/user/app/shell\nrubbish\n", mount.path());
        let found: Vec<_> =
            found.iter().map(|place| (place.version, place.parent.strip_prefix(mount.path()).unwrap())).collect();
        let (one, two) = (Version::One, Version::Two);
        assert_eq!(found, [(one, Path::new("memory/a/b")), (one, Path::new("memory/a")), (two, Path::new("user/app"))]);
        assert!(places("", mount.path()).is_empty());
    }

    #[test]
    fn only_groups_whose_makers_are_gone_are_left_over() {
        let parent = tempfile::tempdir().unwrap();
        // No process has a number that large.
        let (gone, alive) = (format!("{PREFIX}4294967295-0"), format!("{PREFIX}{}-0", std::process::id()));
        for name in [gone.as_str(), &alive, "other-4294967295-0"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        let groups = MemoryGroups { version: Version::Two, parent: parent.path().to_owned() };
        let leftovers = groups.leftovers();
        assert_eq!(leftovers.len(), 1, "{leftovers:?}");
        fs::remove_dir(&leftovers[0]).unwrap();
        assert!(groups.leftovers().is_empty());
        let mut left: Vec<_> = fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [alive.as_str(), "other-4294967295-0"]);
    }
}
