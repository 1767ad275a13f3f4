//! The block device under a directory.

use std::fmt;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rustix::fs::{major, minor};
use serde::{Deserialize, Serialize};

use crate::mount::mount_of;
use crate::sys;

/// `/sys` counts in sectors of this many bytes, independent of the device's sector size.
const SECTOR_BYTES: u64 = 512;

/// A whole block device, written `major:minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DeviceId {
    major: u32,
    minor: u32,
}

/// A device's traffic since the machine started, for all processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceCounters {
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
}

impl DeviceId {
    /// The device that holds a directory; for a partition, the whole device. Absent for file systems without a single device, such as
    /// tmpfs, overlay, NFS or ZFS.
    pub fn of(directory: &Path) -> Option<Self> {
        let number = fs::metadata(directory).ok()?.dev();
        Self::from_number(number).whole().or_else(|| Self::from_mount_source(directory)?.whole())
    }

    /// File systems such as btrfs report a virtual device number for their files. The mount table names the real device.
    fn from_mount_source(directory: &Path) -> Option<Self> {
        let source = mount_of(directory)?.source.filter(|source| source.starts_with('/'))?;
        let metadata = fs::metadata(source).ok()?;
        metadata.file_type().is_block_device().then(|| Self::from_number(metadata.rdev()))
    }

    fn from_number(number: u64) -> Self {
        Self { major: major(number), minor: minor(number) }
    }

    /// The device itself, or the device of a partition; absent if the kernel knows no such block device.
    fn whole(self) -> Option<Self> {
        let path = fs::canonicalize(self.sys_path()).ok()?;
        if !path.join("partition").exists() {
            return Some(self);
        }
        sys::text(path.parent()?.join("dev"))?.parse().ok()
    }

    /// The device's directory in `/sys`.
    pub(crate) fn sys_path(self) -> PathBuf {
        PathBuf::from(format!("/sys/dev/block/{self}"))
    }

    /// The device's name, e.g. `nvme0n1`.
    pub fn name(self) -> Option<String> {
        Some(fs::canonicalize(self.sys_path()).ok()?.file_name()?.to_string_lossy().into_owned())
    }

    /// Bytes read and written so far.
    pub fn counters(self) -> Option<DeviceCounters> {
        counters_from(&sys::text(self.sys_path().join("stat"))?)
    }
}

/// Requests that a device completed, and their durations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeviceRequests {
    pub(crate) count: u64,
    /// The sum of their durations, to a millisecond. Concurrent requests add up to more than the elapsed time.
    pub(crate) ns: u64,
    /// Time in which there were any, to a tick of the kernel's timer.
    pub(crate) busy_ns: u64,
}

/// Reads, writes, discards and flushes: <https://docs.kernel.org/block/stat.html>. Older kernels have no discards or flushes.
pub(crate) fn requests_from(stat: &str) -> Option<DeviceRequests> {
    const COUNTS_AND_MS: [(usize, usize); 4] = [(0, 3), (4, 7), (11, 14), (15, 16)];
    const BUSY_MS: usize = 9;
    let fields: Vec<u64> = stat.split_whitespace().map_while(|field| field.parse().ok()).collect();
    fields.get(BUSY_MS)?;
    let of = |field: usize| fields.get(field).copied().unwrap_or(0);
    let sum = COUNTS_AND_MS.iter().map(|&(count, ms)| (of(count), of(ms)));
    let busy = DeviceRequests { busy_ns: of(BUSY_MS) * 1_000_000, ..DeviceRequests::default() };
    Some(sum.fold(busy, |all, (count, ms)| DeviceRequests {
        count: all.count + count,
        ns: all.ns + ms * 1_000_000,
        ..all
    }))
}

/// Fields: reads, reads merged, sectors read, time, writes, writes merged, sectors written, …
fn counters_from(stat: &str) -> Option<DeviceCounters> {
    let mut fields = stat.split_whitespace().map(str::parse::<u64>);
    let sectors_read = fields.nth(2)?.ok()?;
    let sectors_written = fields.nth(3)?.ok()?;
    Some(DeviceCounters { read_bytes: sectors_read * SECTOR_BYTES, write_bytes: sectors_written * SECTOR_BYTES })
}

impl fmt::Display for DeviceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.major, self.minor)
    }
}

impl FromStr for DeviceId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(':').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let (major, minor) =
            numbers.ok_or_else(|| format!("`{text}` is not a device number: write major:minor, such as 259:0"))?;
        Ok(Self { major, minor })
    }
}

impl From<DeviceId> for String {
    fn from(device: DeviceId) -> Self {
        device.to_string()
    }
}

impl TryFrom<String> for DeviceId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_sectors_of_512_bytes() {
        let stat = "   67268    24825  5184634    15374     9398    21208  4907696    17679        0     7632    33446";
        let counters = counters_from(stat).unwrap();
        assert_eq!(counters, DeviceCounters { read_bytes: 5_184_634 * 512, write_bytes: 4_907_696 * 512 });
        assert_eq!(counters_from("1 2 3 4 5 6"), None);
        assert_eq!(counters_from("1 2 x 4 5 6 7"), None);
    }

    #[test]
    fn requests_are_counted_with_their_time_and_that_in_which_there_were_any() {
        // Before the kernel counted discards and flushes, and since.
        let (old, rest) = ("10 1 99 7 20 2 88 70 0 40 77", " 3 0 5 2 4 1");
        let told = DeviceRequests { count: 30, ns: 77_000_000, busy_ns: 40_000_000 };
        assert_eq!(requests_from(old), Some(told));
        assert_eq!(requests_from(&format!("{old}{rest}")), Some(DeviceRequests { count: 37, ns: 80_000_000, ..told }));
        assert_eq!(requests_from("10 1 99 7 20 2 88 70 0"), None);
    }

    #[test]
    fn is_written_as_major_and_minor() {
        let device: DeviceId = "259:3".parse().unwrap();
        assert_eq!(device.to_string(), "259:3");
        assert_eq!(serde_json::to_string(&device).unwrap(), "\"259:3\"");
        assert!("259".parse::<DeviceId>().unwrap_err().contains("major:minor"));
    }

    #[test]
    fn of_a_memory_file_system_is_absent() {
        assert_eq!(DeviceId::of(Path::new("/dev/shm")), None);
        assert_eq!(DeviceId::of(Path::new("/proc")), None);
        assert_eq!(DeviceId::of(Path::new("/no/such/directory")), None);
    }

    #[test]
    fn partitions_lead_to_their_device() {
        // The partitions of this machine; there may be none.
        for entry in fs::read_dir("/sys/class/block").unwrap() {
            let path = entry.unwrap().path();
            let device: DeviceId = sys::text(path.join("dev")).unwrap().parse().unwrap();
            let whole = device.whole().unwrap();
            assert_eq!(path.join("partition").exists(), device != whole, "{}", path.display());
            assert!(!whole.sys_path().join("partition").exists());
        }
    }
}
