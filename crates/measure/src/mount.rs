//! The mount table.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use procfs::process::MountInfo;

use crate::sys;

/// The mount table of this thread, which may have its own.
const MOUNTS: &str = "/proc/thread-self/mountinfo";

/// One line of the mount table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) point: PathBuf,
    pub(crate) file_system: String,
    pub(crate) source: Option<String>,
    pub(crate) options: Vec<String>,
}

/// The mount that holds an existing directory.
pub(crate) fn mount_of(directory: &Path) -> Option<Mount> {
    let directory = fs::canonicalize(directory).ok()?;
    holder(&sys::text(MOUNTS)?, &directory)
}

/// All mount points that this process sees; empty if the table cannot be read.
pub fn mount_points() -> Vec<PathBuf> {
    let table = sys::text(MOUNTS).unwrap_or_default();
    table.lines().filter_map(parse_mount).map(|mount| mount.point).collect()
}

/// The mount with the longest mount point above `path`. If several share a mount point, the last one covers the others.
fn holder(table: &str, path: &Path) -> Option<Mount> {
    let mounts = table.lines().filter_map(parse_mount);
    mounts.filter(|mount| path.starts_with(&mount.point)).max_by_key(|mount| mount.point.components().count())
}

fn parse_mount(line: &str) -> Option<Mount> {
    let info = MountInfo::from_line(line).ok()?;
    let pairs = info.mount_options.into_iter().chain(info.super_options);
    let options: BTreeSet<String> = pairs
        .map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => name,
        })
        .collect();
    Some(Mount {
        point: PathBuf::from(unescape(&info.mount_point.to_string_lossy())),
        file_system: info.fs_type,
        source: info.mount_source.map(|source| unescape(&source)),
        options: options.into_iter().collect(),
    })
}

/// The kernel writes space, tab, newline, backslash and `#` as `\` and three octal digits.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        match tail.get(..3).filter(|_| first == b'\\').and_then(octal) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn octal(digits: &[u8]) -> Option<u8> {
    let all_octal = digits.iter().all(|digit| (b'0'..=b'7').contains(digit));
    let text = std::str::from_utf8(digits).ok().filter(|_| all_octal)?;
    u8::from_str_radix(text, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
30 27 8:17 / /mnt/my\\040disk rw,noatime shared:7 master:2 - xfs /dev/disk\\040one rw,attr2,logbufs=8
31 27 0:40 /@home /home rw,relatime shared:9 - btrfs /dev/sdb1 rw,compress=zstd:1,subvol=/@home
a line that is none
32 27 0:41 / /tmp rw - ext4 /dev/below rw
33 27 0:42 / /tmp rw,nosuid - tmpfs tmpfs rw,size=1024k
34 27 0:43 / /var rw - overlay none rw,lowerdir=/a:/b
";

    fn mount(path: &str) -> Mount {
        holder(TABLE, Path::new(path)).unwrap()
    }

    #[test]
    fn the_longest_mount_point_above_wins() {
        assert_eq!(mount("/srv/data").point, Path::new("/"));
        assert_eq!(mount("/home").file_system, "btrfs");
        assert_eq!(mount("/home/me/bench").source.as_deref(), Some("/dev/sdb1"));
        assert_eq!(mount("/homeless").file_system, "ext4", "a component is matched as a whole");
    }

    #[test]
    fn escaped_spaces_are_spaces() {
        let mount = mount("/mnt/my disk/bakeoff");
        assert_eq!(mount.point, Path::new("/mnt/my disk"));
        assert_eq!(mount.source.as_deref(), Some("/dev/disk one"));
        assert_eq!(mount.options, ["attr2", "logbufs=8", "noatime", "rw"]);
    }

    #[test]
    fn a_mount_over_another_covers_it() {
        assert_eq!(mount("/tmp/x").file_system, "tmpfs");
        assert_eq!(mount("/tmp/x").options, ["nosuid", "rw", "size=1024k"]);
    }

    #[test]
    fn a_source_of_none_is_absent() {
        assert_eq!(mount("/var/lib").source, None);
    }

    #[test]
    fn unescapes_only_what_the_kernel_escapes() {
        assert_eq!(unescape("a\\040b\\134c"), "a b\\c");
        assert_eq!(unescape("\\04"), "\\04");
        assert_eq!(unescape("\\999x"), "\\999x");
        assert_eq!(unescape("\\777"), "\\777", "more than a byte");
        assert_eq!(unescape("m\\303\\274"), "mü");
    }
}
