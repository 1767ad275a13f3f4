//! Compares the sizes of directories that a driver claims with their contents once the driver has ended.
//!
//! The driver measures the store's directory after closing. Then it opens the store again to compare its content, which may change the files: a
//! log is turned into tables, a new log begins. So only sizes that differ by more than that can explain are refused.

use std::path::Path;

use bakeoff_measure::{Medium, disk_usage};
use bakeoff_protocol::DiskUsage;
use bakeoff_text::format_size;

/// A directory may have this many times as much as its driver reported, and a few bytes more.
const MORE_TIMES: u64 = 2;

/// Files may be longer by this much: a few begin anew whenever a store is opened.
const LONGER_BYTES: u64 = 256 << 10;

/// They may have this many more blocks: opening writes into files that had holes (10 MiB of them in Chronicle Map).
const FILLED_BYTES: u64 = 16 << 20;

/// It may be smaller by this factor: logs may have been compressed, and reserved space returned.
const LESS_TIMES: u64 = 20;

/// Files that a store makes longer than it needs, and cuts when it is opened or closed again.
const LESS_BYTES: u64 = 256 << 20;

/// As many files more or fewer may be there: tables are merged, and logs begun.
const FILES_APART: u64 = 1_000;

/// A directory that keeps values has at least this part of their size compressed by Zstandard.
const KEPT_PART: u64 = 4;

/// File systems that count the blocks of a file only once it is on its disk, or a server's.
const LATE: [&str; 6] = ["9p", "cifs", "fuse", "nfs", "smb", "zfs"];

/// What must be in a directory of any store.
#[derive(Clone, Copy)]
pub(crate) struct Kept {
    /// Records that the store keeps.
    pub(crate) records: u64,
    /// What Zstandard makes of the values, each part that they have in common counted once.
    pub(crate) compressed_bytes: u64,
}

/// A directory as it is when the driver has ended.
pub(crate) struct Measured<'a> {
    /// Its description, for people.
    what: &'a str,
    path: &'a Path,
    found: DiskUsage,
}

impl<'a> Measured<'a> {
    /// Measures it.
    ///
    /// # Errors
    /// It cannot be measured, in words.
    pub(crate) fn of(what: &'a str, path: &'a Path) -> Result<Self, String> {
        if !path.symlink_metadata().is_ok_and(|facts| facts.is_dir()) {
            return Err(format!("{what}, {}, is no directory any more now that the driver has ended", path.display()));
        }
        let found = disk_usage(path)
            .map_err(|why| format!("{what} cannot be measured now that the driver has ended: {why}"))?;
        Ok(Self { what, path, found })
    }

    fn counts_late(&self) -> bool {
        Medium::read(self.path).file_system.is_some_and(|name| LATE.iter().any(|late| name.starts_with(late)))
    }
}

/// The mistake in a directory, as text. `claimed` is its size as its driver has it; `kept` is its content if the store
/// keeps anything.
pub(crate) fn untrue(of: &Measured<'_>, claimed: Option<DiskUsage>, kept: Option<Kept>) -> Option<String> {
    let Measured { what, found, .. } = *of;
    let counts_late = of.counts_late();
    // What a file system counts late, the driver cannot know.
    let claimed = claimed.map(|claimed| DiskUsage {
        allocated_bytes: if counts_late { found.allocated_bytes } else { claimed.allocated_bytes },
        ..claimed
    });
    let too_little_claimed = || too_little("the driver reported for", what, claimed?, kept?);
    of_sizes(what, claimed, found).or_else(too_little_claimed).or_else(|| too_little("there is in", what, found, kept?))
}

/// The mistake in the cached part of a directory's files, as text. `peak_bytes` is the most that was seen in it before.
pub(crate) fn too_much_cached(of: &Measured<'_>, cached_bytes: Option<u64>, peak_bytes: Option<u64>) -> Option<String> {
    let (cached_bytes, found) = (cached_bytes?, of.found);
    let seen_bytes = found.apparent_bytes.max(found.allocated_bytes).max(peak_bytes.unwrap_or(0));
    let is_off = cached_bytes > seen_bytes.saturating_mul(LESS_TIMES).saturating_add(LESS_BYTES);
    is_off.then(|| {
        format!(
            "the driver reported page_cache_bytes {cached_bytes} of files that never had more than {seen_bytes} bytes"
        )
    })
}

/// The mistake in the size that the store's directory had earlier, as text: more blocks than it ever can have had.
/// `peak_bytes` is the most that was seen in it before.
pub(crate) fn too_large_before(of: &Measured<'_>, claimed: DiskUsage, peak_bytes: Option<u64>) -> Option<String> {
    let seen_bytes = of.found.allocated_bytes.max(peak_bytes.unwrap_or(0));
    let is_off = claimed.allocated_bytes > seen_bytes.saturating_mul(LESS_TIMES).saturating_add(LESS_BYTES);
    (is_off && !of.counts_late()).then(|| {
        format!(
            "the driver reported allocated_bytes {} of {}, which never had more than {seen_bytes} bytes",
            claimed.allocated_bytes, of.what
        )
    })
}

fn of_sizes(what: &str, claimed: Option<DiskUsage>, found: DiskUsage) -> Option<String> {
    let claimed = claimed?;
    // Holes hold no data: LMDB makes a file as long as its map when it opens a copy that is no longer than its pages.
    let longer = found.apparent_bytes.min(found.allocated_bytes.max(claimed.apparent_bytes));
    let sizes = [
        ("apparent_bytes", claimed.apparent_bytes, longer, (LONGER_BYTES, LESS_BYTES)),
        ("allocated_bytes", claimed.allocated_bytes, found.allocated_bytes, (FILLED_BYTES, LESS_BYTES)),
        ("files", claimed.files, found.files, (FILES_APART, FILES_APART)),
    ];
    let is_off = |(_, claimed, found, (more, less)): &(&str, u64, u64, (u64, u64))| {
        let more = claimed.saturating_mul(MORE_TIMES).saturating_add(*more);
        let less = found.saturating_mul(LESS_TIMES).saturating_add(*less);
        *found > more || *claimed > less
    };
    let (name, claimed, found, _) = sizes.into_iter().find(is_off)?;
    Some(format!("the driver reported {name} {claimed} of {what}, which has {found} now that the driver has ended"))
}

/// `whose` begins a sentence about a size.
fn too_little(whose: &str, what: &str, size: DiskUsage, kept: Kept) -> Option<String> {
    if size.files == 0 && kept.records > 0 {
        return Some(format!("{whose} {what} no file, although the store keeps {} records", kept.records));
    }
    let least = kept.compressed_bytes / KEPT_PART;
    let sizes = [("apparent_bytes", size.apparent_bytes), ("allocated_bytes", size.allocated_bytes)];
    let (name, bytes) = sizes.into_iter().find(|(_, bytes)| *bytes < least)?;
    let compressed = format_size(kept.compressed_bytes);
    Some(format!("{whose} {what} {name} {bytes}, although the store keeps values that Zstandard makes {compressed} of"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(bytes: u64) -> DiskUsage {
        DiskUsage { apparent_bytes: bytes, allocated_bytes: bytes, files: 1 }
    }

    #[test]
    fn sizes_may_differ_by_what_opening_again_changes() {
        let is_wrong = |claimed: DiskUsage, found: DiskUsage| of_sizes("it", Some(claimed), found).is_some();
        let right = [(0, 0), (0, LONGER_BYTES), (100 << 20, 200 << 20), (200 << 20, 10 << 20), (64 << 20, 4_096)];
        for (claimed, found) in right {
            assert!(!is_wrong(usage(claimed), usage(found)), "{claimed} {found}");
        }
        for (claimed, found) in [(1, 1 << 20), (100 << 20, 201 << 20), (1 << 40, 1 << 30), (1 << 60, 1)] {
            assert!(is_wrong(usage(claimed), usage(found)), "{claimed} {found}");
        }
        let with_holes = DiskUsage { allocated_bytes: 28_672, ..usage(10 << 20) };
        assert!(!is_wrong(with_holes, usage(10 << 20)));
        let of_a_map = DiskUsage { allocated_bytes: 9 << 20, ..usage(2 << 30) };
        assert!(!is_wrong(usage(9 << 20), of_a_map), "holes hold no data");
        assert!(is_wrong(usage(9 << 20), DiskUsage { allocated_bytes: 1 << 30, ..of_a_map }));
        assert!(is_wrong(DiskUsage { allocated_bytes: 0, ..usage(1 << 30) }, usage(1 << 30)));
        assert!(of_sizes("it", None, usage(1 << 30)).is_none());
    }

    #[test]
    fn what_is_kept_is_in_the_directory() {
        let is_too_little = |size, records, compressed_bytes| {
            too_little("there is in", "it", size, Kept { records, compressed_bytes }).is_some()
        };
        assert!(is_too_little(DiskUsage::default(), 1, 0) && !is_too_little(DiskUsage::default(), 0, 0));
        assert!(is_too_little(usage(200), 1, 1_000) && !is_too_little(usage(300), 1, 1_000));
        assert!(is_too_little(DiskUsage { allocated_bytes: 1, ..usage(300) }, 1, 1_000));
    }

    #[test]
    fn a_directory_is_one_and_can_be_measured() {
        let place = tempfile::tempdir().unwrap();
        let (directory, link) = (place.path().join("store"), place.path().join("link"));
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(directory.join("data"), [1; 9_000]).unwrap();
        std::os::unix::fs::symlink(&directory, &link).unwrap();
        let kept = Some(Kept { records: 1, compressed_bytes: 9_000 });
        let claimed = disk_usage(&directory).ok();
        assert_eq!(untrue(&Measured::of("it", &directory).unwrap(), claimed, kept), None);
        let no_longer = [link, directory.join("data"), place.path().join("gone")];
        for path in no_longer {
            let why = Measured::of("it", &path).err().unwrap();
            assert!(why.contains("is no directory any more"), "{}", path.display());
        }
    }
}
