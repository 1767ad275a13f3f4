//! Where stores and tapes live while a run goes on: a marked directory on each medium, removed at
//! the end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_suite::RunOptions;
use bakeoff_text::counted;

use crate::explain::explained;
use crate::place::mounts::unmount_all;
use crate::place::names::{self, TEMPORARY};
use crate::place::own_directory::{Kind, OwnDirectory, remove_unfinished, shown, unmarked};
use crate::place::tree::{count_files, empty_tree, remove_tree};
use crate::reporter::Reporter;

/// The scratch directories of a run.
pub(crate) struct Scratch {
    /// By medium.
    places: BTreeMap<String, Place>,
    /// Where the tapes are, out of the stores' way.
    tapes: Option<OwnDirectory>,
    /// Stores put aside so far.
    retired: u64,
    /// What emptying took for a file of each store put aside, seconds.
    emptied_s: Vec<f64>,
    reporter: Reporter,
}

/// The scratch directory of a medium.
struct Place {
    own: OwnDirectory,
    room: Room,
    /// Files and directories of the stores that are put aside there.
    aside: u64,
    /// Why nothing can be measured there any more: its file system has become read-only, its device is gone, …
    unusable: Option<String>,
}

impl Place {
    /// Makes the directory for stores that are put aside. Beforehand, so that clearing takes no inode: a store may have used the last one.
    fn make_retired(&self) -> Result<()> {
        let retired = self.own.path().join(RETIRED);
        std::fs::create_dir_all(&retired).with_context(|| format!("cannot make the directory {}", retired.display()))
    }
}

fn report_restored(own: &OwnDirectory, reporter: Reporter) {
    let path = shown(own.path());
    reporter.report(&format!("note: something removed {path}, which this run needs: it is made again"));
}

/// The free space of a file system when the run began, in bytes and inodes; `None` where it is unknown.
struct Room(Option<(u64, u64)>);

/// A file system that does not count inodes (btrfs) counts as having one for this many bytes, as ext4 has.
const BYTES_OF_AN_INODE: u64 = 16 << 10;

impl Room {
    fn of(directory: &Path) -> Self {
        let bytes = bakeoff_measure::room_bytes(directory);
        Self(bytes.map(|bytes| (bytes, bakeoff_measure::room_files(directory).unwrap_or(bytes / BYTES_OF_AN_INODE))))
    }

    /// Whether more than half of it is used now, including `aside` files that were put aside.
    fn is_short(&self, directory: &Path, aside: u64) -> bool {
        let (Self(Some(then)), Self(Some(now))) = (self, Self::of(directory)) else { return false };
        now.0 < then.0 / 2 || now.1 < then.1 / 2 || aside > then.1 / 2
    }
}

/// Removing that takes longer than this is announced.
const ANNOUNCED: Duration = Duration::from_secs(2);

/// The directory of retired stores with many files until the run ends, in a medium's scratch directory.
const RETIRED: &str = "retired";

/// A cell's store, in a medium's scratch directory.
const STORE: &str = "store";

/// A store of fewer files than this is removed at once.
const FILES_REMOVED_AT_ONCE: usize = 100;

impl Scratch {
    /// Makes one in each medium's directory, and one for the tapes in `base`, which is on none of
    /// the media that are made for the run. `run` is a name that no other run has.
    pub(crate) fn create(
        media: &BTreeMap<String, PathBuf>,
        base: &Path,
        run: &str,
        reporter: Reporter,
    ) -> Result<Self> {
        // Whole from the beginning, so that it removes the first directories if the others cannot be made.
        let mut scratch = Self { places: BTreeMap::new(), tapes: None, retired: 0, emptied_s: Vec::new(), reporter };
        for (medium, directory) in media {
            let path = directory.join(names::medium(run, medium));
            let own = OwnDirectory::create(&path, Kind::Scratch)?;
            let place = Place { own, room: Room::of(directory), aside: 0, unusable: None };
            scratch.places.entry(medium.clone()).or_insert(place).make_retired()?;
        }
        let path = base.join(names::tapes(run));
        scratch.tapes = Some(OwnDirectory::create(&path, Kind::Scratch)?);
        Ok(scratch)
    }

    /// The directory of a medium.
    pub(crate) fn of(&self, medium: &str) -> Result<&Path> {
        let known = self.places.get(medium);
        let place =
            known.with_context(|| format!("no directory for the medium `{medium}`: give --medium {medium}=DIR"))?;
        Ok(place.own.path())
    }

    /// The directory of the tapes.
    pub(crate) fn of_tapes(&self) -> Result<&Path> {
        Ok(self.tapes.as_ref().context("the tapes are removed already")?.path())
    }

    /// A fresh, empty directory for one cell's store, and one next to it for what its driver unpacks.
    ///
    /// # Errors
    /// The medium cannot be used any more.
    pub(crate) fn fresh(&mut self, medium: &str) -> Result<PathBuf> {
        if let Some(place) = self.places.get_mut(medium) {
            if let Some(why) = &place.unusable {
                bail!("{why}");
            }
            if place.own.restore(Kind::Scratch, &[STORE, TEMPORARY])? {
                report_restored(&place.own, self.reporter);
                place.aside = 0;
                place.make_retired()?;
                remove_tree(&place.own.path().join(STORE))?;
            }
        }
        let temporary = self.of(medium)?.join(TEMPORARY);
        std::fs::create_dir_all(&temporary)
            .with_context(|| format!("cannot make the directory {}", temporary.display()))?;
        let path = temporary.with_file_name(STORE);
        std::fs::create_dir(&path).with_context(|| format!("cannot make the directory {}", path.display()))?;
        Ok(path)
    }

    /// Makes the directory of the tapes again, if somebody removed it.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn restore_tapes(&mut self) -> Result<()> {
        if let Some(own) = &mut self.tapes
            && own.restore(Kind::Scratch, &[])?
        {
            report_restored(own, self.reporter);
        }
        Ok(())
    }

    /// The directory that somebody removed, if a cell on this medium needs it.
    pub(crate) fn removed(&self, medium: &str) -> Option<&Path> {
        let of_medium = self.places.get(medium).map(|place| &place.own);
        of_medium.into_iter().chain(&self.tapes).find(|own| !own.is_there()).map(OwnDirectory::path)
    }

    fn is_there(&self, medium: &str) -> bool {
        self.places.get(medium).is_some_and(|place| place.own.is_there())
    }

    /// Puts a cell's store out of the way, so that its leftovers are neither written nor removed
    /// while the next one is measured.
    ///
    /// A store of few files is removed at once. Many files are only truncated, and removed at the end. Otherwise the
    /// next cell that creates files would pay for the removal, ten times over on ext4 without a journal. It does not
    /// reuse an inode for up to six minutes, and looks at each of those first. Once half of the free space is used, the
    /// files are removed between cells.
    ///
    /// A medium where that fails is measured no more. A directory that somebody removed is made again for the next cell.
    pub(crate) fn clear(&mut self, medium: &str) {
        if !self.is_there(medium) {
            return;
        }
        let cleared = self.try_to_clear(medium);
        self.note_failure(medium, cleared);
        self.settle(medium);
    }

    fn try_to_clear(&mut self, medium: &str) -> Result<()> {
        let scratch = self.of(medium)?.to_owned();
        // What a driver has mounted there is not ours.
        unmount_all(&scratch)?;
        let (store, retired) = (scratch.join(STORE), scratch.join(RETIRED));
        if count_files(&store, FILES_REMOVED_AT_ONCE) < FILES_REMOVED_AT_ONCE {
            self.remove_or_put_aside(medium, &store)?;
            return self.remove_or_put_aside(medium, &scratch.join(TEMPORARY));
        }
        let begin = Instant::now();
        let files = empty_tree(&store);
        self.emptied_s.push(begin.elapsed().as_secs_f64() / files.max(1) as f64);
        if self.put_aside(medium, &store) {
            let place = self.places.get_mut(medium);
            let is_short = place.is_some_and(|place| {
                place.aside += files;
                place.room.is_short(&scratch, place.aside)
            });
            if is_short {
                // What cannot be removed now is tried again at the end.
                let _ = remove_tree(&retired);
                self.places.entry(medium.to_owned()).and_modify(|place| place.aside = 0);
                // Where that fails, the next store is removed instead of set aside.
                let _ = std::fs::create_dir(&retired);
            }
        } else {
            remove_tree(&store)?;
        }
        self.remove_or_put_aside(medium, &scratch.join(TEMPORARY))
    }

    /// Moves a directory of a medium's scratch directory out of the way. Whether that worked.
    fn put_aside(&mut self, medium: &str, path: &Path) -> bool {
        let Some(place) = self.places.get(medium) else { return false };
        let to = place.own.path().join(RETIRED).join(self.retired.to_string());
        self.retired += 1;
        std::fs::rename(path, to).is_ok()
    }

    /// Removes it. What cannot be removed, such as a file that a store made immutable, is put aside: no other store is
    /// at fault.
    fn remove_or_put_aside(&mut self, medium: &str, path: &Path) -> Result<()> {
        let removed = remove_tree(path);
        if removed.is_ok() || self.put_aside(medium, path) { Ok(()) } else { removed }
    }

    /// Waits until everything written to the medium's file system is on the disk. A medium where
    /// that fails is measured no more.
    pub(crate) fn settle(&mut self, medium: &str) {
        if !self.is_there(medium) {
            return;
        }
        let settled = self.of(medium).and_then(|scratch| {
            let directory = File::open(scratch).with_context(|| format!("cannot open {}", scratch.display()))?;
            rustix::fs::syncfs(directory).map_err(std::io::Error::from).context("cannot flush the file system")
        });
        self.note_failure(medium, settled);
    }

    /// Keeps the first thing that went wrong with a medium.
    fn note_failure(&mut self, medium: &str, outcome: Result<()>) {
        if let (Err(why), Some(place)) = (outcome, self.places.get_mut(medium)) {
            place.unusable.get_or_insert(explained(&why));
        }
    }

    /// About how long the removal of files put aside will take: removing an empty file is as much work as cutting it.
    /// It uses the median, since some stores' data was on its way to the disk when they were cut.
    pub(crate) fn removal_time(&self) -> Duration {
        let aside: u64 = self.places.values().map(|place| place.aside).sum();
        Duration::from_secs_f64(aside as f64 * bakeoff_stats::median(&self.emptied_s).unwrap_or(0.0))
    }

    /// Removes everything. Where that fails on a medium, it is only reported: the results are there.
    pub(crate) fn remove(mut self) -> Result<()> {
        let expected = self.removal_time();
        if expected > ANNOUNCED {
            let time = bakeoff_text::format_duration(round_up(expected));
            self.reporter.report(&format!("Removing the stores' files takes about {time}"));
        }
        let outcome = self.tapes.take().map_or(Ok(()), OwnDirectory::remove);
        for place in std::mem::take(&mut self.places).into_values() {
            place.own.remove().unwrap_or_else(|why| self.reporter.report(&format!("note: {}", explained(&why))));
        }
        outcome
    }
}

/// The entries in `base` whose names begin with `beginning`, with the rest of each name.
fn named(base: &Path, beginning: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(base).into_iter().flatten().flatten();
    let paths = entries.map(|entry| (entry.path(), entry.file_name().to_string_lossy().into_owned()));
    paths.filter_map(|(path, name)| Some((path, name.strip_prefix(beginning)?.to_owned()))).collect()
}

/// Removes the tapes and the media made for a run that killed runs left in `base`: nobody living
/// holds their locks.
///
/// What such runs left of stores on media stays for `bakeoff clean` ([`report_left_stores`]): to
/// remove many files makes some file systems slow for minutes, and stores are measured next.
pub(crate) fn remove_left_behind(base: &Path, reporter: Reporter) {
    // The next run finds any that cannot be removed.
    for path in unmarked_in(base) {
        let _ = remove_unfinished(&path);
    }
    named(base, names::SCRATCH).iter().filter(|(_, rest)| !names::is_of_stores(rest)).for_each(|(path, _)| {
        remove_if_left(path, reporter);
    });
}

/// The directories in `base` whose makers were killed before they had marked them.
pub fn unmarked_in(base: &Path) -> Vec<PathBuf> {
    unmarked(base, |name| name.starts_with(names::SCRATCH))
}

/// Says where killed runs left stores on media, and how they are removed.
pub(crate) fn report_left_stores<'a>(media: impl Iterator<Item = &'a PathBuf>, reporter: Reporter) {
    for directory in media.collect::<BTreeSet<_>>() {
        let left = named(directory, names::SCRATCH).into_iter();
        let left =
            left.filter(|(path, rest)| names::is_of_stores(rest) && OwnDirectory::open(path, Kind::Scratch).is_ok());
        match left.count() {
            0 => {}
            count => reporter.report(&format!(
                "note: {} holds what {} left when killed. To have the room back: {} clean {}",
                shown(directory),
                counted(count, "run"),
                bakeoff_text::program(),
                shown(directory)
            )),
        }
    }
}

/// Removes the tapes and made media in `base` of a process that has ended, by the
/// [name](names::of_run) of its run. False if something is still in use.
pub(crate) fn remove_all_of(base: &Path, name: &str, reporter: Reporter) -> bool {
    let left = named(base, name).into_iter().filter(|(_, rest)| names::is_of_tapes_or_made(rest));
    left.fold(true, |done, (path, _)| (remove_unfinished(&path) || remove_if_left(&path, reporter)) && done)
}

/// Removes a scratch directory that a killed run left. False if it is in use, or not ours, and so
/// left as it is.
pub(crate) fn remove_if_left(path: &Path, reporter: Reporter) -> bool {
    let Ok(own) = OwnDirectory::open(path, Kind::Scratch) else { return false };
    reporter.report(&format!("Removing what a run left behind when it was killed: {}", path.display()));
    own.remove().unwrap_or_else(|error| reporter.report(&format!("note: {}", explained(&error))));
    true
}

/// Removes the scratch directories of a run that was killed and is taken up again, whichever
/// process it had.
pub(crate) fn remove_leftovers<'a>(directories: impl Iterator<Item = &'a PathBuf>, run: &str, reporter: Reporter) {
    for directory in directories {
        for (path, _) in named(directory, &names::of_any_process(run)) {
            if !remove_unfinished(&path) {
                remove_if_left(&path, reporter);
            }
        }
    }
}

/// The same for the run whose results are in `directory`, before it is planned again: leftovers take the room that the
/// plan needs.
pub fn remove_leftovers_of(options: &RunOptions, directory: &Path, reporter: Reporter) {
    let base = options.dir.as_ref().unwrap_or(&options.out);
    let run = directory.file_name().unwrap_or_default().to_string_lossy();
    remove_leftovers(options.media.values().chain([base]), &run, reporter);
}

/// To whole seconds.
fn round_up(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs() + 1)
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // After an error, the error is what counts; `bakeoff clean` finds the rest.
        let media = std::mem::take(&mut self.places).into_values().map(|place| place.own);
        media.chain(self.tapes.take()).for_each(|own| drop(own.remove()));
    }
}
